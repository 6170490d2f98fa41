// Cooperative groups (Programming Guide, Cooperative Groups): blocks, grids, tiles of a warp, coalesced
// threads. Not here: clusters, several grids, asynchronous copies, tiles greater than a warp.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__)

namespace cooperative_groups {

#define WW_GROUP __device__ __inline__
namespace details {
WW_GROUP unsigned thread_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
WW_GROUP unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
WW_GROUP unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
WW_GROUP unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
/// Where the driver of a cooperative launch keeps the grid's barrier; null in other launches.
WW_GROUP unsigned* grid_barrier() {
  unsigned high, low;
  asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
  unsigned long long at = ((unsigned long long)high << 32) | low;
  return at ? (unsigned*)at + 1 : 0;
}
}  // namespace details

class thread_group {
 public:
  WW_GROUP thread_group(unsigned mask, unsigned size, unsigned rank, bool block)
      : mask_(mask), size_(size), rank_(rank), block_(block) {}
  WW_GROUP unsigned long long size() const { return size_; }
  WW_GROUP unsigned long long num_threads() const { return size_; }
  WW_GROUP unsigned long long thread_rank() const { return rank_; }
  WW_GROUP bool is_valid() const { return true; }
  WW_GROUP unsigned mask() const { return mask_; }
  WW_GROUP bool is_block() const { return block_; }
  WW_GROUP void sync() const {
    if (block_)
      __syncthreads();
    else
      __syncwarp(mask_);
  }

 protected:
  unsigned mask_, size_, rank_;
  bool block_;
};

class thread_block : public thread_group {
 public:
  WW_GROUP thread_block()
      : thread_group(0xffffffffu, details::threads_of_block(), details::thread_in_block(), true) {}
  static WW_GROUP void sync() { __syncthreads(); }
  static WW_GROUP unsigned thread_rank() { return details::thread_in_block(); }
  static WW_GROUP unsigned size() { return details::threads_of_block(); }
  static WW_GROUP unsigned num_threads() { return details::threads_of_block(); }
  static WW_GROUP dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static WW_GROUP dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static WW_GROUP dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static WW_GROUP dim3 dim_threads() { return group_dim(); }
};
WW_GROUP thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
  static WW_GROUP bool is_valid() { return details::grid_barrier() != 0; }
  static WW_GROUP unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static WW_GROUP unsigned long long block_rank() {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static WW_GROUP dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static WW_GROUP dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static WW_GROUP dim3 dim_blocks() { return group_dim(); }
  static WW_GROUP unsigned long long size() { return num_blocks() * details::threads_of_block(); }
  static WW_GROUP unsigned long long num_threads() { return size(); }
  static WW_GROUP unsigned long long thread_rank() {
    return block_rank() * details::threads_of_block() + details::thread_in_block();
  }
  /// Arrivals are counted for ever: in round k all have arrived when there are (k + 1) times the blocks.
  static WW_GROUP void sync() {
    unsigned* barrier = details::grid_barrier();
    if (!barrier) __trap();
    __syncthreads();
    if (details::thread_in_block() == 0) {
      unsigned blocks = (unsigned)num_blocks(), before, seen;
      asm volatile("atom.add.release.gpu.u32 %0, [%1], 1;" : "=r"(before) : "l"(barrier) : "memory");
      unsigned until = (before / blocks + 1) * blocks;
      do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(barrier) : "memory");
      while (seen < until);
    }
    __syncthreads();
  }
};
WW_GROUP grid_group this_grid() { return grid_group(); }

/// What groups inside of a warp can do; mask() and lane_of() of the group say who takes part.
template <class Group>
class warp_part {
  WW_GROUP const Group& group() const { return static_cast<const Group&>(*this); }

 public:
  WW_GROUP void sync() const { __syncwarp(group().mask()); }
  WW_GROUP int any(int p) const { return __any_sync(group().mask(), p); }
  WW_GROUP int all(int p) const { return __all_sync(group().mask(), p); }
  WW_GROUP unsigned ballot(int p) const { return group().packed(__ballot_sync(group().mask(), p)); }
  template <class T>
  WW_GROUP T shfl(T v, int rank) const {
    return __shfl_sync(group().mask(), v, group().lane_of(rank));
  }
  template <class T>
  WW_GROUP unsigned match_any(T v) const {
    return group().packed(__match_any_sync(group().mask(), v));
  }
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public warp_part<thread_block_tile<Size, Parent>> {
 public:
  thread_block_tile() = default;
  template <class Other>
  WW_GROUP thread_block_tile(const thread_block_tile<Size, Other>&) {}
  static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "tiles of 1, 2, 4, 8, 16 or 32 threads");
  static WW_GROUP unsigned thread_rank() { return details::lane() & (Size - 1); }
  static WW_GROUP unsigned size() { return Size; }
  static WW_GROUP unsigned num_threads() { return Size; }
  static WW_GROUP unsigned meta_group_rank() { return details::thread_in_block() / Size; }
  static WW_GROUP unsigned meta_group_size() { return (details::threads_of_block() + Size - 1) / Size; }
  static WW_GROUP unsigned first() { return details::lane() & ~(Size - 1); }
  static WW_GROUP unsigned mask() { return (Size == 32 ? 0xffffffffu : (1u << (Size % 32)) - 1) << first(); }
  static WW_GROUP unsigned packed(unsigned lanes) { return (lanes & mask()) >> first(); }
  static WW_GROUP int lane_of(int rank) { return (int)first() + (rank & (int)(Size - 1)); }
  template <class T>
  WW_GROUP T shfl_down(T v, unsigned delta) const {
    return __shfl_down_sync(mask(), v, delta, Size);
  }
  template <class T>
  WW_GROUP T shfl_up(T v, unsigned delta) const {
    return __shfl_up_sync(mask(), v, delta, Size);
  }
  template <class T>
  WW_GROUP T shfl_xor(T v, unsigned bits) const {
    return __shfl_xor_sync(mask(), v, (int)bits, Size);
  }
  WW_GROUP operator thread_group() const { return thread_group(mask(), Size, thread_rank(), false); }
};
template <unsigned Size, class Parent>
WW_GROUP thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}
WW_GROUP thread_group tiled_partition(const thread_group& parent, unsigned size) {
  unsigned lane = details::lane(), first = lane & ~(size - 1);
  return thread_group((size == 32 ? 0xffffffffu : (1u << size) - 1) << first, size, lane - first, false);
}

class coalesced_group : public warp_part<coalesced_group> {
 public:
  explicit WW_GROUP coalesced_group(unsigned mask) : mask_(mask) {}
  WW_GROUP unsigned mask() const { return mask_; }
  WW_GROUP unsigned size() const { return __popc(mask_); }
  WW_GROUP unsigned num_threads() const { return size(); }
  WW_GROUP unsigned thread_rank() const { return __popc(mask_ & details::lanes_below()); }
  WW_GROUP unsigned packed(unsigned lanes) const {
    unsigned result = 0, rank = 0;
    for (int lane = 0; lane < 32; lane++)
      if (mask_ >> lane & 1) result |= (lanes >> lane & 1) << rank++;
    return result;
  }
  WW_GROUP int lane_of(int rank) const {
    unsigned rest = mask_;
    for (; rank > 0; rank--) rest &= rest - 1;
    return __ffs(rest) - 1;
  }
  template <class T>
  WW_GROUP T shfl_down(T v, unsigned delta) const {
    unsigned rank = thread_rank() + delta;
    T there = __shfl_sync(mask_, v, lane_of(rank < size() ? rank : thread_rank()));
    return rank < size() ? there : v;
  }
  template <class T>
  WW_GROUP T shfl_up(T v, unsigned delta) const {
    unsigned rank = thread_rank();
    T there = __shfl_sync(mask_, v, lane_of(rank >= delta ? rank - delta : rank));
    return rank >= delta ? there : v;
  }
  WW_GROUP operator thread_group() const { return thread_group(mask_, size(), thread_rank(), false); }

 private:
  unsigned mask_;
};
WW_GROUP coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <class Group>
WW_GROUP coalesced_group binary_partition(const Group& group, bool which) {
  unsigned yes = __ballot_sync(group.mask(), which);
  return coalesced_group(which ? yes : group.mask() & ~yes);
}

template <class Group>
WW_GROUP void sync(const Group& group) {
  group.sync();
}

template <class T>
struct plus {
  WW_GROUP T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  WW_GROUP T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  WW_GROUP T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  WW_GROUP T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  WW_GROUP T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  WW_GROUP T operator()(T a, T b) const { return a ^ b; }
};
/// Every thread of the group gets op over all of its values.
template <class Group, class T, class Op>
WW_GROUP T reduce(const Group& group, T v, Op op) {
  T result = group.shfl(v, 0);
  for (unsigned rank = 1; rank < group.size(); rank++) result = op(result, group.shfl(v, (int)rank));
  return result;
}
template <unsigned Size, class Parent, class T, class Op>
WW_GROUP T reduce(const thread_block_tile<Size, Parent>& group, T v, Op op) {
  for (unsigned bits = Size / 2; bits > 0; bits /= 2) v = op(v, group.shfl_xor(v, bits));
  return v;
}
#undef WW_GROUP

}  // namespace cooperative_groups

#endif
