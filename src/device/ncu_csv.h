// The CSV that Nsight Compute prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/table.h"

namespace ww::device {

/// One launch that was profiled.
struct ProfiledKernel {
  std::string name;           ///< as Nsight Compute has it, "scale(float *, int)"
  std::string grid, block;    ///< "(64, 64, 1)"
  std::vector<Value> values;  ///< under Nsight Compute's names, in base units (byte, ns, hz), measured
};

/// Reads the output of `ncu --csv`, in the form of the raw page (a column for each metric, a row of units) or
/// of the details page (a row for each metric). Lines that are no records are skipped: the tool's own
/// messages and what the program printed. Launches come in the order of their id. A metric that is "n/a" is
/// left out. Error: there is no table, or it lacks the columns ID and Kernel Name.
Result<std::vector<ProfiledKernel>> parse_ncu_csv(std::string_view text);

}  // namespace ww::device
