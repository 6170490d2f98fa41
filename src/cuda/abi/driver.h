// The structs of the Driver API that the runtime has in another shape. tests/cuda_api holds them against the
// installed cuda.h where there is one.
#pragma once

#include "cuda/abi/graph.h"

namespace ww::cuda {

struct Context;
struct LinkState;

using DevicePointer = unsigned long long;  ///< CUdeviceptr
using Device = int;                        ///< CUdevice: the device's number

/// CUmemorytype.
enum class DriverMemory : int { Host = 1, Device = 2, Array = 3, Unified = 4 };

/// One side of CUDA_MEMCPY2D.
struct DriverPlace2D {
  size_t x_bytes, y;
  DriverMemory type;
  void* host;
  DevicePointer device;
  Array* array;
  size_t pitch;
};
struct DriverCopy2D {
  DriverPlace2D from, to;
  size_t width_bytes, height;
};
/// One side of CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER.
struct DriverPlace3D {
  size_t x_bytes, y, z, level;
  DriverMemory type;
  void* host;
  DevicePointer device;
  Array* array;
  void* context;  ///< of CUDA_MEMCPY3D_PEER, else 0
  size_t pitch, height;
};
struct DriverCopy3D {
  DriverPlace3D from, to;
  size_t width_bytes, height, depth;
};

/// CUDA_ARRAY_DESCRIPTOR and CUDA_ARRAY3D_DESCRIPTOR; formats are numbers of CUarray_format.
struct DriverArray2D {
  size_t width, height;
  int format;
  u32 channels;
};
struct DriverArray3D {
  size_t width, height, depth;
  int format;
  u32 channels, flags;
};

struct DriverResourceDesc {
  int type;  ///< as ResourceType
  union {
    Array* array;
    MipmappedArray* mipmap;
    struct {
      DevicePointer pointer;
      int format;
      u32 channels;
      size_t bytes;
    } linear;
    struct {
      DevicePointer pointer;
      int format;
      u32 channels;
      size_t width, height, pitch;
    } pitch2d;
    int reserved[32];
  };
  u32 flags;
};
struct DriverTextureDesc {
  int address_mode[3];
  int filter_mode;
  u32 flags;  ///< 1: integers stay integers, 2: normalized coordinates, 16: sRGB, 32: no trilinear, 64:
              ///< seamless
  u32 max_anisotropy;
  int mipmap_filter_mode;
  float mipmap_level_bias, min_mipmap_level, max_mipmap_level;
  float border[4];
  int reserved[12];
};

struct DriverLaunchConfig {
  Dim3 grid, block;
  u32 dynamic_shared;
  Stream* stream;
  LaunchAttribute* attributes;
  u32 count;
};

/// CUDA_KERNEL_NODE_PARAMS_v1; v2 has the kernel and the context behind it.
struct DriverKernelNode {
  Function* function;
  Dim3 grid, block;
  u32 shared;
  void** arguments;
  void** extra;
};
struct DriverKernelNode2 : DriverKernelNode {
  Function* kernel;
  Context* context;
};
/// CUgraphNodeParams: what differs from the runtime's GraphNodeParams.
struct DriverNodeParams {
  int type;
  int reserved0[3];
  union {
    long long reserved1[29];
    struct {
      Function* function;
      Dim3 grid, block;
      u32 shared;
      void** arguments;
      void** extra;
      Function* kernel;
      Context* context;
    } kernel;
    struct {
      int flags, reserved;
      Context* context;
      DriverCopy3D params;
    } copy;
  };
  long long reserved2;
};

struct MemAllocationProp {
  int type, handle_types;
  MemLocation location;
  void* security;
  unsigned char flags[8];
};

/// CUdevprop.
struct DriverDeviceProperties {
  int threads_per_block, threads_dim[3], grid_size[3], shared_per_block, constant_memory, warp, pitch,
      registers, clock, texture_alignment;
};

/// CUstreamBatchMemOpParams: wait (1, 4) and write (2, 5) of 32 and 64 bits, flush (3), barrier (6).
union StreamMemoryOperation {
  int operation;
  struct {
    int operation;
    DevicePointer address;
    unsigned long long value;
    u32 flags;
    DevicePointer alias;
  } value;
  unsigned long long pad[6];
};

}  // namespace ww::cuda
