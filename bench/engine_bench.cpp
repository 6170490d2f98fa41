// Throughput of the engine and of the PTX front end.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <thread>

#include "device/engine_device.h"
#include "ir/verify.h"
#include "kernels/case.h"
#include "kernels/device_buffers.h"
#include "kernels/embedded.h"
#include "kernels/plan.h"
#include "ptx/parser.h"

namespace {

using namespace ww;

/// A matrix product of the laboratory. Arguments: n, counted or not, host threads (0: all cores).
void product(benchmark::State& state, const char* name, kernels::Shape shape) {
  engine::Settings settings;
  settings.threads = static_cast<int>(state.range(2));
  const int cores =
      settings.threads ? settings.threads : static_cast<int>(std::thread::hardware_concurrency());
  auto device = device::make_engine_device(settings);
  const kernels::Case& chosen = **kernels::find_case(name);
  auto plan = kernels::make_plan(chosen, {state.range(0), shape});
  if (!plan) return state.SkipWithError(plan.error()[0].message.c_str());
  auto module = device->load(plan->module, std::string(kernels::embedded_ptx(plan->module)));
  kernels::DeviceBuffers buffers(*device);
  if (!module || !buffers.create(plan->buffers)) return state.SkipWithError("cannot load");
  const kernels::PlannedLaunch& planned = plan->launches[0];
  device::Launch launch{.module = *module,
                        .kernel = planned.entry,
                        .grid = planned.grid,
                        .block = planned.block,
                        .dynamic_shared = planned.dynamic_shared,
                        .count = true};
  for (const auto& argument : planned.arguments) {
    const auto* buffer = std::get_if<kernels::BufferArgument>(&argument);
    launch.arguments.push_back(buffer ? device::Argument::of(buffers.address(buffer->index))
                                      : std::get<device::Argument>(argument));
  }
  // How many warp instructions a launch is, from a counted one that also prepares the kernel.
  auto report = device->launch(launch);
  if (!report || !report->faults.empty()) return state.SkipWithError("the kernel failed");
  double instructions = 0, fma = 0;
  for (const Value& v : report->values) {
    if (v.tag == "warp_instructions") instructions = v.number();
    if (v.tag == "thread_ffma") fma = v.number();
  }
  launch.count = state.range(1) != 0;
  for (auto _ : state) benchmark::DoNotOptimize(device->launch(launch));
  state.counters["warp_instructions_per_core"] =
      benchmark::Counter(instructions / cores, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["thread_fma"] = benchmark::Counter(fma, benchmark::Counter::kIsIterationInvariantRate);
}
void tiled_matmul(benchmark::State& state) { product(state, "matmul/tiled", {16}); }
void tiles_4x4(benchmark::State& state) { product(state, "matmul/tiles", {16, 4, 4}); }
BENCHMARK(tiles_4x4)
    ->ArgNames({"n", "counted", "threads"})
    ->Args({1024, 1, 1})
    ->Args({1024, 1, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(tiled_matmul)
    ->ArgNames({"n", "counted", "threads"})
    ->Args({512, 0, 1})
    ->Args({512, 1, 1})
    ->Args({512, 0, 0})
    ->Args({512, 1, 0})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// A kernel of `lines` instructions with a branch every hundred.
std::string long_ptx(int lines) {
  std::string text =
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry long_one(.param .u64 p) {\n"
      ".reg .pred %p<2>;\n.reg .b32 %r<100>;\n.reg .f32 %f<100>;\n.reg .b64 %d<4>;\nld.param.u64 %d0, [p];\n";
  for (int i = 0; i < lines; ++i) {
    int a = i * 7 % 100, b = i * 13 % 100, c = i * 31 % 100;
    if (i % 100 == 99)
      text += fmt::format("@%p1 bra L{0};\nL{0}:\n", i);
    else if (i % 5 == 0)
      text += fmt::format("ld.global.f32 %f{}, [%d0+{}];\n", a, 4 * (i % 1000));
    else if (i % 5 == 1)
      text += fmt::format("add.s32 %r{}, %r{}, %r{};\n", a, b, c);
    else if (i % 5 == 2)
      text += fmt::format("setp.lt.s32 %p1, %r{}, %r{};\n", a, b);
    else
      text += fmt::format("fma.rn.f32 %f{}, %f{}, %f{}, %f{};\n", a, b, c, a);
  }
  return text + "ret;\n}\n";
}

/// Parse, verify, load and, by an empty launch's refusal or a run of one thread, decode.
void prepare_ptx(benchmark::State& state) {
  const std::string text = long_ptx(static_cast<int>(state.range(0)));
  auto device = device::make_engine_device();
  auto memory = device->allocate(8192);
  for (auto _ : state) {
    auto module = device->load("long.ptx", text);
    if (!module) return state.SkipWithError(module.error()[0].message.c_str());
    auto report = device->launch({.module = *module,
                                  .kernel = "long_one",
                                  .grid = {1},
                                  .block = {1},
                                  .arguments = {device::Argument::of(*memory)}});
    if (!report) return state.SkipWithError(report.error()[0].message.c_str());
  }
  state.counters["lines"] =
      benchmark::Counter(static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(prepare_ptx)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
