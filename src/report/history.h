// Result files of one study, one after the other: a table of all, and what changed on the way.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/compare.h"
#include "report/page.h"

namespace ww::report {

/// A result file and what it is called in tables and pages.
struct Recorded {
  std::string name;
  Table table;
};

/// The axis that says which file a row is of: its place from 1, or "before" and "after" where there are two.
inline constexpr const char* kRunAxis = "run";

/// All rows, with the axis kRunAxis behind their own. Rows of one file are the same as before.
Table combined(std::span<const Recorded> files);

/// Gives all rows the name of the first file's study where each file is of one study and the names differ, as
/// those of study files do that were copied: rows of two studies are never the same. Whether they differed.
bool name_studies_alike(std::vector<Recorded>& files);

/// A row for each value that differs between two files in succession (as compare() has it): its tag as the
/// axis "what", a column for each file, and the change from the first to the last that have it; notes name
/// the rows that came or went. `for_people`: times of a row in one unit that suits them.
Result<Table> history(std::span<const Recorded> files, const CompareOptions& options,
                      bool for_people = false);

/// The page of a comparison of the last two files, with all files in its figures. `comparison`: of these two.
Page history_page(std::vector<Recorded> files, const Comparison& comparison);

}  // namespace ww::report
