#include "checks/races/shadow.h"

#include "checks/races/packed.h"

namespace ww::checks::races {

namespace {

template <class Pool>
Stretch* taken(Pool& pool, std::vector<Stretch*>& unused) {
  if (unused.empty()) return pool.emplace_back().data();
  Stretch* const last = unused.back();
  unused.pop_back();
  return last;
}

/// Whether word k, behind the last of `s`, which has so many words, belongs to it. One word alone may turn
/// out to be the first of any step.
bool joins(Stretch& s, u32 words, const Stretch& next) {
  const u32 k = next.begin;
  Record* const own[] = {&s.cell.write, &s.cell.others[0], &s.cell.others[1]};
  const Record* const there[] = {&next.cell.write, &next.cell.others[0], &next.cell.others[1]};
  std::array<u8, 3> step = s.step;
  for (size_t r = 0; r < 3; ++r) {
    if (own[r]->stamp != there[r]->stamp) return false;
    if (!own[r]->stamp) continue;
    if (own[r]->stamp == Record::kSplit) return false;
    const u32 further = there[r]->bits - own[r]->bits;
    if (Stretch::by_parts(s.step[r]) || Stretch::by_parts(next.step[r])) {
      if (s.step[r] != next.step[r] ||
          further != Stretch::lanes_between(s.step[r], s.begin, k) * Record::kNextLane)
        return false;
    } else if (words == 1) {
      if (further == 0)
        step[r] = Stretch::kSame;
      else if (further == Record::kNextLane)
        step[r] = 0;
      else
        return false;
    } else if (further != ((k >> step[r]) - (u32{s.begin} >> step[r])) * Record::kNextLane) {
      return false;
    }
  }
  s.step = step;
  return true;
}

}  // namespace

void Shadow::release(Line& line) {
  if (line.count == Line::kWords)
    free_many_.push_back(line.more);
  else if (line.count > 1)
    free_few_.push_back(line.more);
  line.count = 1;
}

u32 Shadow::load(const Line& line, Stretches& out) const {
  if (line.count < Line::kWords) {
    for (u32 n = 0; n < line.count; ++n) out[n] = at(line, n);
    return line.count;
  }
  const Stretch* const all = line.more;
  u32 count = 0;
  out[0] = all[0];
  for (u32 k = 1; k < Line::kWords; ++k)
    if (!joins(out[count], k - out[count].begin, all[k])) out[++count] = all[k];
  return count + 1;
}

void Shadow::store(Line& line, const Stretches& list, u32 count) {
  Stretches joined;
  joined[0] = list[0];
  u32 n = 1;
  for (u32 k = 1; k < count; ++k) {
    // A longer stretch joins only one of the same steps.
    const u32 end = k + 1 < count ? list[k + 1].begin : Line::kWords;
    Stretch& last = joined[n - 1];
    const Stretch before = last;
    if (joins(last, list[k].begin - last.begin, list[k]) &&
        (end == list[k].begin + 1u || last.step == list[k].step))
      continue;
    last = before;
    joined[n++] = list[k];
  }
  if (n == 1) return store(line, joined[0]);
  if (n > Line::kFew) return spread(line, joined, n);
  if (line.count == 1 || line.count == Line::kWords) {
    release(line);
    line.more = taken(few_, free_few_);
  }
  line.count = static_cast<u8>(n);
  line.first = joined[0];
  for (u32 k = 1; k < n; ++k) line.more[k - 1] = joined[k];
}

void Shadow::part(Line& line) {
  release(line);
  wait(line);
  line.more = taken(many_, free_many_);
  line.count = Line::kWords;
  clear_words(line);
}

void Shadow::spread(Line& line, const Stretches& list, u32 count) {
  if (line.count != Line::kWords) {
    release(line);
    wait(line);
    line.more = taken(many_, free_many_);
    line.count = Line::kWords;
  }
  for (u32 k = 0, s = 0; k < Line::kWords; ++k) {
    if (s + 1 < count && list[s + 1].begin == k) ++s;
    line.more[k] = list[s].from(k);
  }
}

Stretch Shadow::stretch(const Line& line, u32 k) const {
  if (line.count == 1) return line.first.from(k);
  if (line.count == Line::kWords) return line.more[k];
  u32 n = 0;
  while (n + 1 < line.count && at(line, n + 1).begin <= k) ++n;
  return at(line, n).from(k);
}

Cell Shadow::byte_of(const Stretch& word, u32 byte) {
  Cell out = word.cell;
  Record* const records[] = {&out.write, &out.others[0], &out.others[1]};
  for (size_t k = 0; k < 3; ++k) {
    Record& r = *records[k];
    if (!r.stamp) continue;
    if (!(r.bytes() >> byte & 1)) {
      r = {};
    } else if (Stretch::by_parts(word.step[k])) {
      const bool halves = word.step[k] == Stretch::kHalves;
      const u32 lane = r.low() + (halves ? byte / 2 : byte);
      r.bits = Record::packed(r.instruction(), halves ? 3u << (byte & 2) : 1u << byte, lane, lane);
    }
  }
  return out;
}

Cell Shadow::by_bytes(const Stretch& word) {
  const u32 number = new_bytes();
  for (u32 byte = 0; byte < 4; ++byte) bytes_[number][byte] = byte_of(word, byte);
  return {{Record::kSplit, number}, {}};
}

void Shadow::store_word(Line& line, const Stretch& word) {
  if (line.count == Line::kWords) {
    line.more[word.begin] = word;
    return;
  }
  const u32 k = word.begin;
  u32 n = 0;
  while (n + 1 < line.count && at(line, n + 1).begin <= k) ++n;
  Stretch& in = at(line, n);
  const u32 end = n + 1 < line.count ? at(line, n + 1).begin : Line::kWords;
  // Word after word by the same lane, or lane by lane.
  if (n > 0 && in.begin == k) {
    Stretch& last = at(line, n - 1);
    if (joins(last, k - last.begin, word)) {
      if (end > k + 1) {
        in = in.from(k + 1);
        return;
      }
      for (u32 s = n; s + 1 < line.count; ++s) at(line, s) = at(line, s + 1);
      if (line.count == 2)
        release(line);
      else
        --line.count;
      return;
    }
  }
  Stretches list;
  if (line.count > 1) {
    const u32 count = load(line, list);
    spread(line, list, count);
    line.more[k] = word;
    return;
  }
  store_part(line, word, k + 1);
}

void Shadow::store_part(Line& line, const Stretch& s, u32 end) {
  const Stretch whole = line.first;
  line.more = taken(few_, free_few_);
  u32 count = 0;
  if (s.begin > 0) at(line, count++) = whole;
  at(line, count++) = s;
  if (end < Line::kWords) at(line, count++) = whole.from(end);
  line.count = static_cast<u8>(count);
}

void Shadow::wait(Line& line) {
  if (waiting_.empty()) return;
  // Of little memory few lines stay ready, so that it takes no more for each byte than much memory does.
  constexpr size_t kReadyOfPage = 2, kFewest = 64;
  const size_t ring =
      std::clamp(pages_.size() * kReadyOfPage, std::min(kFewest, waiting_.size()), waiting_.size());
  Line*& oldest = waiting_[waits_++ % ring];
  if (oldest && oldest != &line && oldest->count == Line::kWords) pack(*oldest);
  oldest = &line;
}

void Shadow::pack(Line& line) {
  Records records;
  for (u32 k = 0; k < Line::kWords; ++k) {
    const Cell& cell = line.more[k].cell;
    const bool by_parts = line.more[k].any_by_parts();
    if (cell.write.stamp != Record::kSplit && !by_parts) {
      for (u32 slot = 0; slot < Records::kSlots; ++slot) records.words[slot][k] = Records::of(cell, slot);
      continue;
    }
    if (!records.split) records.bytes = {};
    records.split |= 1u << k;
    for (u32 byte = 0; byte < 4; ++byte) {
      Cell of = by_parts ? byte_of(line.more[k], byte) : bytes_[cell.write.bits][byte];
      for (u32 slot = 0; slot < Records::kSlots; ++slot)
        records.bytes[slot][4 * k + byte] = Records::of(of, slot);
    }
  }
  const std::optional<Packed> packed = races::pack(records);
  if (!packed) return;
  for (u32 k = 0; k < Line::kWords; ++k)
    if (line.more[k].cell.write.stamp == Record::kSplit) free_bytes_.push_back(line.more[k].cell.write.bits);
  free_many_.push_back(line.more);
  Packed* at = nullptr;
  if (free_packed_.empty()) {
    at = &packed_.emplace_back();
  } else {
    at = free_packed_.back();
    free_packed_.pop_back();
  }
  *at = *packed;
  line.packed = at;
  line.count = Line::kPacked;
}

void Shadow::unpack(Line& line) {
  const Packed packed = *line.packed;
  free_packed_.push_back(line.packed);
  line.count = 1;  // while others are packed
  wait(line);
  line.more = taken(many_, free_many_);
  line.count = Line::kWords;
  for (u32 k = 0; k < Line::kWords; ++k) {
    line.more[k] = {{}, {}, static_cast<u8>(k)};
    if (packed.split >> k & 1) line.more[k].cell.write = {Record::kSplit, new_bytes()};
  }
  races::unpack(packed, [&](u32 slot, u32 k, bool of_byte, const Record& r) {
    Cell& cell = of_byte ? bytes_[line.more[k / 4].cell.write.bits][k % 4] : line.more[k].cell;
    Records::of(cell, slot) = r;
  });
}

u64 Shadow::size() const {
  return pages_.size() * sizeof(Page) + bytes_.size() * sizeof(Bytes) + few_.size() * sizeof(Few) +
         many_.size() * sizeof(Stretches) + packed_.size() * sizeof(Packed);
}

}  // namespace ww::checks::races
