// Tests of many cases of one kind try some of them; with WW_LONG set, as `scripts/test long` sets it, all.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace ww {

inline bool all_are_tried() { return std::getenv("WW_LONG") != nullptr; }

/// Whether the case with that number is tried: one of `every`, or all.
inline bool is_tried(size_t number, size_t every) { return number % every == 0 || all_are_tried(); }

}  // namespace ww
