// Where the elements of an input buffer come from: seeded random numbers, or a file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace ww::kernels {

class Input {
 public:
  /// Random elements; different streams of one seed are independent.
  Input(uint64_t seed, uint64_t stream) : seed_(seed), stream_(stream) {}
  /// The `count` float32 elements of a file: .npy with that many elements (dtype f4 or f8, any shape), else
  /// raw float32. Errors: unreadable, wrong count, another type.
  static Result<Input> from_file(const std::string& path, uint64_t count);

  /// These elements; `name` says all that they depend on.
  static Input given(std::string name, std::vector<float> elements);

  /// The same elements, each rounded to the nearest bf16 (still as float32).
  Input in_bf16() const;

  /// Elements first, first + 1, …
  void read(uint64_t first, std::span<float> out) const;

  /// Two inputs with the same identity hold the same elements.
  std::string identity() const;

 private:
  uint64_t seed_ = 0, stream_ = 0;
  bool bf16_ = false;
  std::string name_;  // of elements that are not random
  std::shared_ptr<const std::vector<float>> elements_;
};

}  // namespace ww::kernels
