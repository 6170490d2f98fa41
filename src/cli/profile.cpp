// warpwright profile PROGRAM: the counters of every launch of somebody's CUDA program.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <regex>
#include <sstream>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/gpu_option.h"
#include "cli/kernel_name.h"
#include "cli/output.h"
#include "cli/program_start.h"
#include "cli/rows_file.h"
#include "cli/study_gpu.h"
#include "cli/supervise.h"
#include "gpus/catalog.h"
#include "report/json.h"
#include "report/metrics.h"

namespace ww::cli {

namespace {

struct ProfileOptions {
  StartOptions start;
  std::string gpus, kernel, out;
  std::vector<std::string> metrics;
  uint64_t skip = 0, count = 0;
  double timeout = 0;
  report::Format format = report::Format::Table;
};

/// What a table shows of each launch unless --metric says otherwise.
const std::vector<std::string> kMainMetrics = {"launch",
                                               "grid",
                                               "warp_instructions",
                                               "flop",
                                               "global_load_sectors|global_load_transactions",
                                               "shared_load_wavefronts|shared_load_transactions",
                                               "lanes_per_instruction"};

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  std::stringstream in(text);
  for (std::string name; std::getline(in, name, ',');) names.push_back(name);
  return names;
}

/// All rows that the program's processes wrote. The last may be cut off, where a process was killed.
Result<Table> read_rows(const std::string& path, const std::string& title) {
  auto text = read_file(path);
  if (!text) return text.error();
  Table all;
  all.title = title;
  for (size_t at = 0, end; (end = text->find('\x1e', at)) != text->npos; at = end + 2) {
    auto table = report::read_json(std::string_view(*text).substr(at, end - at), "the profile's rows");
    if (!table) return table.error();
    for (Row& row : table->rows) {
      row[Axis::Kernel] = readable_kernel(row[Axis::Kernel]);
      all.rows.push_back(std::move(row));
    }
  }
  return all;
}

Table chosen_columns(const ProfileOptions& o, const std::vector<gpus::Gpu>& gpus, Table table) {
  if (o.metrics == std::vector<std::string>{"all"}) return table;
  if (!o.metrics.empty()) {
    const auto tags = resolve_metrics(o.metrics, gpus, table.notes);
    return report::keep_metrics(std::move(table), tags);
  }
  return o.format == report::Format::Table ? report::keep_metrics(std::move(table), kMainMetrics) : table;
}

Status check_kernel(const std::string& pattern) {
  try {
    std::regex tried(pattern);
  } catch (const std::regex_error&) {
    return error("--kernel " + printable(pattern) + " is no regular expression");
  }
  return {};
}

int profile(ProfileOptions o, const std::vector<std::string>& words) {
  if (auto ok = check_kernel(o.kernel); !ok) return complain(ok.error());
  if (auto names = names_in(o.gpus); !names.empty()) o.start.gpu = names[0];
  auto start = prepare_start(o.start, words);
  if (!start) return complain(start.error());
  fmt::print(stderr, "{}", start->messages);
  if (!start->ready) return 2;
  std::vector<gpus::Gpu> gpus;
  std::string gpu_names = o.gpus.empty() ? start->gpu : o.gpus;
  for (const std::string& name : names_in(gpu_names)) {
    auto gpu = gpu_named(name);
    if (!gpu) return 2;
    gpus.push_back(std::move(*gpu));
  }
  RowsFile rows("profile");
  if (!rows.good()) return complain({error("no temporary file can be made", "TMPDIR names where")});
  ::setenv("WARPWRIGHT_PROFILE", rows.path().c_str(), 1);
  ::setenv("WARPWRIGHT_PROFILE_GPUS", gpu_names.c_str(), 1);
  if (!o.kernel.empty()) ::setenv("WARPWRIGHT_PROFILE_KERNEL", o.kernel.c_str(), 1);
  if (o.skip) ::setenv("WARPWRIGHT_PROFILE_SKIP", std::to_string(o.skip).c_str(), 1);
  if (o.count) ::setenv("WARPWRIGHT_PROFILE_COUNT", std::to_string(o.count).c_str(), 1);
  std::fflush(nullptr);
  auto ended = supervise(start->path, words, o.timeout);
  if (!ended) return complain(ended.error());
  auto table = read_rows(rows.path(), fmt::format("{}: its launches", printable(words[0])));
  if (!table) return complain(table.error());
  if (table->rows.empty()) {
    fmt::print(stderr, "warpwright: {} launched no kernel{}\n", printable(words[0]),
               o.kernel.empty() && !o.skip ? "" : " that --kernel and --launch-skip leave");
    return ended->exit_code;
  }
  if (auto ok = deliver(chosen_columns(o, gpus, std::move(*table)), o.format, o.out); !ok)
    return complain(ok.error());
  return ended->exit_code;
}

}  // namespace

void add_profile(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<ProfileOptions>();
  auto* c = app.add_subcommand("profile", "The counters of every launch of anybody's CUDA program");
  add_start_options(*c, o->start);
  c->remove_option(c->get_option("--gpu"));
  c->add_option("--gpu", o->gpus, "Count for these GPUs; the program sees the first (default: as `run`)")
      ->type_name("NAME,...");
  c->add_option("--metric", o->metrics,
                "Columns: these metrics, or all (default: the main ones in a table, all in csv and json)")
      ->type_name("TAG,...")
      ->delimiter(',');
  c->add_option("--kernel", o->kernel, "Only kernels in whose name this regular expression is found")
      ->type_name("REGEX");
  c->add_option("--launch-skip", o->skip, "Not the first so many of them, in each process")->type_name("N");
  c->add_option("--launch-count", o->count, "And of the others so many")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  c->add_option("--timeout", o->timeout,
                "End it, and what it started, after so long; the exit code is then 124")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  add_format(*c, o->format);
  c->add_option("--out", o->out, "Write the counters into this file instead of behind the program's output")
      ->type_name("FILE");
  c->footer(
      "PROGRAM as for `warpwright run`. Its output comes first, then the table. The exit code is the "
      "program's. Launches\n"
      "that are left out run uncounted.");
  c->callback([o, c, &exit_code] { exit_code = profile(*o, c->remaining()); });
}

}  // namespace ww::cli
