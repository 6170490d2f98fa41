#include "device/driver/nvml.h"

#include <memory>

#include "device/driver/library.h"

namespace ww::device::driver {

namespace {

// nvml.h, documented at docs.nvidia.com/deploy/nvml-api.
using NvmlDevice = struct NvmlDeviceTag*;
struct NvmlUtilization {
  unsigned gpu, memory;
};
struct NvmlMemory {
  unsigned long long total, free, used;
};
enum { kSmClock = 1, kMemoryClock = 2 };
enum { kDieTemperature = 0 };
constexpr int kOk = 0;

#define WW_NVML_FUNCTIONS(X)                                                  \
  X(init, nvmlInit_v2)                                                        \
  X(shutdown, nvmlShutdown)                                                   \
  X(version, nvmlSystemGetDriverVersion, char*, unsigned)                     \
  X(device, nvmlDeviceGetHandleByPciBusId_v2, const char*, NvmlDevice*)       \
  X(utilization, nvmlDeviceGetUtilizationRates, NvmlDevice, NvmlUtilization*) \
  X(memory, nvmlDeviceGetMemoryInfo, NvmlDevice, NvmlMemory*)                 \
  X(clock, nvmlDeviceGetClockInfo, NvmlDevice, int, unsigned*)                \
  X(temperature, nvmlDeviceGetTemperature, NvmlDevice, int, unsigned*)        \
  X(power, nvmlDeviceGetPowerUsage, NvmlDevice, unsigned*)

void add(std::vector<Value>& out, std::string tag, const std::optional<unsigned>& value, std::string unit,
         std::string description) {
  if (value)
    out.push_back(
        {std::move(tag), int64_t{*value}, std::move(unit), Provenance::Measured, std::move(description)});
}

}  // namespace

struct Nvml::Api {
#define WW_MEMBER(member, exported, ...) int (*member)(__VA_ARGS__) = nullptr;
  WW_NVML_FUNCTIONS(WW_MEMBER)
#undef WW_MEMBER
};

Nvml::Nvml(const std::string& path) {
  auto library = Library::open(path);
  if (!library) return;
  auto api = std::make_unique<Api>();
  bool complete = true;
#define WW_LOAD(member, exported, ...)                                              \
  api->member = reinterpret_cast<int (*)(__VA_ARGS__)>(library->symbol(#exported)); \
  complete &= api->member != nullptr;
  WW_NVML_FUNCTIONS(WW_LOAD)
#undef WW_LOAD
  if (complete && api->init() == kOk) api_ = std::move(api);
}

Nvml::~Nvml() {
  if (api_) api_->shutdown();
}

std::string Nvml::driver_version() const {
  char text[96] = "";
  if (!api_ || api_->version(text, sizeof text) != kOk) return {};
  return text;
}

GpuState Nvml::state(const std::string& pci_bus_id) const {
  GpuState state;
  NvmlDevice device = nullptr;
  if (!api_ || api_->device(pci_bus_id.c_str(), &device) != kOk) return state;
  NvmlUtilization utilization{};
  if (api_->utilization(device, &utilization) == kOk) state.utilisation = utilization.gpu;
  NvmlMemory memory{};
  if (api_->memory(device, &memory) == kOk) state.free_memory = memory.free;
  auto number = [](int result, unsigned value) {
    return result == kOk ? std::optional<unsigned>(value) : std::nullopt;
  };
  unsigned value = 0;
  int result = api_->clock(device, kSmClock, &value);
  state.sm_clock = number(result, value);
  result = api_->clock(device, kMemoryClock, &value);
  state.memory_clock = number(result, value);
  result = api_->temperature(device, kDieTemperature, &value);
  state.temperature = number(result, value);
  result = api_->power(device, &value);
  state.power = number(result, value);
  return state;
}

std::vector<Value> values(const GpuState& state, const std::string& when) {
  std::vector<Value> out;
  add(out, "sm_clock_" + when, state.sm_clock, "MHz", "clock of the multiprocessors " + when + " the runs");
  add(out, "memory_clock_" + when, state.memory_clock, "MHz", "clock of the memory " + when + " the runs");
  add(out, "temperature_" + when, state.temperature, "°C", "temperature of the GPU " + when + " the runs");
  add(out, "power_" + when, state.power, "mW", "power drawn by the card " + when + " the runs");
  return out;
}

}  // namespace ww::device::driver
