// The CUDA driver, opened at run time: the functions that the library calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_library/kernels.h"

namespace warpwright {

using Address = unsigned long long;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;

/// CUlaunchAttribute.
struct LaunchAttribute {
  enum { kClusterDimension = 4, kProgrammaticStreamSerialization = 6 };  // CUlaunchAttributeID
  int id;
  int padding;
  unsigned value[3];
  char rest[52];
};
static_assert(sizeof(LaunchAttribute) == 72);
/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  Stream stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// Types and values are those of cuda.h.
struct Driver {
  int (*cuDriverGetVersion)(int*);
  int (*cuCtxGetCurrent)(Context*);
  int (*cuCtxGetId)(Context, unsigned long long*);
  int (*cuCtxGetDevice)(int*);
  int (*cuDeviceGetAttribute)(int*, int, int);
  int (*cuModuleLoadData)(Module*, const void*);
  int (*cuModuleGetFunction)(Function*, Module, const char*);
  int (*cuModuleGetGlobal)(Address*, size_t*, Module, const char*);
  int (*cuFuncSetAttribute)(Function, int, int);
  int (*cuLaunchKernel)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        Stream, void**, void**);
  int (*cuLaunchKernelEx)(const LaunchConfig*, Function, void**, void**);
  int (*cuMemsetD32Async)(Address, unsigned, size_t, Stream);
  int (*cuMemsetD2D32Async)(Address, size_t, unsigned, size_t, size_t, Stream);
  int (*cuMemsetD2D16Async)(Address, size_t, unsigned short, size_t, size_t, Stream);
  int (*cuTensorMapEncodeTiled)(void*, int, uint32_t, void*, const uint64_t*, const uint64_t*,
                                const uint32_t*, const uint32_t*, int, int, int, int);

  /// Null where there is no driver, or one too old to have all of these (CUDA 12).
  static const Driver* get();
};

/// Status::ok for 0; else keeps the code for last_driver_error().
Status check_driver(int code);
/// Of this thread.
int last_driver_error();

}  // namespace warpwright
