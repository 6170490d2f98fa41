// warpwright calibrate: the figures of a real GPU that the time model uses, measured by micro-benchmarks.
#include "study/calibrate.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "cli/shared/destination.h"
#include "cli/shared/device_option.h"
#include "cli/shared/output.h"
#include "gpus/catalog.h"

namespace ww::cli {

namespace {

struct CalibrateOptions {
  std::string device = "gpu";
  OutputOptions output;
};

int run(const CalibrateOptions& o) {
  if (!o.device.starts_with("gpu"))
    return complain({error(fmt::format("calibrate measures a real GPU, not {}", o.device),
                           "choose gpu, gpu0 …; see `warpwright devices`")});
  const auto to = destination(o.output, false);
  if (!to) return complain(to.error());
  auto devices = devices_named(o.device, {});
  if (!devices) return complain(devices.error());
  device::Device& gpu = *devices->front();
  study::CalibrateOptions options;
  const device::Info& info = gpu.info();
  options.known = gpus::find_product(info.name, info.cc_major, info.cc_minor, info.multiprocessors);
  options.progress = [](const std::string& what) { fmt::print(stderr, "{}\n", what); };
  const Table table = study::calibrate(gpu, options);
  if (auto done = deliver(table, to->format, to->out); !done) return complain(done.error());
  for (const Row& row : table.rows)
    if (!row.refused.empty()) return 1;
  return 0;
}

}  // namespace

void add_calibrate(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<CalibrateOptions>();
  auto* command =
      app.add_subcommand("calibrate", "Measure the figures of a real GPU that the time model uses");
  command->add_option("--device", o->device, "gpu (the least loaded, default), gpu0 ...");
  add_output(*command, o->output, "Write to this file instead of the terminal");
  command->callback([o, &exit_code] { exit_code = run(*o); });
}

}  // namespace ww::cli
