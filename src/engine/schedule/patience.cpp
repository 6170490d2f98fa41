#include "engine/schedule/patience.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/interpret/handlers.h"

namespace ww::engine {

namespace {

using PatienceClock = std::chrono::steady_clock;

double seconds_since(PatienceClock::time_point begin) {
  return std::chrono::duration<double>(PatienceClock::now() - begin).count();
}

}  // namespace

Patience::Patience(LaunchState& launch, const Settings& settings, u64 blocks, int workers)
    : launch_(launch),
      settings_(settings),
      blocks_(blocks),
      workers_(static_cast<u32>(workers)),
      thread_([this](const std::stop_token& end) { watch(end); }) {}

/// False: the launch has ended.
bool Patience::sleep(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, end, std::chrono::milliseconds(20), [] { return false; });
  return !end.stop_requested();
}

void Patience::watch(const std::stop_token& end) {
  auto begin = launch_.began;
  double tell_at = settings_.tell_after;
  bool asked = false;
  auto asked_at = begin;
  for (u64 ended = 0; !launch_.stopping();) {
    if (!sleep(end)) return;
    if (const u64 now = launch_.ended(); now != ended) {
      ended = now, begin = PatienceClock::now(), tell_at = settings_.tell_after;
      asked = false;
    }
    const double seconds = seconds_since(begin);
    if (asked && is_answered(seconds_since(asked_at))) {
      tell(seconds);
      tell_at *= 2;
      asked = false;
    } else if (!asked && tell_at > 0 && seconds >= tell_at && settings_.tell_long) {
      ask();
      asked = true, asked_at = PatienceClock::now();
    }
    if (settings_.patience <= 0 || seconds < settings_.patience) continue;
    launch_.overdue = true;
    launch_.stop = true;
  }
}

void Patience::ask() {
  std::lock_guard lock(launch_.mutex);
  launch_.heard = {};
  launch_.answered = 0;
  launch_.asked.fetch_add(1);
}

/// Workers without blocks do not answer, nor do those that do something long just now: after the first answer
/// they are not waited for longer than a moment.
bool Patience::is_answered(double waited) {
  constexpr double kMoment = 0.5;
  std::lock_guard lock(launch_.mutex);
  return launch_.answered >= workers_ || (launch_.answered > 0 && waited >= kMoment);
}

void Patience::tell(double seconds) {
  const Program& program = *launch_.program;
  LongLaunch told{program.module->symbols[program.entry->symbol].name, seconds, {}};
  {
    std::lock_guard lock(launch_.mutex);
    told.standing = standing_text(launch_.heard, program, launch_.ended(), blocks_);
  }
  settings_.tell_long(told);
}

Fault overdue_fault(const LaunchState& launch, double seconds, u64 blocks) {
  const Program& program = *launch.program;
  Fault fault;
  const bool deadlock = launch.still && only_waits(launch.standing);
  fault.kind = deadlock ? "mbarrier deadlock" : launch.still ? "endless loop" : "time limit";
  u64 most = 0;
  for (const auto& [place, group] : launch.standing.places)
    if (group.warps > most) most = group.warps, fault.where = users_line(program, place.instruction);
  const std::string why =
      !launch.still ? fmt::format("no block has ended for {:.3g} s: is there an endless loop?", seconds)
      : deadlock    ? "no thread of the launch can go on: all wait for each other"
      : launch.clock_jumps > 0
          ? "everything that still runs returns to the same state again and again, even when its clocks are "
            "moved forward by hours"
          : "everything that still runs returns to the same state again and again";
  fault.message = fmt::format("{} in kernel {}\n  {}\n  {}\n", fault.kind,
                              program.module->symbols[program.entry->symbol].name, why,
                              standing_text(launch.standing, program, launch.ended(), blocks));
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
