// Steps between the rows: counters, shapes that move with their registers, branches that all lanes take
// alike.
#include "engine/interpret/slow.h"
#include "engine/lanes/lanes.h"
#include "isa/lane.h"

namespace ww::lane {
namespace {

using namespace engine;  // NOLINT: this file is engine code

const Inst* count(Warp& w, const Inst* i) {
  const u32 mask = active(w, i);
  if (mask == 0) return next_of(i);
  w.executed[2 * i->imm] += 1;
  w.executed[2 * i->imm + 1] += lane_count(mask);
  return next_of(i);
}

const Inst* forget(Warp& w, const Inst* i) {
  slot<AddressShape>(w, i->dst)->mask = 0;
  return next_of(i);
}

WW_INLINE void move_by(Warp& w, AddressShape& s, u64 by) {
  if (s.mask != mask_of(w)) {
    s.mask = 0;
    return;
  }
  const u64 next =
      reinterpret_cast<u64>(s.host) + by;  // a number: it may lie outside until an offset brings it back
  s.host = reinterpret_cast<u8*>(next);
  s.address += by;
  s.first_offset -= static_cast<int64_t>(by);
  s.bits |= by & 0xff;
  // The next such step will want what lies one step further on; measured 2026-11-21: global loads of the
  // tiled matmul at n = 1056 took 68 ns without this, most of it waiting for memory.
  __builtin_prefetch(reinterpret_cast<const void*>(next + by + static_cast<u64>(s.offset[0])));
  __builtin_prefetch(reinterpret_cast<const void*>(next + by + static_cast<u64>(s.offset[kLanes / 2])));
}

const Inst* shift(Warp& w, const Inst* i) {
  move_by(w, *slot<AddressShape>(w, i->dst), i->imm);
  return next_of(i);
}

const Inst* shift_by(Warp& w, const Inst* i) {
  AddressShape& s = *slot<AddressShape>(w, i->dst);
  const u64* by = slot<u64>(w, i->src[0]);
  u64 differs = 0;
  for (int l = 1; l < kLanes; ++l) differs |= by[l] ^ by[0];
  if (mask_of(w) == w.live && differs == 0)
    move_by(w, s, by[0]);
  else
    s.mask = 0;
  return next_of(i);
}

/// Follows a branch that all lanes take.
const Inst* jump(Warp& w, const Inst* i) {
  if (i->aux->backward) {
    if (w.budget == 1) return WW_CAREFUL(give_turn(w, i));
#ifdef WW_BITCODE
    // A loop that does nothing must not become one that takes no time either: how long it runs is looked at.
    volatile u32& budget = w.budget;
    budget = budget - 1;
#else
    --w.budget;
#endif
  }
  return target_of(i);
}

const Inst* branch(Warp& w, const Inst* i) {
  const u32 taken = active(w, i);
  if (taken == mask_of(w)) return jump(w, i);
  if (taken == 0) return next_of(i);
  return WW_CAREFUL(part_at(w, i, taken));
}

constexpr Handler kTable[] = {&count, &forget, &shift, &shift_by, &jump, &branch};

}  // namespace

#ifdef WW_BITCODE
struct StepsTable {
  Handler all[std::size(kTable)];
};
extern "C" [[gnu::used]] constexpr StepsTable ww_table{{&count, &forget, &shift, &shift_by, &jump, &branch}};
#else
namespace WW_TARGET {
extern const Steps steps;
const Steps steps{&count, &forget, &shift, &shift_by, &jump, &branch};
extern const HandlerTable steps_table;
const HandlerTable steps_table{kTable, std::size(kTable)};
}  // namespace WW_TARGET
#endif

}  // namespace ww::lane
