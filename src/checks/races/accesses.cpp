// Accesses to memory, run by run or lane by lane, as accesses to words of the shadow.
#include <algorithm>

#include "checks/races.h"
#include "checks/races/words.h"

namespace ww::checks {

using races::bytes_of_word;
using races::Cell;
using races::first_lane;
using races::kWordBytes;
using races::Record;
using races::Segment;

void Races::memory(int /*worker*/, const events::Memory& e) {
  if (e.space != ir::Space::Global && e.space != ir::Space::Shared) return;
  if (!e.linear || e.range == isa::Range::Mbarrier) return;
  races::BlockOrder& b = order_.block(e.block);
  Access a;
  a.site = &e;
  a.event = &e;
  a.block = &b;
  a.warp = &b.warps[e.warp];
  a.kind = kind_of(e);
  a.write = !e.load();
  a.shared = e.space == ir::Space::Shared;
  a.pending = e.asynchronous && a.write;
  if (a.kind.strong) synchronise(e, a.kind, b, false);
  a.now = a.warp->now;
  const bool own_shared = a.shared && cluster_.count() == 1;
  a.old = own_shared ? b.floor : order_.old();
  if (!a.kind.strong && !a.pending && e.bytes % kWordBytes == 0 && e.first % kWordBytes == 0 &&
      weak_runs(e, a))
    return;
  races::Shadow* const own = a.shared ? &place(b.number).shadow : &global_;
  Place* copies = nullptr;
  for (u32 m = e.mask; m;) {
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
      copies->copying.push_back({e.warp, a.low, e.instruction, 0, false, false, 0, e.space, begin, e.bytes});
    }
  }
  if (a.kind.strong && a.write) synchronise(e, a.kind, b, true);
}

/// A run of words that another group has read, as far as the first of them says.
bool Races::follows_reads(races::Shadow::Page& page, const races::RunAccess& r, const Access& a) {
  const Segment first = page.others[0].stamp[r.at];
  const Kind& k = kinds_[page.others[0].bits[r.at] >> 14];
  if (first <= r.old || first > order_.newest() || r.apart || k.strong || k.writes) return false;
  const auto& who = order_.owner(first);
  const bool same_block = who.block == a.block->number;
  const bool same_group = a.shared ? who.warp == a.site->warp : same_block;
  if (same_group || (a.shared && !same_block) || (same_block && first <= a.block->floor)) return false;
  return read_run_second(page, r, first);
}

/// A weak access run by run. False: it must be looked at lane by lane.
bool Races::weak_runs(const events::Memory& e, Access& a) {
  if (a.shared && e.first >= engine::kClusterStep) return false;
  const u32 words = e.bytes / kWordBytes;
  if (words & (words - 1)) return false;
  races::Runs& runs = runs_[e.serial % runs_.size()];
  if (!e.serial || runs.serial != e.serial || runs.mask != e.mask || runs.bytes != e.bytes) {
    races::find_runs(runs, e.mask, e.bytes, e.offsets);
    runs.serial = e.serial;
    for (u32 k = 0; k < runs.count; ++k)
      if (runs.run[k].offset % kWordBytes || (a.shared && runs.run[k].offset >= engine::kClusterStep / 2)) {
        runs.mask = 0;
        return false;
      }
  }
  races::Shadow& shadow = a.shared ? place(a.block->number).shadow : global_;
  races::RunAccess r;
  r.now = a.now, r.old = a.old;
  r.instruction = e.instruction;
  r.apart = a.warp->apart;
  r.shift = first_lane(words);
  for (u32 k = 0; k < runs.count; ++k) {
    const races::Run& run = runs.run[k];
    u64 word = (e.first + static_cast<u64>(run.offset)) / kWordBytes;
    if (run.one_place || (run.lanes == 1 && words == 1)) {
      a.low = run.lane, a.high = run.lane + run.lanes - 1u;
      for (u32 n = 0; n < words; ++n) {
        a.word = word + n;
        if (!a.write) {
          r.at = a.word % races::Shadow::kPageWords;
          r.lane = a.low;
          if (read_one(shadow.page(a.word), r, a.high)) continue;
        }
        a.first_byte = n * kWordBytes;
        touch(shadow, a);
      }
      continue;
    }
    const u64 end = word + u64{run.lanes} * words, begin = word;
    while (word < end) {
      r.at = word % races::Shadow::kPageWords;
      r.count = static_cast<u32>(std::min<u64>(end - word, races::Shadow::kPageWords - r.at));
      r.lane = run.lane + static_cast<u32>((word - begin) / words);
      races::Shadow::Page& page = shadow.page(word);
      const bool whole = (word - begin) % words == 0;
      if (!whole || !(a.write ? write_run(page, r) : read_run(page, r) || follows_reads(page, r, a)))
        for (u32 n = 0; n < r.count; ++n) {
          a.word = word + n;
          a.low = a.high = run.lane + static_cast<u32>((a.word - begin) / words);
          a.first_byte = static_cast<u32>((a.word - begin) % words) * kWordBytes;
          touch(shadow, a);
        }
      word += r.count;
    }
  }
  return true;
}

void Races::touch(races::Shadow& shadow, Access& a) {
  races::Shadow::Page& page = shadow.page(a.word);
  const u32 at = a.word % races::Shadow::kPageWords;
  Cell cell = page.load(at);
  touch(shadow, cell, a);
  page.store(at, cell);
}

void Races::touch(races::Shadow& shadow, Cell& cell, Access& a) {
  if (cell.write.stamp == Record::kSplit) return touch_bytes(shadow, cell, a);
  const auto fits = [&](const Record& r) { return r.segment() <= a.old || r.bytes() == a.bytes; };
  if (fits(cell.write) && fits(cell.others[0]) && fits(cell.others[1])) [[likely]]
    return touch_whole(cell, a);
  const u32 number = shadow.new_bytes();
  races::Shadow::Bytes& bytes = shadow.bytes(number);
  for (u32 k = 0; k < kWordBytes; ++k) {
    if (cell.write.bytes() >> k & 1) bytes[k].write = cell.write;
    for (size_t o = 0; o < cell.others.size(); ++o)
      if (cell.others[o].bytes() >> k & 1) bytes[k].others[o] = cell.others[o];
  }
  cell = {};
  cell.write.stamp = Record::kSplit;
  cell.write.bits = number;
  touch_bytes(shadow, cell, a);
}

void Races::touch_bytes(races::Shadow& shadow, Cell& cell, Access& a) {
  races::Shadow::Bytes& bytes = shadow.bytes(cell.write.bits);
  for (u32 k = 0; k < kWordBytes; ++k)
    if (a.bytes >> k & 1) touch_whole(bytes[k], a);
}

void Races::touch_whole(Cell& cell, const Access& a) {
  if (a.write)
    write(cell, a);
  else
    read(cell, a);
}

}  // namespace ww::checks
