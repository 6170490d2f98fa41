// NVML, opened as programs open it: what it says of the device is what the runtime says.
// link: -ldl
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

int main() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!library) return std::printf("%s\n", dlerror()), 1;
  auto call = [&](const char* name) { return reinterpret_cast<int (*)(...)>(dlsym(library, name)); };
  unsigned count = 9;
  std::printf("%d ", call("nvmlDeviceGetCount_v2")(&count));  // not begun
  std::printf("%d ", call("nvmlInit_v2")());
  int status = call("nvmlDeviceGetCount_v2")(&count);
  std::printf("%d %d\n", status, int(count));
  void* device = nullptr;
  std::printf("%d ", call("nvmlDeviceGetHandleByIndex_v2")(7u, &device));  // there is none
  std::printf("%d\n", call("nvmlDeviceGetHandleByIndex_v2")(0u, &device));
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  char name[96], bus[32], uuid[96];
  std::printf("%d ", call("nvmlDeviceGetName")(device, name, 2u));  // too short
  status = call("nvmlDeviceGetName")(device, name, 96u);
  std::printf("%d %d\n", status, std::strcmp(name, p.name));
  int major = 0, minor = 0, version = 0;
  call("nvmlDeviceGetCudaComputeCapability")(device, &major, &minor);
  std::printf("%d\n", major == p.major && minor == p.minor);
  struct {
    unsigned long long total, free, used;
  } before, after;
  call("nvmlDeviceGetMemoryInfo")(device, &before);
  void* memory;
  cudaMalloc(&memory, 1 << 20);
  call("nvmlDeviceGetMemoryInfo")(device, &after);
  std::printf("%d %d\n", before.total == p.totalGlobalMem, int(after.used - before.used));
  call("nvmlDeviceGetUUID")(device, uuid, 96u);
  std::printf("%d ", int(std::strlen(uuid)));  // GPU-8-4-4-4-12
  void* same = nullptr;
  call("nvmlDeviceGetHandleByUUID")(uuid, &same);
  cudaDeviceGetPCIBusId(bus, sizeof bus, 0);
  void* too = nullptr;
  call("nvmlDeviceGetHandleByPciBusId_v2")(bus, &too);
  std::printf("%d %d\n", same == device, too == device);
  int runtime = 0;
  cudaDriverGetVersion(&runtime);
  call("nvmlSystemGetCudaDriverVersion")(&version);
  std::printf("%d\n", runtime == version);
  unsigned architecture = 0, cores = 0, width = 0, mode = 9, ecc = 9, next = 9;
  call("nvmlDeviceGetArchitecture")(device, &architecture);
  call("nvmlDeviceGetNumGpuCores")(device, &cores);
  call("nvmlDeviceGetMemoryBusWidth")(device, &width);
  call("nvmlDeviceGetComputeMode")(device, &mode);
  call("nvmlDeviceGetEccMode")(device, &ecc, &next);
  std::printf("%d %d %d %d %d %d\n", int(architecture), int(cores), int(width) == p.memoryBusWidth, int(mode),
              int(ecc) == p.ECCEnabled, ecc == next);
  std::printf("%s, ECC %d\n", p.name, p.ECCEnabled);
  // Programs that look NVML up by name (hashcat) ask for the first version, whose struct is short.
  struct {
    char bus[16];
    unsigned domain, number, device, vendor, behind;
  } first{};
  first.behind = 77;
  std::printf("%d ", call("nvmlDeviceGetPciInfo")(device, &first));
  std::printf("%d %d %d %u\n", std::strcmp(first.bus, bus) == 0, first.number == unsigned(p.pciBusID),
              first.device == unsigned(p.pciDeviceID), first.behind);
  // Every name of NVML's header is there, whatever it answers, so that no program fails to load.
  std::printf("%d\n", call("nvmlDeviceGetMinMaxFanSpeed")(device, &width, &mode));
  unsigned degrees = 0;
  std::printf("%d ", call("nvmlDeviceGetTemperature")(device, 0, &degrees));  // there is no sensor
  std::printf("%d\n", call("nvmlShutdown")());
}
// expect: 1 0 0 1
// expect: 2 0
// expect: 7 0 0
// expect: 1
// expect: 1 1048576
// expect: 40 1 1
// expect: 1
// expect: 9 16896 1 0 1 1
// expect: NVIDIA H200, ECC 1
// expect: 0 1 1 1 77
// expect: 3
// expect: 3 0
