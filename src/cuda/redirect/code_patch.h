// Changing the first bytes of functions in memory, so that calls go elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ww::redirect {

/// Zeroed pages, readable and writable, so near to the `size` bytes at `start` that a jump reaches
/// them from there (kJumpReach). Null where the space is full.
std::byte* map_near(uintptr_t start, size_t size, size_t bytes);

/// Makes pages from map_near executable and no longer writable, but for their first `writable` bytes.
bool make_executable(std::byte* pages, size_t bytes, size_t writable);

/// Makes the pages that hold `size` bytes at `start` writable (and not executable), and back (executable and
/// not writable). False where the system does not allow it.
bool open_code(uintptr_t start, size_t size);
bool close_code(uintptr_t start, size_t size);

}  // namespace ww::redirect
