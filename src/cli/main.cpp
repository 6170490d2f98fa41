#include "cli/ptx.h"

int main(int argc, char** argv) {
  CLI::App app{"warpwright"};
  app.require_subcommand(1);
  int exit_code = 0;
  ww::cli::add_ptx(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) ? 2 : 0;
  }
  return exit_code;
}
