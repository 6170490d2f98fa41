#include <fmt/format.h>

#include "device/driver/gpu_device.h"
#include "device/timing.h"

namespace ww::device::driver {

namespace {

// Any GPU's driver compiles this: old PTX for an old target.
constexpr const char* kEmptyKernel =
    ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry ww_empty()\n{\n  ret;\n}\n";
constexpr int kOverheadRepeats = 21;

}  // namespace

// Two events around a launch. Those of a context that died with a fault died with it.
struct GpuDevice::Timer {
  const Context& context;
  const int generation = context.generation();
  CuEvent begin = nullptr, end = nullptr;

  explicit Timer(const Context& c) : context(c) {}
  Timer(const Timer&) = delete;
  ~Timer() {
    if (generation != context.generation()) return;
    if (begin) context.driver().event_destroy(begin);
    if (end) context.driver().event_destroy(end);
  }
  CuResult create() {
    CuResult result = context.driver().event_create(&begin, 0);
    return result == kSuccess ? context.driver().event_create(&end, 0) : result;
  }
};

CuResult GpuDevice::run_timed(const Start& start, Timer& timer, bool flush, double& ms) {
  const Driver& driver = context_->driver();
  CuResult result = kSuccess;
  // Twice the cache is written, so that nothing of the kernel's data stays whatever the replacement policy.
  if (flush) result = driver.fill(flush_, 0, 2 * l2_bytes_, nullptr);
  if (result == kSuccess) result = driver.event_record(timer.begin, nullptr);
  if (result == kSuccess) result = start();
  if (result == kSuccess) result = driver.event_record(timer.end, nullptr);
  if (result == kSuccess) result = driver.event_synchronize(timer.end);
  float elapsed = 0;
  if (result == kSuccess) result = driver.event_elapsed_ms(&elapsed, timer.begin, timer.end);
  ms = elapsed;
  return result;
}

Diagnostics GpuDevice::timing_error(const Launch& launch, CuResult result) {
  if (trouble(result) == Trouble::KernelFault) {
    Fault what = fault(launch, result);
    return {error_at(what.where, what.message)};
  }
  return context_->check(fmt::format("time kernel '{}'", launch.kernel), result).error();
}

Status GpuDevice::prepare_flush() {
  if (flush_ && flush_generation_ == context_->generation()) return {};
  auto buffer = context_->allocate(2 * l2_bytes_);
  if (!buffer) {
    auto why = buffer.error();
    why[0].hint = "the memory is for emptying the L2 cache between runs; time without flush_l2 to do without";
    return why;
  }
  flush_ = *buffer;
  flush_generation_ = context_->generation();
  return {};
}

Result<double> GpuDevice::launch_overhead_ms(Timer& timer, bool flush) {
  if (!empty_) {
    auto module = GpuModule::load(context_, "empty kernel", kEmptyKernel, info_.cc_major, info_.cc_minor);
    if (!module) return module.error();
    empty_ = *module;
  }
  Launch launch{.module = empty_, .kernel = "ww_empty"};
  auto prepared = prepare(launch);
  if (!prepared) return prepared.error();
  std::vector<double> samples;
  for (int i = 0; i <= kOverheadRepeats; ++i) {
    double ms = 0;
    if (CuResult result = run_timed([&] { return start(launch, *prepared); }, timer, flush, ms);
        result != kSuccess)
      return timing_error(launch, result);
    if (i > 0) samples.push_back(ms);  // the first one is the warm-up
  }
  return quantile(std::move(samples), 0.5);
}

Result<Timing> GpuDevice::time(const Launch& launch, const TimingOptions& options) {
  auto prepared = prepare(launch);
  if (!prepared) return prepared.error();
  return repeat([&] { return start(launch, *prepared); },
                [&](CuResult result) { return timing_error(launch, result); }, options);
}

Result<Timing> GpuDevice::time_work(const std::string& what, const std::function<Status()>& start,
                                    const TimingOptions& options) {
  if (auto ok = context_->enter(); !ok) return ok.error();
  Status own;
  const auto start_and_keep = [&] {
    own = start();
    return own ? kSuccess : kUnknown;
  };
  const auto say = [&](CuResult result) {
    if (!own) return own.error();
    if (trouble(result) == Trouble::KernelFault) {
      std::string cost = context_->recover(what);
      return Diagnostics{
          error(fmt::format("{} faulted on {}: {}", what, context_->name(), context_->driver().words(result)),
                cost)};
    }
    return context_->check(fmt::format("time {}", what), result).error();
  };
  return repeat(start_and_keep, say, options);
}

Result<Timing> GpuDevice::repeat(const Start& start, const Explain& explain, const TimingOptions& options) {
  bool flush = options.flush_l2 && l2_bytes_ > 0;
  if (flush)
    if (auto ok = prepare_flush(); !ok) return ok.error();
  Timer timer(*context_);
  if (auto ok = context_->check("make events", timer.create()); !ok) return ok.error();
  auto overhead = launch_overhead_ms(timer, flush);
  if (!overhead) return overhead.error();

  double ms = 0, warm = 0;
  // One warm-up that takes longer than the whole budget is warm enough.
  for (int i = 0; i < options.warm_ups && (i == 0 || warm < options.max_seconds * 1e3); ++i, warm += ms)
    if (CuResult result = run_timed(start, timer, flush, ms); result != kSuccess) return explain(result);

  GpuState before = nvml_.state(pci_bus_id_);
  Repeats repeats(options);
  while (!repeats.enough()) {
    if (CuResult result = run_timed(start, timer, flush, ms); result != kSuccess) return explain(result);
    repeats.add(ms);
  }
  GpuState after = nvml_.state(pci_bus_id_);

  Timing timing = repeats.timing();
  timing.values.push_back({"launch_overhead", *overhead * 1e3, "us", Provenance::Measured,
                           "time of an empty kernel between the same events; part of every time"});
  timing.values.push_back({"l2_flushed", std::string(flush ? "yes" : "no"), "", Provenance::Input,
                           "whether the L2 cache was overwritten before every run"});
  for (const auto& state : {values(before, "before"), values(after, "after")})
    timing.values.insert(timing.values.end(), state.begin(), state.end());
  return timing;
}

}  // namespace ww::device::driver
