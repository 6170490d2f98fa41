// One stretch of a line of the shadow, and an access to all of its words.
#include <algorithm>

#include "checks/races.h"
#include "checks/races/words.h"

namespace ww::checks {

using races::Cell;
using races::Record;
using races::Segment;
using races::Stretch;
using races::u8;

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

bool Races::read_by_many(const Stretch& s, const Access& a) {
  const Cell& c = s.cell;
  if (a.write || !(c.others[1].stamp & Record::kFlag)) return false;
  const bool whole = c.others[0].bytes() == races::kWholeWord && c.others[1].bytes() == races::kWholeWord;
  return whole && oldest_read(s) > a.old && c.write.segment() <= a.old;
}
Segment Races::oldest_read(const Stretch& s) {
  return std::min(s.cell.others[0].segment(), s.cell.others[1].segment());
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
