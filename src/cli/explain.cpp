// warpwright explain KERNEL: what limits a kernel on a GPU, and what to change.
#include "model/explain.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "cli/gpu_option.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "device/engine_device.h"
#include "kernels/embedded.h"
#include "kernels/run.h"
#include "model/explain_lines.h"

namespace ww::cli {

namespace {

struct ExplainOptions {
  std::string kernel, gpu, tile;
  kernels::Config config;
  int64_t registers = 0;
  int threads = 0;
  bool lines = false, whole = false;
};

/// Sizes that were not given: the case's own.
void complete(kernels::Config& c, const kernels::Case& chosen) {
  const auto first = [](const auto& usual) { return usual.empty() ? 0 : usual.front(); };
  if (c.r == 0) c.r = first(chosen.axes.r);
  if (c.k == 0) c.k = first(chosen.axes.k);
  for (const kernels::Shape& s : chosen.axes.shapes) {
    const bool block = c.shape.block == 0 || c.shape.block == s.block;
    if (!block || (c.shape.rx > 0 && (c.shape.rx != s.rx || c.shape.ry != s.ry))) continue;
    kernels::Config trial = c;
    trial.shape = s;
    if (!kernels::make_plan(chosen, trial)) continue;
    c.shape = s;
    return;
  }
}

/// "matmul/grid n=1024 block=16".
std::string title(const kernels::Case& chosen, const kernels::Config& c) {
  std::string text = fmt::format("{} n={}", chosen.name, c.n);
  if (c.shape.block > 0) text += fmt::format(" block={}", c.shape.block);
  if (c.shape.rx > 0) text += fmt::format(" tile={}x{}", c.shape.rx, c.shape.ry);
  if (c.r > 0) text += fmt::format(" r={}", c.r);
  if (c.k > 0) text += fmt::format(" k={}", c.k);
  return text;
}

std::string source_of(const std::string& file, int line) {
  return std::string(kernels::source_line(file, line));
}

/// A launch of several says which it is.
int show(const ExplainOptions& o, const gpus::Gpu& gpu, const std::vector<device::LaunchReport>& reports) {
  for (size_t i = 0; i < reports.size(); ++i) {
    const device::GpuReport& report = reports[i].gpus.front();
    const model::Prediction& p = *report.prediction;
    if (reports.size() > 1) fmt::print("{}Launch {} of {}\n", i > 0 ? "\n" : "", i + 1, reports.size());
    if (!p.refused.empty()) {
      fmt::print("{}.\n", p.refused);
      return 1;
    }
    std::vector<std::string> sentences = model::explain(gpu, p.activity, p.time);
    for (auto& s : model::explain_lines(gpu, report.lines, source_of)) sentences.push_back(std::move(s));
    sentences.push_back(fmt::format(
        "An SM holds {} blocks, {} of {} warps ({:.4g} %), limited by {}; {} registers per thread ({}).",
        p.time.occupancy.active_blocks, p.time.occupancy.active_warps, gpu.max_warps_per_sm.value,
        p.time.occupancy.percent, model::limiter(p.time.occupancy), p.registers.per_thread,
        p.registers.source));
    for (const std::string& s : sentences) fmt::print("- {}\n", s);
    if (!o.lines) continue;
    fmt::print("\n");
    if (auto ok = deliver(report.lines, report::Format::Table, ""); !ok) return complain(ok.error());
  }
  return 0;
}

int run(ExplainOptions& o) {
  auto chosen = kernels::find_case(o.kernel);
  if (!chosen) return complain(chosen.error());
  auto gpu = gpu_named(o.gpu);
  if (!gpu) return 2;
  kernels::Shape& shape = o.config.shape;
  int used = 0;
  if (!o.tile.empty() && (std::sscanf(o.tile.c_str(), "%dx%d%n", &shape.rx, &shape.ry, &used) != 2 ||
                          used != static_cast<int>(o.tile.size())))
    return complain({error(fmt::format("'{}' is not a tile", o.tile), "write RXxRY, for example 4x4")});
  complete(o.config, **chosen);
  handle_interrupts();
  StopOnInterrupt stop;
  engine::Settings settings;
  settings.threads = o.threads;
  settings.cancel = &stop.flag();
  auto device = device::make_engine_device(settings);
  kernels::RunOptions options;
  options.gpus = {&*gpu};
  options.sample = !o.whole;
  options.registers = o.registers;
  kernels::Runner runner(options);
  auto reports = runner.reports(**chosen, o.config, *device);
  if (!reports) return complain(reports.error());
  fmt::print("{} on {} ({})\n", title(**chosen, o.config), gpu->name, gpu->id);
  return show(o, *gpu, *reports);
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<ExplainOptions>();
  auto* c =
      app.add_subcommand("explain", "What limits a kernel of the laboratory on a GPU, and what to change");
  c->add_option("KERNEL", o->kernel, "Its name: matmul/grid (warpwright kernels lists them)")
      ->required()
      ->type_name("");
  c->add_option("--gpu", o->gpu, "A GPU's id (warpwright gpus lists them), or a JSON file")
      ->required()
      ->type_name("G");
  c->add_option("--n", o->config.n, "Size of the problem")->required()->type_name("N");
  c->add_option("--block", o->config.shape.block, "Block side (default: the first that fits)")
      ->type_name("SIDE");
  c->add_option("--tile", o->tile, "Results per thread, for example 2x3")->type_name("RXxRY");
  c->add_option("--r", o->config.r, "Radius")->type_name("R");
  c->add_option("--k", o->config.k, "Results per thread, or what k is in the kernel")->type_name("K");
  c->add_option("--registers", o->registers,
                "Registers per thread, instead of published, the compiler's or estimated ones")
      ->type_name("R")
      ->check(CLI::Range(1, 1024));
  c->add_flag("--lines", o->lines, "The counters of every source line too");
  c->add_flag("--whole", o->whole, "Run the whole grid, not only blocks that stand for the others");
  c->add_option("--threads", o->threads, "Threads of this machine (default: all cores)")
      ->type_name("T")
      ->check(CLI::Range(1, 1024));
  c->callback([o, &exit_code] { exit_code = run(*o); });
}

}  // namespace ww::cli
