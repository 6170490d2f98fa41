// The tables of all entry points of the runtime and the driver: what is there, by chapter of their manuals,
// and what is refused.
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
const std::vector<Entry>& driver_entries();

/// By its whole name (cuMemAlloc_v2). Null: there is none.
const Entry* find_driver_entry(std::string_view name);
/// The version of CUDA (3020) in which a function came; 0: not known.
int driver_entry_since(std::string_view name);

}  // namespace ww::cuda
