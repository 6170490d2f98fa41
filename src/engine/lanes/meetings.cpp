// Lanes of a warp that look at each other: what they have in common, and values handed from lane to lane.
#include "engine/lanes/lanes.h"
#include "engine/lanes/shuffle.h"
#include "isa/lane.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace ww::lane::WW_TARGET {

using engine::kLanes;

u32 equal32(const u32* lanes, u32 value);
u32 equal64(const u64* lanes, u64 value);
u32 shuffle(u32* to, const u32* from, const u32* by, const u32* bounds, Mod way);

/// The lanes that hold the value.
u32 equal32(const u32* lanes, u32 value) {
#if defined(__AVX512F__)
  const __m512i all = _mm512_set1_epi32(static_cast<s32>(value));
  const u32 low = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(lanes), all);
  return low | u32{_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(lanes + 16), all)} << 16;
#else
  u32 mask = 0;
  for (int l = 0; l < kLanes; ++l) mask |= u32{lanes[l] == value} << l;
  return mask;
#endif
}
u32 equal64(const u64* lanes, u64 value) {
#if defined(__AVX512F__)
  const __m512i all = _mm512_set1_epi64(static_cast<s64>(value));
  u32 mask = 0;
  for (int l = 0; l < kLanes; l += 8)
    mask |= u32{_mm512_cmpeq_epi64_mask(_mm512_loadu_si512(lanes + l), all)} << l;
  return mask;
#else
  u32 mask = 0;
  for (int l = 0; l < kLanes; ++l) mask |= u32{lanes[l] == value} << l;
  return mask;
#endif
}

namespace {

/// Which lane each takes its value from, and the lanes for which that one is within their segment.
template <Mod way>
u32 find_sources(const u32* by, const u32* bounds, u32* source) {
  alignas(64) u32 valid[kLanes];
  WW_LANE_LOOP
  for (u32 l = 0; l < kLanes; ++l) {
    bool inside = false;
    source[l] = engine::shuffled_from(way, l, by[l] & 31, bounds[l], inside);
    valid[l] = inside;
  }
  return equal32(valid, 1);
}

u32 find_sources(Mod way, const u32* by, const u32* bounds, u32* source) {
  switch (way) {
    case Mod::up:
      return find_sources<Mod::up>(by, bounds, source);
    case Mod::down:
      return find_sources<Mod::down>(by, bounds, source);
    case Mod::bfly:
      return find_sources<Mod::bfly>(by, bounds, source);
    default:
      return find_sources<Mod::idx>(by, bounds, source);
  }
}

}  // namespace

/// shfl among 32 lanes (`bounds`: its operand c). Returns the lanes whose source is within their segment.
u32 shuffle(u32* to, const u32* from, const u32* by, const u32* bounds, Mod way) {
  alignas(64) u32 source[kLanes];
  const u32 inside = find_sources(way, by, bounds, source);
#if defined(__AVX512F__)
  const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 16);
  const __m512i first = _mm512_permutex2var_epi32(low, _mm512_loadu_si512(source), high),
                second = _mm512_permutex2var_epi32(low, _mm512_loadu_si512(source + 16), high);
  _mm512_storeu_si512(to, first);
  _mm512_storeu_si512(to + 16, second);
#else
  alignas(64) u32 taken[kLanes];
  for (int l = 0; l < kLanes; ++l) taken[l] = from[source[l]];
  __builtin_memcpy(to, taken, sizeof taken);
#endif
  return inside;
}

}  // namespace ww::lane::WW_TARGET
