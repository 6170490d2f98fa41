// __shfl and its kin of before CUDA 9, which name no lanes: those that are active take part. LLVM has no
// instruction for them on compute capability 7.0 and later, so they become the ones with a mask.
#pragma once

static __device__ __inline__ unsigned ww_active_lanes() {
  unsigned lanes;
  asm volatile("activemask.b32 %0;" : "=r"(lanes));
  return lanes;
}
#define __nvvm_shfl_idx_i32(v, lane, c) __nvvm_shfl_sync_idx_i32(ww_active_lanes(), v, lane, c)
#define __nvvm_shfl_idx_f32(v, lane, c) __nvvm_shfl_sync_idx_f32(ww_active_lanes(), v, lane, c)
#define __nvvm_shfl_up_i32(v, delta, c) __nvvm_shfl_sync_up_i32(ww_active_lanes(), v, delta, c)
#define __nvvm_shfl_up_f32(v, delta, c) __nvvm_shfl_sync_up_f32(ww_active_lanes(), v, delta, c)
#define __nvvm_shfl_down_i32(v, delta, c) __nvvm_shfl_sync_down_i32(ww_active_lanes(), v, delta, c)
#define __nvvm_shfl_down_f32(v, delta, c) __nvvm_shfl_sync_down_f32(ww_active_lanes(), v, delta, c)
#define __nvvm_shfl_bfly_i32(v, bits, c) __nvvm_shfl_sync_bfly_i32(ww_active_lanes(), v, bits, c)
#define __nvvm_shfl_bfly_f32(v, bits, c) __nvvm_shfl_sync_bfly_f32(ww_active_lanes(), v, bits, c)
