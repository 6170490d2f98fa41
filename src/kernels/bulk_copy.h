// Copies of boxes by the copy engine (cp.async.bulk.tensor, GPUs from cc 9.0), and the barriers in shared
// memory (mbarrier) that say when they have arrived.
#pragma once

/// What the copy engine knows of an array: cuTensorMapEncodeTiled's 128 bytes. Kernels get them in global
/// memory.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

/// Brings the maps of a launch to where the copy engine looks for them. They are its arguments or constant:
/// no launch before may have written them.
__device__ __forceinline__ void fetch_maps(const TensorMap& a, const TensorMap& b, const TensorMap& c) {
  asm volatile("prefetch.tensormap [%0];\nprefetch.tensormap [%1];\nprefetch.tensormap [%2];" ::"l"(&a),
               "l"(&b), "l"(&c)
               : "memory");
}

/// A barrier whose phase ends after `arrivals` arrivals and when all bytes that it expects are here.
__device__ __forceinline__ void barrier_make(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// Makes new barriers known to the copy engine and to the cluster.
__device__ __forceinline__ void barriers_made() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// Arrives, and lets the phase wait for so many bytes.
__device__ __forceinline__ void barrier_expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// Lets the phase wait for so many more bytes; this thread arrives later.
__device__ __forceinline__ void barrier_expect_more(unsigned barrier, int bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// Arrives at a barrier of this block.
__device__ __forceinline__ void barrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Arrives at the barrier that lies at the same place in block `rank` of the cluster. (With the cluster's
/// scope instead of the block's each arrival and each wait would cost a fence: a third of a product's rate.)
__device__ __forceinline__ void barrier_arrive(unsigned barrier, int rank) {
  asm volatile(
      "{ .reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
      "r"(rank)
      : "memory");
}
/// Waits for the end of the phase of this parity: 0 for the first, then in turn.
__device__ __forceinline__ void barrier_wait(unsigned barrier, int parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

/// Bytes to shared memory, a multiple of 16 from multiples of 16; they arrive at `barrier`.
__device__ __forceinline__ void copy_bytes(unsigned to, const void* from, int bytes, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
/// A box of a three-dimensional array to shared memory; its bytes arrive at `barrier`.
__device__ __forceinline__ void copy_box(unsigned to, const TensorMap& from, int x, int y, int z,
                                         unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
      "[%5];" ::"r"(to),
      "l"(&from), "r"(x), "r"(y), "r"(z), "r"(barrier)
      : "memory");
}
/// The same to several blocks of the cluster, those whose ranks' bits are set, and their barriers.
__device__ __forceinline__ void copy_box_to(unsigned blocks, unsigned to, const TensorMap& from, int x, int y,
                                            int z, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
      "l"(&from), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"(static_cast<unsigned short>(blocks))
      : "memory");
}
/// A box of a matrix from shared memory, in a group of this thread's stores.
__device__ __forceinline__ void store_box(const TensorMap& to, int x, int y, unsigned from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to),
               "r"(x), "r"(y), "r"(from)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until at most N of this thread's groups still read shared memory.
template <int N>
__device__ __forceinline__ void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
/// What this thread wrote to shared memory is there for the copy engine.
__device__ __forceinline__ void show_to_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ int rank_in_cluster() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ void arrive_at_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_for_cluster_arrivals() {
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
/// Waits for `threads` threads of the block at its barrier `number`.
__device__ __forceinline__ void wait_for_some(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
/// Lets go on who waits there, without waiting.
__device__ __forceinline__ void arrive_with_some(int number, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
