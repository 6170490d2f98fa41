#include "heap.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> in_use{0}, most{0}, marked{0};

void* taken(void* at) {
  if (!at) throw std::bad_alloc();
  const auto bytes = static_cast<int64_t>(malloc_usable_size(at));
  const int64_t now = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  for (int64_t before = most.load(std::memory_order_relaxed);
       now > before && !most.compare_exchange_weak(before, now, std::memory_order_relaxed);) {
  }
  return at;
}
void given(void* at) {
  if (at) in_use.fetch_sub(static_cast<int64_t>(malloc_usable_size(at)), std::memory_order_relaxed);
  std::free(at);
}

}  // namespace

// The array forms call these.
void* operator new(std::size_t bytes) { return taken(std::malloc(bytes ? bytes : 1)); }
void* operator new(std::size_t bytes, std::align_val_t align) {
  const auto a = static_cast<std::size_t>(align);
  return taken(std::aligned_alloc(a, (bytes + a - 1) / a * a));
}
void operator delete(void* at) noexcept { given(at); }
void operator delete(void* at, std::size_t) noexcept { given(at); }
void operator delete(void* at, std::align_val_t) noexcept { given(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { given(at); }

namespace ww::bench {

void mark_heap() { marked = most = in_use.load(); }
uint64_t heap_above_mark() { return static_cast<uint64_t>(most.load() - marked.load()); }

}  // namespace ww::bench
