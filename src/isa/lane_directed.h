// f32 sums, products and fused sums rounded towards zero, down or up (.rz, .rm, .rp): computed in f64, where
// products of f32 are exact and sums can be rounded to odd, and then rounded once. (What else knows these
// modes has the host round.)
#pragma once

#include "isa/lane_half.h"

namespace ww::lane {
namespace {

/// Rounds once, towards zero or as the mode says. Without branches, so that lanes are computed side by side.
WW_INLINE f32 directed(f64 exact, Rounding rnd) {
  const f32 nearest = f32(exact);
  const u32 bits = std::bit_cast<u32>(nearest);
  const u32 away_from_zero =
      (rnd.mode == Mod::rp ? 1u : 0u) | (rnd.mode == Mod::rm ? 2u : 0u);  // of + | of -
  const u32 away = away_from_zero >> (bits >> 31) & 1u;
  const f64 size = std::fabs(exact), got = std::fabs(f64(nearest));
  const u32 too_big = got > size, too_small = got < size;
  return std::bit_cast<f32>(bits + (away & too_small) - ((away ^ 1u) & too_big));
}

/// a + b, rounded once. Terms that cancel give -0 when it is rounded down (IEEE 754-2008, 6.3).
WW_INLINE f32 directed_sum(f64 a, f64 b, Rounding rnd) {
  const f64 exact = odd_sum(a, b);
  const u32 cancelled = (rnd.mode == Mod::rm) & (exact == 0) & (std::signbit(a) | std::signbit(b));
  return std::bit_cast<f32>(std::bit_cast<u32>(directed(exact, rnd)) | cancelled << 31);
}

WW_INLINE f32 sum(f32 a, f32 b, Rounding rnd) { return rnd.nearest ? a + b : directed_sum(a, b, rnd); }

WW_INLINE f32 product(f32 a, f32 b, Ftz ftz, Rounding rnd) {
  if (rnd.nearest) return flush_tiny(a * b, a * kScaleUp * b, ftz);
  const f64 exact = f64(a) * b;
  return flush_tiny(directed(exact, rnd), directed(exact * kScaleUp, rnd), ftz);
}

WW_INLINE f32 fused(f32 a, f32 b, f32 c, Ftz ftz, Rounding rnd) {
  if (rnd.nearest) return fused(a, b, c, ftz);
  const f64 exact = f64(a) * b;
  return flush_tiny(directed_sum(exact, c, rnd), directed_sum(exact * kScaleUp, f64(c) * kScaleUp, rnd), ftz);
}

}  // namespace
}  // namespace ww::lane
