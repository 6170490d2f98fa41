// What checks learn of libraries' work.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/words.h"
#include "checks/values.h"
#include "cuda/core/checking.h"
#include "cuda/core/host_faults.h"
#include "cuda/core/platform.h"
#include "cuda/core/virtual_memory.h"

namespace ww::cuda {

namespace {

/// Whether only memory of the device can lie there.
bool of_device(u64 address) {
  return (address >= engine::kMemoryBase && address - engine::kMemoryBase < u64{1} << 44) ||
         is_reserved_address(address);
}

}  // namespace

void Checking::library_called() {
  if (device_guard_) install_fault_handler();  // it touches memory of the device outside of any operation
  std::vector<events::HostAccess> written;
  {
    std::lock_guard lock(mutex_);
    for (auto& [base, k] : known_)
      if (k.live && !std::exchange(k.written, true))
        written.push_back({base, k.bytes, isa::Direction::Write});
  }
  for (auto& check : checks_)
    if (dynamic_cast<checks::Values*>(check.get()))
      for (const events::HostAccess& e : written) check->host_access(e);
}

void Checking::library_touches(u64 address, u64 bytes, bool writes) {
  if (!host_ || !engine_) return;
  const engine::GlobalMemory& memory = engine_->memory();
  const auto near = memory.nearest(address);
  if (!near) return;
  const bool inside = address - near->base < near->size;
  if (inside ? near->freed && near->host : !of_device(address)) return;  // the host's own
  std::string outside;
  if (!inside) {
    const u64 before = address < near->base ? near->base - address : bytes;
    outside = before < bytes ? fmt::format("of which {} lie before the allocation", before)
                             : "none of which lie in an allocation";
  } else if (!near->freed) {
    // Pieces of mapped memory may adjoin each other.
    const u64 end = std::max(near->base + near->size, Platform::get().memory().end_of(address));
    if (bytes <= end - address) return;
    outside = fmt::format("of which {} lie past the end of the allocation", bytes - (end - address));
  }
  std::string what = counted(static_cast<int64_t>(bytes), "byte");
  if (!outside.empty()) what += ", " + outside;
  tell_of_library(inside && near->freed ? writes ? "use after free (write)" : "use after free (read)"
                  : writes              ? "out-of-bounds write"
                                        : "out-of-bounds read",
                  what, writes, address, near->base);
}

void Checking::tell_of_library(const char* kind, const std::string& what, bool writes, u64 address,
                               u64 allocation) {
  const RawTrace trace = raw_trace();
  const std::string name = library_function(trace);
  checks::Finding f;
  f.kind = kind;
  f.message = fmt::format("{} {} {}", name.empty() ? "a library" : name, writes ? "writes" : "reads", what);
  f.more.push_back("from " + describe(address));
  f.allocation = allocation;
  f.launched = frames_of(behind_library(trace));
  findings_.add(std::move(f));
}

void Checking::library_batch(u64 first, int64_t step, int64_t count, bool writes) {
  if (!host_ || !engine_) return;
  const engine::GlobalMemory& memory = engine_->memory();
  const auto own = memory.nearest(first);
  if (!own || own->freed || first - own->base >= own->size) return;
  for (int64_t k = 1; k < count; ++k) {
    const u64 at = first + static_cast<u64>(k * step);
    // Pieces of mapped memory may adjoin each other.
    if (at - own->base < own->size ||
        Platform::get().memory().end_of(std::min(first, at)) > std::max(first, at))
      continue;
    const auto other = memory.nearest(at);
    if (!other || other->freed || at - other->base >= other->size) continue;  // library_touches() tells
    return tell_of_library(writes ? "out-of-bounds write" : "out-of-bounds read",
                           fmt::format("matrix {} of a batch in another allocation than the first one's", k),
                           writes, at, own->base);
  }
}

}  // namespace ww::cuda
