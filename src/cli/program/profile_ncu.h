// Launches as the CSV that Nsight Compute prints.
#pragma once

#include <span>
#include <string>

#include "base/table.h"
#include "gpus/gpu.h"

namespace ww::cli {

/// Our tag for Nsight Compute's name of a metric; other names as they are.
std::string tag_of_ncu(const std::string& metric);

/// The text of `ncu --csv --page details`: a record for each metric of each row that Nsight Compute has a
/// name for, in its units. Rows of one launch (values `launch`, `process`, `grid`) on several GPUs have one
/// ID, and the GPU's place in `gpus` as Device. `program`: the process name.
std::string write_ncu_csv(const Table& table, std::span<const gpus::Gpu> gpus, const std::string& program);

}  // namespace ww::cli
