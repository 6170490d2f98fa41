// Random kernels on a real GPU and on the engine's back ends, results compared bit by bit:
// random_kernels [KERNELS [SEED [unoptimised]]] (1000, 1)
// Prints the kernels that differ, and a line at the end. Exit code 0: all agree, 1: some differ, 77: there is
// no GPU here. unoptimised: as the driver's compiler translates them without optimisation.
// random_kernels reduce SEED
// Takes lines out of that kernel as long as it still differs, and prints what is left.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

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

bool recurses(const reference::RandomProgram& p) {  // deeper than a GPU's stack at first
  return p.text.find("recursive") != std::string::npos;
}

/// Whether a kernel without the line still ends and has one result only, or the engine at least says that it
/// does not.
bool removable(const std::string& line) {
  const size_t at = line.find_first_not_of(' ');
  if (at == std::string::npos || line.back() != ';' || line[at] == '.' || line[at] == '{') return false;
  if (line.find("bra DONE") != std::string::npos) return false;  // a loop would go on
  for (const char* needed : {"bar.", "fence", "%c", "%round", "brx", "branchtargets"})
    if (line.find(needed) != std::string::npos) return false;
  return line.substr(at) != "ret;";
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// The same kernel without what is not needed for its results to differ. The engine runs it first: what does
/// not end there, or accesses what it must not, never gets to the GPU.
std::string reduced(Device& gpu, Device& engine, reference::RandomProgram program) {
  std::vector<std::string> lines;
  std::istringstream text(program.text);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  size_t first = lines.size();  // behind the values that all registers and local memory get
  while (first > 0 && lines[first - 1].find("st.local.u64 [%stack+56]") == std::string::npos) --first;
  auto differs = [&](const std::vector<std::string>& some) {
    program.text = joined(some);
    const auto here = outcome(engine, program);
    if (!here) return false;
    const auto there = outcome(gpu, program);
    return there && !difference(there, here).empty();
  };
  bool changed = true;
  for (size_t chunk = lines.size() / 4; chunk > 0 && (changed || chunk > 1);
       chunk = chunk > 1 ? chunk / 2 : 1) {
    changed = false;
    for (size_t at = first; at < lines.size();) {
      std::vector<std::string> fewer(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(at));
      for (size_t k = at; k < lines.size(); ++k)
        if (k >= at + chunk || !removable(lines[k])) fewer.push_back(lines[k]);
      if (fewer.size() < lines.size() && differs(fewer))
        lines = std::move(fewer), changed = true;
      else
        at += chunk;
    }
  }
  return joined(lines);
}

}  // namespace

int main(int count, char** arguments) {
  const bool reduce = count == 3 && std::string_view(arguments[1]) == "reduce";
  const uint64_t kernels = reduce ? 1 : count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1000;
  const uint64_t first = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  auto gpus = list_gpus();
  if (!gpus || gpus->empty()) {
    fmt::print("skipped: there is no GPU here\n");
    return 77;
  }
  const bool optimise = count < 4 || std::string_view(arguments[3]) != "unoptimised";
  auto gpu = open_gpu(least_loaded(*gpus), {.optimise = optimise});
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
  fmt::print("{}, driver {}, {}optimised, kernels of seeds {} to {}\n", (*gpu)->info().name,
             (*gpus)[0].driver, optimise ? "" : "not ", first, first + kernels - 1);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (reduce) {
    fmt::print("{}",
               reduced(**gpu, *engines[0].second, reference::random_program(first, 20 + int(first % 60))));
    return 0;
  }
  uint64_t different = 0, compared = 0, threads = 0;
  for (uint64_t seed = first; seed < first + kernels; ++seed) {
    const reference::RandomProgram program = reference::random_program(seed, 20 + int(seed % 60));
    if (recurses(program)) continue;
    compared += 1, threads += uint64_t{program.grid} * program.block;
    const auto wanted = outcome(**gpu, program);
    if (!wanted) {
      fmt::print("seed {}: the GPU: {}\n{}\n", seed, render(wanted.error()), program.text);
      return 1;  // a fault costs the process its GPU
    }
    reference::RandomProgram here = program;
    // Then products are not fused with sums: the engine does as for a debugger.
    if (!optimise) here.text.insert(here.text.find('\n', here.text.find(".target")), ", debug");
    bool differs = false;
    for (auto& [back, engine] : engines) {
      const std::string what = difference(wanted, outcome(*engine, here));
      if (what.empty()) continue;
      fmt::print("seed {}, {}: {}\n", seed, back, what);
      differs = true;
    }
    if (differs && different++ < 3) fmt::print("{}\n", program.text);
  }
  fmt::print("{} kernels, {} threads, {} differ\n", compared, threads, different);
  return different ? 1 : 0;
}
