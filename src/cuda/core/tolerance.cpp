#include "cuda/core/tolerance.h"

#include <fmt/format.h>

#include "base/symbol_name.h"
#include "cuda/core/code.h"
#include "cuda/core/report.h"
#include "engine/schedule/launch_state.h"
#include "ir/module.h"

namespace ww::cuda {

namespace {
/// The driver's granularity of device memory (cuMemGetAllocationGranularity on cards since Volta): nearer
/// than this to an allocation there is memory.
constexpr u64 kGranule = u64{2} << 20;
}  // namespace

bool Tolerance::passes(const events::Wrong& event) const {
  if (!event.access || event.kind.find("out-of-bounds") == event.kind.npos) return false;
  // Reads of constant memory do not fault (data/measured/h200-ptx/constant_reads.csv).
  if (reads_constants(event)) return true;
  if (event.address < engine::kMemoryBase - kGranule) return false;
  auto near = memory_.nearest(event.address);
  if (!near || near->freed || near->host) return false;
  const u64 end = near->base + near->size;
  if (event.address >= end) return event.address - end < kGranule;
  // One that begins inside goes over the end.
  return event.address >= near->base || near->base - event.address <= kGranule;
}

bool Tolerance::reads_constants(const events::Wrong& event) const {
  return ir::space_of(*program_->infos[event.instruction].instruction) == ir::Space::Const;
}

std::string Tolerance::told(const events::Wrong& event) const {
  const Dim3 &b = call_.block, &g = call_.grid;
  std::string by =
      fmt::format("block ({},{},{})", event.block % g.x, event.block / g.x % g.y, event.block / g.x / g.y);
  const u64 t = u64{event.warp} * engine::kLanes + static_cast<u64>(std::max(0, event.lane));
  by += event.lane < 0 ? fmt::format(", warp {}", event.warp)
                       : fmt::format(", thread ({},{},{})", t % b.x, t / b.x % b.y, t / b.x / b.y);
  return fmt::format("{} in kernel {}\n  at {}\n  by {}\n  {}\n", event.kind,
                     short_name_for_people(call_.function->name),
                     engine::place_text(*program_, event.instruction), by, event.detail());
}

void Tolerance::wrong(int, const events::Wrong& event) {
  if (!event.goes_on) return;  // the engine stops, and has the fault
  if (passes(event)) {
    // A kernel may do so millions of times.
    const u32 kind = event.kind.ends_with("write") ? 2 : 1;
    if (told_ & kind || told_.fetch_or(kind) & kind) return;
    say_once(fmt::format("tolerated {} {}", call_.function->name, event.kind),
             told(event) + "a GPU lets this pass, because " +
                 (reads_constants(event) ? "no read of constant memory faults; here it reads 0"
                                         : "allocated memory is near; here it reads 0, and writes are "
                                           "dropped, except what lies inside") +
                 " (`warpwright check` finds all such places)");
    return;
  }
  std::lock_guard lock(mutex_);
  stop_ = true;
  if (fault_) return;
  fault_ = Fault{std::string(event.kind), told(event), engine::users_line(*program_, event.instruction)};
}

}  // namespace ww::cuda
