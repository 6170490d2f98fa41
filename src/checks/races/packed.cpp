#include "checks/races/packed.h"

#include <algorithm>
#include <span>

namespace ww::checks::races {

namespace {

constexpr u32 kMostStride = 4, kMostLanes = 8;

/// The longest run that begins at record k.
Packed::Run longest(std::span<const Record> records, u32 k) {
  const Record first = records[k];
  Packed::Run best{first.stamp, first.bits, static_cast<u8>(k), 1, 1, 0};
  for (u32 stride = 1; stride <= kMostStride && k + stride < records.size(); ++stride) {
    // The second record tells how many lanes further each is.
    const u32 step = records[k + stride].bits - first.bits;
    if (step % Record::kNextLane || step / Record::kNextLane > kMostLanes) continue;
    u32 count = 1;
    for (u32 next = k + stride; next < records.size(); next += stride, ++count)
      if (records[next].stamp != first.stamp || records[next].bits != first.bits + count * step) break;
    if (count > best.count) {
      best.count = static_cast<u8>(count), best.stride = static_cast<u8>(stride);
      best.how = static_cast<u8>(step / Record::kNextLane);
    }
  }
  return best;
}

bool add_runs(std::span<Record> records, u32 how, Packed& out) {
  for (u32 k = 0; k < records.size(); ++k) {
    if (!records[k].stamp) continue;
    if (out.count == out.runs.size()) return false;
    Packed::Run run = longest(records, k);
    for (u32 n = 0; n < run.count; ++n) records[k + n * run.stride] = {};
    run.how = static_cast<u8>(run.how | how);
    out.runs[out.count++] = run;
  }
  return true;
}

std::optional<Packed> as_runs(Records& records) {
  Packed out;
  out.split = static_cast<uint16_t>(records.split);
  for (u32 slot = 0; slot < Records::kSlots; ++slot) {
    if (!add_runs(records.words[slot], slot << 4, out)) return {};
    if (!records.split) continue;
    // Without their own bytes neighbours are alike; no record has no byte.
    for (u32 k = 0; k < Records::kBytes; ++k)
      if (Record& r = records.bytes[slot][k]; r.stamp && r.bytes() == 1u << k % 4) r.bits ^= own_byte(k);
    if (!add_runs(records.bytes[slot], slot << 4 | 1u << 6, out)) return {};
  }
  return out;
}

using Words = decltype(Records::words);

std::optional<Packed> table_of(const Words& words) {
  Packed out;
  out.count = Packed::kTable;
  out.table = {};
  u32 kinds = 0;
  for (u32 k = 0; k < Line::kWords; ++k) {
    uint16_t& word = out.table.words[k];
    word = Packed::Table::kNone << 10;
    for (u32 slot = 0; slot < Records::kSlots; ++slot) {
      const Record& r = words[slot][k];
      if (!r.stamp) continue;
      if (word != Packed::Table::kNone << 10) return {};  // a second record
      const Record kind{r.stamp, r.bits & ~Record::kLanes};
      u32 n = 0;
      while (n < kinds && !(out.table.kinds[n] == kind)) ++n;
      if (n == Packed::Table::kNone) return {};
      if (n == kinds) out.table.kinds[kinds++] = kind;
      word = static_cast<uint16_t>((r.bits & Record::kLanes) | n << 10 | slot << 12);
    }
  }
  return out;
}

std::optional<Packed> near_of(const Words& words) {
  Packed out;
  out.count = Packed::kNear;
  out.near = {};
  u32 lowest = ~0u;
  for (const auto& slot : words)
    for (const Record& r : slot)
      if (r.stamp) lowest = std::min(lowest, r.instruction());
  bool any = false;
  for (u32 slot = 0; slot < Records::kSlots; ++slot)
    for (u32 k = 0; k < Line::kWords; ++k) {
      const Record& r = words[slot][k];
      if (!r.stamp) continue;
      const Record first{r.stamp, Record::packed(lowest, r.bytes(), 0, 0)};
      const u32 further = r.instruction() - lowest;
      if (!any) out.near.first = first, out.near.slot = slot;
      if (!(out.near.first == first) || out.near.slot != slot || r.low() != r.high() ||
          further >= Packed::Near::kMost)
        return {};
      any = true;
      out.near.words[k] = static_cast<uint16_t>(r.low() | (further + 1) << 5);
    }
  return out;
}

}  // namespace

std::optional<Packed> pack(Records& records) {
  const Words words = records.words;
  std::optional<Packed> out = as_runs(records);
  if (!out && !records.split) out = table_of(words);
  if (!out && !records.split) out = near_of(words);
  return out;
}

}  // namespace ww::checks::races
