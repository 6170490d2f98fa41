#include "engine/async/awaited.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/async/mbarrier.h"
#include "engine/memory/resolve.h"

namespace ww::engine {

namespace {

std::string count_text(u64 count, std::string_view unit) {
  return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s");
}

/// How many phases have ended before: too many arrivals end phases that nobody has waited for yet, and who
/// waits then waits for a later one of the same parity.
std::string earlier_phases(const ClusterState& cluster, const u8* mbarrier, u32 expected) {
  const auto it = cluster.ended_phases.find(mbarrier);
  if (it == cluster.ended_phases.end()) return {};
  const EndedPhases& ended = it->second;
  const u64 unseen = ended.unseen + !ended.told;
  std::string text = fmt::format("; {} ended before it",
                                 ended.all == 1 ? "one phase has" : fmt::format("{} phases have", ended.all));
  if (unseen > 1)
    text += fmt::format(
        ", {} of them unseen by any wait: are there more arrivals than the {} that it was "
        "initialised with?",
        unseen, expected);
  return text;
}

}  // namespace

void note_asked(WarpState& w, const Inst* at, const u8* host, u32 lanes, u32 done) {
  const u64 turn = w.block->turns;
  std::erase_if(w.awaited, [&](AwaitedPhase& a) {
    // Whoever asks for another phase does not wait for that one any more.
    a.lanes &= ~lanes;
    return a.lanes == 0 || a.turn + 1 < turn;
  });
  if (lanes & ~done) w.awaited.push_back({at, host, lanes & ~done, turn});
}

bool awaits_phases(const BlockState& block) {
  for (const auto& w : block.warps) {
    u32 asked = 0;
    for (const AwaitedPhase& a : w->awaited)
      if (a.turn == block.turns) asked |= a.lanes;
    for (const Split* s : w->splits)
      if (s->state == Split::State::Ready && (s->mask & ~asked)) return false;
  }
  return true;
}

const AwaitedPhase* awaited_by(const WarpState& w, u32 lanes) {
  for (const AwaitedPhase& a : w.awaited)
    if ((a.lanes & lanes) == lanes && a.turn + 1 >= w.block->turns) return &a;
  return nullptr;
}

std::string phase_text(const BlockState& block, const AwaitedPhase& phase) {
  u64 bits;
  __builtin_memcpy(&bits, phase.mbarrier, sizeof bits);
  const auto b = Mbarrier::of(bits);
  std::string name;
  for (const BlockState* owner : block.cluster->blocks) {
    const u8* const start = owner->shared.get();
    if (phase.mbarrier < start || phase.mbarrier >= start + owner->shared_bytes) continue;
    name = "the mbarrier " + shared_place(*block.launch.program, static_cast<u64>(phase.mbarrier - start));
    if (owner != &block)
      name += fmt::format(" of block ({},{},{})", owner->index.x, owner->index.y, owner->index.z);
  }
  if (!b) return name + ", which is none any more";
  std::string text =
      fmt::format("phase {} of {}: {} of {} {} come", b->phase ? 1 : 0, name, b->expected - b->pending,
                  count_text(b->expected, "arrival"), b->expected == 1 ? "has" : "have");
  if (b->pending) text += fmt::format(", {} {} missing", b->pending, b->pending == 1 ? "is" : "are");
  if (b->bytes > 0)
    text += fmt::format(", and {} of copies that it expects have not come",
                        count_text(static_cast<u64>(b->bytes), "byte"));
  else if (b->bytes < 0)
    text += fmt::format(", and {} more were copied than it expects",
                        count_text(static_cast<u64>(-int64_t{b->bytes}), "byte"));
  return text + earlier_phases(*block.cluster, phase.mbarrier, b->expected);
}

}  // namespace ww::engine
