// Our declarations of the driver API against NVIDIA's, where the toolkit is installed.
#include <gtest/gtest.h>

#include "device/driver/driver.h"
#include "device_abi.h"

#ifdef WW_CUDA_HEADER
#define __CUDA_API_VERSION_INTERNAL  // declares every version of every function under its own name
#include <cuda.h>

namespace ww::device::driver {
namespace {

#define WW_SAME(member, exported, ...)                                    \
  static_assert(same_abi(static_cast<CuResult (*)(__VA_ARGS__)>(nullptr), \
                         static_cast<decltype(&::exported)>(nullptr)),    \
                #exported);
WW_CUDA_FUNCTIONS(WW_SAME)
WW_CUDA_LATER_FUNCTIONS(WW_SAME)
#undef WW_SAME
static_assert(kTensorF16 == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 &&
              kTensorF32 == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 &&
              kTensorBf16 == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 &&
              kTensorSwizzle128 == CU_TENSOR_MAP_SWIZZLE_128B &&
              kTensorPromote256 == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);

// Padding of ours stands for what their unions hold besides.
using TheirPitch = decltype(CUDA_RESOURCE_DESC{}.res.pitch2D);
static_assert(sizeof(CuTextureResource) == sizeof(CUDA_RESOURCE_DESC) &&
              sizeof(CuTextureReading) == sizeof(CUDA_TEXTURE_DESC) &&
              sizeof(CuTexture) == sizeof(CUtexObject));
static_assert(offsetof(CuTextureResource, address) == offsetof(CUDA_RESOURCE_DESC, res) &&
              offsetof(CuTextureResource, format) - offsetof(CuTextureResource, address) ==
                  offsetof(TheirPitch, format) &&
              offsetof(CuTextureResource, width) - offsetof(CuTextureResource, address) ==
                  offsetof(TheirPitch, width) &&
              offsetof(CuTextureResource, row_bytes) - offsetof(CuTextureResource, address) ==
                  offsetof(TheirPitch, pitchInBytes) &&
              offsetof(CuTextureResource, flags) == offsetof(CUDA_RESOURCE_DESC, flags));
static_assert(offsetof(CuTextureReading, filter) == offsetof(CUDA_TEXTURE_DESC, filterMode) &&
              offsetof(CuTextureReading, flags) == offsetof(CUDA_TEXTURE_DESC, flags) &&
              offsetof(CuTextureReading, border) == offsetof(CUDA_TEXTURE_DESC, borderColor));
static_assert(sizeof(CuUuid) == sizeof(CUuuid) && sizeof(CuAddress) == sizeof(CUdeviceptr));

TEST(CudaAbi, ConstantsAreThoseOfTheHeader) {
  EXPECT_EQ(int{kOutOfMemory}, int{CUDA_ERROR_OUT_OF_MEMORY});
  EXPECT_EQ(int{kDeinitialized}, int{CUDA_ERROR_DEINITIALIZED});
  EXPECT_EQ(int{kStubLibrary}, int{CUDA_ERROR_STUB_LIBRARY});
  EXPECT_EQ(int{kDeviceUnavailable}, int{CUDA_ERROR_DEVICE_UNAVAILABLE});
  EXPECT_EQ(int{kNoDevice}, int{CUDA_ERROR_NO_DEVICE});
  EXPECT_EQ(int{kInvalidImage}, int{CUDA_ERROR_INVALID_IMAGE});
  EXPECT_EQ(int{kNoBinaryForGpu}, int{CUDA_ERROR_NO_BINARY_FOR_GPU});
  EXPECT_EQ(int{kEccUncorrectable}, int{CUDA_ERROR_ECC_UNCORRECTABLE});
  EXPECT_EQ(int{kInvalidPtx}, int{CUDA_ERROR_INVALID_PTX});
  EXPECT_EQ(int{kNvlinkUncorrectable}, int{CUDA_ERROR_NVLINK_UNCORRECTABLE});
  EXPECT_EQ(int{kJitCompilerNotFound}, int{CUDA_ERROR_JIT_COMPILER_NOT_FOUND});
  EXPECT_EQ(int{kUnsupportedPtxVersion}, int{CUDA_ERROR_UNSUPPORTED_PTX_VERSION});
  EXPECT_EQ(int{kIllegalAddress}, int{CUDA_ERROR_ILLEGAL_ADDRESS});
  EXPECT_EQ(int{kLaunchTimeout}, int{CUDA_ERROR_LAUNCH_TIMEOUT});
  EXPECT_EQ(int{kAssert}, int{CUDA_ERROR_ASSERT});
  EXPECT_EQ(int{kHardwareStackError}, int{CUDA_ERROR_HARDWARE_STACK_ERROR});
  EXPECT_EQ(int{kIllegalInstruction}, int{CUDA_ERROR_ILLEGAL_INSTRUCTION});
  EXPECT_EQ(int{kMisalignedAddress}, int{CUDA_ERROR_MISALIGNED_ADDRESS});
  EXPECT_EQ(int{kInvalidAddressSpace}, int{CUDA_ERROR_INVALID_ADDRESS_SPACE});
  EXPECT_EQ(int{kInvalidPc}, int{CUDA_ERROR_INVALID_PC});
  EXPECT_EQ(int{kLaunchFailed}, int{CUDA_ERROR_LAUNCH_FAILED});
  EXPECT_EQ(int{kSystemNotReady}, int{CUDA_ERROR_SYSTEM_NOT_READY});
  EXPECT_EQ(int{kSystemDriverMismatch}, int{CUDA_ERROR_SYSTEM_DRIVER_MISMATCH});
  EXPECT_EQ(int{kMaxThreadsPerBlock}, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(int{kMaxBlockDimZ}, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  EXPECT_EQ(int{kMaxGridDimX}, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  EXPECT_EQ(int{kMaxSharedMemoryPerBlock}, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  EXPECT_EQ(int{kMultiprocessorCount}, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(int{kL2CacheSize}, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_EQ(int{kComputeCapabilityMajor}, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(int{kComputeCapabilityMinor}, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(int{kCooperativeLaunch}, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
  EXPECT_EQ(int{kMaxSharedMemoryPerBlockOptin}, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_EQ(int{kFunctionMaxThreadsPerBlock}, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(int{kFunctionSharedBytes}, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  EXPECT_EQ(int{kFunctionConstBytes}, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  EXPECT_EQ(int{kFunctionLocalBytes}, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  EXPECT_EQ(int{kFunctionRegisters}, CU_FUNC_ATTRIBUTE_NUM_REGS);
  EXPECT_EQ(int{kFunctionMaxDynamicShared}, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_EQ(int{kResourcePitch2D}, CU_RESOURCE_TYPE_PITCH2D);
  EXPECT_EQ(int{kFormatFloat}, CU_AD_FORMAT_FLOAT);
  EXPECT_EQ(int{kAddressWrap}, CU_TR_ADDRESS_MODE_WRAP);
  EXPECT_EQ(int{kAddressClamp}, CU_TR_ADDRESS_MODE_CLAMP);
  EXPECT_EQ(int{kFilterPoint}, CU_TR_FILTER_MODE_POINT);
  EXPECT_EQ(int{kFilterLinear}, CU_TR_FILTER_MODE_LINEAR);
  EXPECT_EQ(unsigned{kNormalizedCoordinates}, unsigned{CU_TRSF_NORMALIZED_COORDINATES});
  EXPECT_EQ(int{kInvalidValue}, int{CUDA_ERROR_INVALID_VALUE});
  EXPECT_EQ(int{kPeerAlreadyEnabled}, int{CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED});
  EXPECT_EQ(int{kManagedMemory}, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
  EXPECT_EQ(int{kPointerMemoryType}, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  EXPECT_EQ(int{kPointerDeviceAddress}, CU_POINTER_ATTRIBUTE_DEVICE_POINTER);
  EXPECT_EQ(int{kPointerIsManaged}, CU_POINTER_ATTRIBUTE_IS_MANAGED);
  EXPECT_EQ(int{kPointerDeviceOrdinal}, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
  EXPECT_EQ(int{kPointerRangeBytes}, CU_POINTER_ATTRIBUTE_RANGE_SIZE);
  EXPECT_EQ(int{kMemoryHost}, CU_MEMORYTYPE_HOST);
  EXPECT_EQ(int{kMemoryDevice}, CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(int{kPeerRank}, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK);
  EXPECT_EQ(int{kPeerAtomics}, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED);
  EXPECT_EQ(unsigned{kHostPortable}, unsigned{CU_MEMHOSTALLOC_PORTABLE});
  EXPECT_EQ(unsigned{kHostMapped}, unsigned{CU_MEMHOSTALLOC_DEVICEMAP});
  EXPECT_EQ(unsigned{kHostWriteCombined}, unsigned{CU_MEMHOSTALLOC_WRITECOMBINED});
  EXPECT_EQ(unsigned{kStreamNonBlocking}, unsigned{CU_STREAM_NON_BLOCKING});
  EXPECT_EQ(unsigned{kManagedGlobal}, unsigned{CU_MEM_ATTACH_GLOBAL});
  EXPECT_EQ(int{kJitErrorLog}, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(int{kJitErrorLogBytes}, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
}

}  // namespace
}  // namespace ww::device::driver
#endif

#ifdef WW_CUDA_STUB
namespace ww::device::driver {

TEST(CudaAbi, TheStubHasEveryFunctionAndIsCalledAStub) {
  auto driver = Driver::open(WW_CUDA_STUB);
  ASSERT_FALSE(driver);
  EXPECT_NE(driver.error()[0].message.find("stub"), std::string::npos) << driver.error()[0].message;
}

}  // namespace ww::device::driver
#endif
