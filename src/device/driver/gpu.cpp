#include "device/gpu.h"

#include <fmt/format.h>

#include "device/driver/gpu_device.h"

namespace ww::device {

namespace driver {

namespace {

std::string uuid_text(const CuUuid& uuid) {
  std::string out = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return out;
}

}  // namespace

Result<GpuSummary> summarise(const Driver& driver, int ordinal, CuDevice& device) {
  int count = 0;
  if (CuResult result = driver.device_count(&count); result != kSuccess)
    return driver.failure("count the GPUs", result);
  if (count == 0) return error("no GPU: the NVIDIA driver is there but finds no device");
  if (ordinal < 0 || ordinal >= count)
    return error(fmt::format("there is no gpu{}", ordinal),
                 count == 1 ? "the only GPU is gpu0" : fmt::format("the GPUs are gpu0 to gpu{}", count - 1));
  GpuSummary gpu;
  gpu.ordinal = ordinal;
  char name[256] = "", bus[32] = "";
  CuUuid uuid{};
  size_t memory = 0;
  int multiprocessors = 0;
  CuResult opened = driver.device_get(&device, ordinal);
  if (opened != kSuccess) return driver.failure(fmt::format("open gpu{}", ordinal), opened);
  for (CuResult result :
       {driver.device_name(name, sizeof name - 1, device), driver.device_uuid(&uuid, device),
        driver.device_pci_bus_id(bus, sizeof bus - 1, device), driver.device_memory(&memory, device),
        driver.device_attribute(&multiprocessors, kMultiprocessorCount, device),
        driver.device_attribute(&gpu.cc_major, kComputeCapabilityMajor, device),
        driver.device_attribute(&gpu.cc_minor, kComputeCapabilityMinor, device)})
    if (result != kSuccess) return driver.failure(fmt::format("ask what gpu{} is", ordinal), result);
  gpu.name = name;
  gpu.uuid = uuid_text(uuid);
  gpu.pci_bus_id = bus;
  gpu.multiprocessors = static_cast<uint32_t>(multiprocessors);
  gpu.memory = memory;
  return gpu;
}

}  // namespace driver

Result<std::vector<GpuSummary>> list_gpus(const DriverOptions& paths) {
  auto driver = driver::Driver::open(paths.cuda);
  if (!driver) return driver.error();
  driver::Nvml nvml(paths.nvml);
  std::string version = "CUDA " + driver::version_text((*driver)->version);
  if (std::string own = nvml.driver_version(); !own.empty()) version = own + ", " + version;

  int count = 0;
  if (driver::CuResult result = (*driver)->device_count(&count); result != driver::kSuccess)
    return (*driver)->failure("count the GPUs", result);
  std::vector<GpuSummary> gpus;
  for (int i = 0; i < count || i == 0; ++i) {
    driver::CuDevice handle = 0;
    auto gpu = driver::summarise(**driver, i, handle);
    if (!gpu) return gpu.error();
    gpu->driver = version;
    gpu->state = nvml.state(gpu->pci_bus_id);
    gpus.push_back(std::move(*gpu));
  }
  return gpus;
}

int least_loaded(const std::vector<GpuSummary>& gpus) {
  int best = gpus.empty() ? -1 : 0;
  // An unknown load sorts behind any known one.
  auto load = [](const GpuSummary& gpu) { return gpu.state.utilisation.value_or(101); };
  auto free = [](const GpuSummary& gpu) { return gpu.state.free_memory.value_or(0); };
  for (int i = 1; i < static_cast<int>(gpus.size()); ++i)
    if (load(gpus[i]) < load(gpus[best]) ||
        (load(gpus[i]) == load(gpus[best]) && free(gpus[i]) > free(gpus[best])))
      best = i;
  return best;
}

Result<std::unique_ptr<Device>> open_gpu(int ordinal, const DriverOptions& paths) {
  auto driver = driver::Driver::open(paths.cuda);
  if (!driver) return driver.error();
  return driver::GpuDevice::open(*driver, ordinal, paths);
}

Result<Timing> time_work(Device& gpu, const std::string& what, const std::function<Status()>& start,
                         const TimingOptions& options) {
  auto* device = dynamic_cast<driver::GpuDevice*>(&gpu);
  if (!device) return error(fmt::format("{} cannot run on {}: it needs a GPU", what, gpu.info().name));
  return device->time_work(what, start, options);
}

}  // namespace ww::device
