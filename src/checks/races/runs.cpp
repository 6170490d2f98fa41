#include "checks/races/runs.h"

#include <algorithm>

// The loops over words are compiled a second time for CPUs that take eight of them at once.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define WW_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define WW_CLONES
#endif

namespace ww::checks::races {

namespace {

constexpr u32 kPerLane = 33;  // the lane in both of Record's fields
constexpr u32 kLanesAndBytes = (1u << 14) - 1;

constexpr auto kFlagBit = static_cast<int32_t>(Record::kFlag);

}  // namespace

void find_runs(Runs& runs, u32 mask, u32 bytes, const int64_t* offsets) {
  runs.mask = mask;
  runs.bytes = bytes;
  runs.count = 0;
  for (u32 m = mask; m; m &= m - 1) {
    const u32 lane = static_cast<u32>(__builtin_ctz(m));
    if (runs.count) {
      Run& r = runs.run[runs.count - 1];
      const int64_t distance = offsets[lane] - r.offset;
      if (distance == 0 && (r.one_place || r.lanes == 1)) {
        r.one_place = true;
        r.lanes = static_cast<u8>(lane - r.lane + 1);
        continue;
      }
      if (!r.one_place && lane == u32{r.lane} + r.lanes && distance == int64_t{r.lanes} * bytes) {
        ++r.lanes;
        continue;
      }
    }
    runs.run[runs.count++] = {offsets[lane], static_cast<u8>(lane), 1, false};
  }
}

// Stamps are compared as signed numbers, as SSE2 can: segments are below 2^30, a flag makes one negative.

WW_CLONES bool read_run(Shadow::Page& page, const RunAccess& a) {
  if (!a.apart && page.read_by_many(a.at, a.count, a.old)) return true;
  const auto* write = reinterpret_cast<const int32_t*>(page.write.stamp + a.at);
  auto* first = reinterpret_cast<int32_t*>(page.others[0].stamp + a.at);
  const auto* second = reinterpret_cast<const int32_t*>(page.others[1].stamp + a.at);
  const auto old = static_cast<int32_t>(a.old), now = static_cast<int32_t>(a.now);
  const u32 shift = a.shift, count = a.count;
  const u32 base = Record::packed(0, 15, a.lane, a.lane);
  int32_t bad = 0;
  if (second[0] < 0) {
    // Others have read it from different groups.
    if (a.apart) return false;
    for (u32 k = 0; k < count; ++k)
      bad |= (write[k] > old) | (first[k] <= old) | ((second[k] ^ kFlagBit) <= old);
    if (bad) return false;
    constexpr u32 kLine = Shadow::Page::kLineWords;
    for (u32 at = (a.at + kLine - 1) / kLine * kLine; at + kLine <= a.at + count; at += kLine) {
      int32_t oldest = first[at - a.at];
      for (u32 k = at - a.at; k < at - a.at + kLine; ++k)
        oldest = std::min({oldest, first[k], second[k] ^ kFlagBit});
      page.many_read[at / kLine] = static_cast<Segment>(oldest);
    }
    return true;
  }
  for (u32 k = 0; k < count; ++k) bad |= write[k] > old;
  if (bad) {
    bad = 0;
    const u32* bits = page.write.bits + a.at;
    for (u32 k = 0; k < count; ++k)
      bad |= (write[k] > old) &
             ((write[k] != now) | ((bits[k] & kLanesAndBytes) != base + (k >> shift) * kPerLane));
    if (bad) return false;
  }
  u32* bits = page.others[0].bits + a.at;
  if (first[0] == now) {
    // Other lanes of this instruction, or these.
    for (u32 k = 0; k < count; ++k)
      bad |= (first[k] != now) | ((bits[k] >> 14) != a.instruction) | ((bits[k] >> 10 & 15) != 15);
    if (bad) return false;
    for (u32 k = 0; k < count; ++k) {
      const auto lane = static_cast<int32_t>(a.lane + (k >> shift));
      const auto low = static_cast<int32_t>(bits[k] & 31), high = static_cast<int32_t>(bits[k] >> 5 & 31);
      bits[k] = a.instruction << 14 | 15u << 10 | static_cast<u32>(high > lane ? high : lane) << 5 |
                static_cast<u32>(low < lane ? low : lane);
    }
    return true;
  }
  for (u32 k = 0; k < count; ++k) bad |= ((first[k] & ~kFlagBit) > old) | ((second[k] & ~kFlagBit) > old);
  if (bad) return false;
  const u32 mine = Record::packed(a.instruction, 15, a.lane, a.lane);
  for (u32 k = 0; k < count; ++k) first[k] = now;
  for (u32 k = 0; k < count; ++k) bits[k] = mine + (k >> shift) * kPerLane;
  return true;
}

WW_CLONES bool read_run_second(Shadow::Page& page, const RunAccess& a, Segment stamp) {
  const auto* write = reinterpret_cast<const int32_t*>(page.write.stamp + a.at);
  const auto* first = reinterpret_cast<const int32_t*>(page.others[0].stamp + a.at);
  auto* second = reinterpret_cast<int32_t*>(page.others[1].stamp + a.at);
  const u32* first_bits = page.others[0].bits + a.at;
  u32* bits = page.others[1].bits + a.at;
  const auto old = static_cast<int32_t>(a.old);
  const u32 whole = first_bits[0] >> 10;
  if ((whole & 15) != 15) return false;
  int32_t bad = 0;
  for (u32 k = 0; k < a.count; ++k)
    bad |= (write[k] > old) | (first[k] != static_cast<int32_t>(stamp)) | ((first_bits[k] >> 10) != whole) |
           ((second[k] & ~kFlagBit) > old);
  if (bad) return false;
  const u32 mine = Record::packed(a.instruction, 15, a.lane, a.lane), shift = a.shift;
  const auto now = static_cast<int32_t>(a.now | Record::kFlag);
  for (u32 k = 0; k < a.count; ++k) second[k] = now;
  for (u32 k = 0; k < a.count; ++k) bits[k] = mine + (k >> shift) * kPerLane;
  return true;
}

bool read_one(Shadow::Page& page, const RunAccess& a, u32 high) {
  const auto old = static_cast<int32_t>(a.old);
  const auto write = static_cast<int32_t>(page.write.stamp[a.at]);
  const auto second = static_cast<int32_t>(page.others[1].stamp[a.at]);
  const auto first = static_cast<int32_t>(page.others[0].stamp[a.at]);
  if (write > old) return false;
  if (second < 0) return !a.apart && first > old && (second ^ kFlagBit) > old;
  if ((first & ~kFlagBit) > old || second > old) return false;
  page.others[0].stamp[a.at] = a.now;
  page.others[0].bits[a.at] = Record::packed(a.instruction, 15, a.lane, high);
  return true;
}

WW_CLONES bool write_run(Shadow::Page& page, const RunAccess& a) {
  auto* write = reinterpret_cast<int32_t*>(page.write.stamp + a.at);
  auto* first = reinterpret_cast<int32_t*>(page.others[0].stamp + a.at);
  auto* second = reinterpret_cast<int32_t*>(page.others[1].stamp + a.at);
  u32* bits = page.write.bits + a.at;
  const auto old = static_cast<int32_t>(a.old), now = static_cast<int32_t>(a.now);
  const u32 shift = a.shift, count = a.count;
  const u32 base = Record::packed(0, 15, a.lane, a.lane);
  int32_t bad = 0;
  for (u32 k = 0; k < count; ++k)
    bad |= (write[k] > old) | ((first[k] & ~kFlagBit) > old) | ((second[k] & ~kFlagBit) > old);
  if (bad) {
    bad = 0;
    const u32* first_bits = page.others[0].bits + a.at;
    for (u32 k = 0; k < count; ++k) {
      const u32 mine = base + (k >> shift) * kPerLane;
      bad |= (write[k] > old) & ((write[k] != now) | ((bits[k] & kLanesAndBytes) != mine));
      bad |=
          ((first[k] & ~kFlagBit) > old) & ((first[k] != now) | ((first_bits[k] & kLanesAndBytes) != mine));
      bad |= (second[k] & ~kFlagBit) > old;
    }
    if (bad) return false;
  }
  const u32 mine = Record::packed(a.instruction, 15, a.lane, a.lane);
  page.not_only_read(a.at, count);
  for (u32 k = 0; k < count; ++k) write[k] = now, first[k] = second[k] = 0;
  for (u32 k = 0; k < count; ++k) bits[k] = mine + (k >> shift) * kPerLane;
  return true;
}

}  // namespace ww::checks::races
