#include "cli/commands.h"

#include <fmt/format.h>

#include <memory>

#include "base/file.h"
#include "cli/output.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "ptx/parser.h"

namespace ww::cli {

namespace {

struct PtxOptions {
  std::string file, after = "parse";
  bool quiet = false;
};

int run(const PtxOptions& options) {
  auto source = read_file(options.file == "-" ? "/dev/stdin" : options.file);
  if (!source) return complain(source.error());
  const std::string& text = *source;
  auto module = ptx::parse(options.file, text);
  Diagnostics wrong = module ? ir::verify(*module) : module.error();
  if (!wrong.empty()) return complain(wrong, text);
  if (!options.quiet) fmt::print("{}", ir::print(*module));
  return 0;
}

}  // namespace

void add_ptx(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PtxOptions>();
  CLI::App* command = app.add_subcommand("ptx", "Check a PTX file and print its intermediate form");
  command->add_option("file", options->file, "PTX file ('-': standard input)")->required();
  command->add_option("--after", options->after, "Print the form after this pass")
      ->check(CLI::IsMember({"parse"}));
  command->add_flag("--quiet", options->quiet, "Only check, print nothing when all is well");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace ww::cli
