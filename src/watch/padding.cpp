#include "watch/padding.h"

#include "device/engine_device.h"
#include "kernels/device_buffers.h"
#include "kernels/embedded.h"

namespace ww::watch {

Result<std::vector<PaddingTrial>> try_padding(const kernels::Case& chosen, const kernels::Config& config,
                                              const gpus::Gpu& gpu, const std::atomic<bool>& stop) {
  auto plan = kernels::make_plan(chosen, config);
  if (!plan) return plan.error();
  std::vector<PaddingTrial> trials;
  std::atomic<bool> enough = false;
  engine::Settings settings;
  settings.threads = 1;  // blocks one after another, the same in every run
  settings.cancel = &enough;
  const auto device = device::make_engine_device(settings);
  auto module = device->load(plan->module, std::string(kernels::embedded_ptx(plan->module)));
  if (!module) return module.error();
  kernels::DeviceBuffers buffers(*device);
  if (auto ok = buffers.create(plan->buffers); !ok) return ok.error();
  if (auto ok = buffers.create(plan->textures); !ok) return ok.error();
  std::map<std::string, uint64_t> columns;
  for (const kernels::SharedArray& a : plan->shared)
    if (a.columns > 0) columns[a.name] = static_cast<uint64_t>(a.columns);
  for (const kernels::PlannedLaunch& planned : plan->launches) {
    if (stop) return error("interrupted");
    enough = false;
    forecast::SharedAccesses seen(&enough);
    device::Launch launch;
    launch.module = *module;
    launch.kernel = planned.entry;
    launch.grid = planned.grid;
    launch.block = planned.block;
    launch.cluster = planned.cluster;
    launch.dynamic_shared = planned.dynamic_shared;
    launch.listeners = {&seen};
    kernels::set_arguments(launch, planned, buffers);
    auto report = device->launch(launch);
    if (!report && !enough) return report.error();
    if (report && !report->faults.empty())
      return error_at(report->faults[0].where, report->faults[0].message);
    trials.push_back(
        forecast::try_padding(seen, rules::capability(gpu), columns, planned.dynamic_shared, false));
  }
  return trials;
}

}  // namespace ww::watch
