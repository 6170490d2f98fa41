#include "cuda/core/pool.h"

#include <unistd.h>

#include <set>

#include "cuda/core/checking.h"
#include "cuda/core/graph_memory.h"
#include "cuda/core/ipc.h"

namespace ww::cuda {

namespace {
struct Pools {
  std::mutex mutex;
  std::set<Pool*> live;
  std::atomic<bool> freed = false;  // anything since they were trimmed
  u64 made = 0;
};
Pools& pools() {
  static auto* all = new Pools;
  return *all;
}

void raise(std::atomic<u64>& high, u64 now) {
  u64 before = high;
  while (now > before && !high.compare_exchange_weak(before, now)) {
  }
}
}  // namespace

Pool* make_pool(DeviceContext& device) {
  auto* pool = new Pool;
  pool->device = &device;
  std::lock_guard lock(pools().mutex);
  pool->id = static_cast<u64>(::getpid()) << 32 | ++pools().made;
  pools().live.insert(pool);
  return pool;
}

Pool& default_pool(DeviceContext& device) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!device.default_pool) {
    device.default_pool = make_pool(device);
    device.default_pool->by_default = true;
  }
  return *device.default_pool;
}

bool is_pool(const Pool* pool) {
  std::lock_guard lock(pools().mutex);
  return pools().live.count(const_cast<Pool*>(pool)) > 0;
}

Error destroy_pool(Pool* pool) {
  if (!is_pool(pool) || pool->by_default) return Error::InvalidValue;
  for (size_t k = 0; k < Platform::get().device_count(); ++k) {
    Pool* expected = pool;
    Platform::get().device(static_cast<int>(k))->pool.compare_exchange_strong(expected, nullptr);
  }
  std::lock_guard lock(pools().mutex);
  pools().live.erase(pool);  // its memory may still be in use: it stays
  return Error::Success;
}

Error pool_allocate(Pool& pool, size_t bytes, void** pointer) {
  if (!pointer) return Error::InvalidValue;
  *pointer = nullptr;
  if (pool.imported) return Error::InvalidValue;
  if (!bytes) return Error::Success;
  u64 at = 0;
  Error e = Platform::get().memory().allocate(BlockKind::Device, *pool.device, bytes, 0, at);
  if (e != Error::Success) return e;
  Platform::get().memory().alter(at, [&](Block& b) { b.pool = &pool; });
  const u64 now = pool.used += bytes;
  raise(pool.used_high, now);
  raise(pool.reserved, now);
  raise(pool.reserved_high, now);
  *pointer = reinterpret_cast<void*>(at);
  return Error::Success;
}

Error pool_free(void* pointer) {
  if (auto memory = GraphMemory::at(pointer)) return memory->end();
  auto block = Platform::get().memory().find(pointer);
  auto at = reinterpret_cast<u64>(pointer);
  if (close_pool_memory(at) == Error::Success) return Error::Success;
  if (!block || block->base != at) {
    if (Checking* checking = Checking::get()) checking->bad_free(at, BlockKind::Device);
    return Error::InvalidValue;
  }
  Error e = Platform::get().memory().release(at, BlockKind::Device, Error::InvalidValue);
  if (e == Error::Success && block->pool) block->pool->used -= block->bytes, pools().freed = true;
  return e;
}

void trim(Pool& pool, u64 keep) {
  u64 before = pool.reserved;
  while (before > std::max(keep, pool.used.load()) &&
         !pool.reserved.compare_exchange_weak(before, std::max(keep, pool.used.load()))) {
  }
}

void trim_pools() {
  if (!pools().freed || !pools().freed.exchange(false)) return;
  std::lock_guard lock(pools().mutex);
  for (Pool* pool : pools().live) trim(*pool, pool->threshold);
}

Error pool_attribute(Pool& pool, int attribute, void* value, bool set) {
  if (!value) return Error::InvalidValue;
  auto* number = static_cast<int*>(value);
  auto* bytes = static_cast<u64*>(value);
  switch (attribute) {
    case 1:
    case 2:
    case 3:
      if (set)
        pool.reuse[attribute - 1] = *number;
      else
        *number = pool.reuse[attribute - 1];
      return Error::Success;
    case 4:
      if (set)
        pool.threshold = *bytes;
      else
        *bytes = pool.threshold;
      return Error::Success;
    case 5:
    case 7:
      if (set) return attribute == 5 ? Error::InvalidValue : Error::Success;
      *bytes = attribute == 5 ? pool.reserved : pool.used;
      return Error::Success;
    case 6:
    case 8: {
      const std::atomic<u64>& now = attribute == 6 ? pool.reserved : pool.used;
      std::atomic<u64>& high = attribute == 6 ? pool.reserved_high : pool.used_high;
      if (set && *bytes) return Error::InvalidValue;  // the high marks can be set to 0
      if (set)
        high = now.load();
      else
        *bytes = high;
      return Error::Success;
    }
    default:
      return Error::InvalidValue;
  }
}

}  // namespace ww::cuda
