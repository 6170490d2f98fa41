#include <cstdio>

#include "cli/commands.h"
#include "cli/interrupt.h"

int main(int argc, char** argv) {
  using namespace ww::cli;
  CLI::App app("Warpwright: a CUDA device that lives on the CPU, and a laboratory of kernels on it.",
               "warpwright");
  app.require_subcommand(1);
  app.set_version_flag("--version", "warpwright " WW_VERSION);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer("`warpwright COMMAND --help` tells more of each.");
  app.get_formatter()->column_width(26);
  int exit_code = 0;
  add_run(app, exit_code);
  add_study(app, exit_code);
  add_report(app, exit_code);
  add_compare(app, exit_code);
  add_kernels(app, exit_code);
  add_launch(app, exit_code);
  add_ptx(app, exit_code);
  add_gpus(app, exit_code);
  add_occupancy(app, exit_code);
  add_explain(app, exit_code);
  add_watch(app, exit_code);
  add_theory(app, exit_code);
  add_devices(app, exit_code);
  add_verify_published(app, exit_code);
  add_calibrate(app, exit_code);
  add_run_once(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;  // --help and --version are good, everything else is wrong usage
  }
  if (std::fflush(stdout) != 0 && exit_code == 0) exit_code = 2;
  return interrupted() ? interrupted_exit_code() : exit_code;
}
