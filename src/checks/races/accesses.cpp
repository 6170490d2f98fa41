// Accesses to memory, run by run or lane by lane, as accesses to words of the shadow.
#include <algorithm>

#include "checks/races.h"
#include "checks/races/words.h"

namespace ww::checks {

using races::bytes_of_word;
using races::Cell;
using races::first_lane;
using races::kWordBytes;
using races::Line;
using races::Record;
using races::Segment;
using races::Stretch;
using races::u8;

/// Where the run is at word k of the line.
inline void Races::move_to(Access& a, const WordsOfLine& w, u32 k) {
  a.word = w.line + k;
  const u32 lanes = Stretch::lanes_between(w.step, w.from, k);
  a.low = w.low + lanes, a.high = w.high + lanes;
  a.bytes = races::kWholeWord;
  a.first_byte = Stretch::by_parts(w.step)  ? 0
                 : w.step == Stretch::kSame ? w.first_byte + (k - w.from) * kWordBytes
                                            : k % (1u << w.step) * kWordBytes;
}

void Races::on(const events::Memory& e) {
  if (e.space != ir::Space::Global && e.space != ir::Space::Shared) return;
  if (e.range == isa::Range::Mbarrier) return;
  if (!e.texels.empty()) return fetch_texels(e);
  const bool surface = e.path == isa::Path::Surface;  // it is reached through a handle, not an address
  const bool weak_load = e.load() && e.order == isa::Mod::none && !e.asynchronous;
  if (written_known_ && !surface && e.space == ir::Space::Global && (weak_load || !e.load()) && only_read(e))
    return;
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
  if (a.kind.strong) synchronise(e, a.kind, b, false);
  a.now = a.warp->now;
  if (a.kind.swaps)
    swaps(e, a);
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

void Races::touch_all(const events::Memory& e, Access& a) {
  const bool words = e.bytes % kWordBytes == 0 && e.first % kWordBytes == 0;
  if (!a.kind.strong && !a.pending && (words ? weak_runs(e, a) : e.bytes < kWordBytes && runs_of_parts(e, a)))
    return;
  const races::BlockOrder& b = *a.block;
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

void Races::touch_run(races::Shadow& shadow, Access& a, u64 begin, u64 end, u32 low, u32 high, u8 step) {
  for (u64 word = begin; word < end;) {
    WordsOfLine w;
    w.from = word % Line::kWords;
    w.line = word - w.from;
    w.to = static_cast<u32>(std::min<u64>(Line::kWords, end - w.line));
    w.step = step;
    const u32 words = static_cast<u32>(word - begin);
    const u32 lanes = step == Stretch::kSame    ? 0
                      : Stretch::by_parts(step) ? words * Stretch::lanes_of_word(step)
                                                : words >> step;
    w.low = low + lanes, w.high = high + lanes;
    w.first_byte = step == Stretch::kSame ? static_cast<u32>(word - begin) * kWordBytes : 0;
    Line& line = shadow.line(word);
    word = w.line + w.to;
    if (!a.warp->apart) {
      if (!a.write && line.many_read > a.old) continue;
      if (w.to == w.from + 1 && line.count == Line::kWords &&
          touch_quickly(line.more[w.from], a, w.low, w.high, step)) {
        line.newest = std::max(line.newest, a.now), line.many_read = 0;
        continue;
      }
    }
    touch_line(shadow, line, a, w);
  }
}

/// One word that is kept alone: the common cases, in which nothing can race, quickly. What is known of it is
/// over, or is what the same lane did in this segment, or are reads beside one more. False: nothing has been
/// done.
bool Races::touch_quickly(Stretch& s, const Access& a, u32 low, u32 high, u8 step) const {
  Cell& c = s.cell;
  Record &first = c.others[0], &second = c.others[1];
  if (Stretch::by_parts(step) || s.any_by_parts()) return false;
  const auto over = [&](const Record& r) { return r.segment() <= a.old; };
  const u32 bits = Record::packed(a.instruction, races::kWholeWord, low, high);
  constexpr u32 kLanesAndBytes = (1u << 14) - 1;
  const auto alike = [&](const Record& r) { return ((r.bits ^ bits) & kLanesAndBytes) == 0; };
  const auto own = [&](const Record& r) { return r.segment() == a.now && low == high && alike(r); };
  if (a.write) {
    const auto before = [&](const Record& r) { return over(r) || own(r); };
    if (low != high || !before(c.write) || !before(first) || !before(second)) return false;
    c = {{a.now, bits}, {}};
    s.step = {step, 0, 0};
    return true;
  }
  if (over(c.write))
    c.write = {}, s.step[0] = 0;
  else if (a.kind.read_only || !own(c.write))
    return false;
  if (over(first) && over(second)) {
    first = {a.now, bits}, second = {};
    s.step[1] = step, s.step[2] = 0;
    return true;
  }
  // Reads by lanes of this warp: as `keep` has it.
  const auto reads = [&](const Record& r) {
    const Kind& k = kinds_[r.instruction()];
    return r.segment() == a.now && r.bytes() == races::kWholeWord && !k.writes && !k.strong;
  };
  const auto widen = [&](Record& r, u32 instruction) {
    r.bits = Record::packed(instruction, races::kWholeWord, std::min(r.low(), low), std::max(r.high(), high));
    return true;
  };
  const auto same = [&](const Record& r) { return r.instruction() == a.instruction || alike(r); };
  if (!reads(first)) return false;
  if (same(first)) return widen(first, a.instruction);
  if (over(second)) {
    second = {a.now, bits};
    s.step[2] = step;
    return true;
  }
  if (!reads(second)) return false;
  return same(second) ? widen(second, a.instruction) : widen(first, first.instruction());
}

/// One word of a line by itself, or each of its parts.
void Races::touch_singly(races::Shadow& shadow, Access& a, const WordsOfLine& w, u32 k) {
  move_to(a, w, k);
  if (!Stretch::by_parts(w.step)) return touch(shadow, a);
  const u32 lanes = Stretch::lanes_of_word(w.step), first = a.low, bytes = kWordBytes / lanes;
  for (u32 lane = 0; lane < lanes; ++lane) {
    a.low = a.high = first + lane;
    a.bytes = ((1u << bytes) - 1) << lane * bytes;
    touch(shadow, a);
  }
}

void Races::touch_line(races::Shadow& shadow, Line& line, Access& a, const WordsOfLine& w) {
  if (a.warp->apart) {
    for (u32 k = w.from; k < w.to; ++k) touch_singly(shadow, a, w, k);
    return;
  }
  move_to(a, w, w.from);
  const bool whole = w.from == 0 && w.to == Line::kWords;
  if (whole && line.newest <= a.old && (!a.write || a.low == a.high || Stretch::by_parts(w.step))) {
    Stretch s{};
    (a.write ? s.cell.write : s.cell.others[0]) = {
        a.now, Record::packed(a.instruction, races::kWholeWord, a.low, a.high)};
    s.step[a.write ? 0 : 1] = w.step;
    shadow.store(line, s);
    line.newest = a.now, line.many_read = 0;
    return;
  }
  const bool one_word = w.to == w.from + 1;
  if (line.newest <= a.old) {
    // Shared memory is mostly accessed again as before: where in small parts, its words stay alone. There is
    // little of it, and to split lines and join them costs more.
    if (a.shared && w.to - w.from < Line::kWords / 2) {
      if (line.count != Line::kWords) shadow.part(line);
      return touch_words(shadow, line, a, w);
    }
    if (one_word && line.count == Line::kWords)
      shadow.clear_words(line);
    else if (line.newest)
      shadow.store(line, Stretch{});
    line.newest = line.many_read = 0;
  }
  Stretch* const own = one_word ? shadow.word_stretch(line, w.from) : nullptr;
  if (!one_word && !whole && line.count == Line::kWords) return touch_words(shadow, line, a, w);
  if (!own && !one_word && line.count > 1) return touch_stretches(shadow, line, a, w);
  const Stretch before = own ? *own : shadow.stretch(line, w.from);
  Stretch s = before;
  if (!touch_stretch(s, a, w.step, one_word)) {
    for (u32 k = w.from; k < w.to; ++k) touch_singly(shadow, a, w, k);
    return;
  }
  if (s == before) {
    if (read_by_many(s, a)) tried_again(shadow, line, a, w.to == Line::kWords);
    return;
  }
  line.many_read = 0;
  line.newest = std::max(line.newest, a.now);
  if (own)
    *own = s;
  else if (whole)
    line.first = s;
  else if (one_word)
    shadow.store_word(line, s);
  else
    shadow.store_part(line, s, w.to);
}

/// A read that added nothing: perhaps none of the line does. Looked at now and then.
void Races::tried_again(races::Shadow& shadow, Line& line, const Access& a, bool at_end) {
  constexpr u8 kIdle = 8;
  if (!at_end && ++line.idle < kIdle) return;
  line.idle = 0;
  Segment oldest = Record::kNewest;
  if (shadow.all(line, [&](const Stretch& x) {
        oldest = std::min(oldest, oldest_read(x));
        return read_by_many(x, a) && oldest > a.old;
      }))
    line.many_read = oldest;
}

bool Races::read_by_many(const Stretch& s, const Access& a) {
  const Cell& c = s.cell;
  if (a.write || !(c.others[1].stamp & Record::kFlag)) return false;
  const bool whole = c.others[0].bytes() == races::kWholeWord && c.others[1].bytes() == races::kWholeWord;
  return whole && oldest_read(s) > a.old && c.write.segment() <= a.old;
}
Segment Races::oldest_read(const Stretch& s) {
  return std::min(s.cell.others[0].segment(), s.cell.others[1].segment());
}

/// Words of a line that were not all accessed alike: each stretch is judged by its first word.
void Races::touch_stretches(races::Shadow& shadow, Line& line, Access& a, const WordsOfLine& w) {
  races::Shadow::Stretches old, list;
  const u32 count = shadow.load(line, old);
  u32 n = 0, again = 0;
  bool changed = false, many = true;
  for (u32 k = 0; k < count; ++k) {
    const u32 end = k + 1 < count ? old[k + 1].begin : Line::kWords;
    const u32 from = std::max<u32>(w.from, old[k].begin), to = std::min(w.to, end);
    if (from >= to) {
      list[n++] = old[k];
      continue;
    }
    Stretch s = old[k].from(from);
    const Stretch before = s;
    move_to(a, w, from);
    if (!touch_stretch(s, a, w.step, to == from + 1)) {
      again |= (1u << to) - (1u << from);
      list[n++] = old[k];
    } else if (s == before) {
      list[n++] = old[k];
      many = many && read_by_many(s, a);
    } else {
      changed = true;
      if (old[k].begin < from) list[n++] = old[k];
      list[n++] = s;
      if (to < end) list[n++] = old[k].from(to);
    }
  }
  if (changed) {
    line.many_read = 0;
    line.newest = std::max(line.newest, a.now);
    shadow.store(line, list, n);
  } else if (many && !again) {
    tried_again(shadow, line, a, w.to == Line::kWords);
  }
  for (; again; again &= again - 1) touch_singly(shadow, a, w, first_lane(again));
}

/// Some words of a line whose words are kept alone. They are not joined again: that costs more than it saves
/// until the whole line is accessed alike.
void Races::touch_words(races::Shadow& shadow, Line& line, Access& a, const WordsOfLine& w) {
  u32 again = 0;
  bool changed = false, many = true;
  for (u32 k = w.from; k < w.to; ++k) {
    Stretch& own = line.more[k];
    if (read_by_many(own, a)) continue;
    many = false;
    move_to(a, w, k);
    if (touch_quickly(own, a, a.low, a.high, w.step)) {
      changed = true;
      continue;
    }
    Stretch s = own;
    if (!touch_stretch(s, a, w.step, true)) {
      again |= 1u << k;
    } else if (!(s == own)) {
      own = s;
      changed = true;
    }
  }
  if (changed) {
    line.many_read = 0;
    line.newest = std::max(line.newest, a.now);
  } else if (many) {
    tried_again(shadow, line, a, w.to == Line::kWords);
  }
  for (; again; again &= again - 1) touch_singly(shadow, a, w, first_lane(again));
}

bool Races::touch_stretch(Stretch& s, Access& a, u8 step, bool one_word) {
  Cell& cell = s.cell;
  if (cell.write.stamp == Record::kSplit) return false;
  Record* const records[] = {&cell.write, &cell.others[0], &cell.others[1]};
  bool any = false;
  for (size_t k = 0; k < 3; ++k) {
    Record& r = *records[k];
    if (r.segment() <= a.old) {
      r = {}, s.step[k] = 0;
      continue;
    }
    any = true;
    if (Stretch::by_parts(step) || Stretch::by_parts(s.step[k])) return false;
    if (r.bytes() != races::kWholeWord || r.segment() > order_.newest()) return false;
    // Between lanes of one warp it counts which they are.
    if (one_word || s.step[k] == step) continue;
    const auto who = order_.owner(r.segment());
    if (who.block == a.block->number && who.warp == a.site->warp) return false;
  }
  if (!any && (!a.write || a.low == a.high || Stretch::by_parts(step))) {
    const size_t at = a.write ? 0 : 1;
    *records[at] = {a.now, Record::packed(a.instruction, a.bytes, a.low, a.high)};
    s.step[at] = step;
    return true;
  }
  const Cell before = cell;
  const Record* const earlier[] = {&before.write, &before.others[0], &before.others[1]};
  quiet_ = true, met_ = false;
  touch_whole(cell, a);
  quiet_ = false;
  if (met_) return false;
  for (size_t k = 0; k < 3; ++k) {
    const bool same = records[k]->bits == earlier[k]->bits && records[k]->segment() == earlier[k]->segment();
    if (!same) s.step[k] = records[k]->stamp ? step : u8{0};
  }
  return true;
}

}  // namespace ww::checks
