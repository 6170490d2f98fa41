// Pools of stream-ordered memory. As everything runs in the order of submission, an allocation is there at
// once.
#pragma once

#include "cuda/core/platform.h"

namespace ww::cuda {

struct Pool {
  DeviceContext* device = nullptr;
  bool by_default = false;
  bool shared = false;    ///< made for other processes
  bool imported = false;  ///< another process's: it allocates there
  u64 id = 0;             ///< no other pool of any process has it, but those imported from this one
  std::atomic<u64> threshold{0}, used{0}, used_high{0};
  std::atomic<u64> reserved{0}, reserved_high{0};  ///< with what was freed and not yet given back
  std::atomic<int> reuse[3] = {1, 1, 1};  ///< event dependencies, opportunistic, internal dependencies
};

Pool& default_pool(DeviceContext& device);
bool is_pool(const Pool* pool);
Pool* make_pool(DeviceContext& device);
Error destroy_pool(Pool* pool);
Error pool_allocate(Pool& pool, size_t bytes, void** pointer);
/// Error: InvalidValue.
Error pool_free(void* pointer);
/// Gives back what is reserved and not used, down to so many bytes.
void trim(Pool& pool, u64 keep);
/// That the host has waited: pools give back what they hold above their thresholds.
void trim_pools();
/// cudaMemPoolGetAttribute, cudaMemPoolSetAttribute. Error: InvalidValue.
Error pool_attribute(Pool& pool, int attribute, void* value, bool set);

}  // namespace ww::cuda
