// What kernels print: kept by block, so that the text does not depend on which block came first.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/machine.h"

namespace ww::engine {

/// The most text a launch may print, in bytes: the size of CUDA's buffer for printf (cudaLimitPrintfFifoSize,
/// 1 MiB). What comes behind it, in the order of blocks, is dropped.
inline constexpr u64 kPrintLimit = u64{1} << 20;

class PrintedText {
 public:
  /// Adds one call's text of one thread. Safe to call from several threads.
  void add(u64 block, std::string text);
  /// All of it in order of the blocks, with a last line that says what was dropped. Once nobody adds any
  /// more.
  std::string text() const;

 private:
  std::mutex mutex_;
  std::map<u64, std::vector<std::string>> pieces_;  ///< by block
  u64 bytes_ = 0;                                   ///< of all pieces
  u64 end_ = ~u64{0};                               ///< this block and those behind it print no more
  u64 dropped_ = 0;                                 ///< pieces
};

}  // namespace ww::engine
