// Which of a kernel's parameters that depends on which its warps compute once (FunctionCode::once): launches
// with other arguments compute only what depends on those that differ.
#pragma once

#include <vector>

#include "engine/decode/program.h"

namespace ww::engine {

class OnceNeeds {
 public:
  explicit OnceNeeds(const Program& program);
  /// The numbers in FunctionCode::once of what is to be computed again, ascending, where the parameters'
  /// buffer was `before`. Of as many bytes.
  const std::vector<u32>& again(const std::vector<u8>& before, const std::vector<u8>& now);

 private:
  std::vector<u64> needs_;  ///< by instruction of `once`: a bit for each eight bytes (bits_of)
  u64 differed_ = 0;
  std::vector<u32> again_;  ///< for these bits
};

}  // namespace ww::engine
