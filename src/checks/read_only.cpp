#include "checks/read_only.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/symbol_name.h"
#include "checks/text.h"

namespace ww::checks {

void ReadOnly::allocated(const events::Allocated& e) {
  if (!e.constant) return;
  std::lock_guard lock(mutex_);
  constants_.push_back({e.address, e.address + e.bytes, false});
}

void ReadOnly::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  reaches_.assign(static_cast<size_t>(workers), {});
  told_.assign(static_cast<size_t>(workers), {});
  std::lock_guard lock(mutex_);
  ranges_ = constants_;
  for (const auto& [address, bytes] : facts_.inputs) ranges_.push_back({address, address + bytes, true});
  low_ = ~u64{0}, high_ = 0;
  for (const Range& r : ranges_) low_ = std::min(low_, r.begin), high_ = std::max(high_, r.end);
}

void ReadOnly::memory(int worker, const events::Memory& e) {
  if (e.load() || e.space != ir::Space::Global || e.range != isa::Range::Lane || ranges_.empty()) return;
  const Reach& reach = reaches_[static_cast<size_t>(worker)].of(e);
  if (e.first + static_cast<u64>(reach.high) < low_ || e.first + static_cast<u64>(reach.low) >= high_) return;
  for (const Range& r : ranges_)
    for (u32 m = e.mask; m; m &= m - 1) {
      const int lane = __builtin_ctz(m);
      const u64 at = e.first + static_cast<u64>(e.offsets[lane]);
      if (at < r.begin || at >= r.end) continue;
      if (!told_[static_cast<size_t>(worker)].insert({e.block, e.instruction}).second) return;
      Finding f;
      f.kind = r.input ? "write to an input" : "write to constant memory";
      f.kernel = demangled(program_->module->symbols[program_->entry->symbol].name);
      f.message =
          r.input ? "a kernel writes to an array that was passed as input (in:)"
                  : "a kernel writes to a __constant__ variable; GPUs may keep its old value in their caches";
      f.parties.push_back(party(*program_, e, lane, "writes " + bytes_of(e.bytes)));
      f.more = {fmt::format("byte {} of {}", at - r.begin,
                            r.input ? fmt::format("the input of {} bytes at 0x{:x}", r.end - r.begin, r.begin)
                                    : std::string("the module's constant memory"))};
      if (r.input) f.more.emplace_back("pass it as inout: if that is intended");
      findings_.add(std::move(f));
      return;
    }
}

}  // namespace ww::checks
