// Calls of libraries whose operands lie in memory of exactly the elements that the routine reads or writes,
// counted by hand, then in memory that lacks the last or the first of them. Prints what `check` is to say of
// each (`expect`); library_extents.py compares.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

/// Memory of `count` elements; zeros.
template <class T>
T* memory(long count) {
  void* p = nullptr;
  if (cudaMalloc(&p, static_cast<size_t>(count) * sizeof(T)) != cudaSuccess) std::exit(2);
  cudaMemset(p, 0, static_cast<size_t>(count) * sizeof(T));
  return static_cast<T*>(p);
}
/// Memory that suffices for every operand here.
template <class T>
T* ample() {
  static T* p = memory<T>(1000);
  return p;
}
/// The operand's elements from `first` to `last`, and no others; then without the last one, then without the
/// first. `call` takes where the operand begins.
template <class T, class F>
void extent(const char* function, const char* access, long first, long last, F call) {
  const long n = last - first + 1;
  const auto expect = [&](const char* how) {
    std::printf("expect %s %s %ld bytes, of which %zu lie %s\n", function, access, n * long{sizeof(T)},
                sizeof(T), how);
  };
  call(memory<T>(n) - first);
  if (n == 1) return;
  expect("past the end of the allocation");
  call(memory<T>(n - 1) - first);
  expect("before the allocation");
  call(memory<T>(n - 1) - first - 1);
}
/// An operand that the routine does not touch.
template <class T, class F>
void untouched(F call) {
  call(static_cast<T*>(nullptr));
}
