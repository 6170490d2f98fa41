// warpwright run PROGRAM: any CUDA program, without a GPU.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/program/fidelity.h"
#include "cli/program/rows_file.h"
#include "cli/program/start.h"
#include "cli/program/supervise.h"
#include "cli/shared/number_checks.h"
#include "cli/shared/output.h"

namespace ww::cli {

namespace {

struct RunOptions {
  StartOptions start;
  double timeout = 0;
  bool fidelity = false;
};

/// Waits for the program, then says what of it was exact.
int run_to_the_end(const RunOptions& o, const std::string& path, const std::vector<std::string>& words) {
  std::optional<RowsFile> rows;
  if (o.fidelity) {
    rows.emplace("fidelity");
    if (!rows->good()) return complain({error("no temporary file can be made", "TMPDIR names where")});
    ::setenv("WARPWRIGHT_FIDELITY", rows->path().c_str(), 1);
  }
  tell_before(o.timeout);
  auto ended = supervise(path, words, o.timeout);
  if (!ended) return complain(ended.error());
  if (ended->timed_out) fmt::print(stderr, "{}", ended_early(*ended, words[0], o.timeout));
  if (rows && !rows->complete())
    return complain({error("the fidelity report is lacking: it could not be written to " + rows->path(),
                           "TMPDIR names another folder")});
  if (rows)
    if (auto text = read_file(rows->path())) fmt::print(stderr, "{}", fidelity_report(*text));
  return ended->exit_code;
}

int run_program(const RunOptions& o, const std::vector<std::string>& words) {
  auto start = prepare_start(o.start, words);
  if (!start) return complain(start.error());
  fmt::print(stderr, "{}", start->messages);
  if (!start->ready) return 2;
  std::fflush(nullptr);
  if (o.timeout > 0 || o.fidelity) return run_to_the_end(o, start->path, words);
  // In place of this process, so that signals, terminal and exit status are the program's own.
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp(start->path.c_str(), pointers.data());
  return complain(
      {error(fmt::format("{} cannot be started: {}", printable(words[0]), std::strerror(errno)))});
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<RunOptions>();
  auto* c = app.add_subcommand("run", "Run a CUDA program without a GPU, unchanged");
  add_start_options(*c, o->start);
  c->add_option("--timeout", o->timeout,
                "End it and everything it started after this time, with exit code 124")
      ->type_name("SECONDS")
      ->check(positive());
  c->add_flag("--fidelity", o->fidelity,
              "At the end, report what was exact, approximated, replaced or refused");
  c->footer(
      "PROGRAM is a program built by nvcc, with a static or shared CUDA runtime; or make, ctest, python or a "
      "script that\n"
      "starts such programs; or a .cu file, which is compiled first. All words after it are the program's, "
      "and so are\n"
      "output, exit code and signals. It must contain PTX, as programs built with nvcc's defaults do.");
  c->callback([o, c, &exit_code] { exit_code = run_program(*o, c->remaining()); });
}

}  // namespace ww::cli
