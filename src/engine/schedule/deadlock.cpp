// A block in which no thread can go on: who waits where, for whom.
#include <fmt/format.h>

#include "engine/schedule/called_place.h"
#include "engine/schedule/launch_state.h"
#include "ir/accesses.h"

namespace ww::engine {

namespace {

constexpr int kMostPlaces = 12;  // places

std::string lanes_text(u32 mask) {
  if (mask == kAllLanes) return "all lanes";
  std::string text = lane_count(mask) == 1 ? "lane " : "lanes ";
  bool first = true;
  for (int l = 0; l < kLanes;) {
    if (!(mask >> l & 1)) {
      ++l;
      continue;
    }
    int end = l;
    while (end + 1 < kLanes && (mask >> (end + 1) & 1)) ++end;
    text += fmt::format("{}{}", first ? "" : ",", l);
    if (end > l) text += fmt::format("-{}", end);
    first = false;
    l = end + 1;
  }
  return text;
}

/// Lanes that wait for others of their warp, which do not come.
struct Absent {
  WarpState* warp = nullptr;
  const Inst* at = nullptr;
  u32 mask = 0;  ///< as the first of them gives it
  u32 came = 0, missing = 0;
};

/// The lanes that the first waiting one names; matrix instructions want all.
u32 named(const Program& program, const Split& s) {
  const Inst* i = s.pc;
  if (ir::effects_of(*program.infos[i->index].instruction).sync != isa::Sync::WarpWait) return kAllLanes;
  return reinterpret_cast<const u32*>(s.regs + i->src[3])[__builtin_ctz(s.waiting)];
}

Absent find_absent(const LaunchState& launch, const std::vector<std::unique_ptr<WarpState>>& warps) {
  for (const auto& w : warps)
    for (const Split* s : w->splits) {
      if (s->state != Split::State::Collective || !s->waiting) continue;
      Absent a{w.get(), s->pc, named(*launch.program, *s), s->waiting, 0};
      for (const Split* other : w->splits)
        if (other->state == Split::State::Collective && other->pc == s->pc) a.came |= other->waiting;
      a.missing = a.mask & w->live & ~a.came;
      if (a.missing) return a;
    }
  return {};
}

std::string absent_text(const Absent& a) {
  return fmt::format("the mask 0x{:08x} names {}; arrived: {}; missing: {}", a.mask, lanes_text(a.mask),
                     lanes_text(a.came), lanes_text(a.missing));
}

}  // namespace

bool BlockState::go_without_absent() {
  const Program& program = *launch.program;
  const Absent a = launch.wait_for_absent ? Absent{} : find_absent(launch, warps);
  if (!a.warp) return false;
  a.warp->excused = a.warp->live & ~a.came;  // whatever mask each of those that came has
  for (Split* s : a.warp->splits)
    if (s->state == Split::State::Collective && s->pc == a.at) s->state = Split::State::Ready;
  std::lock_guard lock(launch.mutex);
  if (launch.absent.empty()) launch.absent = place_text(program, a.at->index) + ": " + absent_text(a);
  return true;
}

void BlockState::report_deadlock() {
  const Program& program = *launch.program;
  std::string places;
  int shown = 0;
  WarpState* first = nullptr;
  const Inst* at = nullptr;
  const auto line = [&](const WarpState& w, u32 lanes, const std::string& why, const Inst* i) {
    if (++shown > kMostPlaces) return;
    places += fmt::format("\n    warp {}, {}: {} {}", w.id, lanes_text(lanes), why,
                          place_with_calls(program, i->index));
  };
  for (auto& w : warps) {
    u32 seen = 0;
    for (Split* s : w->splits) {
      seen |= s->mask;
      const bool barrier = s->state == Split::State::Barrier;
      const Inst* i = barrier ? s->pc - 1 : s->pc;
      if (!first) first = w.get(), at = i;
      line(*w, s->mask,
           barrier                             ? fmt::format("wait at barrier {}", s->barrier)
           : s->state == Split::State::Cluster ? "wait for the other blocks of their cluster at"
                                               : "wait for other lanes of their warp at",
           i);
    }
    for (Split* s : w->splits)
      for (Join* j = s->join; j; j = j->parent) {
        const u32 waiting = j->arrived & ~seen;
        if (!waiting) continue;
        seen |= waiting;
        line(*w, waiting, "wait where the paths of the warp reconverge,", j->pc);
      }
  }
  if (shown > kMostPlaces) places += fmt::format("\n    and {} more", shown - kMostPlaces);
  if (live_threads < launch.block.count())
    places += fmt::format("\n    {} of {} threads have exited", launch.block.count() - live_threads,
                          launch.block.count());
  if (const Absent a = find_absent(launch, warps); a.warp) {
    fault(*a.warp, a.at, -1, "mask names lanes that do not come", absent_text(a) + places);
    return;
  }
  std::string detail = "no thread of the block can go on:" + places;
  for (u32 id = 0; id < barriers.size(); ++id) {
    const Barrier& b = barriers[id];
    if (b.arrived)
      detail += fmt::format("\n    {} of {} threads have arrived at barrier {}", b.arrived,
                            b.expected ? b.expected : live_threads, id);
  }
  if (first) fault(*first, at, -1, "barrier deadlock", detail);
}

}  // namespace ww::engine
