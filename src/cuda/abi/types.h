// The structs of CUDA's C interface that pass between a program and us, laid out as the manual's.
// tests/cuda_api holds them against the installed CUDA headers where there are any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/abi/error.h"

/// Functions that programs call: C names, exported from the shared library.
#define WW_CUDA_API extern "C" __attribute__((visibility("default")))

namespace ww::cuda {

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

// What programs hold are addresses of our own objects (core/).
struct Stream;
struct Event;
struct Array;
struct MipmappedArray;
struct Function;
struct Graph;
struct GraphNode;
struct GraphExec;
struct Pool;
struct UserObject;
class CodeModule;
struct DeviceContext;

struct Dim3 {
  u32 x = 1, y = 1, z = 1;
  u64 count() const { return u64{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

enum class CopyKind : int {
  HostToHost = 0,
  HostToDevice = 1,
  DeviceToHost = 2,
  DeviceToDevice = 3,
  Default = 4
};

enum class ChannelKind : int { Signed = 0, Unsigned = 1, Float = 2, None = 3 };
struct ChannelDesc {  // bits of each component
  int x, y, z, w;
  ChannelKind f;
  bool operator==(const ChannelDesc&) const = default;
};

struct Extent {
  size_t width, height, depth;
};
struct Pos {
  size_t x, y, z;
};
struct PitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};
struct Memcpy3D {
  Array* src_array;
  Pos src_pos;
  PitchedPtr src_ptr;
  Array* dst_array;
  Pos dst_pos;
  PitchedPtr dst_ptr;
  Extent extent;
  CopyKind kind;
};
struct Memcpy3DPeer {
  Array* src_array;
  Pos src_pos;
  PitchedPtr src_ptr;
  int src_device;
  Array* dst_array;
  Pos dst_pos;
  PitchedPtr dst_ptr;
  int dst_device;
  Extent extent;
};

enum class MemoryType : int { Unregistered = 0, Host = 1, Device = 2, Managed = 3 };
struct PointerAttributes {
  MemoryType type;
  int device;
  void* device_pointer;
  void* host_pointer;
  long reserved[8];  // since CUDA 13
};

struct FuncAttributes {
  size_t shared_bytes, const_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
  int max_dynamic_shared, preferred_carveout;
  // since CUDA 12
  int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy, non_portable_cluster;
  int reserved[16];
};

struct MemLocation {
  int type;  // 1: device, 2: host
  int id;
};
struct MemAccessDesc {
  MemLocation location;
  int flags;
};
struct MemPoolProps {
  int alloc_type, handle_types;
  MemLocation location;
  void* security;
  size_t max_size;
  unsigned short usage;
  unsigned char reserved[54];
};

union LaunchAttributeValue {
  char pad[64];
  struct {
    u32 x, y, z;
  } cluster;
  int number;
  struct {
    Event* event;
    int flags, trigger_at_block_start;
  } programmatic_event;
};
struct LaunchAttribute {
  int id;
  char pad[4];
  LaunchAttributeValue value;
};
struct LaunchConfig {
  Dim3 grid, block;
  size_t dynamic_shared;
  Stream* stream;
  LaunchAttribute* attributes;
  u32 count;
};

struct Uuid {
  char bytes[16];
};

}  // namespace ww::cuda
