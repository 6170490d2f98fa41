// CUDA Driver API: Texture Reference Management, Surface Reference Management.
#include "cuda/core/texture_reference.h"

#include "cuda/core/array.h"
#include "cuda/core/device_facts.h"
#include "cuda/core/library.h"
#include "cuda/driver/call.h"
#include "cuda/driver/texture.h"

using namespace ww::cuda;

namespace {

using Ref = ModuleReference;

// Numbers of CUdevice_attribute: what textures of plain memory must keep to.
constexpr int kTextureAlignment = 14, kPitchAlignment = 51, kLinearWidth = 69, kPitchedWidth = 70,
              kPitchedHeight = 71, kPitchedPitch = 72;

int limit(DeviceContext& device, int attribute) {
  int value = 0;
  (void)device_attribute(device, attribute, value);
  return value;
}

/// Error: InvalidValue for what is no such reference.
template <class F>
Error with(Ref* reference, bool surface, F&& body) {
  return driver([&](DeviceContext& device) -> Error {
    return is_reference(reference, surface) ? body(*reference, device) : Error::InvalidValue;
  });
}
/// A setting: kernels see it from the next launch.
template <class F>
Error set(Ref* reference, F&& body) {
  return with(reference, false, [&](Ref& r, DeviceContext& device) -> Error {
    if (Error e = body(r, device); e != Error::Success) return e;
    show_reference(r);
    return Error::Success;
  });
}
template <class T, class F>
Error get(T* result, Ref* reference, F&& value) {
  return with(reference, false, [&](Ref& r, DeviceContext&) -> Error {
    if (!result) return Error::InvalidValue;
    *result = static_cast<T>(value(r));
    return Error::Success;
  });
}
Error bind(Ref& r, const ResourceDesc& resource) {
  r.resource = resource, r.bound = true;
  return Error::Success;
}
bool is_bound(const Ref& r, ResourceType type) { return r.bound && r.resource.type == type; }

size_t texel_bytes(const ChannelDesc& d) { return static_cast<size_t>(d.x + d.y + d.z + d.w) / 8; }

Error find(Ref** reference, CodeModule* module, const char* name, bool surface) {
  return driver([&](DeviceContext& device) -> Error {
    if (!reference || !name) return Error::InvalidValue;
    if (!is_library(module)) return Error::InvalidResourceHandle;
    return reference_of(*module, device, name, surface, *reference);
  });
}

}  // namespace

WW_CUDA_API Error cuModuleGetTexRef(Ref** reference, CodeModule* module, const char* name) {
  return find(reference, module, name, false);
}
WW_CUDA_API Error cuModuleGetSurfRef(Ref** reference, CodeModule* module, const char* name) {
  return find(reference, module, name, true);
}
WW_CUDA_API Error cuTexRefCreate(Ref** reference) {
  return driver([&](DeviceContext&) -> Error {
    if (!reference) return Error::InvalidValue;
    *reference = make_reference();
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefDestroy(Ref* reference) {
  return driver([&](DeviceContext&) { return destroy_reference(reference); });
}
// What a module's reference shows is there for all its kernels; -1: CU_PARAM_TR_DEFAULT.
WW_CUDA_API Error cuParamSetTexRef(Function* function, int unit, Ref* reference) {
  return with(reference, false, [&](Ref& r, DeviceContext&) -> Error {
    return live_function(function) && unit == -1 && r.variable ? Error::Success : Error::InvalidValue;
  });
}

// The array says the format; a card (H200) takes both calls also without CU_TRSA_OVERRIDE_FORMAT.
WW_CUDA_API Error cuTexRefSetArray(Ref* reference, Array* array, u32) {
  return set(reference, [&](Ref& r, DeviceContext&) -> Error {
    if (!is_array(array)) return Error::InvalidValue;
    ResourceDesc resource{};
    resource.type = ResourceType::Array, resource.array = array;
    r.format = array->desc;
    return bind(r, resource);
  });
}
WW_CUDA_API Error cuTexRefSetMipmappedArray(Ref* reference, MipmappedArray* array, u32) {
  return set(reference, [&](Ref& r, DeviceContext&) -> Error {
    if (!array || array->levels.empty()) return Error::InvalidValue;
    ResourceDesc resource{};
    resource.type = ResourceType::MipmappedArray, resource.mipmap = array;
    r.format = array->desc;
    return bind(r, resource);
  });
}
// Any address will do, so that there is never an offset to add.
WW_CUDA_API Error cuTexRefSetAddress_v2(size_t* offset, Ref* reference, DevicePointer pointer, size_t bytes) {
  return set(reference, [&](Ref& r, DeviceContext& device) -> Error {
    const size_t texel = texel_bytes(r.format);
    if (texel && bytes / texel > static_cast<size_t>(limit(device, kLinearWidth))) return Error::InvalidValue;
    if (offset) *offset = 0;
    ResourceDesc resource{};
    resource.type = ResourceType::Linear;
    resource.linear = {reinterpret_cast<void*>(pointer), r.format, bytes};
    return bind(r, resource);
  });
}
WW_CUDA_API Error cuTexRefSetAddress2D_v3(Ref* reference, const DriverArray2D* d, DevicePointer pointer,
                                          size_t pitch) {
  return set(reference, [&](Ref& r, DeviceContext& device) -> Error {
    ResourceDesc resource{};
    resource.type = ResourceType::Pitch2D;
    if (!d || pointer % static_cast<u32>(limit(device, kTextureAlignment)) ||
        pitch % static_cast<u32>(limit(device, kPitchAlignment)) ||
        pitch > static_cast<u32>(limit(device, kPitchedPitch)) ||
        d->width > static_cast<u32>(limit(device, kPitchedWidth)) ||
        d->height > static_cast<u32>(limit(device, kPitchedHeight)))
      return Error::InvalidValue;
    if (Error e = channel_of(d->format, d->channels, r.format); e != Error::Success) return e;
    resource.pitch2d = {reinterpret_cast<void*>(pointer), r.format, d->width, d->height, pitch};
    return bind(r, resource);
  });
}
WW_CUDA_API Error cuTexRefSetFormat(Ref* reference, int format, int channels) {
  return set(reference, [&](Ref& r, DeviceContext&) -> Error {
    if (Error e = channel_of(format, static_cast<u32>(channels), r.format); e != Error::Success) return e;
    if (is_bound(r, ResourceType::Linear)) r.resource.linear.desc = r.format;
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefSetAddressMode(Ref* reference, int dimension, int mode) {
  return set(reference, [&](Ref& r, DeviceContext&) -> Error {
    if (dimension < 0 || dimension > 2 || mode < 0 || mode > 3) return Error::InvalidValue;
    r.texture.address_mode[dimension] = mode;
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefSetFilterMode(Ref* reference, int mode) {
  return set(reference, [&](Ref& r, DeviceContext&) -> Error {
    if (mode < 0 || mode > 1) return Error::InvalidValue;
    r.texture.filter_mode = mode;
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefSetMipmapFilterMode(Ref* reference, int mode) {
  return set(reference, [&](Ref& r, DeviceContext&) -> Error {
    if (mode < 0 || mode > 1) return Error::InvalidValue;
    r.texture.mipmap_filter_mode = mode;
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefSetMipmapLevelBias(Ref* reference, float bias) {
  return set(reference, [&](Ref& r, DeviceContext&) -> Error {
    r.texture.mipmap_level_bias = bias;
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefSetMipmapLevelClamp(Ref* reference, float least, float most) {
  return set(reference, [&](Ref& r, DeviceContext&) -> Error {
    r.texture.min_mipmap_level = least, r.texture.max_mipmap_level = most;
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefSetMaxAnisotropy(Ref* reference, u32 most) {
  return set(reference, [&](Ref& r, DeviceContext&) -> Error {
    r.texture.max_anisotropy = most;
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefSetBorderColor(Ref* reference, const float* color) {
  return set(reference, [&](Ref& r, DeviceContext&) -> Error {
    if (!color) return Error::InvalidValue;
    for (int k = 0; k < 4; ++k) r.texture.border[k] = color[k];
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefSetFlags(Ref* reference, u32 flags) {
  return set(reference, [&](Ref& r, DeviceContext&) -> Error {
    if (flags & ~0x73u) return Error::InvalidValue;
    r.flags = flags;
    return Error::Success;
  });
}

WW_CUDA_API Error cuTexRefGetAddress_v2(DevicePointer* pointer, Ref* reference) {
  return with(reference, false, [&](Ref& r, DeviceContext&) -> Error {
    if (!pointer || !(is_bound(r, ResourceType::Linear) || is_bound(r, ResourceType::Pitch2D)))
      return Error::InvalidValue;
    *pointer = reinterpret_cast<DevicePointer>(
        r.resource.type == ResourceType::Linear ? r.resource.linear.pointer : r.resource.pitch2d.pointer);
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefGetArray(Array** array, Ref* reference) {
  return with(reference, false, [&](Ref& r, DeviceContext&) -> Error {
    if (!array || !is_bound(r, ResourceType::Array)) return Error::InvalidValue;
    *array = r.resource.array;
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefGetMipmappedArray(MipmappedArray** array, Ref* reference) {
  return with(reference, false, [&](Ref& r, DeviceContext&) -> Error {
    if (!array || !is_bound(r, ResourceType::MipmappedArray)) return Error::InvalidValue;
    *array = r.resource.mipmap;
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefGetAddressMode(int* mode, Ref* reference, int dimension) {
  if (dimension < 0 || dimension > 2) return Error::InvalidValue;
  return get(mode, reference, [&](Ref& r) { return r.texture.address_mode[dimension]; });
}
WW_CUDA_API Error cuTexRefGetFilterMode(int* mode, Ref* reference) {
  return get(mode, reference, [](Ref& r) { return r.texture.filter_mode; });
}
WW_CUDA_API Error cuTexRefGetFormat(int* format, int* channels, Ref* reference) {
  return with(reference, false, [&](Ref& r, DeviceContext&) -> Error {
    if (format) *format = format_number(r.format);
    if (channels) *channels = static_cast<int>(channel_count(r.format));
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefGetMipmapFilterMode(int* mode, Ref* reference) {
  return get(mode, reference, [](Ref& r) { return r.texture.mipmap_filter_mode; });
}
WW_CUDA_API Error cuTexRefGetMipmapLevelBias(float* bias, Ref* reference) {
  return get(bias, reference, [](Ref& r) { return r.texture.mipmap_level_bias; });
}
WW_CUDA_API Error cuTexRefGetMipmapLevelClamp(float* least, float* most, Ref* reference) {
  if (Error e = get(least, reference, [](Ref& r) { return r.texture.min_mipmap_level; }); e != Error::Success)
    return e;
  return get(most, reference, [](Ref& r) { return r.texture.max_mipmap_level; });
}
WW_CUDA_API Error cuTexRefGetMaxAnisotropy(int* most, Ref* reference) {
  return get(most, reference, [](Ref& r) { return r.texture.max_anisotropy; });
}
WW_CUDA_API Error cuTexRefGetBorderColor(float* color, Ref* reference) {
  return with(reference, false, [&](Ref& r, DeviceContext&) -> Error {
    if (!color) return Error::InvalidValue;
    for (int k = 0; k < 4; ++k) color[k] = r.texture.border[k];
    return Error::Success;
  });
}
WW_CUDA_API Error cuTexRefGetFlags(u32* flags, Ref* reference) {
  return get(flags, reference, [](Ref& r) { return r.flags; });
}

WW_CUDA_API Error cuSurfRefSetArray(Ref* reference, Array* array, u32 flags) {
  return with(reference, true, [&](Ref& r, DeviceContext&) -> Error {
    if (flags || !is_array(array) || !(array->flags & kArraySurface)) return Error::InvalidValue;
    r.resource.type = ResourceType::Array, r.resource.array = array, r.bound = true;
    show_reference(r);
    return Error::Success;
  });
}
WW_CUDA_API Error cuSurfRefGetArray(Array** array, Ref* reference) {
  return with(reference, true, [&](Ref& r, DeviceContext&) -> Error {
    if (!array || !r.bound) return Error::InvalidValue;
    *array = r.resource.array;
    return Error::Success;
  });
}
