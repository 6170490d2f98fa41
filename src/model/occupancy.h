// Theoretical occupancy: how many blocks of a launch an SM of a GPU can hold at once, and what stops more.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"

namespace ww::model {

/// What a launch asks of an SM. Bytes and threads.
struct Demand {
  int64_t block_x = 1, block_y = 1, block_z = 1;
  int64_t registers = 0;       ///< per thread, as the compiler reports them
  int64_t static_shared = 0;   ///< declared in the kernel
  int64_t dynamic_shared = 0;  ///< given at launch
  int64_t parameters = 0;   ///< kernel parameters; they live in shared memory on 1.x and count nowhere else
  int64_t grid_blocks = 0;  ///< blocks of the grid; 0: more than the GPU can hold

  int64_t threads() const { return block_x * block_y * block_z; }
};

/// What can limit the number of resident blocks.
enum class Resource { Warps, Registers, SharedMemory, Blocks, Grid };
inline constexpr int kResourceCount = 5;
std::string_view name(Resource resource);

struct Occupancy {
  int64_t warps_per_block = 0;
  int64_t registers_per_block = 0;  ///< allocated, after rounding
  int64_t shared_per_block = 0;     ///< bytes allocated, after rounding, with what the system takes
  int64_t shared_used = 0;  ///< bytes before rounding, without the system's part; with 1.x launch data

  /// Blocks that fit as far as this resource goes; empty: no limit (a kernel without registers or shared
  /// memory, a grid of unknown size).
  std::array<std::optional<int64_t>, kResourceCount> limit;
  std::vector<Resource> binding;  ///< those whose limit equals active_blocks

  int64_t active_blocks = 0, active_warps = 0, active_threads = 0;  ///< per SM
  double percent = 0;  ///< active warps of the warps an SM can hold
  /// Bytes: from 7.0, the smallest shared part of an SM that holds the active blocks.
  std::optional<int64_t> carveout;
  bool needs_optin = false;  ///< more shared memory than a block has without its kernel asking for it

  const std::optional<int64_t>& operator[](Resource resource) const {
    return limit[static_cast<int>(resource)];
  }
};

/// The rules of NVIDIA's occupancy calculator and cuda_occupancy.h (docs/accuracy.md: 155 of 156 published GT
/// 240 cells). Errors: an impossible launch, one diagnostic for each limit that it breaks.
Result<Occupancy> occupancy(const gpus::Gpu& gpu, const Demand& demand);

/// A range of a demand in which occupancy is the same.
struct Step {
  int64_t first = 0, last = 0;  ///< inclusive
  int64_t active_warps = 0;     ///< 0: the launch is impossible
  double percent = 0;
};

/// What occupancy would be if one demand were different and the others as given. The ranges follow one
/// another from the smallest to the largest value that the GPU allows at all; where the others forbid it,
/// active_warps is 0.
std::vector<Step> steps_by_registers(const gpus::Gpu& gpu, const Demand& demand);
/// Static and dynamic shared memory together, bytes.
std::vector<Step> steps_by_shared(const gpus::Gpu& gpu, const Demand& demand);
/// Threads per block, as blocks of one dimension.
std::vector<Step> steps_by_block(const gpus::Gpu& gpu, const Demand& demand);

/// The nearest values on both sides at which occupancy is another; empty where there is none.
struct Cliffs {
  std::optional<Step> below, above;
};
Cliffs cliffs(const std::vector<Step>& steps, int64_t value);

}  // namespace ww::model
