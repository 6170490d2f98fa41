#include "cli/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include "ir/print.h"
#include "ir/verify.h"
#include "ptx/parser.h"

namespace ww::cli {

namespace {

struct PtxOptions {
  std::string file, after = "parse";
  bool quiet = false;
};

// "-" is the standard input.
bool read_source(const std::string& name, std::string& text) {
  std::ifstream file;
  if (name != "-") {
    file.open(name, std::ios::binary);
    if (!file) return false;
  }
  std::FILE* in = name == "-" ? stdin : nullptr;
  if (in) {
    char buffer[65536];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, in)) > 0;) text.append(buffer, n);
    return true;
  }
  std::ostringstream all;
  all << file.rdbuf();
  text = std::move(all).str();
  return !file.bad();
}

int run(const PtxOptions& options) {
  std::string text;
  if (!read_source(options.file, text)) {
    fmt::print(stderr, "{}", render(error(fmt::format("cannot read '{}'", options.file))));
    return 2;
  }
  auto module = ptx::parse(options.file, text);
  Diagnostics wrong = module ? ir::verify(*module) : module.error();
  if (!wrong.empty()) {
    fmt::print(stderr, "{}", render(wrong, text));
    return 2;
  }
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
