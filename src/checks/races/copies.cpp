// Asynchronous copies: their bytes may change until the copies have been waited for.
#include <algorithm>
#include <optional>

#include "checks/races.h"
#include "checks/races/words.h"

namespace ww::checks {

using races::bytes_of_word;
using races::Cell;
using races::first_lane;
using races::kWordBytes;
using races::Record;
using races::Scope;
using races::Segment;

void Races::finish(Place& p, races::BlockOrder& /*b*/, const Copying& c, Segment segment) {
  races::Shadow& shadow = c.space == ir::Space::Global ? global_ : p.shadow;
  const auto done = [&](Cell& cell) {
    Record& w = cell.write;
    if (w.segment() == Record::kPending && w.instruction() == c.instruction && w.low() == c.lane)
      w.stamp = segment;
  };
  for (u64 word = c.address / kWordBytes; word * kWordBytes < c.address + c.bytes; ++word) {
    races::Line& line = shadow.line(word);
    const u32 at = word % races::Line::kWords;
    bool split = false;
    Cell cell = shadow.own_word(line, at, split);
    if (cell.write.stamp == Record::kSplit)
      for (Cell& byte : shadow.bytes(cell.write.bits)) done(byte);
    else
      done(cell);
    shadow.store_word(line, {cell, {}, static_cast<races::u8>(at)});
  }
}

void Races::finish_reading(Place& p, races::BlockOrder& b, const Copying& c, const events::Site& site) {
  --p.reading;
  // What wgmma reads is kept from its start; it counts once more where others have been told since.
  if (c.what == events::Grouped::Matrix && b.warps[c.warp].now == c.segment) return;
  Access a;
  a.site = &site;
  a.instruction = c.instruction;
  a.block = &b;
  a.warp = &b.warps[c.warp];
  a.kind = kinds_[c.instruction];
  a.shared = true;
  a.now = a.warp->now;
  a.old = cluster_.count() == 1 ? b.floor : order_.old();
  a.low = a.high = c.lane;
  for (a.word = c.address / kWordBytes; a.word * kWordBytes < c.address + c.bytes; ++a.word) {
    a.bytes = bytes_of_word(a.word, c.address, c.address + c.bytes);
    touch(p.shadow, a);
  }
}

/// A write to bytes that a bulk copy or a wgmma still reads.
void Races::meet_reading(const Place& p, u64 begin, u64 end, u32 lane, Access& a) {
  for (const Copying& c : p.copying) {
    if (!c.reads || begin >= c.address + c.bytes || c.address >= end) continue;
    a.word = std::max(begin, c.address) / kWordBytes;
    a.bytes = bytes_of_word(a.word, begin, end);
    copying_warp_ = c.warp;
    report({Record::kPending, Record::packed(c.instruction, a.bytes, c.lane, c.lane)}, false, c.lane, lane,
           a);
    copying_warp_ = {};
  }
}

void Races::meet_proxy(races::Shadow& shadow, const Access& a) {
  const Record r = shadow.word(shadow.line(a.word), a.word % races::Line::kWords).write;
  if (!r.stamp || r.stamp == Record::kSplit || r.segment() == Record::kPending) return;
  if (r.segment() <= order_.old() || r.segment() > order_.newest() || kinds_[r.instruction()].asynchronous)
    return;
  const races::Order::Owner who = order_.owner(r.segment());
  const auto writer = places_.find(who.block);  // none: its block has ended, and with it what it has fenced
  if (writer == places_.end() || who.warp >= writer->second->proxy_fences.size() || !ordered(r, a)) return;
  // Made by the warp that wrote, before a barrier; or by the one that copies, after it.
  if (writer->second->proxy_fences[who.warp] > r.segment() ||
      place(a.block->number).proxy_fences[a.site->warp] > r.segment())
    return;
  proxy_ = true;
  report(r, true, r.low(), a.low, a);
  proxy_ = false;
}

void Races::on(const events::CopyGroups& e) {
  // A cp.async may be waited for by its group even if an mbarrier tracks it too.
  const auto grouped = [](const Copying& c) { return !c.tracked || c.what == events::Grouped::Copies; };
  races::BlockOrder& b = order_.block(e.block);
  Place& p = place(e.block);
  look_closely(p, b);
  auto& groups = p.groups[static_cast<size_t>(e.what)][e.warp];
  if (e.committed) {
    for (u32 m = e.mask; m; m &= m - 1) ++groups[first_lane(m)];
    for (Copying& c : p.copying)
      if (c.what == e.what && grouped(c) && c.warp == e.warp && (e.mask >> c.lane & 1) && !c.group)
        c.group = groups[c.lane];
    return;
  }
  std::optional<u32> read_by;
  std::erase_if(p.copying, [&](const Copying& c) {
    if (c.what != e.what || !grouped(c) || c.warp != e.warp || !(e.mask >> c.lane & 1)) return false;
    if (!e.everything && (!c.group || c.group + e.pending > groups[c.lane])) return false;
    if (e.reading_only && !c.reads) return false;
    if (c.reads) {
      finish_reading(p, b, c, e);
      read_by = c.lane;
      return true;
    }
    finish(p, b, c, b.warps[c.warp].now);
    return true;
  });
  // The warp reads matrices as one, and all of its lanes have waited for it: each may tell others.
  if (e.what == events::Grouped::Matrix && read_by) order_.done_for_all(e, *read_by);
}

void Races::on(const events::BulkAccess& e) {
  if (e.space != ir::Space::Global && e.space != ir::Space::Shared) return;
  const bool matrix = e.group == events::Grouped::Matrix;
  races::BlockOrder& b = order_.block(e.block);
  look_closely(place(e.block), b);
  Access a;
  a.site = &e;
  a.instruction = e.instruction;
  a.block = &b;
  a.warp = &b.warps[e.warp];
  a.write = e.direction != isa::Direction::Read;
  a.shared = e.space == ir::Space::Shared;
  a.pending = a.write;
  Kind& k = kinds_[e.instruction];
  k.known = k.asynchronous = true;
  if (e.direction == isa::Direction::Update) k.update = k.strong = true, k.scope = races::kGpu;
  a.kind = k;
  a.now = a.warp->now;
  a.old = a.shared && cluster_.count() == 1 ? b.floor : order_.old();
  a.low = a.high = first_lane(e.mask);
  const u64 mbarrier = e.tracked ? key_of(true, e.block, e.mbarrier) : 0;
  const u64 phase = e.tracked ? phase_of(e.block, e.mbarrier, e.phase) : 0;
  ++copies_;
  if (e.tracked) tells_mbarrier(e, a);
  for (const events::Piece& piece : e.pieces) {
    u64 owner = e.block, begin = piece.address;
    if (a.shared) std::tie(owner, begin) = shared_place(e.block, piece.address);
    if (a.shared && !places_.count(owner)) continue;
    races::Shadow& shadow = a.shared ? place(owner).shadow : global_;
    const u64 end = begin + piece.bytes;
    for (u64 word = begin / kWordBytes; word * kWordBytes < end; ++word) {
      a.word = word;
      a.bytes = bytes_of_word(word, begin, end);
      if (!a.write && owner == e.block) meet_proxy(shadow, a);
      touch(shadow, a);
    }
    if (a.write && a.shared && place(owner).reading) meet_reading(place(owner), begin, end, a.low, a);
    const bool reads = !a.write && a.shared && !e.tracked && owner == e.block;
    if (a.write || reads)
      place(owner).copying.push_back({e.warp, a.low, e.instruction, 0,
                                      matrix ? events::Grouped::Matrix : events::Grouped::Bulk, e.tracked,
                                      mbarrier, phase, copies_, e.space, begin, piece.bytes, reads, a.now});
    if (reads) ++place(owner).reading;
  }
}

/// An mbarrier must have been initialised before anyone else uses it, and what uses it is over before anyone
/// takes its bytes for something else.
void Races::meet_mbarrier(const events::Mbarrier& e, Place& p, u64 at, races::BlockOrder& b) {
  const u32 lane = first_lane(e.mask);
  Kind& k = kinds_[e.instruction];
  const bool passed = e.what == events::Mbarrier::What::Passed;
  const bool asks = passed || e.what == events::Mbarrier::What::NotYet;
  if (!k.known) {
    k.known = true;
    k.strong = e.what != events::Mbarrier::What::Init;
    k.update = k.strong && !asks;
    k.writes = !asks;
    k.scope = races::kGpu;
  }
  Access a;
  a.site = &e;
  a.instruction = e.instruction;
  a.block = &b;
  a.warp = &b.warps[e.warp];
  a.kind = k;
  a.write = !asks;
  a.shared = true;
  a.now = a.warp->now;
  a.old = cluster_.count() == 1 ? b.floor : order_.old();
  a.low = a.high = lane;
  a.word = at / kWordBytes;
  if (e.what == events::Mbarrier::What::Init) return initialise(e, p, a);
  const auto made = p.made.find(at);
  if (made != p.made.end()) {
    const Record& r = made->second;
    if (e.what == events::Mbarrier::What::Invalidate)
      p.made.erase(made);
    else if (!order_.before(r.segment(), r.low(), b, e.warp, lane))
      return report(r, true, r.low(), lane, a);
  }
  // Who has not passed asks again; arrivals come before those who have passed.
  const bool kept = passed || e.what == events::Mbarrier::What::Invalidate;
  for (u32 half = 0; half < 2 && kept; ++half, ++a.word) touch(p.shadow, a);
}

void Races::initialise(const events::Mbarrier& e, Place& p, Access& a) {
  const u64 at = a.word * kWordBytes;
  p.made[at] = {a.now, Record::packed(e.instruction, races::kWholeWord, a.low, a.low)};
  if (const auto early = p.early.find(at); early != p.early.end()) {
    const Record& r = early->second;
    if (!order_.before(r.segment(), r.low(), *a.block, a.site->warp, a.low))
      report(r, true, r.low(), a.low, a);
    p.early.erase(early);
  }
  // Its own write is not kept with the others': a cluster's relaxed barrier makes it known and no other.
  for (u32 half = 0; half < 2; ++half, ++a.word) {
    const Cell cell = p.shadow.word(p.shadow.line(a.word), a.word % races::Line::kWords);
    const auto live = [&](const Record& r) { return r.stamp != Record::kSplit && r.segment() > a.old; };
    if (live(cell.write)) meet(cell.write, true, a);
    if (cell.write.stamp == Record::kSplit) continue;
    for (const Record& r : cell.others)
      if (live(r)) meet(r, kinds_[r.instruction()].writes, a);
  }
}

void Races::tells_mbarrier(const events::BulkAccess& e, Access a) {
  const auto [owner, at] = shared_place(e.block, e.mbarrier);
  if (owner == e.block || !places_.count(owner)) return;
  Place& p = place(owner);
  a.word = at / kWordBytes;
  a.write = a.shared = true;
  a.pending = false;
  const auto made = p.made.find(at);
  if (made == p.made.end())
    p.early[at] = {a.now, Record::packed(e.instruction, races::kWholeWord, a.low, a.low)};
  else if (const Record& r = made->second; !order_.before(r.segment(), r.low(), *a.block, e.warp, a.low))
    report(r, true, r.low(), a.low, a);
}

u64 Races::phase_of(u64 block, u64 mbarrier, bool parity) {
  const auto owner = places_.find(shared_place(block, mbarrier).first);
  if (owner == places_.end()) return 0;
  Phase& phase = owner->second->phases[key_of(true, block, mbarrier)];
  if (phase.parity != parity) ++phase.number, phase.parity = parity;
  return phase.number;
}

/// The phase in which a copy was started ended without its bytes: it had been told to expect fewer. Who waits
/// for that phase does not wait for the copy.
void Races::comes_late(const events::Mbarrier& e, Place& p, u64 mbarrier, u64 phase) {
  u64 latest = 0;  // those that come late were started last
  const auto same = [&](const Copying& c) {
    return c.tracked && c.mbarrier == mbarrier && c.instruction == e.instruction && c.warp == e.warp &&
           c.lane == first_lane(e.mask) && c.phase < phase;
  };
  for (const Copying& c : p.copying)
    if (same(c)) latest = std::max(latest, c.started);
  for (Copying& c : p.copying)
    if (c.started == latest && same(c)) c.phase = phase;
}

void Races::on(const events::Mbarrier& e) {
  using What = events::Mbarrier::What;
  races::BlockOrder& b = order_.block(e.block);
  const u64 mbarrier = key_of(true, e.block, e.address);
  const u64 key = mbarrier | u64{e.phase} << 62;
  const u32 lane = first_lane(e.mask);
  Place& p = place(e.block);
  look_closely(p, b);
  const auto owner = shared_place(e.block, e.address).first;
  // In a cluster others may arrive at a barrier, or have copies arrive, that this block waits for. By the
  // manual all would have to say so (.cluster); programs leave it at the default, and GPUs order them.
  const Scope reach = cluster_.count() > 1 || e.scope == isa::Mod::cluster ? races::kCluster : races::kCta;
  if (e.what == What::Late) {
    if (places_.count(owner)) comes_late(e, place(owner), mbarrier, phase_of(e.block, e.address, e.phase));
    return;
  }
  if (places_.count(owner)) meet_mbarrier(e, place(owner), shared_place(e.block, e.address).second, b);
  const bool anew = e.what == What::Init || e.what == What::Invalidate;
  const u64 now = anew ? 0 : phase_of(e.block, e.address, e.phase != (e.what == What::Passed));
  switch (e.what) {
    case What::Init:
    case What::Invalidate:
      p.phases.erase(mbarrier);
      for (u64 phase : {u64{0}, u64{1} << 62}) order_.forget(mbarrier | phase);
      break;
    case What::Arrive:
      if (info_of(e.instruction).instruction->op == isa::Op::cp_async_mbarrier)
        for (Copying& c : p.copying)
          if (c.what == events::Grouped::Copies && c.warp == e.warp && c.lane == lane && !c.tracked)
            c.tracked = true, c.mbarrier = mbarrier, c.phase = now;
      if (e.order != isa::Mod::relaxed) order_.release_all(key, b, e.warp, e.mask, reach);
      break;
    case What::Passed: {
      Segment done = 0;
      std::erase_if(p.copying, [&](const Copying& c) {
        if (!c.tracked || c.mbarrier != mbarrier || c.phase >= now) return false;
        if (!done) done = order_.lone_segment(b.number);
        finish(p, b, c, done);
        return true;
      });
      if (done) order_.release_entry(key, {b.number, races::kLoneWarp, ~0u, done}, b, reach);
      if (e.order != isa::Mod::relaxed) order_.acquire(key, b, e.warp, lane, reach);
      break;
    }
    default:
      break;
  }
}

}  // namespace ww::checks
