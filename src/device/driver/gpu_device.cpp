#include "device/driver/gpu_device.h"

#include <fmt/format.h>

namespace ww::device::driver {

namespace {

std::string text(const Dim3& d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); }

// All attributes in one table; the first that fails is the error.
Status read_limits(const Driver& driver, CuDevice device, Info& info, bool& cooperative, uint64_t& l2_bytes) {
  auto get = [&](CuDeviceAttribute attribute, auto& value) {
    int number = 0;
    CuResult result = driver.device_attribute(&number, attribute, device);
    value = static_cast<std::remove_reference_t<decltype(value)>>(number);
    return result;
  };
  for (CuResult result :
       {get(kMaxThreadsPerBlock, info.max_threads_per_block), get(kMaxBlockDimX, info.max_block.x),
        get(kMaxBlockDimY, info.max_block.y), get(kMaxBlockDimZ, info.max_block.z),
        get(kMaxGridDimX, info.max_grid.x), get(kMaxGridDimY, info.max_grid.y),
        get(kMaxGridDimZ, info.max_grid.z), get(kMaxSharedMemoryPerBlock, info.shared_per_block),
        get(kMaxSharedMemoryPerBlockOptin, info.shared_per_block_optin), get(kCooperativeLaunch, cooperative),
        get(kL2CacheSize, l2_bytes)})
    if (result != kSuccess) return driver.failure("ask for the limits of " + info.id, result);
  return {};
}

}  // namespace

Result<std::unique_ptr<Device>> GpuDevice::open(std::shared_ptr<const Driver> driver, int ordinal,
                                                const DriverOptions& options) {
  CuDevice handle = 0;
  auto summary = summarise(*driver, ordinal, handle);
  if (!summary) return summary.error();
  std::unique_ptr<GpuDevice> device(new GpuDevice(driver, ordinal, options));
  Info& info = device->info_;
  info.id = fmt::format("gpu{}", ordinal);
  info.real = true;
  info.name = summary->name;
  info.cc_major = summary->cc_major;
  info.cc_minor = summary->cc_minor;
  info.multiprocessors = summary->multiprocessors;
  info.memory = summary->memory;
  device->pci_bus_id_ = summary->pci_bus_id;
  if (auto ok = read_limits(*driver, handle, info, device->cooperative_, device->l2_bytes_); !ok)
    return ok.error();
  auto context = Context::create(std::move(driver), handle, fmt::format("{} ({})", info.id, info.name));
  if (!context) return context.error();
  device->context_ = *context;
  return std::unique_ptr<Device>(std::move(device));
}

GpuDevice::~GpuDevice() = default;

Result<ModuleRef> GpuDevice::load(const std::string& name, const std::string& ptx) {
  auto module = GpuModule::load(context_, name, ptx, info_.cc_major, info_.cc_minor, options_.optimise);
  if (!module) return module.error();
  return ModuleRef(*module);
}

Result<GpuDevice::Prepared> GpuDevice::prepare(const Launch& launch) {
  auto* module = dynamic_cast<const GpuModule*>(launch.module.get());
  if (!module || !module->belongs_to(*context_))
    return error(fmt::format("the module of kernel '{}' was not loaded on {}", launch.kernel, info_.id));
  auto kernel = module->kernel(launch.kernel);
  if (!kernel) return kernel.error();
  if (auto ok = check_launch(info_, launch); !ok) return ok.error();
  if (auto ok = module->check_arguments(launch.kernel, launch.arguments); !ok) return ok.error();
  if (auto ok = fits(launch, *kernel); !ok) return ok.error();

  Prepared prepared{*kernel, {}};
  for (const Argument& argument : launch.arguments)
    prepared.arguments.push_back(const_cast<std::byte*>(argument.bytes.data()));
  return prepared;
}

Status GpuDevice::fits(const Launch& launch, const Kernel& kernel) {
  const Driver& driver = context_->driver();
  uint64_t threads = launch.block.count();
  if (threads > static_cast<uint64_t>(kernel.max_threads))
    return error(
        fmt::format("kernel '{}' uses {} registers per thread: on {} its blocks have at most {} threads, "
                    "{} were asked for",
                    launch.kernel, kernel.registers, info_.name, kernel.max_threads, threads));
  uint64_t shared = static_cast<uint64_t>(kernel.static_shared) + launch.dynamic_shared;
  if (shared > info_.shared_per_block_optin)
    return error(
        fmt::format("kernel '{}' needs {} + {} bytes of static and dynamic shared memory per block, {} "
                    "has {}",
                    launch.kernel, kernel.static_shared, launch.dynamic_shared, info_.name,
                    info_.shared_per_block_optin));
  if (shared > info_.shared_per_block) {
    auto ok = context_->check(fmt::format("give kernel '{}' {} bytes of dynamic shared memory", launch.kernel,
                                          launch.dynamic_shared),
                              driver.set_function_attribute(kernel.handle, kFunctionMaxDynamicShared,
                                                            static_cast<int>(launch.dynamic_shared)));
    if (!ok) return ok;
  }
  if (launch.cluster.count() > 1) {
    if (!driver.launch_with) return error("this driver knows no clusters: it is older than CUDA 12");
    if (launch.cooperative)
      return error("clusters whose size the launch gives do not go together with a barrier of the grid here");
  }
  if (!launch.cooperative) return {};
  if (!cooperative_) return error(info_.name + " cannot launch cooperative kernels");
  int resident = 0;
  auto ok = context_->check(
      "ask how many blocks fit",
      driver.resident_blocks(&resident, kernel.handle, static_cast<int>(threads), launch.dynamic_shared));
  if (!ok) return ok;
  uint64_t most = uint64_t{info_.multiprocessors} * static_cast<uint64_t>(resident);
  if (launch.grid.count() > most)
    return error(
        fmt::format("a cooperative launch of kernel '{}' with blocks of {} threads has at most {} blocks "
                    "({} on each of {} multiprocessors), {} were asked for",
                    launch.kernel, threads, most, resident, info_.multiprocessors, launch.grid.count()));
  return {};
}

CuResult GpuDevice::start(const Launch& l, Prepared& p, CuStream stream) {
  const Driver& driver = context_->driver();
  auto shared = static_cast<unsigned>(l.dynamic_shared);
  if (l.cluster.count() > 1) {
    const CuLaunchAttribute cluster{kLaunchCluster, 0, {l.cluster.x, l.cluster.y, l.cluster.z}};
    const CuLaunchConfig config{
        {l.grid.x, l.grid.y, l.grid.z}, {l.block.x, l.block.y, l.block.z}, shared, stream, &cluster, 1};
    return driver.launch_with(&config, p.kernel.handle, p.arguments.data(), nullptr);
  }
  if (l.cooperative)
    return driver.launch_cooperative(p.kernel.handle, l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y,
                                     l.block.z, shared, stream, p.arguments.data());
  return driver.launch(p.kernel.handle, l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z, shared,
                       stream, p.arguments.data(), nullptr);
}

Result<CuResult> GpuDevice::put(const Launch& launch, CuStream stream) {
  auto prepared = prepare(launch);
  if (!prepared) return prepared.error();
  return start(launch, *prepared, stream);
}

Fault GpuDevice::fault(const Launch& launch, CuResult result) {
  auto* module = dynamic_cast<const GpuModule*>(launch.module.get());
  std::string cost = context_->recover(launch.kernel);
  return {std::string(fault_kind(result)),
          fmt::format("kernel '{}' faulted on {}: {}\n  grid {}, block {}\n  {}\n"
                      "  The GPU does not say which thread or address it was; the engine does.",
                      launch.kernel, context_->name(), context_->driver().words(result), text(launch.grid),
                      text(launch.block), cost),
          Location{module->name()}};
}

Result<LaunchReport> GpuDevice::launch(const Launch& launch) {
  auto prepared = prepare(launch);
  if (!prepared) return prepared.error();
  CuResult result = start(launch, *prepared);
  if (result == kSuccess) result = context_->driver().synchronize();
  LaunchReport report;
  if (trouble(result) == Trouble::KernelFault)
    report.faults.push_back(fault(launch, result));
  else if (auto ok = context_->check(fmt::format("run kernel '{}'", launch.kernel), result); !ok)
    return ok.error();
  return report;
}

}  // namespace ww::device::driver
