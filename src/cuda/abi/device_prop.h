// cudaDeviceProp. CUDA 12 added fields behind CUDA 11's; CUDA 13 took some out of the middle.
#pragma once

#include "cuda/abi/types.h"

namespace ww::cuda {

struct DeviceProp12 {
  char name[256];
  Uuid uuid;
  char luid[8];
  u32 luid_mask;
  size_t total_global_mem, shared_mem_per_block;
  int regs_per_block, warp_size;
  size_t mem_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3], clock_rate;
  size_t total_const_mem;
  int major, minor;
  size_t texture_alignment, texture_pitch_alignment;
  int device_overlap, multi_processor_count, kernel_exec_timeout, integrated, can_map_host_memory,
      compute_mode;
  int max_texture_1d, max_texture_1d_mipmap, max_texture_1d_linear, max_texture_2d[2],
      max_texture_2d_mipmap[2], max_texture_2d_linear[3], max_texture_2d_gather[2], max_texture_3d[3],
      max_texture_3d_alt[3], max_texture_cubemap, max_texture_1d_layered[2], max_texture_2d_layered[3],
      max_texture_cubemap_layered[2];
  int max_surface_1d, max_surface_2d[2], max_surface_3d[3], max_surface_1d_layered[2],
      max_surface_2d_layered[3], max_surface_cubemap, max_surface_cubemap_layered[2];
  size_t surface_alignment;
  int concurrent_kernels, ecc_enabled, pci_bus, pci_device, pci_domain, tcc_driver, async_engines,
      unified_addressing, memory_clock_rate, memory_bus_width, l2_cache_size, persisting_l2_max,
      max_threads_per_multi_processor, stream_priorities, global_l1, local_l1;
  size_t shared_mem_per_multiprocessor;
  int regs_per_multiprocessor, managed_memory, multi_gpu_board, multi_gpu_board_group, host_native_atomic,
      single_to_double_ratio, pageable_memory_access, concurrent_managed_access, compute_preemption,
      host_pointer_for_registered, cooperative_launch, cooperative_multi_device;
  size_t shared_mem_per_block_optin;
  int pageable_uses_host_tables, direct_managed_from_host, max_blocks_per_multi_processor,
      access_policy_max_window;
  size_t reserved_shared_mem_per_block;
  // Here CUDA 11's struct ends.
  int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools,
      gpu_direct_rdma;
  u32 rdma_flush_options;
  int rdma_writes_ordering;
  u32 memory_pool_handle_types;
  int deferred_mapping_arrays, ipc_events, cluster_launch, unified_function_pointers;
  int reserved2[2];
  int reserved1[1];
  int reserved[60];
};

struct DeviceProp13 {
  char name[256];
  Uuid uuid;
  char luid[8];
  u32 luid_mask;
  size_t total_global_mem, shared_mem_per_block;
  int regs_per_block, warp_size;
  size_t mem_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3];
  size_t total_const_mem;
  int major, minor;
  size_t texture_alignment, texture_pitch_alignment;
  int multi_processor_count, integrated, can_map_host_memory;
  int max_texture_1d, max_texture_1d_mipmap, max_texture_2d[2], max_texture_2d_mipmap[2],
      max_texture_2d_linear[3], max_texture_2d_gather[2], max_texture_3d[3], max_texture_3d_alt[3],
      max_texture_cubemap, max_texture_1d_layered[2], max_texture_2d_layered[3],
      max_texture_cubemap_layered[2];
  int max_surface_1d, max_surface_2d[2], max_surface_3d[3], max_surface_1d_layered[2],
      max_surface_2d_layered[3], max_surface_cubemap, max_surface_cubemap_layered[2];
  size_t surface_alignment;
  int concurrent_kernels, ecc_enabled, pci_bus, pci_device, pci_domain, tcc_driver, async_engines,
      unified_addressing, memory_bus_width, l2_cache_size, persisting_l2_max, max_threads_per_multi_processor,
      stream_priorities, global_l1, local_l1;
  size_t shared_mem_per_multiprocessor;
  int regs_per_multiprocessor, managed_memory, multi_gpu_board, multi_gpu_board_group, host_native_atomic,
      pageable_memory_access, concurrent_managed_access, compute_preemption, host_pointer_for_registered,
      cooperative_launch;
  size_t shared_mem_per_block_optin;
  int pageable_uses_host_tables, direct_managed_from_host, max_blocks_per_multi_processor,
      access_policy_max_window;
  size_t reserved_shared_mem_per_block;
  int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools,
      gpu_direct_rdma;
  u32 rdma_flush_options;
  int rdma_writes_ordering;
  u32 memory_pool_handle_types;
  int deferred_mapping_arrays, ipc_events, cluster_launch, unified_function_pointers, device_numa_config,
      device_numa_id, mps_enabled, host_numa_id;
  u32 gpu_pci_device_id, gpu_pci_subsystem_id;
  int host_numa_multinode_ipc;
  int reserved[56];
};

}  // namespace ww::cuda
