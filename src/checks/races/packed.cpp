#include "checks/races/packed.h"

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

}  // namespace

std::optional<Packed> pack(Records& records) {
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

}  // namespace ww::checks::races
