#include "cli/shared/device_option.h"

#include <fmt/format.h>

#include <charconv>

#include "device/gpu.h"

namespace ww::cli {

namespace {

Result<std::unique_ptr<device::Device>> gpu_named_by(const std::string& name) {
  auto gpus = device::list_gpus();
  if (!gpus) return gpus.error();
  int ordinal = device::least_loaded(*gpus);
  if (name.size() > 3) {
    auto [end, wrong] = std::from_chars(name.data() + 3, name.data() + name.size(), ordinal);
    if (wrong != std::errc() || end != name.data() + name.size() || ordinal < 0 ||
        ordinal >= static_cast<int>(gpus->size()))
      return error(fmt::format("there is no device {}", name),
                   fmt::format("this machine has {} GPU(s); see `warpwright devices`", gpus->size()));
  } else {
    ordinal = (*gpus)[static_cast<size_t>(ordinal)].ordinal;
  }
  return device::open_gpu(ordinal);
}

}  // namespace

Result<std::vector<std::unique_ptr<device::Device>>> devices_named(const std::string& name,
                                                                   const engine::Settings& settings) {
  std::vector<std::unique_ptr<device::Device>> devices;
  bool is_gpu = name.starts_with("gpu");
  if (!is_gpu && name != "engine" && name != "both" && name != "auto")
    return error(fmt::format("there is no device {}", name), "choose engine, gpu, gpu0 …, both or auto");
  if (!is_gpu) devices.push_back(device::make_engine_device(settings));
  if (name == "engine") return devices;
  auto gpu = gpu_named_by(is_gpu ? name : "gpu");
  if (!gpu) {
    if (name != "auto") return gpu.error();
    return devices;
  }
  devices.push_back(std::move(gpu).value());
  if (name == "auto")
    fmt::print(stderr, "using {} beside {}\n", devices[1]->info().name, devices[0]->info().name);
  return devices;
}

}  // namespace ww::cli
