#include "cuda/core/texture.h"

#include <fmt/format.h>

#include "cuda/core/array.h"
#include "cuda/core/report.h"

namespace ww::cuda {

namespace {

using engine::ChannelFormat;
using engine::TextureDescription;
using engine::TextureShape;

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
      if (r.mipmap->levels.size() > 1)
        say_once("mipmaps", "textures of mipmapped arrays: only the first level is read");
      describe_array(*r.mipmap->levels[0], t);
      desc = &r.mipmap->desc;
      break;
    case ResourceType::Linear:
      t.shape = TextureShape::Linear;
      t.address = reinterpret_cast<u64>(r.linear.pointer);
      desc = &r.linear.desc;
      break;
    case ResourceType::Pitch2D:
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
                   u64& handle) {
  TextureDescription t;
  if (Error e = describe(resource, t); e != Error::Success) return e;
  for (int k = 0; k < 3; ++k) {
    if (texture.address_mode[k] < 0 || texture.address_mode[k] > 3) return Error::InvalidValue;
    t.address_mode[k] = static_cast<engine::AddressMode>(texture.address_mode[k]);
  }
  const bool floating = t.format == ChannelFormat::F16 || t.format == ChannelFormat::F32;
  const bool wide = t.format == ChannelFormat::U32 || t.format == ChannelFormat::S32;
  t.linear = texture.filter_mode == 1;
  t.normalized_float = texture.read_mode == 1 && !floating;
  t.normalized_coordinates = texture.normalized_coordinates != 0;
  if (t.normalized_float && wide) return Error::InvalidNormSetting;
  if (t.linear && !floating && !t.normalized_float) return Error::InvalidFilterSetting;
  // "ignored if resType is linear" (cudaTextureDesc, filterMode and addressMode).
  if (resource.type == ResourceType::Linear) t.linear = false;
  for (int k = 0; k < 4; ++k) t.border[k] = texture.border[k];
  if (texture.srgb) say_once("srgb", "textures: the conversion from sRGB is not supported and left out");
  TextureObject object;
  object.resource = resource, object.texture = texture;
  if (view) object.view = *view, object.has_view = true;
  if (view && view->format != 0 && (view->first_level || view->first_layer))
    say_once("resource view",
             "textures: a resource view that starts after the first level or layer is ignored");
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
