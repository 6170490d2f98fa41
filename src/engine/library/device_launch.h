// What kernels start themselves: the device runtime of nvcc (CDP2). It is kept until the kernel has ended,
// which is an order that CUDA allows, as no kernel can wait for what it started (Programming Guide, Dynamic
// Parallelism).
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/machine.h"

namespace ww::engine {

struct DeviceLaunch {
  enum class Kind { Kernel, Copy, Set };
  Kind kind = Kind::Kernel;
  bool tail = false;        ///< behind all that the same grid starts otherwise (cudaStreamTailLaunch)
  u64 number = 0;           ///< of all in the process
  std::vector<u64> behind;  ///< what its stream puts before it, by number
  std::string kernel;
  u32 grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  u32 shared = 0;
  std::vector<u8> parameters;  ///< as they lie in the buffer
  u64 to = 0, from = 0, bytes = 0;
  u8 value = 0;
};

/// What the threads of a grid start, and the order that streams and events give it. From several threads at
/// once.
class DeviceLaunches {
 public:
  /// Returns its number.
  u64 add(u64 block, u64 stream, DeviceLaunch launch);
  /// A new stream or event.
  u64 make_handle();
  void record(u64 event, u64 block, u64 stream);
  void wait(u64 block, u64 stream, u64 event);
  /// All, by block, each block's in its order, as far as no stream asks for another; tails last.
  /// Once nobody adds any more.
  std::vector<DeviceLaunch> take();

 private:
  /// The stream without a name is each block's own, others are the grid's: 0.
  using StreamKey = std::pair<u64, u64>;
  static StreamKey key_of(u64 block, u64 stream);

  std::mutex mutex_;
  std::map<u64, std::vector<DeviceLaunch>> of_block_;
  std::map<StreamKey, std::vector<u64>> last_;  ///< what the next in the stream comes behind
  std::map<u64, std::vector<u64>> recorded_;    ///< by event
  u64 handles_ = 0;
};

}  // namespace ww::engine
