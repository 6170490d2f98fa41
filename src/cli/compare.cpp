// warpwright compare BEFORE AFTER: two result files row by row, for people and for CI.
#include "report/compare.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/result_file.h"

namespace ww::cli {

namespace {

struct CompareCommand {
  std::string before, after, format = "table", out;
  std::vector<std::string> thresholds;
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
    return error(fmt::format("'{}' is no threshold", printable(text)), "write 2%, or time=5% for one metric");
  if (equals == text.npos)
    options.threshold = percent / 100;
  else
    options.of_metric.emplace_back(text.substr(0, equals), percent / 100);
  return {};
}

int run_compare(CompareCommand& o) {
  for (const auto& text : o.thresholds)
    if (auto ok = read_threshold(text, o.compare); !ok) return complain(ok.error());
  auto before = read_results(o.before);
  if (!before) return complain_in_file(before.error(), o.before);
  auto after = read_results(o.after);
  if (!after) return complain_in_file(after.error(), o.after);
  auto found = report::compare(*before, *after, o.compare);
  if (!found) return complain(found.error());
  const int code = found->worse() ? 1 : 0;
  Status ok;
  if (o.format == "github") {
    ok = deliver_text(report::markdown_of(*found, o.before, o.after), o.out);
  } else {
    Table table = report::table_of(*found);
    table.title = fmt::format("{} and then {}", o.before, o.after);
    ok = deliver(table, *report::format_named(o.format), o.out);
  }
  return ok ? code : complain(ok.error());
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<CompareCommand>();
  auto* c = app.add_subcommand("compare", "Compare two result files row by row: what got worse");
  c->add_option("BEFORE", o->before, "Results of a study, JSON or CSV")->required()->type_name("");
  c->add_option("AFTER", o->after, "The same later, or elsewhere")->required()->type_name("");
  c->add_option("--threshold", o->thresholds,
                "Changes up to this are none: 2%, or time=5% for one metric (default: 0%, measured 5%)")
      ->delimiter(',')
      ->type_name("P%,...");
  c->add_option("--metric", o->compare.metrics, "Only these metrics")->delimiter(',')->type_name("TAG,...");
  c->add_option("--ignore", o->compare.ignored, "Without these metrics")
      ->delimiter(',')
      ->type_name("TAG,...");
  c->add_option("--format", o->format, "table, csv, json, or github: a summary in Markdown")
      ->type_name("F")
      ->check(CLI::IsMember({"table", "csv", "json", "github"}));
  c->add_option("--out", o->out, "Write into this file instead of the terminal")->type_name("FILE");
  c->footer("Exit code: 0 nothing is worse; 1 something is, or is missing; 2 wrong input.");
  c->callback([o, &exit_code] { exit_code = run_compare(*o); });
}

}  // namespace ww::cli
