// warpwright compare BEFORE AFTER and history FILE…: result files row by row, for people and for CI.
#include "report/compare.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/shared/junit.h"
#include "cli/shared/output.h"
#include "cli/shared/report_folder.h"
#include "cli/shared/result_file.h"
#include "gpus/catalog.h"
#include "report/history.h"
#include "report/sarif.h"

namespace ww::cli {

namespace {

struct CompareCommand {
  std::string before, after, format, out, language = "en";
  std::vector<std::string> files, thresholds;
  report::CompareOptions compare;
};

/// "2%" or "time=5%".
Status read_threshold(const std::string& text, report::CompareOptions& options) {
  const size_t equals = text.find('=');
  const std::string_view number = std::string_view(text).substr(equals == text.npos ? 0 : equals + 1);
  double percent = 0;
  auto [end, wrong] = std::from_chars(number.data(), number.data() + number.size(), percent);
  if (wrong != std::errc() || end != number.data() + number.size() - 1 || *end != '%' || !(percent >= 0) ||
      !std::isfinite(percent) || equals == 0)
    return error(fmt::format("'{}' is not a threshold", printable(text)),
                 "write 2%, or time=5% for one metric");
  if (equals == text.npos)
    options.threshold = percent / 100;
  else
    options.of_metric.emplace_back(text.substr(0, equals), percent / 100);
  return {};
}

/// What is written where. A folder, or a name that ends like one, is a page.
struct Target {
  bool folder = false;
  std::string format = "table";
};

Result<Target> target_of(const CompareCommand& o) {
  if (!o.format.empty()) return Target{false, o.format};
  std::error_code ignored;
  if (!o.out.empty() && (o.out.ends_with('/') || std::filesystem::is_directory(o.out, ignored)))
    return Target{true, "table"};
  if (o.language != "en") return error("--lang is the language of a page", "--out page/ makes one");
  return Target{};
}

/// The files' tables; nothing after a reason has been printed.
std::optional<std::vector<report::Recorded>> read_files(const std::vector<std::string>& names) {
  std::vector<report::Recorded> out;
  for (const std::string& name : names) {
    auto table = read_results(name);
    if (!table) {
      complain_in_file(table.error(), name);
      return {};
    }
    report::number_equal_launches(*table);
    out.push_back({name, std::move(*table)});
  }
  if (report::name_studies_alike(out))
    fmt::print(stderr, "note: each file has a study of its own name; they are compared as one\n");
  return out;
}

Status write_page(std::vector<report::Recorded> files, const report::Comparison& found,
                  const CompareCommand& o) {
  report::Page page = report::history_page(std::move(files), found);
  page.language = o.language;
  page.facts = facts_of_run(0);
  page.extras = gpu_figures(page.table, gpus::known_gpus());
  return write_report(std::move(page), o.out);
}

/// A test case for each row that both have, and for each that is missing.
std::string junit_of(const report::Comparison& found, const Table& after) {
  std::vector<JunitCase> cases;
  for (const Row& row : after.rows) {
    JunitCase& c = cases.emplace_back();
    c.name = report::describe_row(row);
    c.good = true;
    for (const report::Difference& d : found.differences) {
      if (d.verdict != report::Verdict::Worse && d.verdict != report::Verdict::Missing) continue;
      if (!(d.row.axes == row.axes)) continue;
      c.good = false;
      const report::ReadableFigures figures = report::readable(d);
      c.why += fmt::format("{}{}: {} and then {}{}{}", c.why.empty() ? "" : "; ", d.tag, figures.before,
                           d.after.empty() ? "nothing" : figures.after, figures.unit.empty() ? "" : " ",
                           figures.unit);
    }
  }
  for (const std::string& row : found.missing_rows) cases.push_back({row, false, "the row is missing"});
  return junit("compare", cases);
}

int run_compare(CompareCommand& o) {
  for (const auto& text : o.thresholds)
    if (auto ok = read_threshold(text, o.compare); !ok) return complain(ok.error());
  if (auto ok = report::check_language(o.language); !ok) return complain(ok.error());
  const auto to = target_of(o);
  if (!to) return complain(to.error());
  auto files = read_files({o.before, o.after});
  if (!files) return 2;
  const Table &before = (*files)[0].table, &after = (*files)[1].table;
  auto found = report::compare(before, after, o.compare);
  if (!found) return complain(found.error());
  const int code = found->worse() ? 1 : 0;
  Status ok;
  if (to->folder) {
    ok = write_page(std::move(*files), *found, o);
  } else if (to->format == "github") {
    ok = deliver_text(report::markdown_of(*found, o.before, o.after), o.out);
  } else if (to->format == "junit") {
    ok = deliver_text(junit_of(*found, after), o.out);
  } else if (to->format == "sarif") {
    ok = deliver_text(report::sarif_of(*found, o.after, WW_VERSION), o.out);
  } else {
    Table table = report::table_of(*found, to->format == "table");
    table.title = fmt::format("{} and then {}", o.before, o.after);
    ok = deliver(table, *report::format_named(to->format), o.out);
  }
  return ok ? code : complain(ok.error());
}

int run_history(CompareCommand& o) {
  for (const auto& text : o.thresholds)
    if (auto ok = read_threshold(text, o.compare); !ok) return complain(ok.error());
  if (auto ok = report::check_language(o.language); !ok) return complain(ok.error());
  const auto to = target_of(o);
  if (!to) return complain(to.error());
  if (o.files.size() < 2) return complain({error("a history needs two result files or more")});
  auto files = read_files(o.files);
  if (!files) return 2;
  auto found = report::compare(files->end()[-2].table, files->back().table, o.compare);
  if (!found) return complain(found.error());
  const int code = found->worse() ? 1 : 0;
  if (to->folder) {
    auto ok = write_page(std::move(*files), *found, o);
    return ok ? code : complain(ok.error());
  }
  auto table = report::history(*files, o.compare, to->format == "table");
  if (!table) return complain(table.error());
  auto ok = deliver(*table, *report::format_named(to->format), o.out);
  return ok ? code : complain(ok.error());
}

/// What both commands have.
void add_common(CLI::App& c, CompareCommand& o) {
  c.add_option("--threshold", o.thresholds,
               "Ignore changes up to this: 2%, or time=5% for one metric (default: 0%, measured 5%)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("P%,...");
  c.add_option("--metric", o.compare.metrics, "Only these metrics")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TAG,...");
  c.add_option("--ignore", o.compare.ignored, "Leave out these metrics")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TAG,...");
}

void add_page_options(CLI::App& c, CompareCommand& o) {
  c.add_option("--out", o.out, "Write to this file, or a page to this folder (DIR/)")->type_name("FILE");
  c.add_option("--lang", o.language, "Language of the page: en, pl, cs or ru")->type_name("L");
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<CompareCommand>();
  auto* c = app.add_subcommand("compare", "Compare two result files row by row: what got worse");
  c->add_option("BEFORE", o->before, "Results of a study, JSON or CSV")->required()->type_name("");
  c->add_option("AFTER", o->after, "Results to compare with them, of a later run or another machine")
      ->required()
      ->type_name("");
  add_common(*c, *o);
  c->add_option("--format", o->format,
                "table (default), csv, json, github (a summary in Markdown), junit or sarif")
      ->type_name("F")
      ->check(CLI::IsMember({"table", "csv", "json", "github", "junit", "sarif"}));
  add_page_options(*c, *o);
  c->footer(
      "Measured times of repeated runs count as different if their quartiles do not overlap.\n"
      "Exit code: 0 nothing is worse; 1 something is worse or missing; 2 wrong input.");
  c->callback([o, &exit_code] { exit_code = run_compare(*o); });
}

void add_history(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<CompareCommand>();
  auto* c = app.add_subcommand("history", "Show how each figure changed over several result files");
  c->add_option("FILE", o->files, "Results of a study, JSON or CSV, the oldest first")
      ->required()
      ->type_name("");
  add_common(*c, *o);
  c->add_option("--format", o->format, "table (default), csv or json")
      ->type_name("F")
      ->check(CLI::IsMember({"table", "csv", "json"}));
  add_page_options(*c, *o);
  c->footer("Exit code: 0 the last file is no worse than the one before it; 1 it is worse; 2 wrong input.");
  c->callback([o, &exit_code] { exit_code = run_history(*o); });
}

}  // namespace ww::cli
