// The part of the CUDA driver API that is used, declared here so that the build needs no CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ww::device::driver {

using CuResult = int;
using CuDevice = int;
using CuAddress = unsigned long long;
using CuContext = struct CuContextTag*;
using CuModule = struct CuModuleTag*;
using CuFunction = struct CuFunctionTag*;
using CuStream = struct CuStreamTag*;
using CuEvent = struct CuEventTag*;
using CuTexture = unsigned long long;
struct CuUuid {
  char bytes[16];
};
/// What lies behind a texture; of its kinds only rows in linear memory (CUDA_RESOURCE_DESC, pitch2D).
struct CuTextureResource {
  int kind;
  CuAddress address;
  int format;
  unsigned channels;
  size_t width, height, row_bytes;
  char other_kinds[88];
  unsigned flags;
};
/// How it is read (CUDA_TEXTURE_DESC).
struct CuTextureReading {
  int address_mode[3];
  int filter;
  unsigned flags, max_anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_least, mipmap_most;
  float border[4];
  int reserved[12];
};

// Values of cuda.h; tests/unit/device_cuda_abi_test.cpp holds them against the toolkit's header.
enum CuResultCode : CuResult {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kDeinitialized = 4,
  kStubLibrary = 34,
  kDeviceUnavailable = 46,
  kNoDevice = 100,
  kInvalidImage = 200,
  kNoBinaryForGpu = 209,
  kEccUncorrectable = 214,
  kInvalidPtx = 218,
  kNvlinkUncorrectable = 220,
  kJitCompilerNotFound = 221,
  kUnsupportedPtxVersion = 222,
  kContained = 226,
  kNotFound = 500,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kPeerAlreadyEnabled = 704,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailed = 719,
  kCooperativeLaunchTooLarge = 720,
  kTensorMemoryLeak = 721,
  kSystemNotReady = 802,
  kSystemDriverMismatch = 803,
  kUnknown = 999,
};

enum CuDeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockDimX = 2,
  kMaxBlockDimY = 3,
  kMaxBlockDimZ = 4,
  kMaxGridDimX = 5,
  kMaxGridDimY = 6,
  kMaxGridDimZ = 7,
  kMaxSharedMemoryPerBlock = 8,
  kMultiprocessorCount = 16,
  kL2CacheSize = 38,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kManagedMemory = 83,
  kCooperativeLaunch = 95,
  kMaxSharedMemoryPerBlockOptin = 97,
};

enum CuFunctionAttribute : int {
  kFunctionMaxThreadsPerBlock = 0,
  kFunctionSharedBytes = 1,
  kFunctionConstBytes = 2,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionPtxVersion = 5,
  kFunctionBinaryVersion = 6,
  kFunctionMaxDynamicShared = 8,
};

// Of textures.
enum : int { kResourcePitch2D = 3, kFormatFloat = 0x20 };
enum : int { kAddressWrap = 0, kAddressClamp = 1, kFilterPoint = 0, kFilterLinear = 1 };
enum : unsigned { kNormalizedCoordinates = 2 };
// CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapL2promotion.
enum : int { kTensorF16 = 6, kTensorF32 = 7, kTensorBf16 = 9, kTensorSwizzle128 = 3, kTensorPromote256 = 3 };
enum CuPointerAttribute : int {
  kPointerMemoryType = 2,
  kPointerDeviceAddress = 3,
  kPointerIsManaged = 8,
  kPointerDeviceOrdinal = 9,
  kPointerRangeBytes = 12,
};
enum CuMemoryType : int { kMemoryHost = 1, kMemoryDevice = 2 };
enum CuPeerAttribute : int { kPeerRank = 1, kPeerAtomics = 3 };
enum CuHostFlag : unsigned { kHostPortable = 1, kHostMapped = 2, kHostWriteCombined = 4 };
enum CuStreamFlag : unsigned { kStreamNonBlocking = 1 };
enum CuManagedFlag : unsigned { kManagedGlobal = 1 };

/// CUlaunchAttribute, CUlaunchConfig.
struct CuLaunchAttribute {
  int id = 0, padding = 0;
  unsigned value[16] = {};
};
struct CuLaunchConfig {
  unsigned grid[3], block[3], shared;
  CuStream stream;
  const CuLaunchAttribute* attributes;
  unsigned attribute_count;
};
enum : int { kLaunchCluster = 4 };

enum CuJitOption : int { kJitErrorLog = 5, kJitErrorLogBytes = 6, kJitOptimizationLevel = 7 };

// X(member of Driver, exported symbol, parameters…). The symbols are those that every driver since CUDA 11.4
// exports with exactly these parameters.
#define WW_CUDA_FUNCTIONS(X)                                                                           \
  X(init, cuInit, unsigned)                                                                            \
  X(driver_version, cuDriverGetVersion, int*)                                                          \
  X(error_name, cuGetErrorName, CuResult, const char**)                                                \
  X(error_string, cuGetErrorString, CuResult, const char**)                                            \
  X(device_count, cuDeviceGetCount, int*)                                                              \
  X(device_get, cuDeviceGet, CuDevice*, int)                                                           \
  X(device_name, cuDeviceGetName, char*, int, CuDevice)                                                \
  X(device_uuid, cuDeviceGetUuid_v2, CuUuid*, CuDevice)                                                \
  X(device_pci_bus_id, cuDeviceGetPCIBusId, char*, int, CuDevice)                                      \
  X(device_memory, cuDeviceTotalMem_v2, size_t*, CuDevice)                                             \
  X(device_attribute, cuDeviceGetAttribute, int*, CuDeviceAttribute, CuDevice)                         \
  X(primary_retain, cuDevicePrimaryCtxRetain, CuContext*, CuDevice)                                    \
  X(primary_release, cuDevicePrimaryCtxRelease_v2, CuDevice)                                           \
  X(primary_reset, cuDevicePrimaryCtxReset_v2, CuDevice)                                               \
  X(set_current, cuCtxSetCurrent, CuContext)                                                           \
  X(synchronize, cuCtxSynchronize)                                                                     \
  X(memory_info, cuMemGetInfo_v2, size_t*, size_t*)                                                    \
  X(allocate, cuMemAlloc_v2, CuAddress*, size_t)                                                       \
  X(free, cuMemFree_v2, CuAddress)                                                                     \
  X(write, cuMemcpyHtoD_v2, CuAddress, const void*, size_t)                                            \
  X(read, cuMemcpyDtoH_v2, void*, CuAddress, size_t)                                                   \
  X(fill, cuMemsetD8Async, CuAddress, unsigned char, size_t, CuStream)                                 \
  X(module_load, cuModuleLoadDataEx, CuModule*, const void*, unsigned, CuJitOption*, void**)           \
  X(module_unload, cuModuleUnload, CuModule)                                                           \
  X(module_function, cuModuleGetFunction, CuFunction*, CuModule, const char*)                          \
  X(function_attribute, cuFuncGetAttribute, int*, CuFunctionAttribute, CuFunction)                     \
  X(set_function_attribute, cuFuncSetAttribute, CuFunction, CuFunctionAttribute, int)                  \
  X(resident_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor, int*, CuFunction, int, size_t)       \
  X(launch, cuLaunchKernel, CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,    \
    unsigned, CuStream, void**, void**)                                                                \
  X(launch_cooperative, cuLaunchCooperativeKernel, CuFunction, unsigned, unsigned, unsigned, unsigned, \
    unsigned, unsigned, unsigned, CuStream, void**)                                                    \
  X(texture_create, cuTexObjectCreate, CuTexture*, const CuTextureResource*, const CuTextureReading*,  \
    const void*)                                                                                       \
  X(texture_destroy, cuTexObjectDestroy, CuTexture)                                                    \
  X(event_create, cuEventCreate, CuEvent*, unsigned)                                                   \
  X(event_record, cuEventRecord, CuEvent, CuStream)                                                    \
  X(event_synchronize, cuEventSynchronize, CuEvent)                                                    \
  X(event_elapsed_ms, cuEventElapsedTime, float*, CuEvent, CuEvent)                                    \
  X(event_destroy, cuEventDestroy_v2, CuEvent)                                                         \
  X(stream_create, cuStreamCreate, CuStream*, unsigned)                                                \
  X(stream_destroy, cuStreamDestroy_v2, CuStream)                                                      \
  X(stream_synchronize, cuStreamSynchronize, CuStream)                                                 \
  X(stream_wait, cuStreamWaitEvent, CuStream, CuEvent, unsigned)                                       \
  X(write_async, cuMemcpyHtoDAsync_v2, CuAddress, const void*, size_t, CuStream)                       \
  X(read_async, cuMemcpyDtoHAsync_v2, void*, CuAddress, size_t, CuStream)                              \
  X(copy_peer_async, cuMemcpyPeerAsync, CuAddress, CuContext, CuAddress, CuContext, size_t, CuStream)  \
  X(host_allocate, cuMemHostAlloc, void**, size_t, unsigned)                                           \
  X(host_free, cuMemFreeHost, void*)                                                                   \
  X(host_address, cuMemHostGetDevicePointer_v2, CuAddress*, void*, unsigned)                           \
  X(managed_allocate, cuMemAllocManaged, CuAddress*, size_t, unsigned)                                 \
  X(pointer_attribute, cuPointerGetAttribute, void*, CuPointerAttribute, CuAddress)                    \
  X(can_access_peer, cuDeviceCanAccessPeer, int*, CuDevice, CuDevice)                                  \
  X(peer_attribute, cuDeviceGetP2PAttribute, int*, CuPeerAttribute, CuDevice, CuDevice)                \
  X(enable_peer, cuCtxEnablePeerAccess, CuContext, unsigned)

/// The same of functions that drivers before CUDA 12 lack: null there.
#define WW_CUDA_LATER_FUNCTIONS(X)                                                           \
  X(tensor_map_encode, cuTensorMapEncodeTiled, void*, int, unsigned, void*, const uint64_t*, \
    const uint64_t*, const uint32_t*, const uint32_t*, int, int, int, int)                   \
  X(launch_with, cuLaunchKernelEx, const CuLaunchConfig*, CuFunction, void**, void**)

}  // namespace ww::device::driver
