// CUDA Driver API: arrays, Texture Object Management, Surface Object Management, Tensor Map Object
// Management.
#include "cuda/core/texture.h"

#include <cstring>

#include "cuda/core/array.h"
#include "cuda/core/texture_reference.h"
#include "cuda/driver/call.h"
#include "cuda/driver/texture.h"
#include "cuda/runtime/calls.h"
#include "engine/async/tensor_map.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

namespace ww::cuda {

// CUarray_format: 1 to 3 unsigned, 8 to 10 signed integers of 8, 16, 32 bits, 16 half, 32 float.
Error channel_of(int format, u32 channels, ChannelDesc& desc) {
  int bits = 0;
  ChannelKind kind = ChannelKind::Unsigned;
  if (format >= 1 && format <= 3)
    bits = 4 << format;
  else if (format >= 8 && format <= 10)
    bits = 8 << (format - 8), kind = ChannelKind::Signed;
  else if (format == 0x10 || format == 0x20)
    bits = format, kind = ChannelKind::Float;
  else
    return Error::NotSupported;  // compressed and video formats
  if (channels != 1 && channels != 2 && channels != 4) return Error::InvalidValue;
  int each[4] = {};
  for (u32 k = 0; k < channels; ++k) each[k] = bits;
  desc = {each[0], each[1], each[2], each[3], kind};
  return Error::Success;
}
int format_number(const ChannelDesc& d) {
  if (d.f == ChannelKind::Float) return d.x;
  const int step = d.x == 8 ? 0 : d.x == 16 ? 1 : 2;
  return (d.f == ChannelKind::Signed ? 8 : 1) + step;
}
u32 channel_count(const ChannelDesc& d) {
  return static_cast<u32>((d.x > 0) + (d.y > 0) + (d.z > 0) + (d.w > 0));
}

}  // namespace ww::cuda

namespace {

Error resource_of(const DriverResourceDesc& d, ResourceDesc& r) {
  r = {};
  r.type = static_cast<ResourceType>(d.type);
  switch (r.type) {
    case ResourceType::Array:
      r.array = d.array;
      return Error::Success;
    case ResourceType::MipmappedArray:
      r.mipmap = d.mipmap;
      return Error::Success;
    case ResourceType::Linear:
      r.linear.pointer = reinterpret_cast<void*>(d.linear.pointer);
      r.linear.bytes = d.linear.bytes;
      return channel_of(d.linear.format, d.linear.channels, r.linear.desc);
    case ResourceType::Pitch2D:
      r.pitch2d.pointer = reinterpret_cast<void*>(d.pitch2d.pointer);
      r.pitch2d.width = d.pitch2d.width, r.pitch2d.height = d.pitch2d.height,
      r.pitch2d.pitch = d.pitch2d.pitch;
      return channel_of(d.pitch2d.format, d.pitch2d.channels, r.pitch2d.desc);
  }
  return Error::InvalidValue;
}
DriverResourceDesc description_of(const ResourceDesc& r) {
  DriverResourceDesc d{};
  d.type = static_cast<int>(r.type);
  if (r.type == ResourceType::Array) d.array = r.array;
  if (r.type == ResourceType::MipmappedArray) d.mipmap = r.mipmap;
  if (r.type == ResourceType::Linear)
    d.linear = {reinterpret_cast<DevicePointer>(r.linear.pointer), format_number(r.linear.desc),
                channel_count(r.linear.desc), r.linear.bytes};
  if (r.type == ResourceType::Pitch2D)
    d.pitch2d = {reinterpret_cast<DevicePointer>(r.pitch2d.pointer),
                 format_number(r.pitch2d.desc),
                 channel_count(r.pitch2d.desc),
                 r.pitch2d.width,
                 r.pitch2d.height,
                 r.pitch2d.pitch};
  return d;
}

template <class F>
Error with_object(unsigned long long handle, bool surface, F&& body) {
  return driver([&](DeviceContext&) -> Error {
    TextureObject object;
    if (Error e = find_texture(handle, object); e != Error::Success) return e;
    return object.surface == surface ? body(object) : Error::InvalidValue;
  });
}

}  // namespace

WW_CUDA_API Error cuArray3DCreate_v2(Array** array, const DriverArray3D* d) {
  return driver([&](DeviceContext& device) -> Error {
    ChannelDesc desc{};
    if (!array || !d) return Error::InvalidValue;
    if (Error e = channel_of(d->format, d->channels, desc); e != Error::Success) return e;
    return make_array(device, desc, {d->width, d->height, d->depth}, d->flags, *array);
  });
}
WW_CUDA_API Error cuArrayCreate_v2(Array** array, const DriverArray2D* d) {
  if (!d) return Error::InvalidValue;
  DriverArray3D whole{d->width, d->height, 0, d->format, d->channels, 0};
  return cuArray3DCreate_v2(array, &whole);
}
WW_CUDA_API Error cuArray3DGetDescriptor_v2(DriverArray3D* d, Array* array) {
  return driver([&](DeviceContext&) -> Error {
    if (!d) return Error::InvalidValue;
    if (!is_array(array)) return Error::InvalidResourceHandle;
    *d = {array->extent.width,        array->extent.height,       array->extent.depth,
          format_number(array->desc), channel_count(array->desc), array->flags};
    return Error::Success;
  });
}
WW_CUDA_API Error cuArrayGetDescriptor_v2(DriverArray2D* d, Array* array) {
  DriverArray3D whole{};
  if (!d) return Error::InvalidValue;
  if (Error e = cuArray3DGetDescriptor_v2(&whole, array); e != Error::Success) return e;
  *d = {whole.width, whole.height, whole.format, whole.channels};
  return Error::Success;
}
WW_CUDA_API Error cuArrayDestroy(Array* array) {
  return driver([&](DeviceContext&) { return free_array(array); });
}
WW_CUDA_API Error cuMipmappedArrayCreate(MipmappedArray** array, const DriverArray3D* d, u32 levels) {
  return driver([&](DeviceContext& device) -> Error {
    ChannelDesc desc{};
    if (!array || !d) return Error::InvalidValue;
    if (Error e = channel_of(d->format, d->channels, desc); e != Error::Success) return e;
    return make_mipmapped(device, desc, {d->width, d->height, d->depth}, levels, d->flags, *array);
  });
}
WW_FORWARD(cuMipmappedArrayGetLevel, cudaGetMipmappedArrayLevel,
           (Array * *level, MipmappedArray* array, u32 number), (level, array, number))
WW_CUDA_API Error cuMipmappedArrayDestroy(MipmappedArray* array) {
  return driver([&](DeviceContext&) { return free_mipmapped(array); });
}

WW_CUDA_API Error cuTexObjectCreate(unsigned long long* handle, const DriverResourceDesc* resource,
                                    const DriverTextureDesc* texture, const ResourceViewDesc* view) {
  return driver([&](DeviceContext&) -> Error {
    ResourceDesc r;
    if (!handle || !resource || !texture) return Error::InvalidValue;
    if (Error e = resource_of(*resource, r); e != Error::Success) return e;
    TextureDesc t{};
    for (int k = 0; k < 3; ++k) t.address_mode[k] = texture->address_mode[k];
    for (int k = 0; k < 4; ++k) t.border[k] = texture->border[k];
    t.filter_mode = texture->filter_mode;
    // The driver reads small integers as fractions of 1 unless told otherwise.
    t.read_mode = !(texture->flags & 1) && holds_small_integers(r);
    t.normalized_coordinates = (texture->flags & 2) != 0;
    t.srgb = (texture->flags & 0x10) != 0;
    t.max_anisotropy = texture->max_anisotropy;
    t.mipmap_filter_mode = texture->mipmap_filter_mode;
    t.mipmap_level_bias = texture->mipmap_level_bias;
    t.min_mipmap_level = texture->min_mipmap_level, t.max_mipmap_level = texture->max_mipmap_level;
    t.disable_trilinear = (texture->flags & 0x20) != 0, t.seamless_cubemap = (texture->flags & 0x40) != 0;
    ww::cuda::u64 made = 0;
    Error e = make_texture(r, t, view, FilteredIntegers::Taken, made);
    if (e == Error::Success) *handle = made;
    return e;
  });
}
WW_CUDA_API Error cuTexObjectDestroy(unsigned long long handle) {
  return driver([&](DeviceContext&) { return destroy_texture(handle, false); });
}
WW_CUDA_API Error cuTexObjectGetResourceDesc(DriverResourceDesc* d, unsigned long long handle) {
  return with_object(handle, false, [&](TextureObject& o) -> Error {
    if (!d) return Error::InvalidValue;
    *d = description_of(o.resource);
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexObjectGetTextureDesc(DriverTextureDesc* d, unsigned long long handle) {
  return with_object(handle, false, [&](TextureObject& o) -> Error {
    if (!d) return Error::InvalidValue;
    const TextureDesc& t = o.texture;
    *d = {};
    for (int k = 0; k < 3; ++k) d->address_mode[k] = t.address_mode[k];
    for (int k = 0; k < 4; ++k) d->border[k] = t.border[k];
    d->filter_mode = t.filter_mode;
    d->flags = (!t.read_mode && holds_small_integers(o.resource) ? 1u : 0u) |
               (t.normalized_coordinates ? 2u : 0u) | (t.srgb ? 0x10u : 0u) |
               (t.disable_trilinear ? 0x20u : 0u) | (t.seamless_cubemap ? 0x40u : 0u);
    d->max_anisotropy = t.max_anisotropy, d->mipmap_filter_mode = t.mipmap_filter_mode;
    d->mipmap_level_bias = t.mipmap_level_bias;
    d->min_mipmap_level = t.min_mipmap_level, d->max_mipmap_level = t.max_mipmap_level;
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexObjectGetResourceViewDesc(ResourceViewDesc* view, unsigned long long handle) {
  return with_object(handle, false, [&](TextureObject& o) -> Error {
    if (!view || !o.has_view) return Error::InvalidValue;
    *view = o.view;
    return Error::Success;
  });
}
WW_CUDA_API Error cuSurfObjectCreate(unsigned long long* handle, const DriverResourceDesc* resource) {
  return driver([&](DeviceContext&) -> Error {
    ResourceDesc r;
    ww::cuda::u64 made = 0;
    if (!handle || !resource) return Error::InvalidValue;
    if (Error e = resource_of(*resource, r); e != Error::Success) return e;
    Error e = make_surface(r, made);
    if (e == Error::Success) *handle = made;
    return e;
  });
}
WW_CUDA_API Error cuSurfObjectDestroy(unsigned long long handle) {
  return driver([&](DeviceContext&) { return destroy_texture(handle, true); });
}
WW_CUDA_API Error cuSurfObjectGetResourceDesc(DriverResourceDesc* d, unsigned long long handle) {
  return with_object(handle, true, [&](TextureObject& o) -> Error {
    if (!d) return Error::InvalidValue;
    *d = description_of(o.resource);
    return Error::Success;
  });
}

// What a tensor copy of a kernel takes (engine/async/tensor_map.h). The order of blocks in memory and how
// much the L2 cache fetches (interleave, promotion) are no matter of results; only the plain order is there.
WW_CUDA_API Error cuTensorMapEncodeTiled(void* map, int type, u32 rank, void* address,
                                         const unsigned long long* sizes, const unsigned long long* strides,
                                         const u32* box, const u32* steps, int interleave, int swizzle, int,
                                         int fill) {
  if (!map || !address || !sizes || !box || !steps || rank < 1 || rank > ww::engine::kMostDimensions ||
      (rank > 1 && !strides) || type < 0 || interleave < 0 || swizzle < 0)
    return Error::InvalidValue;
  if (interleave != 0 || swizzle > 3 || type > 12) return Error::NotSupported;
  ww::engine::TensorMap t;
  t.type = static_cast<ww::engine::TensorType>(type);
  t.swizzle = static_cast<ww::engine::TensorSwizzle>(swizzle);
  t.nan_fill = fill == 1;
  t.rank = static_cast<int>(rank);
  t.address = reinterpret_cast<ww::cuda::u64>(address);
  for (u32 k = 0; k < rank; ++k) {
    t.size[k] = sizes[k], t.box[k] = box[k], t.step[k] = steps[k];
    t.stride[k] = k ? strides[k - 1] : t.element_bytes();
  }
  auto bytes = t.encode();
  if (!bytes) return Error::InvalidValue;
  std::memcpy(map, bytes->data(), bytes->size());
  return Error::Success;
}
WW_CUDA_API Error cuTensorMapReplaceAddress(void* map, void* address) {
  ww::engine::TensorMap t;
  if (!map || !ww::engine::TensorMap::decode(static_cast<unsigned char*>(map), t)) return Error::InvalidValue;
  t.address = reinterpret_cast<ww::cuda::u64>(address);
  auto bytes = t.encode();
  if (!bytes) return Error::InvalidValue;
  std::memcpy(map, bytes->data(), bytes->size());
  return Error::Success;
}
