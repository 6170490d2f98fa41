// The words of a line that are kept one by one, as a few runs: what threads leave behind that store members
// of structs, every second word, or single bytes.
#pragma once

#include <array>
#include <optional>

#include "checks/races/shadow.h"

namespace ww::checks::races {

/// The records of a line by slot of their cell (write, others): of its words, and of the bytes of the words
/// in `split`.
struct Records {
  static constexpr u32 kSlots = 3, kBytes = 4 * Line::kWords;
  std::array<std::array<Record, Line::kWords>, kSlots> words{};
  std::array<std::array<Record, kBytes>, kSlots> bytes;  ///< unset if `split` is 0
  u32 split = 0;

  static Record& of(Cell& c, u32 slot) { return slot == 0 ? c.write : c.others[slot - 1]; }
  static const Record& of(const Cell& c, u32 slot) { return slot == 0 ? c.write : c.others[slot - 1]; }
};

/// As runs or a table, if so few records will do. Nothing is lost. The records are used up.
std::optional<Packed> pack(Records& records);

/// The bits of a record that say it is of byte k alone.
inline u32 own_byte(u32 k) { return Record::packed(0, 1u << k % 4, 0, 0); }

/// f(slot, k, of_byte, record) for each record: of word k or byte k of the line.
template <class F>
void unpack(const Packed& packed, const F& f) {
  if (packed.count == Packed::kTable) {
    for (u32 k = 0; k < Line::kWords; ++k) {
      const u32 word = packed.table.words[k], kind = word >> 10 & 3;
      if (kind == Packed::Table::kNone) continue;
      const Record& r = packed.table.kinds[kind];
      f(word >> 12, k, false, Record{r.stamp, r.bits | (word & Record::kLanes)});
    }
    return;
  }
  if (packed.count == Packed::kNear) {
    const Record& first = packed.near.first;
    for (u32 k = 0; k < Line::kWords; ++k)
      if (const u32 word = packed.near.words[k])
        f(packed.near.slot, k, false,
          Record{first.stamp,
                 Record::packed(first.instruction() + (word >> 5) - 1, first.bytes(), word & 31, word & 31)});
    return;
  }
  for (u32 r = 0; r < packed.count; ++r) {
    const Packed::Run& run = packed.runs[r];
    const u32 lanes = run.how & 15, slot = run.how >> 4 & 3;
    const bool of_byte = run.how >> 6 & 1;
    for (u32 n = 0; n < run.count; ++n) {
      const u32 k = run.first + n * run.stride;
      Record record{run.stamp, run.bits + n * lanes * Record::kNextLane};
      if (of_byte && record.bytes() == 0) record.bits |= own_byte(k);
      f(slot, k, of_byte, record);
    }
  }
}

}  // namespace ww::checks::races
