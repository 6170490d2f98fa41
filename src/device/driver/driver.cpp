#include "device/driver/driver.h"

#include <fmt/format.h>

#include "device/driver/library.h"

namespace ww::device::driver {

std::string_view fault_kind(CuResult result) {
  switch (result) {
    case kIllegalAddress:
      return "illegal address";
    case kLaunchTimeout:
      return "time limit";
    case kAssert:
      return "assertion";
    case kHardwareStackError:
      return "stack error";
    case kIllegalInstruction:
      return "illegal instruction";
    case kMisalignedAddress:
      return "misaligned address";
    case kInvalidAddressSpace:
      return "invalid address space";
    case kInvalidPc:
      return "invalid program counter";
    case kLaunchFailed:
      return "launch failed";
    case kTensorMemoryLeak:
      return "tensor memory leak";
    default:
      return {};
  }
}

Trouble trouble(CuResult result) {
  if (!fault_kind(result).empty()) return Trouble::KernelFault;
  switch (result) {
    case kOutOfMemory:
      return Trouble::OutOfMemory;
    case kDeinitialized:
    case kDeviceUnavailable:
    case kEccUncorrectable:
    case kNvlinkUncorrectable:
    case kContained:
    case kSystemNotReady:
    case kUnknown:
      return Trouble::DeviceLost;
    default:
      return Trouble::Input;
  }
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string Driver::words(CuResult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name(result, &name) != kSuccess || !name) return fmt::format("CUDA error {}", result);
  if (error_string(result, &text) != kSuccess || !text) return name;
  return fmt::format("{} ({})", name, text);
}

Diagnostic Driver::failure(std::string_view doing, CuResult result, std::string hint) const {
  return error(fmt::format("cannot {}: {}", doing, words(result)), std::move(hint));
}

Result<std::shared_ptr<const Driver>> Driver::open(const std::string& path) {
  auto library = Library::open(path);
  if (!library)
    return error(
        "no NVIDIA driver: " + library.error()[0].message,
        "the driver's libcuda.so.1 must be in the dynamic linker's path; the engine needs no driver");

  auto driver = std::make_shared<Driver>();
  driver->path = path;
  std::string missing;
#define WW_LOAD(member, exported, ...)                                                      \
  driver->member = reinterpret_cast<CuResult (*)(__VA_ARGS__)>(library->symbol(#exported)); \
  if (!driver->member) missing += (missing.empty() ? "" : ", ") + std::string(#exported);
  WW_CUDA_FUNCTIONS(WW_LOAD)
#undef WW_LOAD
#define WW_LOAD_LATER(member, exported, ...) \
  driver->member = reinterpret_cast<CuResult (*)(__VA_ARGS__)>(library->symbol(#exported));
  WW_CUDA_LATER_FUNCTIONS(WW_LOAD_LATER)
#undef WW_LOAD_LATER
  if (!driver->init) return error(path + " is not a CUDA driver library: it has no cuInit");
  if (driver->driver_version) driver->driver_version(&driver->version);
  if (!missing.empty())
    return error(fmt::format("the driver {} (CUDA {}) is too old: it lacks {}", path,
                             version_text(driver->version), missing),
                 "CUDA 11.4 (driver 470) or later is needed");

  switch (CuResult result = driver->init(0)) {
    case kSuccess:
      return std::shared_ptr<const Driver>(driver);
    case kNoDevice:
      return error("no GPU: the NVIDIA driver is there but finds no device",
                   "is CUDA_VISIBLE_DEVICES set to something that hides it?");
    case kStubLibrary:
      return error(path + " is the toolkit's stub for linking, not the driver",
                   "the driver's own libcuda.so.1 must come first in the library path");
    case kSystemDriverMismatch:
      return driver->failure("start the driver", result,
                             "libcuda.so.1 and the kernel module are of different versions: reboot after an "
                             "update of the driver");
    default:
      return driver->failure("start the driver", result);
  }
}

}  // namespace ww::device::driver
