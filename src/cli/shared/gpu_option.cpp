#include "cli/shared/gpu_option.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

#include "base/file.h"
#include "gpus/catalog.h"

namespace ww::cli {

std::optional<gpus::Gpu> gpu_named(const std::string& name) {
  auto gpu = gpus::find_gpu(name);
  if (gpu) return std::move(*gpu);
  // A located message is about a file that could be read: its text again, for the excerpt.
  auto text = gpu.error().front().where.known() ? read_file(name, gpus::kMaxGpuFile)
                                                : Result<std::string>(std::string());
  fmt::print(stderr, "{}", render(gpu.error(), text ? *text : std::string()));
  return {};
}

bool add_gpus(const std::vector<std::string>& names, std::vector<gpus::Gpu>& gpus) {
  const auto add = [&](gpus::Gpu gpu) {
    if (std::none_of(gpus.begin(), gpus.end(), [&](const gpus::Gpu& g) { return g.id == gpu.id; }))
      gpus.push_back(std::move(gpu));
  };
  for (const std::string& name : names) {
    if (name == "all") {
      auto all = gpus::known_gpus();
      const auto year = [](const gpus::Gpu& gpu) { return gpu.launch_year ? gpu.launch_year->value : 0; };
      std::stable_sort(all.begin(), all.end(), [&](auto& a, auto& b) { return year(a) < year(b); });
      for (const gpus::Gpu& gpu : all) add(gpu);
      continue;
    }
    auto gpu = gpu_named(name);
    if (!gpu) return false;
    add(std::move(*gpu));
  }
  return true;
}

namespace {

template <class Format>
void add_format_into(CLI::App& command, Format& format) {
  auto parse = [&format](const std::string& name) {
    auto found = report::format_named(name);
    if (!found) throw CLI::ValidationError("--format", render(found.error()));
    format = *found;
  };
  command.add_option_function<std::string>("--format", parse, "table, csv, json or markdown")
      ->default_str("table");
}

}  // namespace

void add_format(CLI::App& command, report::Format& format) { add_format_into(command, format); }
void add_format(CLI::App& command, std::optional<report::Format>& format) {
  add_format_into(command, format);
}

}  // namespace ww::cli
