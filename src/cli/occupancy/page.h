// Occupancy for people (with a chart of its cliffs) and for programs.
#pragma once

#include <string>

#include "base/table.h"
#include "model/occupancy.h"

namespace ww::cli {

/// Several lines; the reasons when the launch is impossible, and the chart in either case.
std::string occupancy_page(const gpus::Gpu& gpu, const model::Demand& demand,
                           const Result<model::Occupancy>& result);

/// One row; refused when the launch is impossible. The cliffs are values like next_registers_above.
Table occupancy_table(const gpus::Gpu& gpu, const model::Demand& demand,
                      const Result<model::Occupancy>& result);

}  // namespace ww::cli
