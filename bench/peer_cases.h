// The kernels that are run here and on PoCL: their launches and their data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace ww::bench {

/// An array argument: as the kernel finds it. `result`: compared afterwards.
struct Array {
  std::vector<uint32_t> words;
  bool result = false;
  bool floats = true;    ///< compared with a tolerance
  bool doubles = false;  ///< of two words each
};
using Argument = std::variant<Array, int32_t, float>;

struct Case {
  std::string name, file;  ///< of the kernel; of its sources, kernels/FILE.cu and .cl
  std::string size;        ///< for people
  uint32_t grid[2] = {}, block[2] = {};
  std::vector<Argument> arguments;
};

/// A case, whose arrays are filled when it is made.
struct CaseEntry {
  const char *name, *size;
  Case (*make)();
};
std::vector<CaseEntry> case_entries();
/// Those of 2026-11-24 (unseen_cases.cpp), and of that evening (mixed_cases.cpp).
std::span<const CaseEntry> unseen_cases();
std::span<const CaseEntry> mixed_cases();
Case make_case(const CaseEntry& entry);

}  // namespace ww::bench
