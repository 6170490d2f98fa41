// CUDA Runtime API before 12: Texture Reference Management, Surface Reference Management. A reference is a
// variable of the program that its kernels name; in device memory it holds the handle of an object, made when
// the program binds it.
#include "cuda/abi/texture_reference.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "cuda/core/backlog.h"
#include "cuda/core/platform.h"
#include "cuda/core/registry.h"
#include "cuda/core/texture.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

namespace {

using ww::cuda::u64;

constexpr Error kInvalidTextureBinding{19};  // nothing else returns it

struct Reference {
  bool surface = false;
  bool gives_floats = false;  ///< cudaReadModeNormalizedFloat
  std::map<int, u64> bound;   ///< by device: the object
};
struct References {
  std::mutex mutex;
  std::map<const void*, Reference> all;  ///< by the host's variable
};
References& references() {
  static auto* all = new References;
  return *all;
}

void add(void** module, const void* variable, const char* name, Reference reference) {
  Registry::get().add_variable(reinterpret_cast<CodeModule*>(module), variable, name, sizeof(u64));
  std::lock_guard lock(references().mutex);
  references().all[variable] = std::move(reference);
}

/// Lets the reference show the object that `make(reference, handle)` makes; none if it makes 0.
template <class F>
Error rebind(const void* variable, bool surface, F&& make) {
  return api([&](DeviceContext& device) -> Error {
    const Error unknown = surface ? Error::InvalidSurface : Error::InvalidTexture;
    std::lock_guard lock(references().mutex);
    const auto at = references().all.find(variable);
    if (at == references().all.end() || at->second.surface != surface) return unknown;
    u64 address = 0, bytes = 0, handle = 0;
    if (Registry::get().symbol(device, variable, address, bytes) != Error::Success) return unknown;
    if (Error e = make(at->second, handle); e != Error::Success) return e;
    Backlog::get().wait_for_all();  // kernels may still read the old one
    std::memcpy(Platform::get().engine().memory().host(address), &handle, sizeof handle);
    std::swap(at->second.bound[device.number], handle);
    return destroy_texture(handle, surface);
  });
}

Error bind(const TextureReference* t, const ResourceDesc& resource) {
  return rebind(t, false, [&](const Reference& reference, u64& handle) {
    TextureDesc d{};
    std::copy(std::begin(t->address_mode), std::end(t->address_mode), d.address_mode);
    d.filter_mode = t->filter_mode, d.read_mode = reference.gives_floats;
    d.srgb = t->srgb, d.normalized_coordinates = t->normalized_coordinates;
    d.max_anisotropy = t->max_anisotropy, d.mipmap_filter_mode = t->mipmap_filter_mode;
    d.mipmap_level_bias = t->mipmap_level_bias;
    d.min_mipmap_level = t->min_mipmap_level, d.max_mipmap_level = t->max_mipmap_level;
    return make_texture(resource, d, nullptr, FilteredIntegers::Refused, handle);
  });
}

template <class Which>
Error find(const Which** reference, const void* symbol, Error unknown) {
  return api([&](DeviceContext&) -> Error {
    std::lock_guard lock(references().mutex);
    if (!reference || !references().all.count(symbol)) return unknown;
    *reference = static_cast<const Which*>(symbol);
    return Error::Success;
  });
}

}  // namespace

WW_CUDA_API void __cudaRegisterTexture(void** module, const TextureReference* variable, const void**,
                                       const char* name, int, int gives_floats, int) {
  add(module, variable, name, {false, gives_floats != 0, {}});
}
WW_CUDA_API void __cudaRegisterSurface(void** module, const SurfaceReference* variable, const void**,
                                       const char* name, int, int) {
  add(module, variable, name, {true, false, {}});
}

// Any address will do, so that there is never an offset to add.
WW_CUDA_API Error cudaBindTexture(size_t* offset, const TextureReference* t, const void* pointer,
                                  const ChannelDesc* desc, size_t bytes) {
  if (offset) *offset = 0;
  if (!desc) return here().last = Error::InvalidValue;
  ResourceDesc r{};
  r.type = ResourceType::Linear;
  // Programs that do not say how much there is name the largest size.
  const u64 address = reinterpret_cast<u64>(pointer), end = Platform::get().memory().end_of(address);
  r.linear = {const_cast<void*>(pointer), *desc, end ? std::min<size_t>(bytes, end - address) : bytes};
  return bind(t, r);
}
WW_CUDA_API Error cudaBindTexture2D(size_t* offset, const TextureReference* t, const void* pointer,
                                    const ChannelDesc* desc, size_t width, size_t height, size_t pitch) {
  if (offset) *offset = 0;
  if (!desc) return here().last = Error::InvalidValue;
  ResourceDesc r{};
  r.type = ResourceType::Pitch2D;
  r.pitch2d = {const_cast<void*>(pointer), *desc, width, height, pitch};
  return bind(t, r);
}
WW_CUDA_API Error cudaBindTextureToArray(const TextureReference* t, Array* array, const ChannelDesc*) {
  ResourceDesc r{};
  r.type = ResourceType::Array;
  r.array = array;
  return bind(t, r);
}
WW_CUDA_API Error cudaBindTextureToMipmappedArray(const TextureReference* t, MipmappedArray* array,
                                                  const ChannelDesc*) {
  ResourceDesc r{};
  r.type = ResourceType::MipmappedArray;
  r.mipmap = array;
  return bind(t, r);
}
WW_CUDA_API Error cudaUnbindTexture(const TextureReference* t) {
  return rebind(t, false, [](const Reference&, u64&) { return Error::Success; });
}
WW_CUDA_API Error cudaGetTextureAlignmentOffset(size_t* offset, const TextureReference* t) {
  return api([&](DeviceContext& device) -> Error {
    std::lock_guard lock(references().mutex);
    const auto at = references().all.find(t);
    if (!offset || at == references().all.end()) return Error::InvalidTexture;
    if (!at->second.bound[device.number]) return kInvalidTextureBinding;
    *offset = 0;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGetTextureReference(const TextureReference** t, const void* symbol) {
  return find(t, symbol, Error::InvalidTexture);
}

WW_CUDA_API Error cudaBindSurfaceToArray(const SurfaceReference* s, Array* array, const ChannelDesc*) {
  return rebind(s, true, [&](const Reference&, u64& handle) {
    ResourceDesc r{};
    r.type = ResourceType::Array;
    r.array = array;
    return make_surface(r, handle);
  });
}
WW_CUDA_API Error cudaGetSurfaceReference(const SurfaceReference** s, const void* symbol) {
  return find(s, symbol, Error::InvalidSurface);
}
