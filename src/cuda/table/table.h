// The table of all entry points: what of CUDA's runtime is there, by chapter of its manual, and what is
// refused.
#pragma once

#include <string_view>
#include <vector>

namespace ww::cuda {

enum class Support { Implemented, Same, Refused };

struct Entry {
  std::string_view name;
  std::string_view chapter;  ///< the file of the table, and most often of the implementation
  Support support;
  void* function;  ///< what a program gets that asks for it
};

const std::vector<Entry>& runtime_entries();

}  // namespace ww::cuda
