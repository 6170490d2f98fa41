// Reading textures, 32 lanes at once (CUDA C++ Programming Guide, appendix "Texture Fetching").
#include "engine/lanes/lanes.h"
#include "isa/lane.h"

namespace ww::lane::WW_TARGET {

using engine::AddressMode;
using engine::ChannelFormat;
using engine::kLanes;
using engine::kOutside;
using engine::TexelCorners;
using engine::TexturePoints;
using engine::TextureView;

void texel_corners(const TextureView& t, const TexturePoints& points, bool weigh, TexelCorners& out);
void fetch_texels(const TextureView& t, const s64* offsets, u32 (*out)[kLanes]);
void sample_texels(const TextureView& t, const TexelCorners& corners, u32 (*out)[kLanes]);

namespace {

/// A coordinate in texels. With normalized coordinates wrap keeps the fraction of x, and mirror turns every
/// second copy around; stands_for() does the same on indices, so only the size of the number matters here:
/// far away copies are taken off first.
template <AddressMode mode>
void in_texels(const float* x, double size, bool normalized, double* out) {
  WW_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    double v = x[l] == x[l] ? double{x[l]} : 0;
    if (mode == AddressMode::Wrap) v -= __builtin_floor(v);
    if (mode == AddressMode::Mirror) v -= 2 * __builtin_floor(v / 2);
    v = normalized ? v * size : v;
    v = v < -0x1p30 ? -0x1p30 : v;
    out[l] = v > 0x1p30 ? 0x1p30 : v;
  }
}
void in_texels(const TextureView& t, int axis, const float* x, double* out) {
  const double size = t.size[axis];
  switch (t.normalized ? t.mode[1][axis] : AddressMode::Clamp) {
    case AddressMode::Wrap:
      return in_texels<AddressMode::Wrap>(x, size, t.normalized, out);
    case AddressMode::Mirror:
      return in_texels<AddressMode::Mirror>(x, size, t.normalized, out);
    default:
      return in_texels<AddressMode::Clamp>(x, size, t.normalized, out);
  }
}

/// The texel index that stands for i on an axis of n texels; -1: outside. Of Wrap and Mirror i lies within a
/// texel of the first two copies, see in_texels().
template <AddressMode mode>
void stand_for(const s32* i, s32 n, s32* out) {
  WW_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    s32 v = i[l];
    if (mode == AddressMode::Clamp) v = v < 0 ? 0 : v > n - 1 ? n - 1 : v;
    if (mode == AddressMode::Border) v = v >= 0 && v < n ? v : -1;
    if (mode == AddressMode::Wrap) v = v < 0 ? v + n : v >= n ? v - n : v;
    if (mode == AddressMode::Mirror) {
      v = v < 0 ? v + 2 * n : v >= 2 * n ? v - 2 * n : v;
      v = v < n ? v : 2 * n - 1 - v;
    }
    out[l] = v;
  }
}
void stand_for(const TextureView& t, int axis, bool integer, const s32* i, s32* out) {
  const auto n = static_cast<s32>(t.size[axis]);
  switch (t.mode[integer ? 0 : 1][axis]) {
    case AddressMode::Clamp:
      return stand_for<AddressMode::Clamp>(i, n, out);
    case AddressMode::Wrap:
      return stand_for<AddressMode::Wrap>(i, n, out);
    case AddressMode::Mirror:
      return stand_for<AddressMode::Mirror>(i, n, out);
    default:
      return stand_for<AddressMode::Border>(i, n, out);
  }
}

/// Where the texels lie; `at`: their indices by axis, each -1 if outside.
void find_offsets(const TextureView& t, const s32 (*at)[kLanes], const u32* slice, s64* out) {
  const s64 pitch = static_cast<s64>(t.pitch), bytes = t.texel_bytes, height = t.size[1], depth = t.size[2];
  WW_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    const s64 row = (s64{slice[l]} * depth + at[2][l]) * height + at[1][l];
    const s64 offset = row * pitch + at[0][l] * bytes;
    out[l] = (at[0][l] | at[1][l] | at[2][l]) < 0 ? kOutside : offset;
  }
}

/// One channel as it arrives in a register. Normalized: unsigned v / (2^n - 1), signed v / (2^(n-1) - 1) and
/// not below -1.
template <ChannelFormat format, bool unit>
WW_INLINE u32 channel(u32 raw) {
  const auto bits = [](f32 v) { return std::bit_cast<u32>(v); };
  const auto at_least_minus_1 = [](f32 v) { return v < -1.0f ? -1.0f : v; };
  switch (format) {
    case ChannelFormat::U8:
      return unit ? bits(static_cast<f32>(static_cast<s32>(raw)) / 255.0f) : raw;
    case ChannelFormat::U16:
      return unit ? bits(static_cast<f32>(static_cast<s32>(raw)) / 65535.0f) : raw;
    case ChannelFormat::S8: {
      const s32 v = static_cast<s8>(raw);
      return unit ? bits(at_least_minus_1(static_cast<f32>(v) / 127.0f)) : static_cast<u32>(v);
    }
    case ChannelFormat::S16: {
      const s32 v = static_cast<s16>(raw);
      return unit ? bits(at_least_minus_1(static_cast<f32>(v) / 32767.0f)) : static_cast<u32>(v);
    }
    case ChannelFormat::F16:
      return bits(ww::to_float(f16{static_cast<u16>(raw)}));
    default:
      return raw;
  }
}

template <class Raw, int channels>
WW_INLINE void load_texels(const u8* texels, const s64* offsets, u32 (*out)[kLanes]) {
  for (int l = 0; l < kLanes; ++l) {
    Raw v[channels];
    __builtin_memcpy(v, texels + (offsets[l] < 0 ? 0 : offsets[l]), sizeof v);
    for (int c = 0; c < channels; ++c) out[c][l] = v[c];
  }
}

template <ChannelFormat format, bool unit, class Raw>
void fetch_as(const TextureView& t, const s64* offsets, u32 (*out)[kLanes]) {
  switch (t.channels) {
    case 1:
      load_texels<Raw, 1>(t.texels, offsets, out);
      break;
    case 2:
      load_texels<Raw, 2>(t.texels, offsets, out);
      break;
    default:
      load_texels<Raw, 4>(t.texels, offsets, out);
      break;
  }
  for (int c = 0; c < 4; ++c) {
    const u32 outside = t.border[c];
    if (c >= t.channels) {
      for (int l = 0; l < kLanes; ++l) out[c][l] = outside;
      continue;
    }
    if (format == ChannelFormat::U8 && unit && t.decoded && c < 3) {
      for (int l = 0; l < kLanes; ++l)
        out[c][l] = offsets[l] < 0 ? outside : std::bit_cast<u32>(t.decoded[out[c][l]]);
      continue;
    }
    WW_LANE_LOOP
    for (int l = 0; l < kLanes; ++l) out[c][l] = offsets[l] < 0 ? outside : channel<format, unit>(out[c][l]);
  }
}

}  // namespace

/// The texels that each lane reads: the nearest one, or (if the texture says so and `weigh`) those that
/// linear filtering weighs. That weighs texels i and i+1 by 1-a and a, where i = floor(x-0.5) and a is its
/// fraction, "stored in 9-bit fixed point format with 8 bits of fractional value (so 1.0 is exactly
/// represented)" (Programming Guide, "Linear Filtering"). The guide does not say how it is rounded; here to
/// nearest.
void texel_corners(const TextureView& t, const TexturePoints& points, bool weigh, TexelCorners& out) {
  alignas(64) s32 at[2][3][kLanes] = {};
  alignas(64) double fraction[3][kLanes];
  for (int k = 0; k < t.axes; ++k) {
    alignas(64) s32 first[kLanes], second[kLanes];
    if (points.integer) {
      stand_for(t, k, true, points.index[k], at[0][k]);
      continue;
    }
    alignas(64) double x[kLanes];
    in_texels(t, k, points.at[k], x);
    if (!weigh) {
      WW_LANE_LOOP
      for (int l = 0; l < kLanes; ++l) first[l] = static_cast<s32>(__builtin_floor(x[l]));
      stand_for(t, k, false, first, at[0][k]);
      continue;
    }
    WW_LANE_LOOP
    for (int l = 0; l < kLanes; ++l) {
      const double fixed = __builtin_floor((x[l] - 0.5) * 256 + 0.5), i = __builtin_floor(fixed / 256);
      first[l] = static_cast<s32>(i);
      second[l] = first[l] + 1;
      fraction[k][l] = fixed / 256 - i;
    }
    stand_for(t, k, false, first, at[0][k]);
    stand_for(t, k, false, second, at[1][k]);
  }
  weigh &= !points.integer;
  out.count = weigh ? 1 << t.axes : 1;
  for (int corner = 0; corner < out.count; ++corner) {
    alignas(64) s32 these[3][kLanes];
    for (int k = 0; k < 3; ++k) __builtin_memcpy(these[k], at[corner >> k & 1][k], sizeof these[k]);
    find_offsets(t, these, points.slice, out.offset[corner]);
    double* weight = out.weight[corner];
    for (int l = 0; l < kLanes; ++l) weight[l] = 1;
    for (int k = 0; weigh && k < t.axes; ++k) {
      const bool second = corner >> k & 1;
      WW_LANE_LOOP
      for (int l = 0; l < kLanes; ++l) weight[l] *= second ? fraction[k][l] : 1 - fraction[k][l];
    }
  }
}

/// The four channels of a texel for each lane, as they arrive in registers: floats as IEEE bits, integers
/// extended to 32 bits.
void fetch_texels(const TextureView& t, const s64* offsets, u32 (*out)[kLanes]) {
  switch (t.format) {
    case ChannelFormat::U8:
      return t.unit ? fetch_as<ChannelFormat::U8, true, u8>(t, offsets, out)
                    : fetch_as<ChannelFormat::U8, false, u8>(t, offsets, out);
    case ChannelFormat::S8:
      return t.unit ? fetch_as<ChannelFormat::S8, true, u8>(t, offsets, out)
                    : fetch_as<ChannelFormat::S8, false, u8>(t, offsets, out);
    case ChannelFormat::U16:
      return t.unit ? fetch_as<ChannelFormat::U16, true, u16>(t, offsets, out)
                    : fetch_as<ChannelFormat::U16, false, u16>(t, offsets, out);
    case ChannelFormat::S16:
      return t.unit ? fetch_as<ChannelFormat::S16, true, u16>(t, offsets, out)
                    : fetch_as<ChannelFormat::S16, false, u16>(t, offsets, out);
    case ChannelFormat::F16:
      return fetch_as<ChannelFormat::F16, false, u16>(t, offsets, out);
    default:
      return fetch_as<ChannelFormat::U32, false, u32>(t, offsets, out);
  }
}

namespace {

/// The sum of the corners by their weights. Integers are rounded, halves up: so does an H200 (docs/cuda.md).
template <bool integer>
void weigh_texels(const TextureView& t, const TexelCorners& corners, u32 (*out)[kLanes]) {
  alignas(64) double sum[4][kLanes] = {};
  for (int corner = 0; corner < corners.count; ++corner) {
    alignas(64) u32 v[4][kLanes];
    fetch_texels(t, corners.offset[corner], v);
    const double* weight = corners.weight[corner];
    for (int c = 0; c < 4; ++c) {
      WW_LANE_LOOP
      for (int l = 0; l < kLanes; ++l) {
        const double texel =
            integer ? static_cast<double>(static_cast<s32>(v[c][l])) : double{std::bit_cast<f32>(v[c][l])};
        const double more = sum[c][l] + weight[l] * texel;
        sum[c][l] =
            weight[l] == 0 ? sum[c][l] : more;  // an infinite texel that has no part must not make a NaN
      }
    }
  }
  for (int c = 0; c < 4; ++c) {
    WW_LANE_LOOP
    for (int l = 0; l < kLanes; ++l)
      out[c][l] = integer ? static_cast<u32>(static_cast<s32>(__builtin_floor(sum[c][l] + 0.5)))
                          : std::bit_cast<u32>(static_cast<f32>(sum[c][l]));
  }
}

}  // namespace

/// What the lanes read: a texel, or the corners filtered. Integers of 32 bits are not filtered
/// (engine/texture/texture.cpp).
void sample_texels(const TextureView& t, const TexelCorners& corners, u32 (*out)[kLanes]) {
  if (corners.count == 1) return fetch_texels(t, corners.offset[0], out);
  const bool floats = t.unit || t.format == ChannelFormat::F16 || t.format == ChannelFormat::F32;
  return floats ? weigh_texels<false>(t, corners, out) : weigh_texels<true>(t, corners, out);
}

}  // namespace ww::lane::WW_TARGET
