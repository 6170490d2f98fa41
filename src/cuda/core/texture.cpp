#include "cuda/core/texture.h"

#include <fmt/format.h>

#include "cuda/core/array.h"
#include "cuda/core/checking.h"
#include "cuda/core/report.h"

namespace ww::cuda {

namespace {

using engine::ChannelFormat;
using engine::TextureDescription;
using engine::TextureShape;

constexpr size_t kPitchAlignment = 32;  // CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT of every GPU

struct Objects {
  std::mutex mutex;
  std::map<u64, TextureObject> live;
};
Objects& objects() {
  static auto* all = new Objects;
  return *all;
}

void describe_array(const Array& a, TextureDescription& t) {
  t.address = a.address;
  t.width = static_cast<u32>(a.extent.width);
  t.height = static_cast<u32>(a.height());
  const bool layered = a.flags & kArrayLayered, cube = a.flags & kArrayCubemap;
  if (cube) {
    t.shape = layered ? TextureShape::CubemapLayered : TextureShape::Cubemap;
    t.layers = static_cast<u32>(a.depth() / 6);
  } else if (layered) {
    t.shape = a.extent.height ? TextureShape::Array2DLayered : TextureShape::Array1DLayered;
    t.layers = static_cast<u32>(a.depth());
  } else if (a.extent.depth) {
    t.shape = TextureShape::Array3D;
    t.depth = static_cast<u32>(a.depth());
  } else {
    t.shape = a.extent.height ? TextureShape::Array2D : TextureShape::Array1D;
  }
}

engine::TextureLevel level_of(const Array& a) {
  return {a.address, static_cast<u32>(a.extent.width), static_cast<u32>(a.height()),
          a.flags & (kArrayLayered | kArrayCubemap) ? 1 : static_cast<u32>(a.depth())};
}

/// cudaResourceViewFormat: eight kinds of numbers, each with 1, 2 and 4 channels; behind them blocks.
Error view_format(int number, TextureDescription& t) {
  using enum ChannelFormat;
  constexpr ChannelFormat kFormats[] = {U8, S8, U16, S16, U32, S32, F16, F32};
  if (number == 0) return Error::Success;
  if (number < 0 || number > 24) return Error::NotSupported;
  TextureDescription other = t;
  other.format = kFormats[(number - 1) / 3];
  other.channels = static_cast<u8>(1 << (number - 1) % 3);
  if (other.texel_bytes() != t.texel_bytes()) return Error::InvalidValue;
  t.format = other.format, t.channels = other.channels;
  return Error::Success;
}

/// Leaves of a texture what the view shows: a format, levels of a mipmap, layers.
Error narrow(const ResourceViewDesc& view, TextureDescription& t) {
  if (Error e = view_format(view.format, t); e != Error::Success) return e;
  if (view.first_level > view.last_level || view.last_level > t.smaller.size() ||
      view.first_layer > view.last_layer)
    return Error::InvalidValue;
  t.smaller.resize(view.last_level);
  if (view.first_level) {
    const engine::TextureLevel first = t.smaller[view.first_level - 1];
    t.address = first.address, t.width = first.width, t.height = first.height, t.depth = first.depth;
    t.smaller.erase(t.smaller.begin(), t.smaller.begin() + view.first_level);
  }
  const u32 slices = t.slices();
  if (slices == 1) return view.last_layer ? Error::InvalidValue : Error::Success;
  if (view.last_layer >= slices) return Error::InvalidValue;
  const u32 count = view.last_layer - view.first_layer + 1;
  const bool cube = t.shape == TextureShape::Cubemap || t.shape == TextureShape::CubemapLayered;
  if (cube && view.last_layer == 0) return Error::Success;  // nothing said of faces
  if (cube && (view.first_layer % 6 || count % 6)) return Error::InvalidValue;
  t.address += view.first_layer * t.layer_bytes();
  for (engine::TextureLevel& l : t.smaller)
    l.address += u64{view.first_layer} * l.width * l.height * l.depth * t.texel_bytes();
  t.layers = cube ? count / 6 : count;
  return Error::Success;
}

Error describe(const ResourceDesc& r, TextureDescription& t) {
  const ChannelDesc* desc = nullptr;
  switch (r.type) {
    case ResourceType::Array:
      if (!is_array(r.array)) return Error::InvalidValue;
      describe_array(*r.array, t);
      desc = &r.array->desc;
      break;
    case ResourceType::MipmappedArray:
      if (!r.mipmap || r.mipmap->levels.empty()) return Error::InvalidValue;
      describe_array(*r.mipmap->levels[0], t);
      for (size_t k = 1; k < r.mipmap->levels.size(); ++k)
        t.smaller.push_back(level_of(*r.mipmap->levels[k]));
      desc = &r.mipmap->desc;
      break;
    case ResourceType::Linear:
      t.shape = TextureShape::Linear;
      t.address = reinterpret_cast<u64>(r.linear.pointer);
      desc = &r.linear.desc;
      break;
    case ResourceType::Pitch2D:
      if (r.pitch2d.pitch % kPitchAlignment) return Error::InvalidValue;  // as cards do
      t.shape = TextureShape::Pitch2D;
      t.address = reinterpret_cast<u64>(r.pitch2d.pointer);
      t.width = static_cast<u32>(r.pitch2d.width), t.height = static_cast<u32>(r.pitch2d.height);
      t.row_bytes = r.pitch2d.pitch;
      desc = &r.pitch2d.desc;
      break;
    default:
      return Error::InvalidValue;
  }
  if (Error e = format_of(*desc, t.format, t.channels); e != Error::Success) return e;
  if (r.type == ResourceType::Linear) {
    u64 bytes = r.linear.bytes;
    // A card takes any size; texels behind the memory are zeros here.
    if (u64 end = Platform::get().memory().end_of(t.address); end && bytes > end - t.address) {
      say_once("texture behind its memory",
               fmt::format("a texture of {} bytes is created on memory of which {} bytes are left", bytes,
                           end - t.address));
      constexpr u64 kAnySize = 0xffffffff;  // the size that cudaBindTexture takes where none is given
      if (Checking* checking = Checking::get(); checking && bytes < kAnySize)
        checking->long_texture(t.address, bytes, end - t.address);
      bytes = end - t.address;
    }
    t.width = static_cast<u32>(bytes / t.texel_bytes());
  }
  return Error::Success;
}

Error create(TextureDescription& t, TextureObject object, u64& handle) {
  engine::Engine& engine = Platform::get().engine();
  auto made = object.surface ? engine.create_surface(t) : engine.create_texture(t);
  if (!made) {
    say_once("texture " + made.error()[0].message,
             "a texture or surface is not created: " + made.error()[0].message);
    return Error::InvalidValue;
  }
  handle = *made;
  std::lock_guard lock(objects().mutex);
  objects().live[handle] = object;
  return Error::Success;
}

}  // namespace

Error make_texture(const ResourceDesc& resource, const TextureDesc& texture, const ResourceViewDesc* view,
                   FilteredIntegers integers, u64& handle) {
  TextureDescription t;
  if (Error e = describe(resource, t); e != Error::Success) return e;
  if (view) {
    if (resource.type != ResourceType::Array && resource.type != ResourceType::MipmappedArray)
      return Error::InvalidValue;
    if (Error e = narrow(*view, t); e != Error::Success) return e;
  }
  for (int k = 0; k < 3; ++k) {
    if (texture.address_mode[k] < 0 || texture.address_mode[k] > 3) return Error::InvalidValue;
    t.address_mode[k] = static_cast<engine::AddressMode>(texture.address_mode[k]);
  }
  const bool floating = t.format == ChannelFormat::F16 || t.format == ChannelFormat::F32;
  const bool wide = t.format == ChannelFormat::U32 || t.format == ChannelFormat::S32;
  if (texture.filter_mode < 0 || texture.filter_mode > 1) return Error::InvalidValue;
  t.linear = texture.filter_mode == 1;
  t.normalized_float = texture.read_mode == 1 && !floating;
  t.normalized_coordinates = texture.normalized_coordinates != 0;
  if (texture.read_mode == 1 && (wide || floating)) return Error::InvalidNormSetting;
  if (t.linear && !floating && !t.normalized_float && integers == FilteredIntegers::Refused)
    return Error::InvalidFilterSetting;
  // "ignored if resType is linear" (cudaTextureDesc, filterMode and addressMode).
  if (resource.type == ResourceType::Linear) t.linear = t.normalized_coordinates = false;  // as cards do
  if (t.linear && wide) {
    say_once(
        "filtered integers",
        "a texture of 32-bit integers is to be filtered: the nearest texel is read (what a GPU does is not "
        "known)");
    t.linear = false;
  }
  for (int k = 0; k < 4; ++k) t.border[k] = texture.border[k];
  // Other formats than bytes are not converted.
  t.srgb = texture.srgb && t.format == ChannelFormat::U8 && t.normalized_float;
  t.between_levels = texture.mipmap_filter_mode == 1;
  t.level_bias = texture.mipmap_level_bias;
  t.least_level = texture.min_mipmap_level, t.most_level = texture.max_mipmap_level;
  if (texture.max_anisotropy > 1 && !t.smaller.empty())
    say_once("anisotropy", "textures: filtering is the same in all directions (maxAnisotropy counts as 1)");
  TextureObject object;
  object.resource = resource, object.texture = texture;
  if (view) object.view = *view, object.has_view = true;
  return create(t, object, handle);
}

Error make_surface(const ResourceDesc& resource, u64& handle) {
  if (resource.type != ResourceType::Array) return Error::InvalidValue;
  TextureDescription t;
  if (Error e = describe(resource, t); e != Error::Success) return e;
  TextureObject object;
  object.resource = resource, object.surface = true;
  return create(t, object, handle);
}

Error destroy_texture(u64 handle, bool surface) {
  std::lock_guard lock(objects().mutex);
  auto it = objects().live.find(handle);
  if (it == objects().live.end() || it->second.surface != surface)
    return handle ? Error::InvalidValue : Error::Success;
  objects().live.erase(it);
  (void)Platform::get().engine().destroy_texture(handle);
  return Error::Success;
}

Error find_texture(u64 handle, TextureObject& object) {
  std::lock_guard lock(objects().mutex);
  auto it = objects().live.find(handle);
  if (it == objects().live.end()) return Error::InvalidValue;
  object = it->second;
  return Error::Success;
}

}  // namespace ww::cuda
