// Accesses to memory, run by run or lane by lane, as accesses to words of the shadow.
#include <algorithm>

#include "checks/races.h"
#include "checks/races/words.h"

namespace ww::checks {

using races::bytes_of_word;
using races::first_lane;
using races::kWordBytes;
using races::Stretch;
using races::u8;

void Races::on(const events::Memory& e) {
  if (e.space != ir::Space::Global && e.space != ir::Space::Shared) return;
  if (e.range == isa::Range::Mbarrier) return;
  if (!e.texels.empty()) return fetch_texels(e);
  const bool surface = e.path == isa::Path::Surface;  // it is reached through a handle, not an address
  const bool weak_load = e.load() && e.order == isa::Mod::none && !e.asynchronous;
  if (written_known_ && !surface && e.space == ir::Space::Global && (weak_load || !e.load()) && only_read(e))
    return;
  if (e.asynchronous && e.load()) keep_sources(e);
  races::BlockOrder& b = order_.block(e.block);
  const Kind& kind = kind_of(e);
  if (e.space == ir::Space::Shared && cluster_.count() == 1) {
    Place& own = place(b.number);
    if (kind.strong || e.asynchronous)
      look_closely(own, b);
    else if (repeats(e, b, own))
      return;
  }
  Access a = access_of(e, kind);
  std::vector<Change> changes;
  if (a.kind.swaps) changes = changes_of(e);
  if (lock_order_ && a.write) order_locks(e, a.kind, changes);
  if (a.kind.strong) synchronise(e, a.kind, b, false);
  a.now = a.warp->now;
  any_swaps_ |= a.kind.swaps;
  if (a.kind.swaps)
    swaps(e, a, changes);
  else if (locks_.any() && !a.pending)
    meet_locks(e, a);
  if (a.shared && a.write && place(b.number).reading)
    for (u32 m = e.mask; m; m &= m - 1) {
      const u64 begin = e.first + static_cast<u64>(e.offsets[first_lane(m)]);
      meet_reading(place(b.number), begin, begin + e.bytes, first_lane(m), a);
    }
  touch_all(e, a);
  if (a.kind.strong && a.write) synchronise(e, a.kind, b, true);
}

Races::Access Races::access_of(const events::Memory& e, const Kind& kind) {
  Access a;
  a.site = &e;
  a.event = &e;
  a.block = &order_.block(e.block);
  a.warp = &a.block->warps[e.warp];
  a.kind = kind;
  a.instruction = kind.stands_for;
  a.write = !e.load();
  a.shared = e.space == ir::Space::Shared;
  a.pending = e.asynchronous && a.write;
  a.now = a.warp->now;
  a.old = a.shared && cluster_.count() == 1 ? a.block->floor : order_.old();
  return a;
}

/// A copy tells what it reads before what it writes; lanes of different sizes one after the other.
void Races::keep_sources(const events::Memory& e) {
  Sources& s = sources_;
  if (s.block != e.block || s.warp != e.warp || s.instruction != e.instruction || (s.mask & e.mask))
    s.block = e.block, s.warp = e.warp, s.instruction = e.instruction, s.mask = 0;
  s.mask |= e.mask;
  for (u32 m = e.mask; m; m &= m - 1)
    s.address[first_lane(m)] = e.first + static_cast<u64>(e.offsets[first_lane(m)]);
}

/// The lanes of a copy without those that copy from the same place to the same place as one before them.
u32 Races::different_copies(const events::Memory& e) {
  Sources& s = sources_;
  if (s.block != e.block || s.warp != e.warp || s.instruction != e.instruction) return e.mask;
  u32 mask = 0;
  int64_t farthest = 0;
  for (u32 m = e.mask; m; m &= m - 1) {
    const u32 lane = first_lane(m);
    bool again = false;
    for (u32 k = mask && e.offsets[lane] <= farthest ? mask & s.mask : 0; k && !again; k &= k - 1)
      again = e.offsets[first_lane(k)] == e.offsets[lane] && (s.mask >> lane & 1) &&
              s.address[first_lane(k)] == s.address[lane];
    if (again) continue;
    farthest = mask ? std::max(farthest, e.offsets[lane]) : e.offsets[lane];
    mask |= 1u << lane;
  }
  s.mask = 0;
  return mask;
}

void Races::touch_all(const events::Memory& e, Access& a) {
  const bool words = e.bytes % kWordBytes == 0 && e.first % kWordBytes == 0;
  if (!a.kind.strong && !a.pending && (words ? weak_runs(e, a) : e.bytes < kWordBytes && runs_of_parts(e, a)))
    return;
  const races::BlockOrder& b = *a.block;
  races::Shadow* const own = a.shared ? &place(b.number).shadow : &global_;
  Place* copies = nullptr;
  for (u32 m = a.pending ? different_copies(e) : e.mask; m;) {
    a.low = a.high = first_lane(m);
    const u64 address = e.first + static_cast<u64>(e.offsets[a.low]);
    for (m &= m - 1; m && e.offsets[first_lane(m)] == e.offsets[a.low]; m &= m - 1) a.high = first_lane(m);
    races::Shadow* shadow = own;
    u64 begin = address;
    if (a.shared && address >= engine::kClusterStep) {
      const auto [owner, at] = shared_place(e.block, address);
      if (!places_.count(owner)) continue;
      shadow = &place(owner).shadow;
      begin = at;
      if (owner != e.block) reaches_block(e, place(owner), owner, a.low, a.now);
    }
    const u64 end = begin + e.bytes;
    for (u64 word = begin / kWordBytes; word * kWordBytes < end; ++word) {
      a.word = word;
      a.bytes = bytes_of_word(word, begin, end);
      a.first_byte = static_cast<u32>(std::max(begin, word * kWordBytes) - begin);
      touch(*shadow, a);
    }
    if (a.pending) {
      copies = &place(b.number);
      copies->copying.push_back({e.warp, a.low, e.instruction, 0, events::Grouped::Copies, false, 0, 0, 0,
                                 e.space, begin, e.bytes});
    }
  }
}

/// As if the lane wrote all of it. (Addresses of the heap do not come again.)
void Races::on(const events::HeapFree& e) {
  Kind& k = kinds_[std::min<size_t>(e.instruction, kinds_.size() - 1)];
  k.known = k.writes = k.frees = true;
  k.stands_for = e.instruction;
  Access a;
  a.site = &e;
  a.block = &order_.block(e.block);
  a.warp = &a.block->warps[e.warp];
  a.kind = k;
  a.instruction = e.instruction;
  a.write = true;
  a.now = a.warp->now;
  a.old = order_.old();
  const u32 lane = first_lane(e.mask);
  touch_run(global_, a, e.address / kWordBytes, (e.address + e.bytes + kWordBytes - 1) / kWordBytes, lane,
            lane, Stretch::kSame);
}

/// Each lane reads its texels, of whatever size; the sectors that they lie in are nobody's.
void Races::fetch_texels(const events::Memory& e) {
  Access a = access_of(e, kind_of(e));
  for (const events::TexelRead& r : e.texels) {
    a.low = a.high = r.lane;
    const u64 end = r.address + e.texel_bytes;
    for (u64 word = r.address / kWordBytes; word * kWordBytes < end; ++word) {
      a.word = word;
      a.bytes = bytes_of_word(word, r.address, end);
      touch(global_, a);
    }
  }
}

const races::Runs& Races::runs_of(const events::Memory& e) {
  races::Runs& runs = runs_[e.serial % runs_.size()];
  if (!e.serial || runs.serial != e.serial || runs.mask != e.mask || runs.bytes != e.bytes) {
    races::find_runs(runs, e.mask, e.bytes, e.offsets);
    runs.serial = e.serial;
  }
  return runs;
}

/// A weak access to bytes or halves of words: run by run, of which the whole words are looked at as such.
/// False: it must be looked at lane by lane.
bool Races::runs_of_parts(const events::Memory& e, Access& a) {
  if (a.warp->apart || e.first % e.bytes || (a.shared && e.first >= engine::kClusterStep)) return false;
  const races::Runs& runs = runs_of(e);
  const u32 lanes_of_word = kWordBytes / e.bytes;
  bool any = false;
  for (u32 k = 0; k < runs.count; ++k) {
    const races::Run& run = runs.run[k];
    if (run.offset % e.bytes || (a.shared && static_cast<u64>(run.offset) >= engine::kClusterStep / 2))
      return false;
    any |= !run.one_place && run.lanes >= 2 * lanes_of_word - 1;
  }
  if (!any) return false;
  races::Shadow& shadow = a.shared ? place(a.block->number).shadow : global_;
  for (u32 k = 0; k < runs.count; ++k) {
    const races::Run& run = runs.run[k];
    const u64 begin = e.first + static_cast<u64>(run.offset);
    const u32 lanes = run.one_place ? 1 : run.lanes;
    for (u32 n = 0; n < lanes;) {
      const u64 at = begin + n * e.bytes;
      const u32 whole = (lanes - n) / lanes_of_word;
      a.low = run.lane + n;
      if (at % kWordBytes == 0 && whole > 0) {
        touch_run(shadow, a, at / kWordBytes, at / kWordBytes + whole, a.low, a.low + lanes_of_word - 1,
                  e.bytes == 1 ? Stretch::kBytes : Stretch::kHalves);
        n += whole * lanes_of_word;
        continue;
      }
      a.high = run.one_place ? run.lane + run.lanes - 1u : a.low;
      a.word = at / kWordBytes;
      a.bytes = bytes_of_word(a.word, at, at + e.bytes);
      a.first_byte = 0;
      touch(shadow, a);
      ++n;
    }
  }
  return true;
}

/// A weak access run by run. False: it must be looked at lane by lane.
bool Races::weak_runs(const events::Memory& e, Access& a) {
  if (a.shared && e.first >= engine::kClusterStep) return false;
  const u32 words = e.bytes / kWordBytes;
  if (words & (words - 1)) return false;
  const races::Runs& runs = runs_of(e);
  for (u32 k = 0; k < runs.count; ++k)
    if (runs.run[k].offset % kWordBytes ||
        (a.shared && static_cast<u64>(runs.run[k].offset) >= engine::kClusterStep / 2))
      return false;
  if (words >
      1)  // misaligned elements, which the memory check reports, need not be the same words of each line
    for (u32 k = 0; k < runs.count; ++k)
      if ((e.first + static_cast<u64>(runs.run[k].offset)) % e.bytes) return false;
  races::Shadow& shadow = a.shared ? place(a.block->number).shadow : global_;
  const u8 step = static_cast<u8>(first_lane(words));
  for (u32 k = 0; k < runs.count; ++k) {
    const races::Run& run = runs.run[k];
    const u64 word = (e.first + static_cast<u64>(run.offset)) / kWordBytes;
    const u32 last = run.lane + run.lanes - 1u;
    if (run.one_place || run.lanes == 1)
      touch_run(shadow, a, word, word + words, run.lane, last, Stretch::kSame);
    else
      touch_run(shadow, a, word, word + u64{run.lanes} * words, run.lane, run.lane, step);
  }
  return true;
}

}  // namespace ww::checks
