#include "checks/rows.h"

#include <fmt/format.h>

#include "checks/text.h"

namespace ww::checks {

void Rows::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  reaches_.assign(static_cast<size_t>(workers), {});
  told_.assign(static_cast<size_t>(workers), {});
}

void Rows::memory(int worker, const events::Memory& e) {
  if (e.space != ir::Space::Global || e.range != isa::Range::Lane) return;
  const Reach& reach = reaches_[static_cast<size_t>(worker)].of(e);
  const u64 low = e.first + static_cast<u64>(reach.low),
            high = e.first + static_cast<u64>(reach.high) + e.bytes;
  for (const Pitched& p : facts_.pitched) {
    if (high <= p.address || low >= p.address + p.bytes) continue;
    for (u32 m = e.mask; m; m &= m - 1) {
      const int lane = __builtin_ctz(m);
      const u64 at = e.first + static_cast<u64>(e.offsets[lane]) - p.address;
      if (at >= p.bytes) continue;
      const u64 column = at % p.pitch;
      if (column + e.bytes <= p.width) continue;
      if (!told_[static_cast<size_t>(worker)].insert({e.block, e.instruction}).second) return;
      Finding f;
      f.kind = "row padding";
      f.severity = Severity::Hint;  // whole rows may be copied on purpose
      f.kernel = facts_.kernel;
      f.allocation = p.address;
      f.message = "an access to the padding after a row of a pitched allocation";
      f.parties.push_back(
          party(*program_, e, lane, fmt::format("{} {}", e.load() ? "reads" : "writes", bytes_of(e.bytes))));
      f.more = {fmt::format("byte {} of row {}; rows have {} bytes and begin every {} bytes", column,
                            at / p.pitch, p.width, p.pitch)};
      findings_.add(std::move(f));
      return;
    }
  }
}

}  // namespace ww::checks
