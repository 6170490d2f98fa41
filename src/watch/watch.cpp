#include "watch/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "checks/findings.h"
#include "checks/launch_facts.h"
#include "checks/races.h"
#include "counters/gpu_counters.h"
#include "device/engine_device.h"
#include "kernels/device_buffers.h"
#include "kernels/embedded.h"
#include "watch/recorder.h"

namespace ww::watch {

namespace {

Diagnostic too_large(const kernels::Case& chosen, const kernels::Config& config, const std::string& what) {
  const int64_t n = small_n(chosen, config);
  const std::string hint = n > 0 && n < config.n ? fmt::format("choose a smaller n, for example {}", n)
                                                 : "choose a smaller block, tile, r or k";
  return error(fmt::format("{} is too large to watch: {}", kernels::title(chosen.name, config), what), hint);
}

std::array<u32, 3> sizes(const device::Dim3& d) { return {d.x, d.y, d.z}; }

/// What is known of a launch before it runs.
Launch expected(const kernels::Plan& plan, const kernels::PlannedLaunch& planned,
                const kernels::DeviceBuffers& buffers) {
  Launch out;
  out.entry = planned.entry;
  out.grid = sizes(planned.grid);
  out.block = sizes(planned.block);
  out.shared_bytes = static_cast<u32>(planned.dynamic_shared);
  for (size_t k = 0; k < plan.buffers.size(); ++k) {
    const kernels::Buffer& b = plan.buffers[k];
    out.arrays.push_back({b.name, ir::Space::Global, buffers.address(static_cast<int>(k)),
                          (b.elements + b.slack) * 4, b.elements, b.columns});
  }
  return out;
}

/// Looks for races while a launch is recorded: they are what a picture can show.
class RaceCheck {
 public:
  RaceCheck(device::Device& device, device::Launch& launch, u64 number) : engine_(device::engine_of(device)) {
    if (!engine_) return;
    races_ = std::make_unique<checks::Races>(findings_);
    engine_->memory().host_events().listen(*races_);
    races_->prepare(checks::facts_of(launch, number, engine_->memory()));
    launch.listeners.push_back(races_.get());
  }
  ~RaceCheck() {
    if (races_) engine_->memory().host_events().ignore(*races_);
  }
  RaceCheck(const RaceCheck&) = delete;
  RaceCheck& operator=(const RaceCheck&) = delete;

  std::vector<checks::Finding> found() const { return findings_.all(); }

 private:
  engine::Engine* engine_;
  checks::Findings findings_;
  std::unique_ptr<checks::Races> races_;
};

}  // namespace

int64_t small_n(const kernels::Case& chosen, kernels::Config config) {
  const kernels::Shape& s = config.shape;
  /// The first n from two blocks of `side` on that the kernel takes.
  const auto from = [&](int64_t side) -> std::optional<kernels::Plan> {
    const int64_t first = 2 * side + 2 * int64_t{config.r};
    for (config.n = first; config.n <= 64 * first;
         config.n += config.n < 4 * first ? 1 : std::max<int64_t>(1, side))
      if (auto plan = kernels::make_plan(chosen, config)) return std::move(*plan);
    return std::nullopt;
  };
  if (s.block > 32) {
    // Of a matrix, so many threads compute a tile or a strip: it is taken as about as wide as high.
    const auto plan = from(static_cast<int64_t>(std::sqrt(s.block)) * std::max(std::min(s.rx, s.ry), 1));
    using enum kernels::Problem;
    if (plan && (plan->task.problem == Matmul || plan->task.problem == MatmulTransposed ||
                 plan->task.problem == BoxSum))
      return config.n;
  }
  return from(int64_t{s.block} * std::max({s.rx, s.ry, 1})) ? config.n : 0;
}

int small_r(const kernels::Case& chosen, kernels::Config config) {
  if (chosen.axes.r.empty()) return 0;
  for (const int r : {1, 2}) {
    config.r = r;
    if (small_n(chosen, config) > 0) return r;
  }
  return chosen.axes.r.front();  // windows of many elements only
}

Result<Recording> record(const kernels::Case& chosen, const kernels::Config& config, const gpus::Gpu& gpu,
                         std::atomic<bool>& stop) {
  auto plan = kernels::make_plan(chosen, config);
  if (!plan) return plan.error();
  if (plan->host) return error(fmt::format("{} runs on the host: there is nothing to watch", chosen.name));
  if (plan->launches.empty())
    return error(fmt::format("{} is for real GPUs only: there is nothing to watch", chosen.name));
  const u64 elements = kernels::bytes_of(plan->buffers) / sizeof(float);
  if (elements > kMostElements)
    return too_large(
        chosen, config,
        fmt::format("its buffers have {} elements, at most {} are shown", elements, kMostElements));

  engine::Settings settings;
  settings.threads = 1;  // blocks one after another, the same in every run
  settings.cancel = &stop;
  const auto device = device::make_engine_device(settings);
  auto module = device->load(plan->module, std::string(kernels::embedded_ptx(plan->module)));
  if (!module) return module.error();
  kernels::DeviceBuffers buffers(*device);
  if (auto ok = buffers.create(plan->buffers); !ok) return ok.error();
  if (auto ok = buffers.create(plan->textures); !ok) return ok.error();
  std::map<std::string, u64> shared;
  for (const kernels::SharedArray& a : plan->shared) shared[a.name] = a.columns;

  Recording out{chosen.name, config, plan->task.problem, gpu.id, gpu.name, rules::capability(gpu), {},
                {},          {}};
  Recorder recorder(out.capability, kMostEvents, &stop);
  for (const kernels::PlannedLaunch& planned : plan->launches) {
    device::Launch launch;
    launch.module = *module;
    launch.kernel = planned.entry;
    launch.grid = planned.grid;
    launch.block = planned.block;
    launch.cluster = planned.cluster;
    launch.dynamic_shared = planned.dynamic_shared;
    launch.listeners = {&recorder};
    const RaceCheck races(*device, launch, out.launches.size());
    kernels::set_arguments(launch, planned, buffers);
    recorder.expect(expected(*plan, planned, buffers), shared);
    auto report = device->launch(launch);
    if (recorder.full())
      return too_large(chosen, config,
                       fmt::format("its warps access memory more than {} times", kMostEvents));
    if (!report) return report.error();
    if (!report->faults.empty()) return error_at(report->faults[0].where, report->faults[0].message);
    out.launches.push_back(recorder.take(races.found()));
  }
  return out;
}

std::string title_of(const Recording& r) {
  return r.title.empty() ? kernels::title(r.kernel, r.config) : r.title;
}

Result<Recording> record(device::Device& device, const device::Launch& launch, Launch what,
                         const Known& known, const gpus::Gpu& gpu, std::atomic<bool>& stop) {
  u64 elements = 0;
  for (const Array& a : what.arrays) elements += a.elements;
  if (elements > kMostElements)
    return error(fmt::format("its arrays have {} words, at most {} are shown", elements, kMostElements),
                 "choose smaller arrays and a smaller grid");
  Recording out;
  out.kernel = what.entry;
  out.problem = kernels::Problem::Given;
  out.gpu = gpu.id, out.gpu_name = gpu.name, out.capability = rules::capability(gpu);
  Recorder recorder(out.capability, kMostEvents, &stop);
  device::Launch heard = launch;
  heard.listeners = {&recorder};
  const RaceCheck races(device, heard, 0);
  recorder.know(known);
  recorder.expect(std::move(what), {});
  auto report = device.launch(heard);
  if (recorder.full())
    return error(fmt::format("its warps access memory more than {} times: too large to watch", kMostEvents),
                 "choose a smaller grid");
  if (!report) return report.error();
  if (!report->faults.empty()) return error_at(report->faults[0].where, report->faults[0].message);
  out.launches.push_back(recorder.take(races.found()));
  if (out.launches[0].steps.empty())
    return error("with these arguments no thread reads or writes memory: there is nothing to watch",
                 "other arguments, or another grid");
  return out;
}

}  // namespace ww::watch
