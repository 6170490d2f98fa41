// Races that were met, gathered by pairs of instructions.
#include "checks/races.h"

namespace ww::checks {

using races::Record;

/// Whether a store of lane `lane` writes the bytes that are there already (or that the lanes from
/// `other_lane` to it write with the same instruction).
bool Races::same_value(const Access& a, u32 lane, u32 other_lane, bool same_instruction) const {
  const events::Memory* e = a.event;
  if (!e || !e->values || !e->elements || e->bytes % e->elements) return false;
  if (!(e->mask >> other_lane & 1)) same_instruction = false;  // its turn was an earlier one
  const u32 size = e->bytes / e->elements;
  const u64 own = e->first + static_cast<u64>(e->offsets[lane]) + a.first_byte;
  // What lies there is what the other one wrote: this event comes before the store.
  const uint8_t* there = nullptr;
  const auto count = static_cast<u32>(__builtin_popcount(a.bytes));
  if (!a.shared && facts_.memory) {
    const auto in = facts_.memory->find(own);  // a wrong access, which has been dropped, lies nowhere
    if (in && own + count <= in->base + in->size) there = facts_.memory->host(own);
  }
  if (a.shared && e->state && own + count <= e->state->shared_bytes) there = e->state->shared + own;
  for (u32 k = 0; k < count; ++k) {
    const u32 at = a.first_byte + k;
    const uint8_t* element = e->values[at / size];
    if (!element) return false;
    const uint8_t value = element[lane * e->value_bytes + at % size];
    if (same_instruction) {
      for (u32 other = std::min(lane, other_lane); other <= std::max(lane, other_lane); ++other)
        if ((e->mask >> other & 1) && e->offsets[other] == e->offsets[lane] &&
            value != element[other * e->value_bytes + at % size])
          return false;
    } else {
      if (!there) return false;
      if (value != there[k]) return false;
    }
  }
  return true;
}

void Races::report(const Record& r, bool is_write, u32 of_lane, u32 lane, const Access& a) {
  if (quiet_) {
    met_ = true;
    return;
  }
  ++reports_;
  const bool pending = r.segment() == Record::kPending;
  const bool same_instruction = r.segment() == a.now && r.instruction() == a.instruction;
  races::Order::Owner who{static_cast<u32>(a.block->number), a.site->warp};
  if (!pending) who = order_.owner(r.segment());
  if (pending && copying_warp_) who.warp = *copying_warp_;
  if (who.warp == races::kLoneWarp) who.warp = a.site->warp;
  const bool same_block = who.block == a.block->number, same_warp = same_block && who.warp == a.site->warp;
  const Kind& other = kinds_[r.instruction()];
  const races::Scope scope = std::min(other.scope, a.kind.scope);
  const bool luck =
      !stale_ && !proxy_ && !pending && other.strong && a.kind.strong && (same_block || scope == races::kGpu);
  const bool lacks_fence = !stale_ && !proxy_ && !pending &&
                           order_.before_but_for_a_fence(r.segment(), of_lane, *a.block, a.site->warp, lane);
  // The party that is reported is the later one in the program, whoever came first in the run.
  Lane one{a.block->number, a.site->warp, lane}, two{who.block, who.warp, of_lane};
  u32 instruction = a.site->instruction, from = r.instruction();
  bool writes = a.write, other_writes = is_write;
  if (from > instruction && !lacks_fence) {
    std::swap(one, two);
    std::swap(instruction, from);
    std::swap(writes, other_writes);
  }
  const u32 kind = u32{a.shared} | u32{pending} << 1 | u32{writes} << 2 | u32{other_writes} << 3 |
                   u32{stale_} << 4 | u32{proxy_} << 5;
  Found& f = found_[{instruction, from, kind}];
  ++f.count;
  const bool both_store = is_write && a.write && !a.kind.update && !other.update && !pending && !a.pending;
  f.luck |= luck;
  if (!both_store || !same_value(a, lane, of_lane, same_instruction))
    ++(luck ? f.by_luck : f.different);
  else if (!stores_one_value(a.site->instruction) || !stores_one_value(r.instruction()))
    ++f.by_data;
  // Those who are furthest apart need the strongest order; of these the first by its threads stands for all.
  const auto rank = [](bool warp, bool block, const Lane& x, const Lane& y) {
    return std::tuple(warp, block, x.block, x.warp, x.lane, y.block, y.warp, y.lane);
  };
  if (f.count > 1 && rank(f.same_warp, f.same_block, f.one, f.other) <= rank(same_warp, same_block, one, two))
    return;
  f.one = one, f.other = two;
  f.address = a.word * 4 + static_cast<u32>(__builtin_ctz(a.bytes | 16));
  f.bytes = static_cast<u32>(__builtin_popcount(a.bytes));
  f.shared = a.shared, f.pending = pending, f.same_warp = same_warp, f.same_block = same_block;
  f.writes = writes, f.other_writes = other_writes;
  f.strong_pair = other.strong && a.kind.strong;
  f.lacks_fence = lacks_fence;
  f.stale = stale_;
  f.proxy = proxy_;
  f.sizes = other_size(other, a.kind);
}

}  // namespace ww::checks
