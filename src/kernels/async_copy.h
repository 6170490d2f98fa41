// Asynchronous copies from global to shared memory (cp.async, GPUs from cc 8.0): the words travel past the
// registers while the thread goes on, in groups that it can wait for.
#pragma once

/// The address of a shared variable as the copies take it.
__device__ __forceinline__ unsigned shared_address(const void* p) {
  unsigned address;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(address) : "l"(p));
  return address;
}

/// 16 bytes, past L1. Where `inside` is false nothing is read and zeros are written. Both addresses are
/// multiples of 16 bytes.
__device__ __forceinline__ void copy_16(unsigned to, const float* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(inside ? 16 : 0)
               : "memory");
}
/// The same for a word.
__device__ __forceinline__ void copy_4(unsigned to, const float* from, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(inside ? 4 : 0)
               : "memory");
}

/// Ends a group: all copies since the last one.
__device__ __forceinline__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most the last N groups of this thread are under way.
template <int N>
__device__ __forceinline__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
