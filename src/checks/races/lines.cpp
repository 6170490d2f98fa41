// Runs of words that a warp accesses, line by line of the shadow.
#include <algorithm>

#include "checks/races.h"
#include "checks/races/words.h"

namespace ww::checks {

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

}  // namespace ww::checks
