// NCCL behind device/collective.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/collective.h"
#include "device/driver/cuda_api.h"

namespace ww::device::driver {

// The part of nccl.h that is used, as every version since 2.7 has it; tests/unit/device_nccl_abi_test.cpp
// holds it against NVIDIA's header.
using NcclResult = int;
using NcclComm = struct NcclCommTag*;
enum NcclDataType : int { kNcclInt8 = 0 };

// X(member, exported symbol, result, parameters…)
#define WW_NCCL_FUNCTIONS(X)                                                                                 \
  X(version, ncclGetVersion, NcclResult, int*)                                                               \
  X(error_string, ncclGetErrorString, const char*, NcclResult)                                               \
  X(init_all, ncclCommInitAll, NcclResult, NcclComm*, int, const int*)                                       \
  X(destroy, ncclCommDestroy, NcclResult, NcclComm)                                                          \
  X(abort, ncclCommAbort, NcclResult, NcclComm)                                                              \
  X(group_start, ncclGroupStart, NcclResult)                                                                 \
  X(group_end, ncclGroupEnd, NcclResult)                                                                     \
  X(broadcast, ncclBroadcast, NcclResult, const void*, void*, size_t, NcclDataType, int, NcclComm, CuStream) \
  X(send, ncclSend, NcclResult, const void*, size_t, NcclDataType, int, NcclComm, CuStream)                  \
  X(receive, ncclRecv, NcclResult, void*, size_t, NcclDataType, int, NcclComm, CuStream)

/// Error: no such library, one that is too old, GPUs that it cannot join.
Result<std::unique_ptr<Collective>> open_nccl(const std::vector<Streams*>& gpus, const std::string& path);

}  // namespace ww::device::driver
