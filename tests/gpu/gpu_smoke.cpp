// Checks the GPU device on a real GPU: gpu_smoke [FOLDER]
// Prints a line for each check. Exit code 0: all good, 1: some failed, 77: there is no GPU here.
// Nsight Compute's raw output goes to FOLDER/ncu_raw.csv. It starts itself as a child: `--launch` only
// launches axpy, for ncu; `--fault KERNEL` lets that kernel fault, which may cost a process its GPU.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>

#include "base/process.h"
#include "device/gpu.h"
#include "device/ncu.h"
#include "device/ncu_metrics.h"
#include "smoke_ptx.h"

namespace {

using namespace ww;
using namespace ww::device;

int failed = 0;

void check(bool good, std::string_view what, const std::string& detail = {}) {
  fmt::print("{} {}{}{}\n", good ? "ok    " : "FAILED", what, detail.empty() ? "" : ": ", detail);
  failed += !good;
}

template <class T>
std::string why(const Result<T>& result) {
  return result ? std::string() : render(result.error());
}

void print(const std::vector<Value>& values) {
  for (const Value& v : values) fmt::print("         {:<52} {} {}\n", v.tag, v.text(), v.unit);
}

// One axpy on random numbers, ready to launch, and how to check it.
struct Axpy {
  static constexpr uint32_t n = 1 << 22;
  static constexpr float a = 1.5f;
  std::vector<float> x, y;
  Address dx = 0, dy = 0;
  Launch launch;

  Status prepare(Device& device, const ModuleRef& module) {
    auto now = std::chrono::system_clock::now().time_since_epoch().count();
    std::mt19937 random(static_cast<unsigned>(now));  // fresh inputs in every run
    std::uniform_real_distribution<float> any(-1, 1);
    x.resize(n), y.resize(n);
    for (uint32_t i = 0; i < n; ++i) x[i] = any(random), y[i] = any(random);
    for (auto [host, address] : {std::pair{&x, &dx}, std::pair{&y, &dy}}) {
      auto got = device.allocate(n * sizeof(float));
      if (!got) return got.error();
      *address = *got;
      if (auto ok = device.write(*address, std::as_bytes(std::span(*host))); !ok) return ok;
    }
    launch = {.module = module, .kernel = "axpy", .grid = {n / 256}, .block = {256}};
    launch.arguments = {Argument::of(dy), Argument::of(dx), Argument::of(a), Argument::of(n)};
    return {};
  }
  int64_t wrong(Device& device) {
    std::vector<float> out(n, NAN);
    if (!device.read(dy, std::as_writable_bytes(std::span(out)))) return n;
    int64_t count = 0;
    for (uint32_t i = 0; i < n; ++i) count += out[i] != std::fma(a, x[i], y[i]);
    return count;
  }
  void free(Device& device) { check(device.free(dx) && device.free(dy), "free"); }
};

void run_and_time(Device& device, const ModuleRef& module) {
  Axpy axpy;
  auto ready = axpy.prepare(device, module);
  check(bool(ready), "allocate and write", why(ready));
  if (!ready) return;
  auto report = device.launch(axpy.launch);
  check(report && report->faults.empty(), "launch axpy", why(report));
  int64_t wrong = axpy.wrong(device);
  check(wrong == 0, "every element equals std::fma", fmt::format("{} of {} differ", wrong, Axpy::n));
  for (bool flush : {true, false}) {
    auto timing = device.time(axpy.launch, {.flush_l2 = flush});
    check(bool(timing), fmt::format("time axpy, L2 flushed: {}", flush), why(timing));
    if (!timing) continue;
    fmt::print("         median {:.5f} ms (min {:.5f}, max {:.5f}) of {} runs, {:.0f} GB/s\n",
               timing->median_ms, timing->min_ms, timing->max_ms, timing->repeats,
               12.0 * Axpy::n / timing->median_ms * 1e-6);
    print(timing->values);
  }
  axpy.free(device);
}

void special_launches(Device& device, const ModuleRef& module) {
  uint32_t words = static_cast<uint32_t>(device.info().shared_per_block_optin / 4);
  auto out = device.allocate(words * 4);
  check(bool(out), "allocate", why(out));
  if (!out) return;
  Launch reverse{
      .module = module, .kernel = "reverse", .grid = {1}, .block = {256}, .dynamic_shared = words * 4};
  reverse.arguments = {Argument::of(*out), Argument::of(words)};
  for (bool cooperative : {false, true}) {
    reverse.cooperative = cooperative;
    std::vector<uint32_t> got(words, 0xffffffff);
    bool written = bool(device.write(*out, std::as_bytes(std::span(got))));
    auto report = device.launch(reverse);
    written = written && device.read(*out, std::as_writable_bytes(std::span(got)));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < words; ++i) wrong += got[i] != words - 1 - i;
    check(written && report && report->faults.empty() && wrong == 0,
          fmt::format("{} bytes of dynamic shared memory, cooperative: {}", words * 4, cooperative),
          report ? fmt::format("{} of {} words differ", wrong, words) : why(report));
  }
  reverse.grid = {1 << 20};
  auto refused = device.launch(reverse);
  check(!refused, "too large a cooperative grid is refused", why(refused));
  check(bool(device.free(*out)), "free");
}

void refusals(Device& device) {
  auto bad =
      device.load("bad.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { nonsense; }\n");
  check(!bad, "wrong PTX is refused with the compiler's log", why(bad));
  auto future =
      device.load("future.ptx", ".version 99.0\n.target sm_70\n.address_size 64\n.entry k() { ret; }\n");
  check(!future, "PTX of the future is refused", why(future));
  auto other =
      device.load("other.ptx", ".version 8.7\n.target sm_120a\n.address_size 64\n.entry k() { ret; }\n");
  fmt::print("       a module for sm_120a: {}", other ? "compiled\n" : why(other));
  auto huge = device.allocate(2 * device.info().memory);
  check(!huge, "too much memory is refused", why(huge));
}

// A fault must leave the process able to go on: with the GPU, or with a clear refusal to use it.
void fault(Device& device, const ModuleRef& module, const std::string& kernel) {
  auto before = device.allocate(256);
  check(bool(before), "allocate before the fault", why(before));
  if (!before) return;
  Launch launch{.module = module, .kernel = kernel == "stop" ? "stop" : "poke", .grid = {1}, .block = {32}};
  if (kernel == "poke") launch.arguments = {Argument::of(Address{64})};
  if (kernel == "misaligned") launch.arguments = {Argument::of(*before + 1)};
  auto report = device.launch(launch);
  check(report && report->faults.size() == 1, fmt::format("kernel {} faults", kernel), why(report));
  if (report && !report->faults.empty())
    fmt::print("         kind: {}\n         {}\n", report->faults[0].kind, report->faults[0].message);
  std::byte byte{};
  auto lost = device.read(*before, {&byte, 1});
  check(!lost, "memory from before is refused", why(lost));
  check(bool(device.free(*before)), "memory from before can be freed");
  Axpy again;
  auto ready = again.prepare(device, module);
  if (!ready) {
    check(why(ready).find("cannot be used any more since kernel") != std::string::npos,
          "later work is refused with the reason", why(ready));
    return;
  }
  auto good = device.launch(again.launch);
  check(good && good->faults.empty() && again.wrong(device) == 0, "the next kernel runs and is right",
        why(good));
  again.free(device);
}

// Each fault in a process of its own, and the GPU is well for this one afterwards.
void faults(const std::string& self, Device& device, const ModuleRef& module) {
  for (const char* kernel : {"poke", "misaligned", "stop"}) {
    auto child = run_process({self, "--fault", kernel}, 120);
    check(child && child->exit_code == 0, fmt::format("fault {} in a child", kernel), why(child));
    if (child) fmt::print("{}{}", child->output, child->errors);
  }
  Axpy again;
  auto ready = again.prepare(device, module);
  auto good = ready ? device.launch(again.launch) : Result<LaunchReport>(ready.error());
  check(good && good->faults.empty() && again.wrong(device) == 0, "this process did not notice", why(good));
}

void counters(const std::string& self, const std::string& folder) {
  std::string raw = folder.empty() ? "" : folder + "/ncu_raw.csv";
  auto kernels = profile({self, "--launch"}, {.max_seconds = 240, .keep_csv = raw});
  if (!kernels) {
    fmt::print("       no counters: {}", why(kernels));
    return;
  }
  check(kernels->size() == 1, "one kernel was profiled", fmt::format("{}", kernels->size()));
  for (const auto& kernel : *kernels) {
    fmt::print("       {} grid {} block {}\n", kernel.name, kernel.grid, kernel.block);
    print(kernel.values);
    auto neutral = neutral_values(kernel.values);
    print(neutral);
    auto equal = [&](const char* tag, double expected) {
      const Row row{.values = neutral};
      const Value* v = row.find(tag);
      check(v && v->number() == expected, tag,
            fmt::format("{} expected, {}", expected, v ? v->text() : "none"));
    };
    // A warp's 32 floats are one request and four sectors; two loads and one store for each warp.
    equal("global_load_requests", 2 * Axpy::n / 32);
    equal("global_load_sectors", 2 * Axpy::n / 8);
    equal("global_store_sectors", Axpy::n / 8);
    equal("thread_ffma", Axpy::n);
    equal("flop", 2.0 * Axpy::n);
    for (const NcuMetric& m : ncu_metrics()) {
      const Row row{.values = neutral};
      check(row.find(m.tag) != nullptr, fmt::format("metric {} came", m.metric));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);  // keeps what was said should the driver crash
  auto gpus = list_gpus();
  if (!gpus) {
    fmt::print("{}", render(gpus.error()));
    return 77;
  }
  bool fault_only = argc > 2 && std::string_view(argv[1]) == "--fault";
  bool launch_only = argc > 1 && std::string_view(argv[1]) == "--launch";
  int best = least_loaded(*gpus);
  if (!launch_only && !fault_only)
    for (const auto& g : *gpus)
      fmt::print("gpu{}{} {} {} {} cc {}.{} {} SMs {} bytes, driver {}, {} % busy, {} bytes free\n",
                 g.ordinal, g.ordinal == best ? "*" : "", g.name, g.uuid, g.pci_bus_id, g.cc_major,
                 g.cc_minor, g.multiprocessors, g.memory, g.driver,
                 g.state.utilisation ? std::to_string(*g.state.utilisation) : "?",
                 g.state.free_memory ? std::to_string(*g.state.free_memory) : "?");
  auto device = open_gpu(best);
  check(bool(device), "open", why(device));
  if (!device) return 1;
  auto module = (*device)->load("smoke.ptx", kSmokePtx);
  check(bool(module), "compile", why(module));
  if (!module) return 1;
  if (launch_only) {
    Axpy axpy;
    auto ready = axpy.prepare(**device, *module);
    auto report = ready ? (*device)->launch(axpy.launch) : Result<LaunchReport>(ready.error());
    return report && report->faults.empty() ? 0 : 1;
  }
  if (fault_only) {
    fault(**device, *module, argv[2]);
    return failed ? 1 : 0;
  }
  for (const auto& kernel : (*module)->kernels()) {
    fmt::print("       {}\n", kernel);
    print((*module)->attributes(kernel));
  }
  run_and_time(**device, *module);
  special_launches(**device, *module);
  refusals(**device);
  const std::string self = std::filesystem::absolute(argv[0]).string();
  counters(self, argc > 1 ? argv[1] : "");
  faults(self, **device, *module);
  fmt::print("{}\n", failed ? fmt::format("{} checks FAILED", failed) : "all checks good");
  return failed ? 1 : 0;
}
