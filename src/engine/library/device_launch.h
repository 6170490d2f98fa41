// What kernels start themselves: the device runtime of nvcc (CDP2). It is kept until the kernel has ended,
// which is an order that CUDA allows, as no kernel can wait for what it started (Programming Guide, Dynamic
// Parallelism).
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/machine.h"

namespace ww::engine {

struct DeviceLaunch {
  enum class Kind { Kernel, Copy, Set };
  Kind kind = Kind::Kernel;
  bool tail = false;  ///< behind all that the same grid starts otherwise (cudaStreamTailLaunch)
  std::string kernel;
  u32 grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  u32 shared = 0;
  std::vector<u8> parameters;  ///< as they lie in the buffer
  u64 to = 0, from = 0, bytes = 0;
  u8 value = 0;
};

class DeviceLaunches {
 public:
  /// From several threads at once.
  void add(u64 block, DeviceLaunch launch);
  /// All, by block, each block's in its order; tails last.
  std::vector<DeviceLaunch> take();

 private:
  std::mutex mutex_;
  std::map<u64, std::vector<DeviceLaunch>> of_block_;
};

}  // namespace ww::engine
