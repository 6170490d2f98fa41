#include "engine/schedule/patience.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/interpret/handlers.h"

namespace ww::engine {

Fault overdue_fault(const LaunchState& launch, double seconds, u64 blocks) {
  const Program& program = *launch.program;
  Fault fault;
  const bool deadlock = launch.still && only_waits(launch.standing);
  fault.kind = deadlock ? "mbarrier deadlock" : launch.still ? "endless loop" : "time limit";
  u64 most = 0;
  for (const auto& [place, group] : launch.standing.places)
    if (group.warps > most) most = group.warps, fault.where = users_line(program, place.instruction);
  const std::string why =
      !launch.still ? fmt::format("no block has ended for {} s: is there an endless loop?", seconds)
      : deadlock    ? "no thread of the launch can go on: all wait for each other"
      : launch.clock_jumps > 0
          ? "everything that still runs returns to the same state again and again, even when its clocks are "
            "moved forward by hours"
          : "everything that still runs returns to the same state again and again";
  fault.message = fmt::format("{} in kernel {}\n  {}\n  {}\n", fault.kind,
                              program.module->symbols[program.entry->symbol].name, why,
                              standing_text(launch.standing, program, launch.ended, blocks));
  return fault;
}

bool too_many_branches(WarpState& w, Split& split, u32 taken) {
  const LaunchState& launch = *w.launch;
  w.branches += taken;
  if (!launch.branch_limit || w.branches <= launch.branch_limit) return false;
  w.split = &split;
  fault(w, w.pc, -1, "instruction limit",
        fmt::format("the warp has taken {} backward branches; is this loop endless?", w.branches));
  return true;
}

bool waits_in_parts(WarpState& w, const Split& split) {
  if (!w.waits_often) {
    const auto& code = split.function->code;
    w.waits_often =
        std::any_of(code.begin(), code.end(), [](const Inst& i) { return i.aux && i.aux->polls; });
  }
  return w.waits_often;
}

}  // namespace ww::engine
