// What a library is about to read or write, for `check`: it works on the processor, so no access is looked
// at.
#pragma once

#include <cstdint>
#include <type_traits>

extern "C" {  // of the runtime
void ww_cuda_library_touches(const void* at, uint64_t bytes, int writes);
void ww_cuda_library_batch(const void* first, int64_t step, int64_t count, int writes);
}

namespace ww::stubs {

inline void touches_bytes(const void* first, int64_t bytes, bool writes) {
  if (bytes > 0) ww_cuda_library_touches(first, static_cast<uint64_t>(bytes), writes);
}
/// So many elements from there on: it writes where they are not const.
template <class T>
void touches(T* first, int64_t elements) {
  touches_bytes(first, elements * static_cast<int64_t>(sizeof(T)), !std::is_const_v<T>);
}
/// Where the operands of a batch begin, `step` bytes apart: all are parts of one array.
inline void touches_batch_bytes(const void* first, int64_t step, int64_t count, bool writes) {
  if (step && count > 1) ww_cuda_library_batch(first, step, count, writes);
}
template <class T>
void touches_batch(T* first, int64_t step, int64_t count) {
  touches_batch_bytes(first, step * static_cast<int64_t>(sizeof(T)), count, !std::is_const_v<T>);
}
/// A matrix stored by columns, `lead` elements apart.
template <class T>
void touches(T* a, int64_t rows, int64_t columns, int64_t lead) {
  if (rows > 0 && columns > 0) touches(a, (columns - 1) * lead + rows);
}

}  // namespace ww::stubs
