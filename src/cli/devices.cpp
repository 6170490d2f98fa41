#include "cli/devices.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>
#include <thread>

#include "engine/compile/compile.h"

namespace ww::cli {

namespace {

constexpr size_t kColumns = 7;
using Line = std::array<std::string, kColumns>;

std::string gibibytes(uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (uint64_t{1} << 30));
}

Line line_of(const device::GpuSummary& gpu, bool best) {
  const auto& state = gpu.state;
  return {fmt::format("gpu{}{}", gpu.ordinal, best ? " *" : ""),
          gpu.name,
          fmt::format("{}.{}", gpu.cc_major, gpu.cc_minor),
          fmt::format("{}", gpu.multiprocessors),
          gibibytes(gpu.memory),
          state.free_memory ? gibibytes(*state.free_memory) : "?",
          state.utilisation ? fmt::format("{} %", *state.utilisation) : "?"};
}

std::string aligned(const std::vector<Line>& lines) {
  std::array<size_t, kColumns> width{};
  for (const Line& line : lines)
    for (size_t i = 0; i < kColumns; ++i) width[i] = std::max(width[i], line[i].size());
  std::string out;
  for (const Line& line : lines) {
    std::string text;
    // Words to the left, figures to the right.
    for (size_t i = 0; i < kColumns; ++i)
      text += i < 2 ? fmt::format("{:<{}}  ", line[i], width[i]) : fmt::format("{:>{}}  ", line[i], width[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

}  // namespace

std::string devices_page(const std::string& engine, const Result<std::vector<device::GpuSummary>>& gpus) {
  if (!gpus) return fmt::format("engine  {}\nNo GPU can be used: {}\n", engine, gpus.error()[0].message);
  std::vector<Line> lines{{"device", "name", "cc", "SMs", "memory", "free", "busy"}, {"engine", engine}};
  int best = device::least_loaded(*gpus);
  for (const auto& gpu : *gpus) lines.push_back(line_of(gpu, gpu.ordinal == best));
  return fmt::format("{}* the least loaded GPU; driver {}\n", aligned(lines), gpus->front().driver);
}

void add_devices(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "devices", "List what can run kernels here: the engine and the GPUs with their load");
  command->callback([&exit_code] {
    std::string line =
        fmt::format("Warpwright engine on this CPU, {} threads", std::thread::hardware_concurrency());
    std::string why;
    line += engine::can_compile(*engine::lane_code(), why) ? ", kernels are compiled when it pays (--engine)"
                                                           : ", kernels interpreted: " + why;
    fmt::print("{}", devices_page(line, device::list_gpus()));
    exit_code = 0;
  });
}

}  // namespace ww::cli
