// What a launch asks of each resource of a GPU, in clocks; and what a warp of it waits for.
#pragma once

#include <vector>

#include "gpus/gpu.h"
#include "model/activity.h"

namespace ww::model {

/// The station that a resource belongs to (see time.h).
enum class Station { Core, DataPath, L2, Dram, Blocks, Power };
inline constexpr int kStationCount = 6;
/// Whether all SMs share it.
inline bool is_of_chip(Station s) { return s != Station::Core && s != Station::DataPath; }
/// Whether warps wait there one behind another; what the power limits only takes longer.
inline bool is_queue(Station s) { return s != Station::Power; }

struct Work {
  std::string_view tag, description;
  Station station;
  /// Clocks that the whole launch's work takes on one SM (Core, DataPath), or on the chip (is_of_chip).
  double clocks;
};

/// Resources that the launch uses. A rate that the GPU lacks leaves its resource out and is added to
/// `missing`.
std::vector<Work> work(const gpus::Gpu& gpu, const Activity& activity,
                       std::vector<std::string_view>& missing);

/// Clocks that a station needs for the launch: shared memory and L1 use the same banks and add up, everything
/// else runs side by side.
double station_clocks(const std::vector<Work>& work, Station station);

/// What one warp waits without using anything, clocks.
struct Wait {
  double global = 0;  ///< for global and local memory; a round of loads waits for the slowest of its sectors
  double first = 0;   ///< of this, a round: all warps of a block begin with it at one time
  double begin = 0;   ///< from a block's end until its successor begins
  double own = 0;     ///< for shared memory, at barriers and for its own arithmetic
};
Wait wait(const gpus::Gpu& gpu, const Activity& activity, std::vector<std::string_view>& missing);

}  // namespace ww::model
