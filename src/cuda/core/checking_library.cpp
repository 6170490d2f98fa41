// What checks learn of libraries' work.
#include <fmt/format.h>

#include <utility>

#include "base/words.h"
#include "checks/values.h"
#include "cuda/core/checking.h"
#include "cuda/core/host_faults.h"

namespace ww::cuda {

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
  if (!near || address - near->base >= near->size) return;  // the host's own, or nothing that could be named
  const u64 left = near->base + near->size - address;
  if (!near->freed && bytes <= left) return;
  const RawTrace trace = raw_trace();
  const std::string name = library_function(trace);
  checks::Finding f;
  f.kind = near->freed ? writes ? "use after free (write)" : "use after free (read)"
           : writes    ? "out-of-bounds write"
                       : "out-of-bounds read";
  f.message = fmt::format("{} {} {}", name.empty() ? "a library" : name, writes ? "writes" : "reads",
                          counted(static_cast<int64_t>(bytes), "byte"));
  if (!near->freed)
    f.message += fmt::format(", of which {} lie past the end of the allocation", bytes - left);
  f.more.push_back("from " + describe(address));
  f.allocation = near->base;
  f.launched = frames_of(behind_library(trace));
  findings_.add(std::move(f));
}

}  // namespace ww::cuda
