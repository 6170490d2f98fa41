// The CUDA driver library: its functions, its version, and its errors in words.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "device/driver/cuda_api.h"

namespace ww::device::driver {

/// What an error of the driver means for us.
enum class Trouble {
  Input,        ///< the call was refused; the device is as before
  OutOfMemory,  ///< likewise
  KernelFault,  ///< the kernel that ran did something illegal; the context is dead
  DeviceLost,   ///< the GPU itself is gone or broken
};
Trouble trouble(CuResult result);

/// "illegal address", "misaligned address", … for kernel faults; "" for anything else.
std::string_view fault_kind(CuResult result);

struct Driver {
  std::string path;
  int version = 0;  ///< of the CUDA that the driver supports: 13000 is 13.0

#define WW_MEMBER(member, exported, ...) CuResult (*member)(__VA_ARGS__) = nullptr;
  WW_CUDA_FUNCTIONS(WW_MEMBER)
  WW_CUDA_LATER_FUNCTIONS(WW_MEMBER)
#undef WW_MEMBER

  /// Opens and initialises the library. Errors: no such library, a library that lacks functions (driver too
  /// old, or no driver at all), no GPU, a driver that does not start.
  static Result<std::shared_ptr<const Driver>> open(const std::string& path);

  /// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
  std::string words(CuResult result) const;
  /// "cannot <doing>: <words>"
  Diagnostic failure(std::string_view doing, CuResult result, std::string hint = {}) const;
};

/// "13.0" of 13000.
std::string version_text(int version);

}  // namespace ww::device::driver
