// NVML, as far as programs ask it before they begin: the devices, their names and memory, versions. What only
// a card has (temperature, power, fans) is NVML_ERROR_NOT_SUPPORTED, as it is on cards that lack a sensor.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "cuda/stubs/library.h"
#include "cuda/stubs/refused.h"

extern "C" {  // of the driver, which is in libwarpwright_cuda.so
int cuInit(unsigned flags);
int cuDriverGetVersion(int* version);
int cuDeviceGetCount(int* count);
int cuDeviceGetName(char* name, int bytes, int device);
int cuDeviceGetUuid_v2(void* uuid, int device);
int cuDeviceTotalMem_v2(size_t* bytes, int device);
int cuDeviceGetAttribute(int* value, int which, int device);
int cuDeviceGetPCIBusId(char* text, int bytes, int device);
int cudaGetDevice(int* device);
int cudaSetDevice(int device);
int cudaMemGetInfo(size_t* free, size_t* all);
}

namespace {

/// nvmlReturn_t.
enum class Result : int {
  Success = 0,
  Uninitialized = 1,
  InvalidArgument = 2,
  NotSupported = 3,
  NotFound = 6,
  InsufficientSize = 7,
  DriverNotLoaded = 9,
  Unknown = 999
};
constexpr const char kDriver[] = "580.65.06";  // the driver of CUDA 13.0 (its release notes)

std::atomic<int> users{0};

/// Handles are numbers of devices, from 1.
using Device = uintptr_t;
int number_of(Device device) {
  int count = 0;
  return cuDeviceGetCount(&count) == 0 && device >= 1 && device <= static_cast<Device>(count)
             ? static_cast<int>(device) - 1
             : -1;
}
template <class F>
Result with(Device device, bool good, F&& body) {
  if (!users) return Result::Uninitialized;
  const int number = number_of(device);
  return number < 0 || !good ? Result::InvalidArgument : body(number);
}
Result put(const std::string& text, char* to, unsigned bytes) {
  if (!to) return Result::InvalidArgument;
  if (text.size() >= bytes) return Result::InsufficientSize;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return Result::Success;
}
std::string uuid_of(int number) {
  unsigned char bytes[16] = {};
  (void)cuDeviceGetUuid_v2(bytes, number);
  std::string text = "GPU-";
  for (int k = 0; k < 16; ++k) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", bytes[k]);
    text += two;
    if (k == 3 || k == 5 || k == 7 || k == 9) text += '-';
  }
  return text;
}
int attribute(int which, int number) {
  int value = 0;
  (void)cuDeviceGetAttribute(&value, which, number);
  return value;
}

struct Memory {
  unsigned long long total, free, used;
};
struct Memory2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
Memory memory_of(int number) {
  int before = 0;
  size_t free = 0, all = 0;
  (void)cudaGetDevice(&before);
  (void)cudaSetDevice(number);
  (void)cudaMemGetInfo(&free, &all);
  (void)cudaSetDevice(before);
  return {all, free, all - free};
}
struct Pci {
  char old_id[16];
  unsigned domain, bus, device, vendor, subsystem;
  char id[32];
};
struct Utilization {
  unsigned gpu, memory;
};

Result begin() {
  if (cuInit(0)) return Result::DriverNotLoaded;
  ++users;
  return Result::Success;
}

}  // namespace

WW_LIBRARY_API Result nvmlInit() { return begin(); }
WW_LIBRARY_API Result nvmlInit_v2() { return begin(); }
WW_LIBRARY_API Result nvmlInitWithFlags(unsigned) { return begin(); }
WW_LIBRARY_API Result nvmlShutdown() {
  if (!users) return Result::Uninitialized;
  --users;
  return Result::Success;
}
WW_LIBRARY_API const char* nvmlErrorString(Result r) {
  switch (r) {
    case Result::Success:
      return "Success";
    case Result::Uninitialized:
      return "Uninitialized";
    case Result::InvalidArgument:
      return "Invalid Argument";
    case Result::NotSupported:
      return "Not Supported";
    case Result::NotFound:
      return "Not Found";
    case Result::InsufficientSize:
      return "Insufficient Size";
    case Result::DriverNotLoaded:
      return "Driver Not Loaded";
    default:
      return "Unknown Error";
  }
}

WW_LIBRARY_API Result nvmlSystemGetDriverVersion(char* to, unsigned bytes) {
  return users ? put(kDriver, to, bytes) : Result::Uninitialized;
}
WW_LIBRARY_API Result nvmlSystemGetNVMLVersion(char* to, unsigned bytes) {
  return put(std::string("13.") + kDriver, to, bytes);
}
WW_LIBRARY_API Result nvmlSystemGetCudaDriverVersion(int* version) {
  return version && cuDriverGetVersion(version) == 0 ? Result::Success : Result::InvalidArgument;
}
WW_LIBRARY_API Result nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return nvmlSystemGetCudaDriverVersion(version);
}

WW_LIBRARY_API Result nvmlDeviceGetCount_v2(unsigned* count) {
  if (!users) return Result::Uninitialized;
  int n = 0;
  if (!count || cuDeviceGetCount(&n)) return Result::InvalidArgument;
  *count = static_cast<unsigned>(n);
  return Result::Success;
}
WW_LIBRARY_API Result nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }
WW_LIBRARY_API Result nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  return with(Device{index} + 1, device != nullptr, [&](int) {
    *device = Device{index} + 1;
    return Result::Success;
  });
}
WW_LIBRARY_API Result nvmlDeviceGetHandleByIndex(unsigned index, Device* device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}

namespace {
template <class F>
Result find(Device* device, const char* text, F&& name) {
  if (!users) return Result::Uninitialized;
  if (!device || !text) return Result::InvalidArgument;
  for (Device d = 1; number_of(d) >= 0; ++d)
    if (name(number_of(d)) == text) {
      *device = d;
      return Result::Success;
    }
  return Result::NotFound;
}
std::string bus_of(int number) {
  char text[32] = "";
  (void)cuDeviceGetPCIBusId(text, sizeof text, number);
  return text;
}
std::string long_bus_of(int number) { return "0000" + bus_of(number); }  // a domain of eight digits
}  // namespace
WW_LIBRARY_API Result nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  return find(device, uuid, uuid_of);
}
WW_LIBRARY_API Result nvmlDeviceGetHandleByPciBusId_v2(const char* id, Device* device) {
  const Result r = find(device, id, bus_of);
  return r == Result::NotFound ? find(device, id, long_bus_of) : r;
}
WW_LIBRARY_API Result nvmlDeviceGetHandleByPciBusId(const char* id, Device* device) {
  return nvmlDeviceGetHandleByPciBusId_v2(id, device);
}

WW_LIBRARY_API Result nvmlDeviceGetName(Device device, char* to, unsigned bytes) {
  return with(device, true, [&](int n) {
    char name[256] = "";
    (void)cuDeviceGetName(name, sizeof name, n);
    return put(name, to, bytes);
  });
}
WW_LIBRARY_API Result nvmlDeviceGetUUID(Device device, char* to, unsigned bytes) {
  return with(device, true, [&](int n) { return put(uuid_of(n), to, bytes); });
}
WW_LIBRARY_API Result nvmlDeviceGetIndex(Device device, unsigned* index) {
  return with(device, index != nullptr, [&](int n) {
    *index = static_cast<unsigned>(n);
    return Result::Success;
  });
}
WW_LIBRARY_API Result nvmlDeviceGetMinorNumber(Device device, unsigned* number) {
  return nvmlDeviceGetIndex(device, number);
}
WW_LIBRARY_API Result nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  return with(device, memory != nullptr, [&](int n) {
    *memory = memory_of(n);
    return Result::Success;
  });
}
WW_LIBRARY_API Result nvmlDeviceGetMemoryInfo_v2(Device device, Memory2* memory) {
  return with(device, memory != nullptr, [&](int n) {
    const Memory m = memory_of(n);
    memory->total = m.total, memory->reserved = 0, memory->free = m.free, memory->used = m.used;
    return Result::Success;
  });
}
/// Whoever asks is not inside of a kernel: each has ended when its launch returns.
WW_LIBRARY_API Result nvmlDeviceGetUtilizationRates(Device device, Utilization* rates) {
  return with(device, rates != nullptr, [&](int) {
    *rates = {0, 0};
    return Result::Success;
  });
}
WW_LIBRARY_API Result nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  return with(device, major && minor, [&](int n) {
    *major = attribute(75, n), *minor = attribute(76, n);  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
    return Result::Success;
  });
}
WW_LIBRARY_API Result nvmlDeviceGetPciInfo_v3(Device device, Pci* pci) {
  return with(device, pci != nullptr, [&](int n) {
    *pci = {};
    pci->domain = static_cast<unsigned>(attribute(50, n));  // CU_DEVICE_ATTRIBUTE_PCI_*
    pci->bus = static_cast<unsigned>(attribute(33, n)), pci->device = static_cast<unsigned>(attribute(34, n));
    (void)put(bus_of(n), pci->old_id, sizeof pci->old_id);
    return put(long_bus_of(n), pci->id, sizeof pci->id);
  });
}
WW_LIBRARY_API Result nvmlDeviceGetPciInfo_v2(Device device, Pci* pci) {
  return nvmlDeviceGetPciInfo_v3(device, pci);
}
/// The first one's struct ends early: what of it all versions have.
WW_LIBRARY_API Result nvmlDeviceGetPciInfo(Device device, void* to) {
  Pci pci{};
  const Result r = nvmlDeviceGetPciInfo_v3(device, to ? &pci : nullptr);
  if (r == Result::Success) std::memcpy(to, &pci, offsetof(Pci, subsystem));
  return r;
}
/// MHz of a clock: 0 graphics, 1 multiprocessors, 2 memory.
WW_LIBRARY_API Result nvmlDeviceGetMaxClockInfo(Device device, int which, unsigned* clock) {
  return with(device, clock && which >= 0 && which <= 2, [&](int n) {
    *clock = static_cast<unsigned>(attribute(which == 2 ? 36 : 13, n) /
                                   1000);  // CU_DEVICE_ATTRIBUTE_*CLOCK_RATE, kHz
    return Result::Success;
  });
}
WW_LIBRARY_API Result nvmlDeviceGetClockInfo(Device device, int which, unsigned* clock) {
  return nvmlDeviceGetMaxClockInfo(device, which, clock);
}
WW_LIBRARY_API Result nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, void*) {
  return with(device, count != nullptr, [&](int) {
    *count = 0;
    return Result::Success;
  });
}
WW_LIBRARY_API Result nvmlDeviceGetComputeRunningProcesses_v2(Device d, unsigned* n, void* all) {
  return nvmlDeviceGetComputeRunningProcesses_v3(d, n, all);
}
WW_LIBRARY_API Result nvmlDeviceGetComputeRunningProcesses(Device d, unsigned* n, void* all) {
  return nvmlDeviceGetComputeRunningProcesses_v3(d, n, all);
}

namespace {
/// One number that a device answers; the calls that give several come by their own code.
Result number(Device device, unsigned* to, unsigned value) {
  return with(device, to != nullptr, [&](int) {
    *to = value;
    return Result::Success;
  });
}
/// nvmlDeviceArchitecture_t of a compute capability (major * 10 + minor).
unsigned architecture(int capability) {
  if (capability < 30) return ~0u;                         // none that NVML knows
  if (capability < 50) return 2;                           // Kepler
  if (capability < 60) return 3;                           // Maxwell
  if (capability < 70) return 4;                           // Pascal
  if (capability < 75) return 5;                           // Volta
  if (capability < 80) return 6;                           // Turing
  if (capability < 89) return 7;                           // Ampere
  return capability < 90 ? 8 : capability < 100 ? 9 : 10;  // Ada, Hopper, Blackwell
}
/// Lanes for f32 of a multiprocessor (CUDA C++ Programming Guide, compute capabilities).
unsigned cores(int capability) {
  if (capability < 30) return capability < 20 ? 8 : capability == 20 ? 32 : 48;
  if (capability < 50) return 192;
  return capability == 60 || (capability >= 70 && capability <= 80) ? 64 : 128;
}
int capability_of(int n) {
  return attribute(75, n) * 10 + attribute(76, n);  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
}
}  // namespace
WW_LIBRARY_API Result nvmlDeviceGetArchitecture(Device d, unsigned* to) {
  return number(d, to, architecture(capability_of(number_of(d))));
}
WW_LIBRARY_API Result nvmlDeviceGetNumGpuCores(Device d, unsigned* to) {
  const int n = number_of(d);
  return number(d, to, cores(capability_of(n)) * static_cast<unsigned>(attribute(16, n)));  // multiprocessors
}
WW_LIBRARY_API Result nvmlDeviceGetMemoryBusWidth(Device d, unsigned* to) {
  return number(d, to, static_cast<unsigned>(attribute(37, number_of(d))));  // GLOBAL_MEMORY_BUS_WIDTH
}
WW_LIBRARY_API Result nvmlDeviceGetEccMode(Device d, unsigned* now, unsigned* next) {
  const auto on = static_cast<unsigned>(attribute(32, number_of(d)));  // ECC_ENABLED
  const Result r = number(d, now, on);
  return r == Result::Success ? number(d, next, on) : r;
}
/// NVML_COMPUTEMODE_DEFAULT: all may use it; nothing is kept loaded, no picture is shown, nobody else runs.
WW_LIBRARY_API Result nvmlDeviceGetComputeMode(Device d, unsigned* to) { return number(d, to, 0); }
WW_LIBRARY_API Result nvmlDeviceGetPersistenceMode(Device d, unsigned* to) { return number(d, to, 0); }
WW_LIBRARY_API Result nvmlDeviceGetDisplayMode(Device d, unsigned* to) { return number(d, to, 0); }
WW_LIBRARY_API Result nvmlDeviceGetDisplayActive(Device d, unsigned* to) { return number(d, to, 0); }
WW_LIBRARY_API Result nvmlDeviceGetGraphicsRunningProcesses_v3(Device d, unsigned* n, void*) {
  return number(d, n, 0);
}
WW_LIBRARY_API Result nvmlDeviceGetGraphicsRunningProcesses_v2(Device d, unsigned* n, void*) {
  return number(d, n, 0);
}
WW_LIBRARY_API Result nvmlDeviceGetGraphicsRunningProcesses(Device d, unsigned* n, void*) {
  return number(d, n, 0);
}
/// Racks of S class.
WW_LIBRARY_API Result nvmlUnitGetCount(unsigned* to) {
  if (!users) return Result::Uninitialized;
  return to ? (*to = 0, Result::Success) : Result::InvalidArgument;
}

#define WW_REFUSED(name) \
  WW_LIBRARY_API int name() { return ww::stubs::refuse(#name, "NVML_ERROR_NOT_SUPPORTED", 3); }
#include "cuda/nvml/refused.inc"
