// How much of the heap a part of the program takes: operators new and delete that count.
#pragma once

#include <cstdint>

namespace ww::bench {

/// From now on the peak counts from what is in use.
void mark_heap();
/// Bytes beyond what was in use at the mark, at the most.
uint64_t heap_above_mark();

}  // namespace ww::bench
