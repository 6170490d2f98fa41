// warpwright check PROGRAM: what is wrong with a CUDA program.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <regex>

#include "base/text.h"
#include "checks/all.h"
#include "checks/json.h"
#include "checks/text.h"
#include "cli/commands.h"
#include "cli/program/check_output.h"
#include "cli/program/host_lines.h"
#include "cli/program/rows_file.h"
#include "cli/program/start.h"
#include "cli/program/supervise.h"
#include "cli/shared/number_checks.h"
#include "cli/shared/output.h"

namespace ww::cli {

namespace {

struct CheckOptions {
  StartOptions start;
  std::string checks = "all", kernel;
  FindingsOutput output;
  int error_exit_code = 1;
  bool leaks = false;
  double timeout = 0;
};

Status check_pattern(const std::string& pattern) {
  try {
    std::regex tried(pattern);
  } catch (const std::regex_error&) {
    return error("--kernel " + printable(pattern) + " is not a regular expression");
  }
  return {};
}

/// Whether a launch was ended because its time was over. The program goes on with an error of CUDA, which it
/// may not look at.
bool given_up(const std::vector<checks::Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const checks::Finding& f) { return f.kind == "time limit"; });
}

/// What shells and the loader of libraries end with where a program cannot be started.
constexpr int kNotStarted = 127;

int check_program(CheckOptions o, const std::vector<std::string>& words) {
  if (auto ok = check_pattern(o.kernel); !ok) return complain(ok.error());
  if (auto ok = checks::names_in(o.checks); !ok) return complain(ok.error());
  if (auto ok = settle(o.output); !ok) return complain(ok.error());
  auto start = prepare_start(o.start, words);
  if (!start) return complain(start.error());
  fmt::print(stderr, "{}", start->messages);
  if (!start->ready) return 2;
  RowsFile rows("check");
  if (!rows.good()) return complain({error("no temporary file can be made", "TMPDIR names where")});
  ::setenv("WARPWRIGHT_CHECK", rows.path().c_str(), 1);
  ::setenv("WARPWRIGHT_CHECK_NAMES", o.checks.c_str(), 1);
  if (!o.kernel.empty()) ::setenv("WARPWRIGHT_CHECK_KERNEL", o.kernel.c_str(), 1);
  if (o.leaks) ::setenv("WARPWRIGHT_CHECK_LEAKS", "1", 1);
  // A kernel that does not end shall say where it stands before the program is ended from outside.
  if (o.timeout > 0) ::setenv("WARPWRIGHT_PATIENCE", fmt::format("{}", o.timeout * 0.8).c_str(), 1);
  std::fflush(nullptr);
  auto ended = supervise(start->path, words, o.timeout);
  if (!ended) return complain(ended.error());
  fmt::print(stderr, "{}", ended_early(*ended, words[0], o.timeout));
  auto findings = read_findings(rows.path());
  if (!findings) return complain(findings.error());
  name_host_places(*findings, words[0], start->path);
  const auto lacking = [&] {
    return complain({error("findings are lacking: they could not be written to " + rows.path(),
                           "TMPDIR names another folder")});
  };
  if (findings->empty() && !rows.complete()) return lacking();
  if (findings->empty() && ended->exit_code == kNotStarted && o.output.format == "text" &&
      o.output.out.empty()) {
    fmt::print(stderr,
               "warpwright: nothing was checked: the program ended with code {}, the code of programs that "
               "cannot be started\n",
               kNotStarted);
    return kNotStarted;
  }
  if (auto ok = deliver_findings(*findings, o.output, !ended->timed_out && !ended->signal); !ok)
    return complain(ok.error());
  if (!rows.complete()) return lacking();
  if (checks::any_error(*findings)) return o.error_exit_code;
  return given_up(*findings) ? kTimeIsOver : ended->exit_code;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<CheckOptions>();
  auto* c = app.add_subcommand(
      "check",
      "Find the mistakes of a CUDA program: wrong accesses, races, undefined values, barriers, leaks");
  add_start_options(*c, o->start);
  std::string names = "all";
  for (const checks::Known& k : checks::known()) names += fmt::format(", {}", k.name);
  c->add_option("--check", o->checks, "A comma-separated list of: " + names + " (default all)")
      ->type_name("NAMES");
  c->add_flag("--leak-check", o->leaks, "Report memory that is not freed when the program ends, as an error");
  c->add_option("--kernel", o->kernel, "Only findings in kernels whose name matches this regular expression")
      ->type_name("REGEX");
  c->add_option("--error-exitcode", o->error_exit_code,
                "Exit code when an error is found (default 1); else it is the program's")
      ->type_name("N")
      ->check(CLI::Range(0, 255));
  c->add_option(
       "--timeout", o->timeout,
       "End it and everything it started after this time, with exit code 124; a kernel that does not end is "
       "reported first")
      ->type_name("SECONDS")
      ->check(positive());
  add_findings_output(*c, o->output);
  c->footer(
      "PROGRAM as for `warpwright run`. Its output comes first, then the findings: text on standard error, "
      "json and sarif\n"
      "on standard output. Only errors and --timeout change the exit code; other warnings and hints do not.");
  c->callback([o, c, &exit_code] { exit_code = check_program(*o, c->remaining()); });
}

}  // namespace ww::cli
