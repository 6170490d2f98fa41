// Parameters of graph nodes, as the runtime's manual lays them out.
#pragma once

#include "cuda/abi/types.h"

namespace ww::cuda {

struct KernelNodeParams {
  void* function;
  Dim3 grid, block;
  u32 shared;
  void** arguments;
  void** extra;
};
struct MemsetParams {
  void* to;
  size_t pitch;
  u32 value, element;
  size_t width, height;
};
struct HostNodeParams {
  void (*function)(void*);
  void* data;
};
struct MemAllocNodeParams {
  MemPoolProps props;
  const MemAccessDesc* access;
  size_t access_count, bytes;
  void* pointer;
};
struct GraphNodeParams {
  int type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelNodeParams kernel;
    struct {
      int flags, reserved[3];
      Memcpy3D params;
    } copy;
    MemsetParams memset;
    HostNodeParams host;
    struct {
      Graph* graph;
      int ownership;
    } child;
    Event* event;
    MemAllocNodeParams alloc;
    void* freed;
    struct {
      u64 handle;
      int type;
      u32 size;
      Graph** graphs;
    } conditional;
  };
  long long reserved2;
};
struct GraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};
struct GraphInstantiateParams {
  unsigned long long flags;
  Stream* upload_stream;
  GraphNode* error_node;
  int result;
};
struct GraphExecUpdateResultInfo {
  int result;
  GraphNode *error_node, *error_from_node;
};

}  // namespace ww::cuda
