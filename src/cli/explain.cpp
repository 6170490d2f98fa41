// warpwright explain KERNEL: what limits a kernel on a GPU, and what to change.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "cli/launch/explain_tried.h"
#include "cli/shared/gpu_option.h"
#include "cli/shared/interrupt.h"
#include "cli/shared/kernel_axes.h"
#include "cli/shared/output.h"
#include "device/engine_device.h"
#include "forecast/sentences.h"
#include "kernels/embedded.h"
#include "kernels/run.h"

namespace ww::cli {

namespace {

struct ExplainOptions {
  KernelAxes axes;
  std::string gpu = "h200";
  int64_t registers = 0;
  int threads = 0;
  bool lines = false, whole = false;
};

/// Sizes that were not given: the case's own.
Status complete(KernelAxes& axes, const kernels::Case& chosen) {
  kernels::Config& c = axes.config;
  const auto first = [](const auto& usual) { return usual.empty() ? 0 : usual.front(); };
  if (c.r == 0) c.r = first(chosen.axes.r);
  if (c.k == 0) c.k = first(chosen.axes.k);
  return complete_shape(c, chosen);
}

std::string source_of(const std::string& file, int line) {
  return std::string(kernels::source_line(file, line));
}

/// A launch of several says which it is.
int show(const ExplainOptions& o, const gpus::Gpu& gpu, const std::vector<device::LaunchReport>& reports,
         const std::vector<std::vector<std::string>>& tried) {
  for (size_t i = 0; i < reports.size(); ++i) {
    const device::GpuReport& report = reports[i].gpus.front();
    if (reports.size() > 1) fmt::print("{}Launch {} of {}\n", i > 0 ? "\n" : "", i + 1, reports.size());
    if (const std::string& why = report.figures->prediction.refused; !why.empty()) {
      fmt::print("{}.\n", why);
      return 1;
    }
    std::vector<std::string> sentences;
    for (const Said& s : forecast::sentences(gpu, *report.figures, report.lines, source_of))
      sentences.push_back(s.text);
    for (const auto& s : tried[i]) sentences.push_back(s);
    for (const std::string& s : sentences) fmt::print("- {}\n", s);
    if (!o.lines) continue;
    fmt::print("\n");
    if (auto ok = deliver(report.lines, report::Format::Table, ""); !ok) return complain(ok.error());
  }
  return 0;
}

int run(ExplainOptions& o) {
  auto chosen = chosen_case(o.axes);
  if (!chosen) return complain(chosen.error());
  auto gpu = gpu_named(o.gpu);
  if (!gpu) return 2;
  kernels::Config& config = o.axes.config;
  if (auto ok = complete(o.axes, **chosen); !ok) return complain(ok.error());
  if (config.n == 0) return complain({error("the size of the problem is missing", "for example --n 1024")});
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
  auto reports = runner.reports(**chosen, config, *device);
  if (!reports) {
    const auto plan = kernels::make_plan(**chosen, config);
    const std::string& why = reports.error()[0].message;
    if (!plan || !plan->expected_fault || !why.starts_with(plan->expected_fault->kind))
      return complain(reports.error());
    fmt::print("{}\n- This kernel is there to be diagnosed: {}", kernels::title(o.axes.kernel, config), why);
    return 0;
  }
  fmt::print("{} on {} ({})\n", kernels::title(o.axes.kernel, config), gpu->name, gpu->id);
  auto tried = tried_padding(**chosen, config, *gpu, *reports, stop.flag());
  if (auto text = tried_shapes(**chosen, config, *reports, runner, *device, stop.flag()); !text.empty())
    tried.back().push_back(std::move(text));
  return interrupted() ? interrupted_exit_code() : show(o, *gpu, *reports, tried);
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<ExplainOptions>();
  auto* c = app.add_subcommand("explain", "What limits a kernel on a GPU, and which changes help");
  c->add_option("--gpu", o->gpu, "A GPU's id (warpwright gpus lists them), or a JSON file (default: h200)")
      ->type_name("G");
  add_kernel_axes(*c, o->axes);
  c->add_option("--registers", o->registers,
                "Registers per thread, instead of a published figure, the compiler's or an estimate")
      ->type_name("R")
      ->check(CLI::Range(1, 1024));
  c->add_flag("--lines", o->lines, "Also show the counters of every source line");
  c->add_flag("--whole", o->whole, "Run the whole grid, not only representative blocks");
  c->add_option("--threads", o->threads, "Host threads (default: all cores)")
      ->type_name("T")
      ->check(CLI::Range(1, 1024));
  c->footer(
      "A kernel of the laboratory needs --n. FILE.cu[:KERNEL] takes --grid, --block, --arg and the other "
      "options of\n"
      "`launch` instead of these (`warpwright launch --help`); without them the launch is guessed.");
  c->callback([o, &exit_code] { exit_code = run(*o); });
}

}  // namespace ww::cli
