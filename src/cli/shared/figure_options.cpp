#include "cli/shared/figure_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <sstream>

#include "cli/shared/gpu_option.h"
#include "forecast/sentences.h"
#include "forecast/view.h"

namespace ww::cli {

namespace {

std::string extent_text(const device::Dim3& d) {
  if (d.z > 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

}  // namespace

void add_figure_options(CLI::App& c, FigureOptions& o) {
  c.add_option("--gpu", o.gpus,
               "GPUs to count for, with caches, occupancy and time (default: h200 where counters are shown)")
      ->type_name("NAME,...");
  c.add_option("--registers", o.registers,
               "Registers per thread, instead of the compiler's figure or an estimate")
      ->type_name("R")
      ->check(CLI::Range(1, 1024));
  c.add_flag("--lines", o.lines, "Also show the counters of every source line");
}

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  std::stringstream in(text);
  for (std::string name; std::getline(in, name, ',');) names.push_back(name);
  return names;
}

std::optional<std::vector<gpus::Gpu>> gpus_named(const std::string& names) {
  std::vector<gpus::Gpu> gpus;
  if (!add_gpus(names_in(names), gpus)) return {};
  return gpus;
}

void ask_for(device::Launch& launch, const std::vector<gpus::Gpu>& gpus, int64_t registers) {
  launch.gpus.clear();
  for (const gpus::Gpu& gpu : gpus) launch.gpus.push_back(&gpu);
  launch.advise = !gpus.empty();
  if (registers > 0) launch.registers.push_back({"", registers, Provenance::Input, "given"});
}

ShownLaunch shown(const device::Launch& launch, const device::LaunchReport& report,
                  const std::vector<gpus::Gpu>& gpus, const std::string& kernel,
                  const model::SourceLine& source) {
  ShownLaunch out;
  out.kernel = kernel, out.grid = extent_text(launch.grid), out.block = extent_text(launch.block);
  forecast::LaunchShape shape;
  shape.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  shape.block = {launch.block.x, launch.block.y, launch.block.z};
  shape.dynamic_shared = launch.dynamic_shared;
  for (size_t g = 0; g < report.gpus.size(); ++g) {
    const device::GpuReport& on = report.gpus[g];
    ShownGpu& to = out.gpus.emplace_back();
    to.values = on.values;
    for (Value& v : model::values_of({on.figures->prediction})) to.values.push_back(std::move(v));
    to.refused = on.figures->prediction.refused;
    to.lines = on.lines;
    const std::vector<Said> said = forecast::sentences(gpus[g], *on.figures, on.lines, source);
    for (const Said& s : said) to.sentences.push_back(s.text);
    to.view = forecast::write_view(gpus[g], *on.figures, shape, on.lines, to.values, said, source);
  }
  return out;
}

}  // namespace ww::cli
