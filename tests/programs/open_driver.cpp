// Opens the driver and NVML as some programs do (Halide): by the names without a version that a driver's
// installer adds.
#include <dlfcn.h>

#include <cstdio>

template <class Function>
Function* function(const char* library, const char* name) {
  void* opened = dlopen(library, RTLD_NOW);
  if (!opened) std::printf("%s\n", dlerror());
  return opened ? reinterpret_cast<Function*>(dlsym(opened, name)) : nullptr;
}

int main() {
  auto* initialize = function<int(unsigned)>("libcuda.so", "cuInit");
  auto* name_of = function<int(char*, int, int)>("libcuda.so", "cuDeviceGetName");
  auto* initialize_nvml = function<int()>("libnvidia-ml.so", "nvmlInit_v2");
  if (!initialize || !name_of || !initialize_nvml) return 1;
  char name[64] = "";
  const int first = initialize(0), second = name_of(name, sizeof name, 0);
  std::printf("%d %d %s, %d\n", first, second, name, initialize_nvml());
}
