#include "cuda/core/graph_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/round.h"
#include "cuda/core/checking.h"
#include "cuda/core/platform.h"

namespace ww::cuda {

namespace {

struct GraphMemories {
  std::mutex mutex;
  std::map<const void*, std::weak_ptr<GraphMemory>> all;
  std::map<int, GraphMemoryUse> use;  ///< by device
};
GraphMemories& memories() {
  static auto* all = new GraphMemories;
  return *all;
}

/// With a page behind that nobody may touch.
u64 pages(u64 bytes) {
  const u64 page = static_cast<u64>(::sysconf(_SC_PAGESIZE));
  return round_up(bytes, page) + page;
}

}  // namespace

Error GraphMemory::reserve(DeviceContext& device, u64 bytes, std::shared_ptr<GraphMemory>& memory) {
  if (!Platform::get().engine().memory().unified()) return Error::NotSupported;
  void* at = ::mmap(nullptr, pages(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return Error::MemoryAllocation;
  memory = std::make_shared<GraphMemory>();
  memory->device_ = &device, memory->address_ = at, memory->bytes_ = bytes;
  const u64 number = memory->number();
  Error e = Platform::get().memory().adopt(number, bytes, device, 0, BlockKind::Mapped);
  if (e != Error::Success) return e;
  (void)Platform::get().engine().memory().disown(number);  // nothing lies there yet
  std::lock_guard lock(memories().mutex);
  memories().all[at] = memory;
  return Error::Success;
}

std::shared_ptr<GraphMemory> GraphMemory::at(const void* address) {
  std::lock_guard lock(memories().mutex);
  auto it = memories().all.find(address);
  return it == memories().all.end() ? nullptr : it->second.lock();
}

GraphMemory::~GraphMemory() {
  if (!address_) return;
  {
    std::lock_guard lock(memories().mutex);
    memories().all.erase(address_);
  }
  (void)Platform::get().memory().disown(number(), BlockKind::Mapped);
  ::munmap(address_, pages(bytes_));
}

Error GraphMemory::begin() {
  if (live()) return Error::InvalidValue;
  const u64 had = device_->allocated.fetch_add(bytes_);
  if (bytes_ > device_->memory_bytes || had > device_->memory_bytes - bytes_ ||
      !Platform::get().engine().memory().adopt(number(), bytes_)) {
    device_->allocated -= bytes_;
    return Error::MemoryAllocation;
  }
  self_ = shared_from_this();
  if (Checking* checking = Checking::get())
    if (auto block = Platform::get().memory().find(number())) checking->allocated(*block);
  std::lock_guard lock(memories().mutex);
  GraphMemoryUse& use = memories().use[device_->number];
  use.now += bytes_;
  use.high = std::max(use.high, use.now);
  return Error::Success;
}

Error GraphMemory::end() {
  if (!live()) return Error::InvalidValue;
  const auto keep = std::move(self_);
  if (Checking* checking = Checking::get())
    if (auto block = Platform::get().memory().find(number())) checking->freed(*block);
  (void)Platform::get().engine().memory().disown(number());
  ::madvise(address_, pages(bytes_), MADV_DONTNEED);
  device_->allocated -= bytes_;
  std::lock_guard lock(memories().mutex);
  memories().use[device_->number].now -= bytes_;
  return Error::Success;
}

GraphMemoryUse graph_memory_use(const DeviceContext& device) {
  std::lock_guard lock(memories().mutex);
  return memories().use[device.number];
}

void reset_graph_memory_high(const DeviceContext& device) {
  std::lock_guard lock(memories().mutex);
  GraphMemoryUse& use = memories().use[device.number];
  use.high = use.now;
}

}  // namespace ww::cuda
