// An access to a word against the accesses that are kept of it: which conflict, and which are kept.
#include <algorithm>

#include "checks/races.h"
#include "checks/races/words.h"
#include "ir/accesses.h"

namespace ww::checks {

using races::Cell;
using races::kWordBytes;
using races::Line;
using races::Record;
using races::Scope;
using races::Segment;

void Races::touch(races::Shadow& shadow, Access& a) {
  Line& line = shadow.line(a.word);
  const u32 at = a.word % Line::kWords;
  bool split = false;
  const Cell before = shadow.own_word(line, at, split);
  Cell cell = before;
  touch(shadow, cell, a);
  if (!split && cell == before) return;
  line.many_read = 0;
  // Copies that are not over, and words that are kept by bytes, have no newest segment.
  const bool open = a.pending || cell.write.segment() > Record::kNewest ||
                    cell.others[0].segment() > Record::kNewest || cell.others[1].segment() > Record::kNewest;
  line.newest = open ? Record::kNewest : std::max(line.newest, a.now);
  shadow.store_word(line, {cell, {}, static_cast<u8>(at)});
}

void Races::touch(races::Shadow& shadow, Cell& cell, Access& a) {
  if (cell.write.stamp == Record::kSplit) {
    if (a.bytes != races::kWholeWord || !shadow.over(cell.write.bits, a.old))
      return touch_bytes(shadow, cell, a);
    shadow.free_bytes(cell.write.bits);
    cell = {};
  }
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

bool Races::ordered(const Record& r, const Access& a) const {
  const Segment s = r.segment();
  if (s <= a.old) return true;
  if (s > order_.newest()) return false;
  const auto before = [&](u32 of, u32 lane) { return order_.before(s, of, *a.block, a.site->warp, lane); };
  if (!before(r.low(), a.low)) return false;
  if (a.high != a.low && !before(r.low(), a.high)) return false;
  if (r.high() == r.low()) return true;
  return before(r.high(), a.low) && (a.high == a.low || before(r.high(), a.high));
}

/// Whether the last write was an atomic update that comes before the access: it has read what the atomics
/// before it wrote, and so (observation, then causality order in the PTX manual) those come before the
/// access, too.
bool Races::observes(const Record& write, const Access& a) const {
  return write.segment() > a.old && kinds_[write.instruction()].update && ordered(write, a);
}

void Races::read(Cell& cell, const Access& a) {
  const auto live = [&](const Record& r) { return r.segment() > a.old; };
  if (live(cell.write)) meet(cell.write, true, a);
  // What the launch has written must not be read through the read-only path, in whatever order.
  if (a.kind.read_only && live(cell.write) && cell.write.segment() <= order_.newest() &&
      ordered(cell.write, a)) {
    stale_ = true;
    report(cell.write, true, cell.write.low(), a.low, a);
    stale_ = false;
  }
  auto& others = cell.others;
  if (live(others[0]) && live(others[1])) {
    if ((others[1].stamp & Record::kFlag) && !a.kind.strong && !a.warp->apart) return;
  }
  const bool observed = observes(cell.write, a);
  for (const Record& r : others)
    if (live(r) && kinds_[r.instruction()].writes && !observed) meet(r, true, a);
  keep(cell, {a.now, Record::packed(a.instruction, a.bytes, a.low, a.high)}, a);
}

void Races::write(Cell& cell, const Access& a) {
  const auto live = [&](const Record& r) { return r.segment() > a.old; };
  Record& last = cell.write;
  // One more update by an instruction whose updates by two other groups are known.
  if (a.kind.update && (cell.others[0].stamp & Record::kFlag) && !a.warp->apart && last.stamp > a.old &&
      live(cell.others[0]) && live(cell.others[1]) &&
      (a.kind.scope == races::kGpu || a.old == a.block->floor)) {
    const u32 own = a.instruction;
    if (last.instruction() == own && cell.others[0].instruction() == own &&
        cell.others[1].instruction() == own) {
      last = {a.now, Record::packed(own, a.bytes, a.low, a.high)};
      return;
    }
  }
  if (live(last)) meet(last, true, a);
  const bool observed = observes(last, a);
  for (const Record& r : cell.others) {
    const bool writes = live(r) && kinds_[r.instruction()].writes;
    if (live(r) && !(writes && observed)) meet(r, writes, a);
  }
  const Record mine{a.pending ? Record::kPending : a.now,
                    Record::packed(a.instruction, a.bytes, a.low, a.high)};
  if (a.kind.strong) {
    const bool both_far =
        live(cell.others[0]) && live(cell.others[1]) && (cell.others[0].stamp & Record::kFlag);
    // An atomic that comes after a plain write does not stand for it: other atomics race with that alone.
    const bool weak = !kinds_[last.instruction()].strong;
    // One at an unknown time would not be found there when it is over.
    const bool open = last.segment() > order_.newest();
    if (live(last) && !both_far && !open && (weak || !ordered(last, a))) keep(cell, last, a);
  } else {
    cell.others = {};
  }
  // Lanes of one instruction that write the same word.
  const bool by_luck = a.kind.is_volatile && !a.kind.update;
  if (a.low != a.high && (!a.kind.strong || by_luck)) report(mine, true, a.low, a.high, a);
  last = mine;
}

/// Keeps one more access than the last write: of three that are not ordered, two that differ most.
void Races::keep(Cell& cell, Record r, const Access& a) {
  auto& others = cell.others;
  const auto class_of = [&](const Record& x) {
    const Kind& k = kinds_[x.instruction()];
    return k.writes ? (k.strong ? 2 : 3) : k.strong ? 1 : 0;
  };
  const auto group = [&](const Record& x) {
    const auto who = order_.owner(x.segment());
    return a.shared ? who.warp : who.block;
  };
  const auto set = [&](size_t k) {
    others[k] = r;
    others[0].stamp &= ~Record::kFlag;
    others[1].stamp &= ~Record::kFlag;
    const Segment newest = order_.newest();
    for (const Record& x : others)
      if (x.segment() <= a.old || x.segment() > newest) return;
    const int c = class_of(others[0]);
    if (c == 1 || c == 3 || c != class_of(others[1]) || group(others[0]) == group(others[1])) return;
    others[c == 2 ? 0 : 1].stamp |= Record::kFlag;
  };
  const int own_class = class_of(r);
  size_t free = others.size();
  for (size_t k = 0; k < others.size(); ++k) {
    Record& o = others[k];
    if (o.segment() <= a.old) {
      free = k;
      continue;
    }
    if (class_of(o) != own_class || o.segment() != r.segment()) continue;
    const bool same_lanes = o.low() == r.low() && o.high() == r.high();
    if (!same_lanes && o.instruction() != r.instruction()) continue;
    o.bits =
        Record::packed(r.instruction(), r.bytes(), std::min(o.low(), r.low()), std::max(o.high(), r.high()));
    return;
  }
  for (size_t k = 0; k < others.size(); ++k)
    if (others[k].segment() > a.old && class_of(others[k]) == own_class && ordered(others[k], a))
      return set(k);
  if (free < others.size()) return set(free);
  if (r.segment() > order_.newest()) return;
  for (size_t k = 0; k < others.size(); ++k)
    if (others[k].segment() > order_.newest()) return;
  for (size_t k = 0; k < others.size(); ++k)
    if (group(others[k]) == group(r) && others[k].segment() == r.segment()) {
      if (class_of(others[k]) == own_class)
        others[k].bits =
            Record::packed(others[k].instruction(), r.bytes(), std::min(others[k].low(), r.low()),
                           std::max(others[k].high(), r.high()));
      return;
    }
  if (group(others[0]) == group(others[1]) && group(r) != group(others[0])) set(1);
}

/// Atomics of a scope that is wide enough for any two threads, whose result is no matter of luck: the common
/// case where blocks wait for each other, without asking what is ordered.
bool Races::never_race(const Kind& other, bool is_write, const Access& a) {
  if (!other.strong || !a.kind.strong) return false;
  // Reductions at an unknown time: atomic for each other and for other atomics.
  if (other.asynchronous || a.kind.asynchronous)
    return (!other.asynchronous || other.update) && (!a.kind.asynchronous || a.kind.update);
  if (other.scope != races::kGpu || a.kind.scope != races::kGpu) return false;
  if (other_size(other, a.kind)) return false;
  if (!other.is_volatile && !a.kind.is_volatile) return true;
  return (a.kind.update && !is_write) || (other.update && !a.write);
}

void Races::meet(const Record& r, bool is_write, const Access& a) {
  if (!is_write && !a.write) return;
  if (never_race(kinds_[r.instruction()], is_write, a)) return;
  if (r.segment() == a.now && r.low() == r.high() && a.low == a.high && a.low == r.low()) return;
  if (!is_write && r.segment() <= reads_over_) return;
  if (ordered(r, a)) return;
  const bool pending = r.segment() > order_.newest();
  const Kind& other = kinds_[r.instruction()];
  if ((other.guess && !is_write && a.kind.update) || (a.kind.guess && other.update)) return;
  if (other.strong && a.kind.strong && !pending && !other_size(other, a.kind)) {
    const auto who = order_.owner(r.segment());
    const Scope scope = std::min(other.scope, a.kind.scope);
    if (who.block == a.block->number || scope == races::kGpu ||
        (scope == races::kCluster && cluster_of(who.block) == a.block->cluster && cluster_.count() > 1)) {
      if (!depends_on_luck(r, is_write, a)) return;
    } else if (order_.before_but_for_a_fence(r.segment(), r.low(), *a.block, a.site->warp, a.low)) {
      return;  // what an atomic has seen comes before the thread's next atomic
    }
  }
  for (u32 lane : {a.low, a.high})
    for (u32 of : {r.low(), r.high()})
      if (pending || !order_.before(r.segment(), of, *a.block, a.site->warp, lane))
        return report(r, is_write, of, lane, a);
}

/// Whether an atomic only asks what is there, or swaps, in a loop that ends once it has found what it wants.
bool Races::tries(u32 instruction) {
  return ir::asks_memory(*info_of(instruction).instruction) && loop_of(instruction) == Kind::Loop::Polls;
}

/// Volatile accesses do not race by the manual, but what is read depends on the schedule: unless it is a flag
/// that the other one waits for in a loop, and that the writer sets behind a fence.
bool Races::depends_on_luck(const Record& r, bool is_write, const Access& a) {
  const Kind& other = kinds_[r.instruction()];
  if (!other.is_volatile && !a.kind.is_volatile) return false;
  const bool looks = (a.kind.update && !is_write) || (other.update && !a.write);
  if (looks) return false;
  // Two stores that only the fence of the second does not order: another schedule may put them the other way.
  // But not where the second waited for what only the first does, which taking a lock does not.
  const bool behind = order_.before_but_for_a_fence(r.segment(), r.low(), *a.block, a.site->warp, a.low);
  const u64 begin =
      a.word - a.first_byte / kWordBytes;  // what was released stands at the first word of a value
  const u64 word = a.shared ? key_of(true, a.block->number, begin * kWordBytes) : begin;
  if (is_write && a.write && !other.update && !a.kind.update) {
    // Whose turn it is: the second has read there what the first released (a ticket lock).
    if (order_.has_read_all(word, *a.block, a.site->warp, a.low)) return false;
    return !behind || order_.took_last(*a.block, a.site->warp, a.low);
  }
  if (behind) return false;
  // A store that lets a lock go, and those who try to take it until they have it.
  if (is_write && a.write) return !tries(other.update ? r.instruction() : a.site->instruction);
  const Kind::Loop loop = loop_of(is_write ? a.site->instruction : r.instruction());
  if (loop == Kind::Loop::Polls) return false;  // what is read may be flag and datum in one word
  return is_write ? !order_.is_flag(word) : !order_.has_fenced(*a.block, a.site->warp, a.low);
}

}  // namespace ww::checks
