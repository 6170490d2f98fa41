// Texture and surface objects (Programming Guide, Texture Functions, Surface Functions).
#pragma once

namespace ww_types {
/// What a fetch gives: four of float, int or unsigned, by the type that the program wants.
template <class T>
struct Fetched {
  typedef typename Fetched<decltype(T().x)>::Four Four;
};
#define WW_FETCHED(T, As) \
  template <>             \
  struct Fetched<T> {     \
    typedef As Four;      \
  };
WW_FETCHED(float, float4)
WW_FETCHED(char, int4)
WW_FETCHED(signed char, int4)
WW_FETCHED(short, int4)
WW_FETCHED(int, int4)
WW_FETCHED(unsigned char, uint4)
WW_FETCHED(unsigned short, uint4)
WW_FETCHED(unsigned, uint4)
#undef WW_FETCHED

template <class T, int n>
struct Taken {
  template <class V>
  static __device__ T from(V v) {
    return (T)v.x;
  }
};
#define WW_TAKEN(T, n, list)        \
  template <>                       \
  struct Taken<T, n> {              \
    template <class V>              \
    static __device__ T from(V v) { \
      typedef decltype(T().x) E;    \
      return T{list};               \
    }                               \
  };
#define WW_1 (E) v.x
#define WW_2 (E) v.x, (E)v.y
#define WW_4 (E) v.x, (E)v.y, (E)v.z, (E)v.w
#define WW_TAKEN_ALL(name) WW_TAKEN(name##1, 0, WW_1) WW_TAKEN(name##2, 0, WW_2) WW_TAKEN(name##4, 0, WW_4)
WW_TAKEN_ALL(float)
WW_TAKEN_ALL(char)
WW_TAKEN_ALL(uchar)
WW_TAKEN_ALL(short)
WW_TAKEN_ALL(ushort)
WW_TAKEN_ALL(int)
WW_TAKEN_ALL(uint)
#undef WW_TAKEN_ALL
#undef WW_TAKEN
#undef WW_1
#undef WW_2
#undef WW_4

#define WW_TEXTURE(name, Parameters, shape, coordinates, operands, ...)                              \
  template <class Four>                                                                              \
  struct name;                                                                                       \
  WW_TEXTURE_OF(name, float4, Parameters, shape ".v4.f32." coordinates, operands, "=f", __VA_ARGS__) \
  WW_TEXTURE_OF(name, int4, Parameters, shape ".v4.s32." coordinates, operands, "=r", __VA_ARGS__)   \
  WW_TEXTURE_OF(name, uint4, Parameters, shape ".v4.u32." coordinates, operands, "=r", __VA_ARGS__)
#define WW_LIST(...) __VA_ARGS__
#define WW_TEXTURE_OF(name, Four, Parameters, instruction, operands, kind, ...)             \
  template <>                                                                               \
  struct name<Four> {                                                                       \
    static __device__ __inline__ Four get(cudaTextureObject_t object, WW_LIST Parameters) { \
      Four v;                                                                               \
      asm volatile("tex." instruction " {%0, %1, %2, %3}, [%4, " operands "];"              \
                   : kind(v.x), kind(v.y), kind(v.z), kind(v.w)                             \
                   : "l"(object), __VA_ARGS__);                                             \
      return v;                                                                             \
    }                                                                                       \
  };
WW_TEXTURE(Fetch1D, (int x), "1d", "s32", "{%5}", "r"(x))
WW_TEXTURE(Sample1D, (float x), "1d", "f32", "{%5}", "f"(x))
WW_TEXTURE(Sample2D, (float x, float y), "2d", "f32", "{%5, %6}", "f"(x), "f"(y))
WW_TEXTURE(Sample3D, (float x, float y, float z), "3d", "f32", "{%5, %6, %7, %7}", "f"(x), "f"(y), "f"(z))
WW_TEXTURE(Layer1D, (float x, int layer), "a1d", "f32", "{%5, %6}", "r"(layer), "f"(x))
WW_TEXTURE(Layer2D, (float x, float y, int layer), "a2d", "f32", "{%5, %6, %7, %7}", "r"(layer), "f"(x),
           "f"(y))
WW_TEXTURE(Cube, (float x, float y, float z), "cube", "f32", "{%5, %6, %7, %7}", "f"(x), "f"(y), "f"(z))
#undef WW_TEXTURE
#undef WW_TEXTURE_OF
#undef WW_LIST
}  // namespace ww_types

#define WW_TEXTURE(name, Reader, Parameters, ...)                                 \
  template <class T>                                                              \
  static __device__ __inline__ T name Parameters {                                \
    return ww_types::Taken<T, 0>::from(                                           \
        ww_types::Reader<typename ww_types::Fetched<T>::Four>::get(__VA_ARGS__)); \
  }                                                                               \
  template <class T>                                                              \
  static __device__ __inline__ void name(T* to, WW_REST Parameters) {             \
    *to = name<T>(__VA_ARGS__);                                                   \
  }
#define WW_REST(...) __VA_ARGS__
WW_TEXTURE(tex1Dfetch, Fetch1D, (cudaTextureObject_t object, int x), object, x)
WW_TEXTURE(tex1D, Sample1D, (cudaTextureObject_t object, float x), object, x)
WW_TEXTURE(tex2D, Sample2D, (cudaTextureObject_t object, float x, float y), object, x, y)
WW_TEXTURE(tex3D, Sample3D, (cudaTextureObject_t object, float x, float y, float z), object, x, y, z)
WW_TEXTURE(tex1DLayered, Layer1D, (cudaTextureObject_t object, float x, int layer), object, x, layer)
WW_TEXTURE(tex2DLayered, Layer2D, (cudaTextureObject_t object, float x, float y, int layer), object, x, y,
           layer)
WW_TEXTURE(texCubemap, Cube, (cudaTextureObject_t object, float x, float y, float z), object, x, y, z)
#undef WW_TEXTURE
#undef WW_REST

namespace ww_types {
/// Moves a value of n bytes between registers and a surface; the first coordinate is in bytes. Beside the
/// surface `mode` says what happens: 0 is read and nothing written, the nearest place counts, or the kernel
/// is ended.
template <int n>
struct Moved;
#define WW_BY_MODE(mode, before, after, ...)           \
  switch (mode) {                                      \
    case cudaBoundaryModeZero:                         \
      asm volatile(before ".zero" after __VA_ARGS__);  \
      break;                                           \
    case cudaBoundaryModeClamp:                        \
      asm volatile(before ".clamp" after __VA_ARGS__); \
      break;                                           \
    default:                                           \
      asm volatile(before ".trap" after __VA_ARGS__);  \
  }
#define WW_SURFACE(n, W, width, kind)                                                                   \
  template <>                                                                                           \
  struct Moved<n> {                                                                                     \
    typedef W Word;                                                                                     \
    WW_SURFACE_OF("1d", width, "{%2}", kind, (int x), "r"(x))                                           \
    WW_SURFACE_OF("2d", width, "{%2, %3}", kind, (int x, int y), "r"(x), "r"(y))                        \
    WW_SURFACE_OF("3d", width, "{%2, %3, %4, %4}", kind, (int x, int y, int z), "r"(x), "r"(y), "r"(z)) \
  };
#define WW_REST(...) __VA_ARGS__
#define WW_SURFACE_OF(shape, width, at, kind, Parameters, ...)                                             \
  static __device__ __inline__ Word read(int mode, cudaSurfaceObject_t o, WW_REST Parameters) {            \
    Word v;                                                                                                \
    WW_BY_MODE(mode, "suld.b." shape "." width, " %0, [%1, " at "];", : "=" kind(v) : "l"(o), __VA_ARGS__) \
    return v;                                                                                              \
  }                                                                                                        \
  static __device__ __inline__ void write(Word v, int mode, cudaSurfaceObject_t o, WW_REST Parameters) {   \
    WW_BY_MODE(mode, "sust.b." shape "." width, " [%1, " at "], %0;", ::kind(v), "l"(o), __VA_ARGS__)      \
  }
WW_SURFACE(1, unsigned short, "b8", "h")
WW_SURFACE(2, unsigned short, "b16", "h")
WW_SURFACE(4, unsigned, "b32", "r")
WW_SURFACE(8, unsigned long long, "b64", "l")
#undef WW_SURFACE
#undef WW_SURFACE_OF
#undef WW_BY_MODE
#undef WW_REST
template <class T, class... At>
static __device__ __inline__ T surface_value(int mode, cudaSurfaceObject_t object, At... at) {
  auto word = Moved<sizeof(T)>::read(mode, object, at...);
  T value;
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}
template <class T, class... At>
static __device__ __inline__ void set_surface_value(T value, int mode, cudaSurfaceObject_t object, At... at) {
  typename Moved<sizeof(T)>::Word word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  Moved<sizeof(T)>::write(word, mode, object, at...);
}
}  // namespace ww_types

#define WW_SURFACE(n, Parameters, ...)                                                               \
  template <class T>                                                                                 \
  static __device__ __inline__ T surf##n##Dread(cudaSurfaceObject_t o, WW_REST Parameters,           \
                                                int mode = cudaBoundaryModeTrap) {                   \
    return ww_types::surface_value<T>(mode, o, __VA_ARGS__);                                         \
  }                                                                                                  \
  template <class T>                                                                                 \
  static __device__ __inline__ void surf##n##Dread(T* to, cudaSurfaceObject_t o, WW_REST Parameters, \
                                                   int mode = cudaBoundaryModeTrap) {                \
    *to = ww_types::surface_value<T>(mode, o, __VA_ARGS__);                                          \
  }                                                                                                  \
  template <class T>                                                                                 \
  static __device__ __inline__ void surf##n##Dwrite(T v, cudaSurfaceObject_t o, WW_REST Parameters,  \
                                                    int mode = cudaBoundaryModeTrap) {               \
    ww_types::set_surface_value(v, mode, o, __VA_ARGS__);                                            \
  }
#define WW_REST(...) __VA_ARGS__
WW_SURFACE(1, (int x), x)
WW_SURFACE(2, (int x, int y), x, y)
WW_SURFACE(3, (int x, int y, int z), x, y, z)
#undef WW_SURFACE
#undef WW_REST
