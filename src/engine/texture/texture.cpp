#include "engine/texture/texture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>

#include "engine/memory/memory.h"

namespace ww::engine {

namespace {

constexpr u64 kFirstHandle = 0x7e00'0000'0001;  // no address of any window

bool layered(TextureShape s) {
  return s == TextureShape::Array1DLayered || s == TextureShape::Array2DLayered ||
         s == TextureShape::CubemapLayered;
}
bool one_row(TextureShape s) {
  return s == TextureShape::Linear || s == TextureShape::Array1D || s == TextureShape::Array1DLayered;
}
bool cube(TextureShape s) { return s == TextureShape::Cubemap || s == TextureShape::CubemapLayered; }

/// Widths, heights and depths in texels, and layers (CUDA C++ Programming Guide, "Technical Specifications
/// per Compute Capability", 7.5 and later).
struct Limits {
  u64 width, height, depth, layers;
};
Limits limits(TextureShape s) {
  switch (s) {
    case TextureShape::Linear:
      return {u64{1} << 28, 1, 1, 1};
    case TextureShape::Pitch2D:
      return {131072, 65000, 1, 1};
    case TextureShape::Array1D:
      return {131072, 1, 1, 1};
    case TextureShape::Array2D:
      return {131072, 65536, 1, 1};
    case TextureShape::Array3D:
      return {16384, 16384, 16384, 1};
    case TextureShape::Array1DLayered:
      return {32768, 1, 1, 2048};
    case TextureShape::Array2DLayered:
      return {32768, 32768, 1, 2048};
    case TextureShape::Cubemap:
      return {32768, 32768, 1, 1};
    default:
      return {32768, 32768, 1, 2046};
  }
}

Diagnostics check(const TextureDescription& t, bool surface) {
  Diagnostics wrong;
  auto no = [&](std::string why) {
    wrong.push_back(error(fmt::format("{} {}: {}", surface ? "surface" : "texture", name(t.shape), why)));
  };
  Limits most = limits(t.shape);
  auto range = [&](u64 given, u64 limit, std::string_view what) {
    if (given < 1 || given > limit) no(fmt::format("the {} is {}, it must be 1 to {}", what, given, limit));
  };
  range(t.width, most.width, "width");
  range(t.height, most.height, "height");
  range(t.depth, most.depth, "depth");
  range(t.layers, most.layers, "number of layers");
  if (t.channels != 1 && t.channels != 2 && t.channels != 4)
    no(fmt::format("{} channels, there may be 1, 2 or 4", t.channels));
  else if (t.row_bytes &&
           (t.row_bytes < u64{t.width} * t.texel_bytes() || t.row_bytes % t.texel_bytes() != 0))
    no(fmt::format("rows of {} texels of {} bytes do not fit a pitch of {} bytes", t.width, t.texel_bytes(),
                   t.row_bytes));
  if (cube(t.shape) && t.width != t.height)
    no(fmt::format("the faces of a cube are square, not {} x {}", t.width, t.height));
  bool integer = t.format != ChannelFormat::F16 && t.format != ChannelFormat::F32;
  bool wide = t.format == ChannelFormat::U32 || t.format == ChannelFormat::S32;
  if (t.normalized_float && (!integer || wide))
    no("only 8- and 16-bit integers can be read as normalized floats");
  if (t.linear && wide) no("integers of 32 bits are not filtered");
  if (t.srgb && !(t.format == ChannelFormat::U8 && t.normalized_float))
    no("only unsigned 8-bit integers that are read as normalized floats can be sRGB");
  if (!t.smaller.empty() && (t.shape == TextureShape::Linear || t.shape == TextureShape::Pitch2D))
    no("linear memory has no mipmap");
  if (t.shape == TextureShape::Linear && (t.linear || t.normalized_coordinates))
    no("linear memory is read by index, without filtering");
  return wrong;
}

/// The address mode that is in force on an axis, for texel indices or for coordinates.
AddressMode mode_of(const TextureDescription& t, int axis, bool integer) {
  if (t.shape == TextureShape::Linear)
    return AddressMode::Border;  // outside of linear memory there are zeros
  if (cube(t.shape)) return AddressMode::Clamp;
  const AddressMode mode = t.address_mode[axis];
  const bool periodic = mode == AddressMode::Wrap || mode == AddressMode::Mirror;
  return periodic && (integer || !t.normalized_coordinates) ? AddressMode::Clamp : mode;
}

/// What bytes encoded as sRGB mean (IEC 61966-2-1).
const float* decoded_srgb() {
  static const std::array<float, 256> kDecoded = [] {
    std::array<float, 256> all;
    for (size_t k = 0; k < all.size(); ++k) {
      const float v = static_cast<float>(k) / 255.0f;
      all[k] = v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
    }
    return all;
  }();
  return kDecoded.data();
}

TextureView view_of(const TextureDescription& t, const u8* texels) {
  TextureView v;
  v.texels = texels;
  v.pitch = t.pitch();
  v.size[0] = t.width, v.size[1] = t.height, v.size[2] = t.depth;
  v.axes = axes(t.shape);
  for (int k = 0; k < 3; ++k)
    for (int c = 0; c < 2; ++c) v.mode[c][k] = mode_of(t, k, c == 0);
  v.normalized = t.normalized_coordinates || cube(t.shape);
  v.linear = t.linear;
  v.unit = t.normalized_float;
  v.decoded = t.srgb ? decoded_srgb() : nullptr;
  v.format = t.format;
  v.channels = t.channels;
  v.texel_bytes = t.texel_bytes();
  for (int c = 0; c < 4; ++c) {
    const float border = c >= t.channels ? c == 3 : t.shape == TextureShape::Linear ? 0 : t.border[c];
    v.border[c] = t.gives_float()
                      ? std::bit_cast<u32>(border)
                      : static_cast<u32>(static_cast<int64_t>(std::clamp(border, -0x1p31f, 0x1.fffffep31f)));
  }
  return v;
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

int channel_bytes(ChannelFormat format) {
  switch (format) {
    case ChannelFormat::U8:
    case ChannelFormat::S8:
      return 1;
    case ChannelFormat::U16:
    case ChannelFormat::S16:
    case ChannelFormat::F16:
      return 2;
    default:
      return 4;
  }
}

std::string_view name(TextureShape shape) {
  constexpr std::string_view kNames[] = {
      "of linear memory", "2D with a pitch", "1D", "2D", "3D", "1D layered", "2D layered",
      "cubemap",          "cubemap layered"};
  return kNames[static_cast<int>(shape)];
}

bool TextureDescription::gives_float() const {
  return normalized_float || format == ChannelFormat::F16 || format == ChannelFormat::F32;
}
u32 TextureDescription::texel_bytes() const { return static_cast<u32>(channel_bytes(format)) * channels; }
u32 TextureDescription::slices() const { return (cube(shape) ? 6 : 1) * (layered(shape) ? layers : 1); }
u64 TextureDescription::bytes() const {
  u64 rows = u64{one_row(shape) ? 1 : height} * depth * slices();
  return (rows - 1) * pitch() + u64{width} * texel_bytes();
}

namespace {

/// Error: the texels do not lie in one allocation.
Result<Texture> placed(const TextureDescription& description, bool surface, const GlobalMemory& memory) {
  auto allocation = memory.find(description.address);
  u64 room = allocation ? allocation->base + allocation->size - description.address : 0;
  if (description.bytes() > room)
    return error(fmt::format("the texels take {} bytes, {} are allocated at 0x{:x}", description.bytes(),
                             room, description.address));
  Texture texture;
  static_cast<TextureDescription&>(texture) = description;
  texture.surface = surface;
  texture.view = view_of(description, memory.host(description.address));
  return texture;
}

}  // namespace

Result<u64> TextureTable::create(const TextureDescription& description, bool surface,
                                 const GlobalMemory& memory) {
  if (Diagnostics wrong = check(description, surface); !wrong.empty()) return wrong;
  auto first = placed(description, surface, memory);
  if (!first) return first.error();
  auto texture = std::make_unique<Texture>(*std::move(first));
  for (const TextureLevel& l : description.smaller) {
    TextureDescription one = description;
    one.smaller.clear();
    one.address = l.address, one.width = l.width, one.height = l.height, one.depth = l.depth;
    auto level = placed(one, surface, memory);
    if (!level) return level.error();
    texture->levels.push_back(*std::move(level));
  }
  std::unique_lock lock(mutex_);
  textures_.push_back(std::move(texture));
  return kFirstHandle + textures_.size() - 1;
}

u64 TextureTable::next_number() {
  static std::atomic<u64> last = 0;
  return ++last;
}

const Texture* TextureTable::find(u64 handle) const {
  // Every read of a texture asks, mostly for the one before: threads would wait for each other's locks.
  struct Last {
    u64 table = 0, handle = 0;
    const Texture* found = nullptr;
  };
  thread_local Last last;
  if (last.handle == handle && last.table == number_) return last.found;
  std::shared_lock lock(mutex_);
  const u64 number = handle - kFirstHandle;
  if (number >= textures_.size()) return nullptr;
  last = {number_, handle, textures_[number].get()};
  return last.found;
}

Status TextureTable::destroy(u64 handle) {
  std::unique_lock lock(mutex_);
  u64 number = handle - kFirstHandle;
  if (number >= textures_.size())
    return error(fmt::format("0x{:x} is not the handle of a texture or surface", handle));
  if (textures_[number]->destroyed)
    return error(fmt::format("the texture or surface 0x{:x} was destroyed before", handle));
  textures_[number]->destroyed = true;
  return {};
}

}  // namespace ww::engine
