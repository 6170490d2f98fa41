#include "kernels_library/gpu.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "kernels_library/embedded.h"

namespace warpwright {

namespace {

// CUdevice_attribute and CUfunction_attribute.
enum { kMultiprocessors = 16, kMajor = 75, kMinor = 76, kSharedMemory = 97, kMostShared = 8 };
constexpr size_t kSharedWithoutAsking = 48 * 1024;
constexpr int kEarlyLaunchesInGraphs = 12030;  ///< CUDA 12.3

// What a thread used last. To look all of it up takes up to half a microsecond, a part of what the host needs
// for a short sum. Contexts' numbers are never used again, and what was found for one stays.
struct LastGpu {
  unsigned long long context = 0;
  Gpu* gpu = nullptr;
};
struct LastKernel {
  const Gpu* gpu = nullptr;
  size_t shared = 0;
  Function function = nullptr;
  std::array<char, 96> name{};  ///< the file's and the kernel's, each with a 0 behind

  bool is(std::string_view file, std::string_view entry) const {
    return file.size() + entry.size() + 2 <= name.size() &&
           file.compare(0, file.npos, name.data(), file.size()) == 0 && name[file.size()] == 0 &&
           entry.compare(0, entry.npos, name.data() + file.size() + 1, entry.size()) == 0 &&
           name[file.size() + 1 + entry.size()] == 0;
  }
  void keep(std::string_view file, std::string_view entry) {
    if (file.size() + entry.size() + 2 > name.size()) return;
    name = {};
    std::copy(file.begin(), file.end(), name.begin());
    std::copy(entry.begin(), entry.end(), name.begin() + static_cast<std::ptrdiff_t>(file.size()) + 1);
  }
};
thread_local LastGpu last_gpu;
thread_local std::array<LastKernel, 16> last_kernels;

}  // namespace

Status Gpu::current(Gpu** gpu) {
  const Driver* driver = Driver::get();
  if (!driver) return Status::no_driver;
  Context context = nullptr;
  unsigned long long id = 0;
  if (driver->cuCtxGetCurrent(&context) != 0 || !context) return Status::no_context;
  if (Status s = check_driver(driver->cuCtxGetId(context, &id)); s != Status::ok) return s;
  if (last_gpu.gpu && last_gpu.context == id) {
    *gpu = last_gpu.gpu;
    return Status::ok;
  }
  static std::mutex mutex;
  static std::map<unsigned long long, std::unique_ptr<Gpu>> gpus;
  const std::lock_guard lock(mutex);
  auto& place = gpus[id];
  if (!place) {
    std::unique_ptr<Gpu> found(new Gpu(*driver));
    int device = 0, major = 0, minor = 0, version = 0;
    const auto ask = [&](int attribute, int& value) {
      return check_driver(driver->cuDeviceGetAttribute(&value, attribute, device));
    };
    Status s = check_driver(driver->cuCtxGetDevice(&device));
    if (s == Status::ok) s = check_driver(driver->cuDriverGetVersion(&version));
    if (s == Status::ok) s = ask(kMajor, major);
    if (s == Status::ok) s = ask(kMinor, minor);
    if (s == Status::ok) s = ask(kMultiprocessors, found->multiprocessors_);
    if (s == Status::ok) s = ask(kSharedMemory, found->shared_memory_);
    if (s != Status::ok) return s;
    found->compute_capability_ = 10 * major + minor;
    found->early_launches_ = version >= kEarlyLaunchesInGraphs;
    place = std::move(found);
  }
  *gpu = place.get();
  last_gpu = {id, *gpu};
  return Status::ok;
}

/// Called with mutex_ locked.
Status Gpu::load(const std::string& file, Module* module) {
  Module& loaded = modules_[file];
  if (!loaded) {
    const std::string_view ptx = embedded_ptx(file);
    if (ptx.empty()) return Status::unsupported;
    if (Status s = check_driver(driver_.cuModuleLoadData(&loaded, std::string(ptx).c_str())); s != Status::ok)
      return s;
  }
  *module = loaded;
  return Status::ok;
}

Status Gpu::word_of(const char* file, const char* name, size_t index, unsigned** word) {
  const std::lock_guard lock(mutex_);
  Array& array = arrays_[file + ("/" + std::string(name))];
  if (!array.first) {
    Module module = nullptr;
    if (Status s = load(file, &module); s != Status::ok) return s;
    if (Status s = check_driver(driver_.cuModuleGetGlobal(&array.first, &array.bytes, module, name));
        s != Status::ok)
      return s;
  }
  if (array.bytes / sizeof(unsigned) <= index) return Status::unsupported;
  *word = reinterpret_cast<unsigned*>(array.first) + index;
  return Status::ok;
}

Status Gpu::find(std::string_view file, std::string_view entry, size_t shared, Function* function) {
  const size_t last = entry.empty() ? 0 : static_cast<unsigned char>(entry.back());
  LastKernel& kernel = last_kernels[(file.size() + 3 * entry.size() + 5 * last) % last_kernels.size()];
  if (kernel.gpu != this || kernel.shared < shared || !kernel.is(file, entry)) {
    kernel = {};
    if (Status s = search(std::string(file), std::string(entry), shared, &kernel.function); s != Status::ok)
      return s;
    kernel.gpu = this, kernel.shared = shared;
    kernel.keep(file, entry);
  }
  *function = kernel.function;
  return Status::ok;
}

Status Gpu::search(const std::string& file, const std::string& entry, size_t shared, Function* function) {
  const std::lock_guard lock(mutex_);
  Kernel& kernel = kernels_[file + "/" + entry];
  if (!kernel.function) {
    Module module = nullptr;
    if (Status s = load(file, &module); s != Status::ok) return s;
    if (Status s = check_driver(driver_.cuModuleGetFunction(&kernel.function, module, entry.c_str()));
        s != Status::ok)
      return s;
  }
  if (shared > kSharedWithoutAsking && shared > kernel.shared) {
    if (shared > static_cast<size_t>(shared_memory_)) return Status::unsupported;
    if (Status s =
            check_driver(driver_.cuFuncSetAttribute(kernel.function, kMostShared, static_cast<int>(shared)));
        s != Status::ok)
      return s;
    kernel.shared = shared;
  }
  *function = kernel.function;
  return Status::ok;
}

Status Gpu::launch_kernel(const char* file, std::string_view entry, Dim grid, uint32_t threads, size_t shared,
                          Stream stream, void** arguments) {
  if (grid.x > static_cast<uint64_t>(std::numeric_limits<int32_t>::max()) || grid.y > 65535 || grid.z > 65535)
    return Status::bad_shape;
  Function function = nullptr;
  if (Status s = find(file, entry, shared, &function); s != Status::ok) return s;
  std::array<LaunchAttribute, 2> attributes{};
  unsigned count = 0;
  if (grid.cluster > 1)
    attributes[count++] = {LaunchAttribute::kClusterDimension, 0, {grid.cluster, 1, 1}, {}};
  if (grid.early && early_launches_)
    attributes[count++] = {LaunchAttribute::kProgrammaticStreamSerialization, 0, {1}, {}};
  if (count > 0) {
    const LaunchConfig config{{static_cast<unsigned>(grid.x), grid.y, grid.z},
                              {threads, 1, 1},
                              static_cast<unsigned>(shared),
                              stream,
                              attributes.data(),
                              count};
    return check_driver(driver_.cuLaunchKernelEx(&config, function, arguments, nullptr));
  }
  return check_driver(driver_.cuLaunchKernel(function, static_cast<unsigned>(grid.x), grid.y, grid.z, threads,
                                             1, 1, static_cast<unsigned>(shared), stream, arguments,
                                             nullptr));
}

}  // namespace warpwright
