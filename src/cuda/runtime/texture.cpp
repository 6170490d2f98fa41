// CUDA Runtime API: Texture Object Management, Surface Object Management.
#include "cuda/core/texture.h"

#include <cstring>

#include "cuda/core/platform.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

namespace {
// Before CUDA 13 the description of a resource ended before the flags.
size_t resource_bytes() {
  return Platform::get().runtime_version() >= 13000 ? sizeof(ResourceDesc) : offsetof(ResourceDesc, flags);
}
ResourceDesc read(const ResourceDesc* given) {
  ResourceDesc r{};
  std::memcpy(&r, given, resource_bytes());
  return r;
}
template <class F>
Error with_object(unsigned long long handle, F&& body) {
  return api([&](DeviceContext&) -> Error {
    TextureObject object;
    if (Error e = find_texture(handle, object); e != Error::Success) return e;
    return body(object);
  });
}
}  // namespace

WW_CUDA_API Error cudaCreateTextureObject(ww::cuda::u64* handle, const ResourceDesc* resource,
                                          const TextureDesc* texture, const ResourceViewDesc* view) {
  return api([&](DeviceContext&) -> Error {
    if (!handle || !resource) return Error::InvalidValue;
    if (!texture) return Error::InvalidResourceHandle;
    return make_texture(read(resource), *texture, view, FilteredIntegers::Refused, *handle);
  });
}
WW_CUDA_API Error cudaCreateTextureObject_v2(ww::cuda::u64* handle, const ResourceDesc* resource,
                                             const TextureDesc* texture, const ResourceViewDesc* view) {
  return cudaCreateTextureObject(handle, resource, texture, view);
}
WW_CUDA_API Error cudaDestroyTextureObject(ww::cuda::u64 handle) {
  return api([&](DeviceContext&) { return destroy_texture(handle, false); });
}
WW_CUDA_API Error cudaGetTextureObjectResourceDesc(ResourceDesc* resource, ww::cuda::u64 handle) {
  return with_object(handle, [&](TextureObject& o) -> Error {
    if (!resource) return Error::InvalidValue;
    std::memcpy(static_cast<void*>(resource), &o.resource, resource_bytes());
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGetTextureObjectTextureDesc(TextureDesc* texture, ww::cuda::u64 handle) {
  return with_object(handle, [&](TextureObject& o) -> Error {
    if (!texture) return Error::InvalidValue;
    *texture = o.texture;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGetTextureObjectResourceViewDesc(ResourceViewDesc* view, ww::cuda::u64 handle) {
  return with_object(handle, [&](TextureObject& o) -> Error {
    if (!view || !o.has_view) return Error::InvalidValue;
    *view = o.view;
    return Error::Success;
  });
}

WW_CUDA_API Error cudaCreateSurfaceObject(ww::cuda::u64* handle, const ResourceDesc* resource) {
  return api([&](DeviceContext&) -> Error {
    if (!handle || !resource) return Error::InvalidValue;
    return make_surface(read(resource), *handle);
  });
}
WW_CUDA_API Error cudaDestroySurfaceObject(ww::cuda::u64 handle) {
  return api([&](DeviceContext&) { return destroy_texture(handle, true); });
}
WW_CUDA_API Error cudaGetSurfaceObjectResourceDesc(ResourceDesc* resource, ww::cuda::u64 handle) {
  return with_object(handle, [&](TextureObject& o) -> Error {
    if (!resource) return Error::InvalidValue;
    std::memcpy(static_cast<void*>(resource), &o.resource, resource_bytes());
    return Error::Success;
  });
}
