// warpwright report FILE: the page of results that lie in a file.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/shared/destination.h"
#include "cli/shared/output.h"
#include "cli/shared/report_folder.h"
#include "cli/shared/result_file.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/metrics.h"

namespace ww::cli {

namespace {

struct ReportOptions {
  std::string file, out, language = "en";
  std::vector<std::string> metrics;
};

Result<report::Results> read_whole(std::string_view text, const std::string& file) {
  if (!file.ends_with(".csv")) {
    auto results = report::read_results(text, file);
    if (!results)
      if (auto ok = no_other_file(text, file); !ok) return ok.error();
    return results;
  }
  auto table = report::read_csv(text, file);
  if (!table) return table.error();
  return report::Results{std::move(*table), {}};
}

/// The study that all rows are of, as far as it is known: a table that says nothing of how to show it is
/// shown as its study is.
study::Study study_of(const Table& table) {
  study::Study study;
  if (!table.rows.empty()) study.name = table.rows[0][Axis::Study];
  for (const Row& row : table.rows)
    if (row[Axis::Study] != study.name) study.name.clear();
  if (auto known = study::find_study(study.name)) study = **known;
  return study;
}

int run(const ReportOptions& o) {
  if (auto ok = report::check_language(o.language); !ok) return complain(ok.error());
  const auto to = destination({o.out, {}}, true);
  if (!to || !to->folder)
    return complain({error(fmt::format("--out '{}' names a file, but a report is a folder", printable(o.out)),
                           "end the name in '/', or leave out its extension")});
  auto text = read_file(o.file);
  if (!text) return complain(text.error());
  auto results = read_whole(*text, o.file);
  if (!results) return complain(results.error(), *text);
  Table& table = results->table;
  if (auto ok = report::check_metrics(table, o.metrics); !ok) return complain(ok.error());
  report::Presentation presentation = results->page ? *results->page : presentation_of(study_of(table));
  if (table.title.empty()) table.title = presentation.study.empty() ? o.file : presentation.study;
  report::Page page = page_of(std::move(table), std::move(presentation), o.language);
  if (!o.metrics.empty()) page.headline = o.metrics;
  auto done = write_report(page, to->out);
  return done ? 0 : complain(done.error());
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<ReportOptions>();
  auto* c = app.add_subcommand("report", "Make the page of results that a study wrote as JSON or CSV");
  c->add_option("FILE", o->file, "results.json, or results.csv (by its ending)")->required()->type_name("");
  c->add_option("--out", o->out, "The folder for index.html, results.csv and results.json")
      ->required()
      ->type_name("DIR");
  c->add_option("--metric", o->metrics, "The columns and plots shown at first (default: the main ones)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TAG,...");
  c->add_option("--lang", o->language, "Language of the page: en, pl, cs or ru")->type_name("L");
  c->callback([o, &exit_code] { exit_code = run(*o); });
}

}  // namespace ww::cli
