// The kernels that are run here and on PoCL: their launches and their data.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace ww::bench {

/// An array argument: as the kernel finds it. `result`: compared afterwards.
struct Array {
  std::vector<uint32_t> words;
  bool result = false;
  bool floats = true;  ///< compared with a tolerance
};
using Argument = std::variant<Array, int32_t, float>;

struct Case {
  std::string name, file;  ///< of the kernel; of its sources, kernels/FILE.cu and .cl
  std::string size;        ///< for people
  uint32_t grid[2] = {}, block[2] = {};
  std::vector<Argument> arguments;
};

struct CaseName {
  std::string name, size;
};
/// What there is; make_case() fills the arrays.
std::vector<CaseName> case_names();
Case make_case(size_t index);

}  // namespace ww::bench
