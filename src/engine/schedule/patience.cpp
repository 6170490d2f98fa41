#include "engine/schedule/patience.h"

#include <fmt/format.h>

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

}  // namespace ww::engine
