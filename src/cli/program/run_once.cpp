// warpwright run-once: launch configurations once each, for a profiler. Not in the help; `study --counters`
// uses it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "cli/commands.h"
#include "cli/shared/device_option.h"
#include "cli/shared/number_checks.h"
#include "cli/shared/output.h"
#include "kernels/run.h"
#include "study/item_text.h"

namespace ww::cli {

namespace {

struct RunOnceOptions {
  std::string device = "gpu";
  uint64_t seed = 1;
  std::vector<std::string> inputs, items;
};

int run_once(const RunOnceOptions& o) {
  auto devices = devices_named(o.device, {});
  if (!devices) return complain(devices.error());
  kernels::Runner runner({.count = false});
  for (const std::string& text : o.items) {
    auto item = study::item_of(text);
    if (!item) return complain(item.error());
    item->config.seed = o.seed;
    item->config.inputs = o.inputs;
    if (auto ok = runner.launch_once(*item->kernel, item->config, *devices->back()); !ok)
      return complain(ok.error());
  }
  return 0;
}

}  // namespace

void add_run_once(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<RunOnceOptions>();
  auto* c = app.add_subcommand("run-once", "Launch configurations once each, unverified: for profilers");
  c->group("");
  c->add_option("--device", o->device, "engine, gpu, gpu0 ...")->type_name("D");
  c->add_option("--seed", o->seed, "Seed of the random inputs")->type_name("S")->check(not_negative());
  // One file for each --input: configurations follow.
  c->add_option("--input", o->inputs, "Matrix files instead of random inputs")
      ->expected(1)
      ->take_all()
      ->type_name("FILE");
  c->add_option("ITEM", o->items, "For example matmul/tiles,n=1600,block=16,tile=2x3")
      ->required()
      ->type_name("");
  c->callback([o, &exit_code] { exit_code = run_once(*o); });
}

}  // namespace ww::cli
