// Memory for objects that come and go with every launch, kept for the next one.
#pragma once

#include <cstddef>
#include <memory>

namespace ww {

/// At least `bytes` bytes, aligned to 64. Each thread of the host keeps what it gave back: an allocator's own
/// aligned memory, and pieces of more than 1 KB, cost as much as the rest of an empty launch.
void* take_recycled(std::size_t bytes);
/// Gives them back (from any thread), with the size that was asked for.
void give_recycled(void* at, std::size_t bytes);

/// Base of classes whose objects are made of such memory.
struct Recycled {
  static void* operator new(std::size_t bytes) { return take_recycled(bytes); }
  static void operator delete(void* at, std::size_t bytes) { give_recycled(at, bytes); }
  static void* operator new(std::size_t bytes, std::align_val_t) { return take_recycled(bytes); }
  static void operator delete(void* at, std::size_t bytes, std::align_val_t) { give_recycled(at, bytes); }
};

/// Bytes of such memory.
struct GiveRecycled {
  std::size_t bytes = 0;
  void operator()(unsigned char* at) const { give_recycled(at, bytes); }
};
using RecycledBytes = std::unique_ptr<unsigned char[], GiveRecycled>;
inline RecycledBytes recycled_bytes(std::size_t bytes) {
  return RecycledBytes(static_cast<unsigned char*>(take_recycled(bytes)), GiveRecycled{bytes});
}

}  // namespace ww
