// Tables as CSV in long form: one line per value, the same columns for all studies.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/table.h"

namespace ww::report {

/// study,kernel,gpu,device,n,block,rx,ry,r,k,metric,value,unit,provenance; fields quoted as RFC 4180 has it,
/// lines end with "\n". Numbers are the shortest text that reads back the same, or nan, inf, -inf. A refused
/// row begins with a line whose metric is `refused`, the reason its value, provenance input; a value must not
/// use that tag. Words that look like numbers are quoted. Title, notes, descriptions and rows without
/// anything to say have no place in the CSV.
std::string write_csv(const Table& table);

/// Reads what write_csv wrote (also with "\r\n"). Lines with the same axes that follow each other are one
/// row; a value that comes again (metric, unit and provenance), or `refused`, begins the next one. Whole
/// numbers come back as int64_t. Errors are located in `file`, several at once.
Result<Table> read_csv(std::string_view text, const std::string& file);

}  // namespace ww::report
