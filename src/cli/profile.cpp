// warpwright profile PROGRAM: the counters of every launch of a CUDA program.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <regex>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "base/symbol_name.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/compile/kernel_name.h"
#include "cli/program/profile_metrics.h"
#include "cli/program/profile_ncu.h"
#include "cli/program/rows_file.h"
#include "cli/program/start.h"
#include "cli/program/supervise.h"
#include "cli/shared/destination.h"
#include "cli/shared/figure_options.h"
#include "cli/shared/gpu_option.h"
#include "cli/shared/number_checks.h"
#include "cli/shared/output.h"
#include "cli/shared/report_folder.h"
#include "cli/shared/short_names.h"
#include "cli/study/gpu.h"
#include "gpus/catalog.h"
#include "report/json.h"
#include "report/metrics.h"

namespace ww::cli {

namespace {

struct ProfileOptions {
  StartOptions start;
  std::string gpus, kernel, format;
  OutputOptions output;
  std::vector<std::string> metrics;
  bool lines = false, explain = false;
  uint64_t skip = 0, count = 0;
  double timeout = 0;
};

/// A piece between the marks of cuda::Profile (cuda/core/profile.h).
std::string_view take_piece(std::string_view& text) {
  const size_t end = std::min(text.find('\x1d'), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

/// What the child found worth saying, out of its view.
std::vector<std::string> sentences_of(const std::string& view) {
  std::vector<std::string> out;
  const auto json = parse_json(view, "the profile's view");
  const Json* list = json ? json->find("sentences") : nullptr;
  if (const auto* items = list ? list->get<Json::Array>() : nullptr)
    for (const Json& item : *items)
      if (const Json* text = item.find("text"); text && text->get<std::string>())
        out.push_back(*text->get<std::string>());
  return out;
}

/// One launch: its rows, then a table of lines and a view for each of them, if they were asked for.
Result<ShownLaunch> read_launch(std::string_view text) {
  auto table = report::read_json(take_piece(text), "the profile's rows");
  if (!table) return table.error();
  ShownLaunch launch;
  for (Row& row : table->rows) {
    launch.kernel = demangled(row[Axis::Kernel]);
    launch.block = row[Axis::Block];
    if (const Value* grid = row.find("grid")) launch.grid = grid->text();
    ShownGpu& on = launch.gpus.emplace_back();
    on.values = std::move(row.values);
    on.refused = std::move(row.refused);
    if (text.empty()) continue;
    auto lines = report::read_json(take_piece(text), "the profile's lines");
    if (!lines) return lines.error();
    on.lines = std::move(*lines);
    on.view = std::string(take_piece(text));
    on.sentences = sentences_of(on.view);
  }
  return launch;
}

/// What the program's processes wrote.
struct Profiled {
  bool begun = false;  ///< a launch was, whether or not it came to its end
  std::vector<ShownLaunch> launches;
  std::set<std::string> library;  ///< functions of libraries that the processor computed
};

/// The last launch may be cut off, where a process was killed or the file could not grow.
Result<Profiled> read_profiled(const std::string& path) {
  auto text = read_file(path);
  if (!text) return text.error();
  Profiled out;
  size_t at = 0;
  for (size_t end; (end = text->find('\x1e', at)) != text->npos; at = end + 2) {
    const auto piece = std::string_view(*text).substr(at, end - at);
    if (piece.starts_with('\x1f')) {
      out.library.emplace(piece.substr(1));
      continue;
    }
    out.begun = true;
    if (piece.empty()) continue;  // the mark of a process's first launch
    auto launch = read_launch(piece);
    if (!launch) return launch.error();
    out.launches.push_back(std::move(*launch));
  }
  if (out.launches.empty() && at < text->size())
    return error("no launch was completely written to " + path, "TMPDIR names another folder");
  return out;
}

/// What of the program's work is in no row; "" where there is nothing.
std::string note_on_libraries(const std::set<std::string>& functions) {
  if (functions.empty()) return {};
  constexpr size_t kMostNames = 3;
  std::vector<std::string> names(functions.begin(), functions.end());
  std::string more;
  if (names.size() > kMostNames) {
    more = fmt::format(" and {} more", names.size() - kMostNames);
    names.resize(kMostNames);
  }
  return fmt::format(
      "warpwright: functions of libraries were computed by the processor, without kernels, and are not "
      "counted: {}{}\n",
      fmt::join(names, ", "), more);
}

Table chosen_columns(const ProfileOptions& o, const std::vector<gpus::Gpu>& gpus, bool main, Table table) {
  if (o.metrics == std::vector<std::string>{"all"}) return table;
  if (!o.metrics.empty()) {
    std::vector<std::string> ours;
    for (const std::string& metric : o.metrics) ours.push_back(tag_of_ncu(metric));
    const auto tags = resolve_metrics(ours, gpus, table.notes);
    return report::keep_metrics(std::move(table), tags);
  }
  return main ? main_columns(std::move(table)) : table;
}

/// An empty kernel's time is part of every launch's: without it a GPU looks many times faster than others.
void note_on_overhead(const std::vector<gpus::Gpu>& gpus, Table& table) {
  const bool times = std::any_of(table.rows.begin(), table.rows.end(),
                                 [](const Row& row) { return row.find("time") != nullptr; });
  std::vector<std::string> unknown;
  for (const gpus::Gpu& gpu : gpus)
    if (!gpu.launch_overhead) unknown.push_back(gpu.id);
  if (times && !unknown.empty())
    table.notes.push_back(fmt::format(
        "what a launch itself takes is not known for {}, and is not in the times", fmt::join(unknown, ", ")));
}

/// The launches of one kernel with one shape that come one after another say the same: once is enough.
bool says_the_same(const ShownLaunch& a, const ShownLaunch& b) {
  bool same =
      a.kernel == b.kernel && a.grid == b.grid && a.block == b.block && a.gpus.size() == b.gpus.size();
  for (size_t g = 0; same && g < a.gpus.size(); ++g) same = a.gpus[g].sentences == b.gpus[g].sentences;
  return same;
}

constexpr size_t kMostInTable = 60;  ///< bytes of a kernel's name

std::string explained(const ProfileOptions& o, const std::vector<ShownLaunch>& launches,
                      const std::vector<gpus::Gpu>& gpus, const Table& table, int width) {
  const int reading_width = terminal_width(STDOUT_FILENO, 0);  // what is piped is not cut into lines
  std::string text;
  for (size_t i = 0; i < launches.size(); ++i) {
    const ShownLaunch& launch = launches[i];
    const bool again = std::any_of(launches.begin(), launches.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const ShownLaunch& b) { return says_the_same(b, launch); });
    if (again) continue;
    text +=
        fmt::format("\n{}: grid {}, block {}\n", name_for_people(launch.kernel), launch.grid, launch.block);
    for (size_t g = 0; g < launch.gpus.size(); ++g) {
      if (o.explain)
        text += sentences_text(gpus[g], launch.gpus[g], table.rows[i * gpus.size() + g], reading_width);
      if (o.lines) text += "\n" + lines_text(gpus[g], launch.gpus[g], width);
    }
  }
  return text;
}

Status deliver_profile(const ProfileOptions& o, const Destination& to, const std::string& program,
                       const std::vector<ShownLaunch>& launches, const std::vector<gpus::Gpu>& gpus) {
  Table table = launch_table(launches, gpus, fmt::format("{}: its launches", printable(program)));
  if (o.format == "ncu-csv")
    return deliver_text(write_ncu_csv(chosen_columns(o, gpus, false, std::move(table)), gpus, program),
                        o.output.out);
  if (to.folder) {
    const std::string page =
        launch_page(launches, gpus, table, fmt::format("Profile of {}", program), command_line(), "en");
    if (auto ok = write_launch_folder(to.out, page, table); !ok) return ok;
  }
  const bool read = to.folder || to.format == report::Format::Table;
  const int width = to.folder || to.out.empty() ? terminal_width(STDOUT_FILENO, 100) : 100;
  std::string words;
  if (read && (o.explain || o.lines)) words = explained(o, launches, gpus, table, width);
  table = chosen_columns(o, gpus, read, std::move(table));
  note_on_overhead(gpus, table);
  if (!read) return deliver(table, to.format, to.out);
  // A row of a library's kernel would fill the terminal with its name.
  const ShortNames names(kernels_of(launches), kMostInTable);
  for (Row& row : table.rows) row[Axis::Kernel] = names.of(row[Axis::Kernel]);
  std::string text = report::render(table, report::Format::Table, {width, false});
  text += names.legend() + words;
  if (to.folder)
    text += fmt::format("\nThe page: {}{}index.html\n", to.out, to.out.ends_with('/') ? "" : "/");
  return deliver_text(text, to.folder ? "" : to.out);
}

Status check_kernel(const std::string& pattern) {
  try {
    std::regex tried(pattern);
  } catch (const std::regex_error&) {
    return error("--kernel " + printable(pattern) + " is not a regular expression");
  }
  return {};
}

/// Where the results go; ncu-csv is a text for a file or the terminal.
Result<Destination> destination_of(const ProfileOptions& o) {
  OutputOptions output = o.output;
  if (o.format == "ncu-csv") {
    output.format = report::Format::Csv;
  } else if (!o.format.empty()) {
    auto format = report::format_named(o.format);
    if (!format) return format.error();
    output.format = *format;
  }
  auto to = destination(output, true);
  if (!to) return to;
  const bool read = to->folder || (to->format == report::Format::Table && o.format != "ncu-csv");
  if ((o.explain || o.lines) && !read)
    return error("--explain and --lines print text, which does not fit --format " +
                     (o.format.empty() ? std::string("csv or json") : o.format) + " is for programs",
                 "leave out --format, or --explain and --lines");
  return to;
}

int profile(ProfileOptions o, const std::vector<std::string>& words) {
  if (auto ok = check_kernel(o.kernel); !ok) return complain(ok.error());
  auto to = destination_of(o);
  if (!to) return complain(to.error());
  std::vector<gpus::Gpu> gpus;
  if (!add_gpus(names_in(o.gpus), gpus)) return 2;
  std::vector<std::string> metrics;
  for (const std::string& metric : o.metrics) metrics.push_back(tag_of_ncu(metric));
  // Before a .cu file is compiled: its GPU, if none is named, is one of those known.
  if (auto ok = check_profile_metrics(metrics, gpus.empty() ? gpus::known_gpus() : gpus); !ok)
    return complain(ok.error());
  if (!gpus.empty()) o.start.gpu = o.gpus.starts_with("all") ? gpus[0].id : names_in(o.gpus)[0];
  auto start = prepare_start(o.start, words);
  if (!start) return complain(start.error());
  fmt::print(stderr, "{}", start->messages);
  if (!start->ready) return 2;
  const std::string gpu_names = gpus.empty() ? start->gpu : o.gpus;
  if (gpus.empty() && !add_gpus(names_in(gpu_names), gpus)) return 2;
  RowsFile rows("profile");
  if (!rows.good()) return complain({error("no temporary file can be made", "TMPDIR names where")});
  ::setenv("WARPWRIGHT_PROFILE", rows.path().c_str(), 1);
  ::setenv("WARPWRIGHT_PROFILE_GPUS", gpu_names.c_str(), 1);
  // Of a launch with a long kernel they take longer than all else.
  if (o.explain || o.lines || to->folder) ::setenv("WARPWRIGHT_PROFILE_DETAILS", "1", 1);
  if (!o.kernel.empty()) ::setenv("WARPWRIGHT_PROFILE_KERNEL", o.kernel.c_str(), 1);
  if (o.skip) ::setenv("WARPWRIGHT_PROFILE_SKIP", std::to_string(o.skip).c_str(), 1);
  if (o.count) ::setenv("WARPWRIGHT_PROFILE_COUNT", std::to_string(o.count).c_str(), 1);
  std::fflush(nullptr);
  tell_before(o.timeout);
  auto ended = supervise(start->path, words, o.timeout);
  if (!ended) return complain(ended.error());
  const std::string early = ended_early(*ended, words[0], o.timeout);
  fmt::print(stderr, "{}", early);
  auto profiled = read_profiled(rows.path());
  if (!profiled) return complain(profiled.error());
  fmt::print(stderr, "{}", note_on_libraries(profiled->library));
  const auto lacking = [&] {
    return complain({error("launches are lacking: they could not be written to " + rows.path(),
                           "TMPDIR names another folder")});
  };
  if (profiled->launches.empty()) {
    if (!rows.complete()) return lacking();
    fmt::print(stderr, "warpwright: {}{}\n",
               early.empty() && !profiled->begun ? printable(words[0]) + " launched no kernel"
                                                 : "no launch ran to its end",
               o.kernel.empty() && !o.skip ? "" : " of those that --kernel and --launch-skip select");
    return ended->exit_code;
  }
  if (auto ok = deliver_profile(o, *to, words[0], profiled->launches, gpus); !ok) return complain(ok.error());
  if (!rows.complete()) return lacking();
  return ended->exit_code;
}

}  // namespace

void add_profile(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<ProfileOptions>();
  auto* c = app.add_subcommand("profile", "Count every kernel launch of a CUDA program");
  add_start_options(*c, o->start);
  c->remove_option(c->get_option("--gpu"));
  c->add_option("--gpu", o->gpus, "Count for these GPUs; the program sees the first (default: as `run`)")
      ->type_name("NAME,...");
  c->add_option(
       "--metric,--metrics", o->metrics,
       "Columns: these metrics, by our names or a profiler's, or all (default: the main ones in a table, "
       "all in csv and json)")
      ->type_name("TAG,...")
      ->allow_extra_args(false)  // the next word is the program
      ->delimiter(',');
  c->add_option("--kernel", o->kernel, "Only kernels whose name matches this regular expression")
      ->type_name("REGEX");
  c->add_option("--launch-skip", o->skip, "Skip the first N of these launches, in each process")
      ->type_name("N")
      ->check(not_negative());
  c->add_option("--launch-count", o->count, "Count at most N of the launches that follow, in each process")
      ->type_name("N")
      ->check(positive());
  c->add_option("--timeout", o->timeout,
                "End it and everything it started after this time, with exit code 124")
      ->type_name("SECONDS")
      ->check(positive());
  c->add_flag("--explain", o->explain, "What limits each launch, and changes that were tried, in sentences");
  c->add_flag("--lines", o->lines, "Also show the counters of every source line (compile with -lineinfo)");
  c->add_option("--format", o->format, "table, csv, json, or ncu-csv: as Nsight Compute prints it")
      ->type_name("F")
      ->check(CLI::IsMember({"table", "csv", "json", "ncu-csv"}));
  c->add_option("--out", o->output.out,
                "Write the counters to this file instead of after the program's output, or a page to this "
                "folder (DIR/)")
      ->type_name("FILE|DIR/");
  c->footer(
      "PROGRAM as for `warpwright run`. Its output comes first, then the table. The exit code is the "
      "program's. Launches\n"
      "that are skipped run without being counted.");
  c->callback([o, c, &exit_code] { exit_code = profile(*o, c->remaining()); });
}

}  // namespace ww::cli
