// Descriptions of textures and surfaces, as the runtime's manual lays them out.
#pragma once

#include "cuda/abi/types.h"

namespace ww::cuda {

enum class ResourceType : int { Array = 0, MipmappedArray = 1, Linear = 2, Pitch2D = 3 };
struct ResourceDesc {
  ResourceType type;
  union {
    Array* array;
    MipmappedArray* mipmap;
    struct {
      void* pointer;
      ChannelDesc desc;
      size_t bytes;
    } linear;
    struct {
      void* pointer;
      ChannelDesc desc;
      size_t width, height, pitch;
    } pitch2d;
    int reserved[32];
  };
  u32 flags;  // since CUDA 13
};

struct TextureDesc {
  int address_mode[3];  // wrap, clamp, mirror, border
  int filter_mode;      // 0: point, 1: linear
  int read_mode;        // 0: element type, 1: normalized float
  int srgb;
  float border[4];
  int normalized_coordinates;
  u32 max_anisotropy;
  int mipmap_filter_mode;
  float mipmap_level_bias, min_mipmap_level, max_mipmap_level;
  int disable_trilinear;
  int seamless_cubemap;
};

struct ResourceViewDesc {
  int format;
  size_t width, height, depth;
  u32 first_level, last_level, first_layer, last_layer;
  u32 reserved[16];
};

}  // namespace ww::cuda
