// Texture and surface references (Programming Guide before CUDA 12, Texture Reference API). A reference is a
// variable that lies on the device, too, where it holds the handle of an object; so kernels fetch from that
// object. Only for programs that have references: others may use these names for their own.
#pragma once

#include "runtime_calls.h"

enum {
  cudaTextureType1D = 0x01,
  cudaTextureType2D = 0x02,
  cudaTextureType3D = 0x03,
  cudaTextureTypeCubemap = 0x0c,
  cudaTextureType1DLayered = 0xf1,
  cudaTextureType2DLayered = 0xf2,
  cudaTextureTypeCubemapLayered = 0xfc,
  cudaSurfaceType1D = 0x01,
  cudaSurfaceType2D = 0x02,
  cudaSurfaceType3D = 0x03
};

struct textureReference {
  int normalized;
  enum cudaTextureFilterMode filterMode;
  enum cudaTextureAddressMode addressMode[3];
  struct cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned maxAnisotropy;
  enum cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int reserved[14];
};
struct surfaceReference {
  struct cudaChannelFormatDesc channelDesc;
};

extern "C" {
cudaError_t cudaBindTexture(size_t* offset, const textureReference* t, const void* at,
                            const cudaChannelFormatDesc* format, size_t bytes);
cudaError_t cudaBindTexture2D(size_t* offset, const textureReference* t, const void* at,
                              const cudaChannelFormatDesc* format, size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const textureReference* t, cudaArray_const_t array,
                                   const cudaChannelFormatDesc* format);
cudaError_t cudaBindTextureToMipmappedArray(const textureReference* t, cudaMipmappedArray_const_t array,
                                            const cudaChannelFormatDesc* format);
cudaError_t cudaUnbindTexture(const textureReference* t);
cudaError_t cudaGetTextureAlignmentOffset(size_t* offset, const textureReference* t);
cudaError_t cudaGetTextureReference(const textureReference** t, const void* symbol);
cudaError_t cudaBindSurfaceToArray(const surfaceReference* s, cudaArray_const_t array,
                                   const cudaChannelFormatDesc* format);
cudaError_t cudaGetSurfaceReference(const surfaceReference** s, const void* symbol);
}

// clang knows these two by their attributes and their arguments.
template <class T, int shape = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {
  __host__ texture(int normalized_coordinates = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
                   enum cudaTextureAddressMode address = cudaAddressModeClamp)
      : texture(normalized_coordinates, filter, address, cudaCreateChannelDesc<T>()) {}
  __host__ texture(int normalized_coordinates, enum cudaTextureFilterMode filter,
                   enum cudaTextureAddressMode address, cudaChannelFormatDesc format)
      : textureReference() {
    normalized = normalized_coordinates;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = format;
  }
};
template <class T, int shape = cudaSurfaceType1D>
struct __attribute__((device_builtin_surface_type)) surface : surfaceReference {
  __host__ surface() : surfaceReference() {}
};

// Binding, for the host.
#define WW_TEXTURE                                             \
  template <class T, int shape, enum cudaTextureReadMode mode> \
  inline cudaError_t
#define WW_OF const texture<T, shape, mode>& t
WW_TEXTURE cudaBindTexture(size_t* offset, WW_OF, const void* at, const cudaChannelFormatDesc& format,
                           size_t bytes = 0xffffffff) {
  return cudaBindTexture(offset, (const textureReference*)&t, at, &format, bytes);
}
WW_TEXTURE cudaBindTexture(size_t* offset, WW_OF, const void* at, size_t bytes = 0xffffffff) {
  return cudaBindTexture(offset, t, at, t.channelDesc, bytes);
}
WW_TEXTURE cudaBindTexture2D(size_t* offset, WW_OF, const void* at, const cudaChannelFormatDesc& format,
                             size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, (const textureReference*)&t, at, &format, width, height, pitch);
}
WW_TEXTURE cudaBindTexture2D(size_t* offset, WW_OF, const void* at, size_t width, size_t height,
                             size_t pitch) {
  return cudaBindTexture2D(offset, t, at, t.channelDesc, width, height, pitch);
}
WW_TEXTURE cudaBindTextureToArray(WW_OF, cudaArray_const_t array, const cudaChannelFormatDesc& format) {
  return cudaBindTextureToArray((const textureReference*)&t, array, &format);
}
WW_TEXTURE cudaBindTextureToArray(WW_OF, cudaArray_const_t array) {
  return cudaBindTextureToArray(t, array, t.channelDesc);
}
WW_TEXTURE cudaBindTextureToMipmappedArray(WW_OF, cudaMipmappedArray_const_t array,
                                           const cudaChannelFormatDesc& format) {
  return cudaBindTextureToMipmappedArray((const textureReference*)&t, array, &format);
}
WW_TEXTURE cudaBindTextureToMipmappedArray(WW_OF, cudaMipmappedArray_const_t array) {
  return cudaBindTextureToMipmappedArray(t, array, t.channelDesc);
}
WW_TEXTURE cudaUnbindTexture(WW_OF) { return cudaUnbindTexture((const textureReference*)&t); }
WW_TEXTURE cudaGetTextureAlignmentOffset(size_t* offset, WW_OF) {
  return cudaGetTextureAlignmentOffset(offset, (const textureReference*)&t);
}
#undef WW_OF
#undef WW_TEXTURE
template <class T, int shape>
inline cudaError_t cudaBindSurfaceToArray(const surface<T, shape>& s, cudaArray_const_t array,
                                          const cudaChannelFormatDesc& format) {
  return cudaBindSurfaceToArray((const surfaceReference*)&s, array, &format);
}
template <class T, int shape>
inline cudaError_t cudaBindSurfaceToArray(const surface<T, shape>& s, cudaArray_const_t array) {
  return cudaBindSurfaceToArray((const surfaceReference*)&s, array, nullptr);
}

namespace ww_types {
/// The object of a reference. On the device a reference is the address of its variable.
template <class Reference>
static __device__ __inline__ unsigned long long object_of(Reference reference) {
  unsigned long long object = 0;
#ifdef __CUDA_ARCH__
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(object) : "l"(reference));
#endif
  return object;
}

/// What a fetch gives: the element, or as many floats as it has components.
template <class T, enum cudaTextureReadMode mode>
struct Texel {
  typedef T Type;
};
#define WW_TEXEL(T, Floats)                      \
  template <>                                    \
  struct Texel<T, cudaReadModeNormalizedFloat> { \
    typedef Floats Type;                         \
  };
#define WW_TEXELS(name, plain) \
  WW_TEXEL(plain, float) WW_TEXEL(name##1, float1) WW_TEXEL(name##2, float2) WW_TEXEL(name##4, float4)
WW_TEXELS(char, char)
WW_TEXELS(uchar, unsigned char)
WW_TEXELS(short, short)
WW_TEXELS(ushort, unsigned short)
WW_TEXEL(signed char, float)
#undef WW_TEXELS
#undef WW_TEXEL
}  // namespace ww_types

// Fetching, for kernels.
#define WW_TEXTURE(name, Parameters, ...)                                                              \
  template <class T, int shape, enum cudaTextureReadMode mode>                                         \
  static __device__ __inline__ typename ww_types::Texel<T, mode>::Type name(texture<T, shape, mode> t, \
                                                                            WW_REST Parameters) {      \
    return name<typename ww_types::Texel<T, mode>::Type>(ww_types::object_of(t), __VA_ARGS__);         \
  }
#define WW_REST(...) __VA_ARGS__
WW_TEXTURE(tex1Dfetch, (int x), x)
WW_TEXTURE(tex1D, (float x), x)
WW_TEXTURE(tex2D, (float x, float y), x, y)
WW_TEXTURE(tex3D, (float x, float y, float z), x, y, z)
WW_TEXTURE(tex1DLayered, (float x, int layer), x, layer)
WW_TEXTURE(tex2DLayered, (float x, float y, int layer), x, y, layer)
WW_TEXTURE(texCubemap, (float x, float y, float z), x, y, z)
#undef WW_TEXTURE

#define WW_SURFACE(n, Parameters, ...)                                                              \
  template <class T, class Of, int shape>                                                           \
  static __device__ __inline__ T surf##n##Dread(surface<Of, shape> s, WW_REST Parameters,           \
                                                int mode = cudaBoundaryModeTrap) {                  \
    return surf##n##Dread<T>(ww_types::object_of(s), __VA_ARGS__, mode);                            \
  }                                                                                                 \
  template <class T, class Of, int shape>                                                           \
  static __device__ __inline__ void surf##n##Dread(T* to, surface<Of, shape> s, WW_REST Parameters, \
                                                   int mode = cudaBoundaryModeTrap) {               \
    surf##n##Dread(to, ww_types::object_of(s), __VA_ARGS__, mode);                                  \
  }                                                                                                 \
  template <class T, class Of, int shape>                                                           \
  static __device__ __inline__ void surf##n##Dwrite(T v, surface<Of, shape> s, WW_REST Parameters,  \
                                                    int mode = cudaBoundaryModeTrap) {              \
    surf##n##Dwrite(v, ww_types::object_of(s), __VA_ARGS__, mode);                                  \
  }
WW_SURFACE(1, (int x), x)
WW_SURFACE(2, (int x, int y), x, y)
WW_SURFACE(3, (int x, int y, int z), x, y, z)
#undef WW_SURFACE
#undef WW_REST
