#include "kernels_library/driver.h"

#include <dlfcn.h>

#include <type_traits>

namespace warpwright {

namespace {

thread_local int last_error = 0;

bool load(Driver& driver) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) return false;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
#define WW_FIND(name, symbol) find(driver.name, symbol)
  return WW_FIND(cuDriverGetVersion, "cuDriverGetVersion") && WW_FIND(cuCtxGetCurrent, "cuCtxGetCurrent") &&
         WW_FIND(cuCtxGetId, "cuCtxGetId") && WW_FIND(cuCtxGetDevice, "cuCtxGetDevice") &&
         WW_FIND(cuDeviceGetAttribute, "cuDeviceGetAttribute") &&
         WW_FIND(cuModuleLoadData, "cuModuleLoadData") &&
         WW_FIND(cuModuleGetFunction, "cuModuleGetFunction") &&
         WW_FIND(cuModuleGetGlobal, "cuModuleGetGlobal_v2") &&
         WW_FIND(cuFuncSetAttribute, "cuFuncSetAttribute") && WW_FIND(cuLaunchKernel, "cuLaunchKernel") &&
         WW_FIND(cuLaunchKernelEx, "cuLaunchKernelEx") && WW_FIND(cuMemsetD32Async, "cuMemsetD32Async") &&
         WW_FIND(cuMemsetD2D32Async, "cuMemsetD2D32Async") &&
         WW_FIND(cuMemsetD2D16Async, "cuMemsetD2D16Async") &&
         WW_FIND(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled");
#undef WW_FIND
}

}  // namespace

const Driver* Driver::get() {
  static Driver driver;
  static const bool loaded = load(driver);
  return loaded ? &driver : nullptr;
}

Status check_driver(int code) {
  if (code == 0) return Status::ok;
  last_error = code;
  return Status::failed;
}

int last_driver_error() { return last_error; }

}  // namespace warpwright
