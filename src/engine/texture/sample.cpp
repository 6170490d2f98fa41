#include "engine/texture/sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/half.h"

namespace ww::engine {

namespace {

using Index = int64_t;

u32 float_bits(float v) { return std::bit_cast<u32>(v); }

bool gives_float(const Texture& t) {
  return t.normalized_float || t.format == ChannelFormat::F16 || t.format == ChannelFormat::F32;
}

/// IEC 61966-2-1: what an encoded value in [0,1] means.
float from_srgb(float v) { return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f); }

/// One channel as it arrives in a register. Normalized: unsigned v / (2^n - 1), signed v / (2^(n-1) - 1) and
/// not below -1.
u32 channel(const Texture& t, const u8* at) {
  auto read = [at](auto v) {
    std::memcpy(&v, at, sizeof v);
    return v;
  };
  bool unit = t.normalized_float;
  switch (t.format) {
    case ChannelFormat::U8:
      return unit ? float_bits(static_cast<float>(read(u8{})) / 255.0f) : read(u8{});
    case ChannelFormat::U16:
      return unit ? float_bits(static_cast<float>(read(u16{})) / 65535.0f) : read(u16{});
    case ChannelFormat::S8:
      return unit ? float_bits(std::max(static_cast<float>(read(int8_t{})) / 127.0f, -1.0f))
                  : static_cast<u32>(read(int8_t{}));
    case ChannelFormat::S16:
      return unit ? float_bits(std::max(static_cast<float>(read(int16_t{})) / 32767.0f, -1.0f))
                  : static_cast<u32>(read(int16_t{}));
    case ChannelFormat::F16:
      return float_bits(to_float(f16{read(u16{})}));
    default:
      return read(u32{});
  }
}

/// The address mode that is in force on an axis.
AddressMode mode_of(const Texture& t, int axis, bool integer) {
  if (t.shape == TextureShape::Linear)
    return AddressMode::Border;  // outside of linear memory there are zeros
  if (t.shape == TextureShape::Cubemap || t.shape == TextureShape::CubemapLayered) return AddressMode::Clamp;
  AddressMode mode = t.address_mode[axis];
  bool periodic = mode == AddressMode::Wrap || mode == AddressMode::Mirror;
  return periodic && (integer || !t.normalized_coordinates) ? AddressMode::Clamp : mode;
}

/// The texel index that stands for i on an axis of n texels; -1: outside, the border.
Index addressed(Index i, Index n, AddressMode mode) {
  switch (mode) {
    case AddressMode::Clamp:
      return std::clamp<Index>(i, 0, n - 1);
    case AddressMode::Wrap:
      return (i % n + n) % n;
    case AddressMode::Mirror: {
      Index m = (i % (2 * n) + 2 * n) % (2 * n);
      return m < n ? m : 2 * n - 1 - m;
    }
    default:
      return i >= 0 && i < n ? i : -1;
  }
}

Texel texel(const Texture& t, const Index index[3], u32 slice, bool integer, std::vector<u64>* touched) {
  const u32 size[3] = {t.width, t.height, t.depth};
  Index at[3] = {0, 0, 0};
  Texel out{0, 0, 0, gives_float(t) ? float_bits(1.0f) : 1};
  for (int k = 0; k < axes(t.shape); ++k) {
    at[k] = addressed(index[k], size[k], mode_of(t, k, integer));
    if (at[k] >= 0) continue;
    for (size_t c = 0; c < t.channels; ++c) {
      float v = t.shape == TextureShape::Linear ? 0 : t.border[c];
      out[c] = gives_float(t) ? float_bits(v)
                              : static_cast<u32>(static_cast<Index>(std::clamp(v, -0x1p31f, 0x1.fffffep31f)));
    }
    return out;
  }
  u64 row = (u64{slice} * t.depth + static_cast<u64>(at[2])) * t.height + static_cast<u64>(at[1]);
  const u8* p = t.texels + row * t.pitch() + static_cast<u64>(at[0]) * t.texel_bytes();
  if (touched) touched->push_back(t.address + static_cast<u64>(p - t.texels));
  for (size_t c = 0; c < t.channels; ++c) {
    out[c] = channel(t, p + c * static_cast<size_t>(channel_bytes(t.format)));
    if (t.srgb && c < 3) out[c] = float_bits(from_srgb(std::bit_cast<float>(out[c])));
  }
  return out;
}

/// A coordinate in texels. With normalized coordinates wrap keeps the fraction of x, and mirror turns every
/// second copy around; addressed() does the same on indices, so only the size of the number matters here: far
/// away copies are taken off first.
double in_texels(const Texture& t, int axis, float x) {
  const u32 size[3] = {t.width, t.height, t.depth};
  if (std::isnan(x)) x = 0;
  double v = x;
  if (t.normalized_coordinates || t.shape == TextureShape::Cubemap ||
      t.shape == TextureShape::CubemapLayered) {
    if (mode_of(t, axis, false) == AddressMode::Wrap)
      v -= std::floor(v);
    else if (mode_of(t, axis, false) == AddressMode::Mirror)
      v -= 2 * std::floor(v / 2);
    v *= size[axis];
  }
  return std::clamp(v, -0x1p30, 0x1p30);
}

/// Linear filtering weighs texels i and i+1 by 1-a and a, where i = floor(x-0.5) and a is its fraction,
/// "stored in 9-bit fixed point format with 8 bits of fractional value (so 1.0 is exactly represented)"
/// (Programming Guide, "Linear Filtering"). The guide does not say how it is rounded; here to nearest.
struct Weighed {
  Index i;
  double a;
};
Weighed weighed(double x) {
  double fixed = std::floor((x - 0.5) * 256 + 0.5);
  double i = std::floor(fixed / 256);
  return {static_cast<Index>(i), fixed / 256 - i};
}

}  // namespace

int axes(TextureShape shape) {
  switch (shape) {
    case TextureShape::Linear:
    case TextureShape::Array1D:
    case TextureShape::Array1DLayered:
      return 1;
    case TextureShape::Array3D:
      return 3;
    default:
      return 2;
  }
}

namespace {
Texel sample_level(const Texture& t, const Coordinates& at, std::vector<u64>* touched) {
  int n = axes(t.shape);
  Index first[3] = {0, 0, 0};
  if (at.integer || !t.linear) {
    for (int k = 0; k < n; ++k)
      first[k] = at.integer ? at.i[k] : static_cast<Index>(std::floor(in_texels(t, k, at.f[k])));
    return texel(t, first, at.slice, at.integer, touched);
  }
  double a[3] = {0, 0, 0};
  for (int k = 0; k < n; ++k) {
    Weighed w = weighed(in_texels(t, k, at.f[k]));
    first[k] = w.i;
    a[k] = w.a;
  }
  double sum[4] = {0, 0, 0, 0};
  for (int corner = 0; corner < 1 << n; ++corner) {
    double weight = 1;
    Index index[3] = {0, 0, 0};
    for (int k = 0; k < n; ++k) {
      bool second = corner >> k & 1;
      index[k] = first[k] + second;
      weight *= second ? a[k] : 1 - a[k];
    }
    if (weight == 0) continue;  // an infinite texel that has no part must not make a NaN
    Texel v = texel(t, index, at.slice, false, touched);
    for (size_t c = 0; c < 4; ++c) sum[c] += weight * std::bit_cast<float>(v[c]);
  }
  Texel out;
  for (size_t c = 0; c < 4; ++c) out[c] = float_bits(static_cast<float>(sum[c]));
  return out;
}

const Texture& level(const Texture& t, size_t k) { return k == 0 ? t : t.levels[k - 1]; }

/// The level of detail that counts: with bias, between the clamps, and one that there is. The clamps count
/// from the first level.
double clamped_level(const Texture& t, float wanted) {
  if (std::isnan(wanted)) wanted = 0;
  const double lod = std::min<double>(std::max(wanted + t.level_bias, t.least_level), t.most_level);
  return std::clamp<double>(lod, 0, static_cast<double>(t.levels.size()));
}
}  // namespace

Texel sample(const Texture& t, const Coordinates& at, std::vector<u64>* touched) {
  if (t.levels.empty()) return sample_level(t, at, touched);
  const double lod = clamped_level(t, at.level);
  if (at.integer || !t.between_levels)
    return sample_level(level(t, static_cast<size_t>(lod + 0.5)), at, touched);
  // Weights in 256ths, as within a level.
  const double fixed = std::floor(lod * 256 + 0.5);
  const auto first = static_cast<size_t>(fixed / 256);
  const double a = fixed / 256 - static_cast<double>(first);
  Texel out = sample_level(level(t, first), at, touched);
  if (a == 0) return out;
  const Texel next = sample_level(level(t, first + 1), at, touched);
  if (!gives_float(t)) return a < 0.5 ? out : next;
  for (size_t c = 0; c < 4; ++c)
    out[c] = float_bits(
        static_cast<float>((1 - a) * std::bit_cast<float>(out[c]) + a * std::bit_cast<float>(next[c])));
  return out;
}

float level_of(const Texture& t, const float dx[3], const float dy[3]) {
  const u32 size[3] = {t.width, t.height, t.depth};
  double x = 0, y = 0;
  for (int k = 0; k < axes(t.shape); ++k) {
    const double scale = t.normalized_coordinates ? size[k] : 1;
    x += dx[k] * scale * dx[k] * scale, y += dy[k] * scale * dy[k] * scale;
  }
  return static_cast<float>(0.5 * std::log2(std::max(x, y)));
}

Texel gather(const Texture& t, const Coordinates& at, int channel, std::vector<u64>* touched) {
  Index x = weighed(in_texels(t, 0, at.f[0])).i, y = weighed(in_texels(t, 1, at.f[1])).i;
  constexpr int kOffsets[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  Texel out;
  for (size_t k = 0; k < 4; ++k) {
    Index index[3] = {x + kOffsets[k][0], y + kOffsets[k][1], 0};
    out[k] = texel(t, index, at.slice, false, touched)[static_cast<size_t>(channel)];
  }
  return out;
}

int cube_face(const float d[3], float& s, float& t) {
  float x = std::fabs(d[0]), y = std::fabs(d[1]), z = std::fabs(d[2]);
  int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  bool negative = std::signbit(d[axis]);
  float m = axis == 0 ? x : axis == 1 ? y : z;
  switch (axis) {
    case 0:
      s = negative ? d[2] : -d[2], t = -d[1];
      break;
    case 1:
      s = d[0], t = negative ? -d[2] : d[2];
      break;
    default:
      s = negative ? -d[0] : d[0], t = -d[1];
      break;
  }
  s = (s / m + 1) / 2;
  t = (t / m + 1) / 2;
  return 2 * axis + negative;
}

}  // namespace ww::engine
