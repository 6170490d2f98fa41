// Random kernels on a real GPU and on the engine's back ends, results compared bit by bit:
// random_kernels [KERNELS [SEED]] (1000, 1)
// Prints the kernels that differ, and a line at the end. Exit code 0: all agree, 1: some differ, 77: there is
// no GPU here.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "device/engine_device.h"
#include "device/gpu.h"
#include "engine/compile/compile.h"
#include "engine/lanes/lanes.h"
#include "random_program.h"

namespace {

using namespace ww;
using namespace ww::device;
using Bytes = std::vector<uint8_t>;

/// What the kernel leaves in `out` and `common`.
Result<Bytes> outcome(Device& device, const reference::RandomProgram& program) {
  auto module = device.load("random.ptx", program.text);
  if (!module) return module.error();
  Launch launch{.module = *module, .kernel = "k", .grid = {program.grid}, .block = {program.block}};
  const Bytes buffers[] = {Bytes(size_t{program.grid} * program.block * reference::kOutBytes, 0),
                           reference::random_input(), Bytes(reference::kCommonBytes, 0)};
  std::vector<Address> addresses;
  for (const Bytes& b : buffers) {
    auto at = device.allocate(b.size());
    if (!at) return at.error();
    if (auto ok = device.write(*at, std::as_bytes(std::span(b))); !ok) return ok.error();
    addresses.push_back(*at);
    launch.arguments.push_back(Argument::of(*at));
  }
  auto report = device.launch(launch);
  if (!report) return report.error();
  if (!report->faults.empty()) return error(report->faults[0].message);
  Bytes out = buffers[0], common = buffers[2];
  if (auto ok = device.read(addresses[0], std::as_writable_bytes(std::span(out))); !ok) return ok.error();
  if (auto ok = device.read(addresses[2], std::as_writable_bytes(std::span(common))); !ok) return ok.error();
  for (Address at : addresses)
    if (auto ok = device.free(at); !ok) return ok.error();
  out.insert(out.end(), common.begin(), common.end());
  return out;
}

/// "" where they are the same.
std::string difference(const Result<Bytes>& gpu, const Result<Bytes>& engine) {
  if (!engine) return "the engine: " + render(engine.error());
  if (gpu->size() != engine->size()) return "other sizes";
  for (size_t k = 0; k < gpu->size(); ++k)
    if ((*gpu)[k] != (*engine)[k])
      return fmt::format("thread {}, byte {}: the GPU {:02x}, the engine {:02x}", k / reference::kOutBytes,
                         k % reference::kOutBytes, (*gpu)[k], (*engine)[k]);
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  const uint64_t kernels = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1000;
  const uint64_t first = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  auto gpus = list_gpus();
  if (!gpus || gpus->empty()) {
    fmt::print("skipped: there is no GPU here\n");
    return 77;
  }
  auto gpu = open_gpu(least_loaded(*gpus));
  if (!gpu) {
    fmt::print("{}\n", render(gpu.error()));
    return 1;
  }
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  std::vector<std::pair<std::string, std::unique_ptr<Device>>> engines;
  std::string why;
  const bool compiler = engine::can_compile(*engine::lane_code(), why);
  if (!compiler) fmt::print("without the compiled back end: {}\n", why);
  for (const char* back : {"interpreter", "compiled"}) {
    if (!compiler && std::string_view(back) == "compiled") continue;
    engine::Settings settings;
    settings.back = back;
    settings.memory_limit = 64 << 20;
    engines.emplace_back(back, make_engine_device(settings));
  }
  fmt::print("{}, driver {}, kernels of seeds {} to {}\n", (*gpu)->info().name, (*gpus)[0].driver, first,
             first + kernels - 1);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  uint64_t different = 0, compared = 0, threads = 0;
  for (uint64_t seed = first; seed < first + kernels; ++seed) {
    const reference::RandomProgram program = reference::random_program(seed, 20 + int(seed % 60));
    if (program.text.find("recursive") != std::string::npos) continue;  // deeper than a GPU's stack at first
    compared += 1, threads += uint64_t{program.grid} * program.block;
    const auto wanted = outcome(**gpu, program);
    if (!wanted) {
      fmt::print("seed {}: the GPU: {}\n{}\n", seed, render(wanted.error()), program.text);
      return 1;  // a fault costs the process its GPU
    }
    bool differs = false;
    for (auto& [back, engine] : engines) {
      const std::string what = difference(wanted, outcome(*engine, program));
      if (what.empty()) continue;
      fmt::print("seed {}, {}: {}\n", seed, back, what);
      differs = true;
    }
    if (differs && different++ < 3) fmt::print("{}\n", program.text);
  }
  fmt::print("{} kernels, {} threads, {} differ\n", compared, threads, different);
  return different ? 1 : 0;
}
