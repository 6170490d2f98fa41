#include "cli/study/deliver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "cli/shared/junit.h"
#include "cli/shared/output.h"
#include "cli/shared/report_folder.h"
#include "cli/study/expected.h"
#include "cli/study/gpu.h"
#include "cli/study/metrics.h"
#include "kernels/axes.h"
#include "report/catalogue.h"
#include "report/compare.h"
#include "report/json.h"
#include "report/markdown.h"
#include "report/metrics.h"
#include "study/bands.h"
#include "study/beside.h"
#include "study/conclusions.h"
#include "study/published.h"
#include "study/verdict.h"

namespace ww::cli {

namespace {

/// 0 when all rows are verified, 1 when something went wrong while running, and for refused rows 0: they say
/// why.
int verdict(const Table& table) {
  for (const Row& row : table.rows)
    if (const Value* v = row.find("verified"); v && v->number() != 1) return 1;
  return 0;
}

/// What a page needs besides the table; --metric chooses what it shows at first.
report::Presentation presentation(const StudyOptions& o, const study::Study& study, const Table& table,
                                  const std::vector<gpus::Gpu>& gpus) {
  report::Presentation out = presentation_of(study);
  if (!o.metrics.empty() && o.metrics != std::vector<std::string>{"all"}) out.headline = o.metrics;
  out.facts = facts_of_run(o.threads);
  out.facts.push_back({"study", "seed", fmt::format("{}", o.selection.seed)});
  const auto& named = o.gpus.empty() ? study.gpus : o.gpus;
  if (std::any_of(named.begin(), named.end(), [](const auto& name) { return name.ends_with(".json"); }))
    out.figures = gpu_figures(table, gpus);
  return out;
}

/// A message of several lines on one.
std::string on_one_line(std::string text) {
  for (size_t at; (at = text.find('\n')) != text.npos;) {
    const size_t next = text.find_first_not_of(" \n", at);
    text.replace(at, std::min(next, text.size()) - at, next == text.npos ? "" : "; ");
  }
  return text;
}

/// What the table shows of it. Words about what went wrong do not fit a column: they become notes.
Table shown(const StudyOptions& o, const study::Study& study, const std::vector<gpus::Gpu>& gpus,
            report::Format format, Table table) {
  if (o.metrics == std::vector<std::string>{"all"}) return table;
  if (!o.metrics.empty()) {
    const auto tags = resolve_metrics(o.metrics, gpus, table.notes);
    return report::keep_metrics(std::move(table), tags);
  }
  if (format != report::Format::Table && format != report::Format::Markdown) return table;
  for (const Row& row : table.rows)
    for (const char* tag : {"wrong", "fault"})
      if (const Value* v = row.find(tag))
        table.notes.push_back(fmt::format("{} n={} block={}: {}", row[Axis::Kernel], row[lab::N],
                                          row[Axis::Block], on_one_line(v->text())));
  return report::keep_metrics(std::move(table), study::shown_metrics(study));
}

/// What an interruption left does not replace what is complete, and says of itself that it is not.
void set_apart(Table& table, Destination& to, const std::string& study, size_t done, size_t runs, bool part) {
  if (to.out.empty()) return;
  to.out = partial_name(to.out);
  fmt::print(stderr, "stopped: {} of {} runs are done; they are in {}\n", done, runs, printable(to.out));
  if (part) return;  // study merge names what is missing
  Row& mark = table.rows.emplace_back();
  mark[Axis::Study] = study;
  mark.refused = fmt::format("the study was stopped: {} of {} runs are here", done, runs);
}

}  // namespace

int deliver_study(const StudyOptions& o, Destination to, const study::Study& study,
                  const std::vector<gpus::Gpu>& gpus, FoundRows found) {
  Table& table = found.table;
  study::add_theory(table, study.theory, gpus);
  study::add_published(table, study::published_cells());
  study::add_bands(table, gpus);
  int code = verdict(table);
  std::vector<study::Outcome> outcomes;
  if (found.done == found.runs) outcomes = judged(o, study, table);  // what was stopped is not judged
  if (!say_failed(table, outcomes)) code = 1;
  if (!o.junit.empty())
    if (auto ok = deliver_text(junit(study.name, table, outcomes), o.junit); !ok) code = complain(ok.error());
  const bool all = o.metrics == std::vector<std::string>{"all"};
  if (auto ok = all ? Status() : report::check_metrics(table, named_metrics(o, gpus)); !ok)
    return complain(ok.error());
  if (found.done < found.runs)
    set_apart(table, to, study.name, found.done, found.runs, found.whole.has_value());
  report::Presentation page = presentation(o, study, table, gpus);
  if (to.folder || to.format == report::Format::Json) note_expected(table, outcomes);
  if (to.folder) {
    report::Page whole_page = page_of(std::move(table), std::move(page), o.language);
    show_expected(whole_page, outcomes);
    for (report::Listing& listing : found.listings) whole_page.listings.push_back(std::move(listing));
    auto ok = write_report(std::move(whole_page), to.out);
    return ok ? code : complain(ok.error());
  }
  const std::vector<report::Conclusion> said =
      to.format == report::Format::Table || to.format == report::Format::Markdown
          ? study::verdict(table)
          : std::vector<report::Conclusion>();
  const Table whole_table = said.empty() ? Table() : table;  // its words name rows by all axes and metrics
  table = shown(o, study, gpus, to.format, std::move(table));
  if (to.format == report::Format::Markdown) {
    const std::string lead = report::verdict_markdown(whole_table, said, o.language);
    auto ok = deliver_text(report::write_markdown(table, lead) + expected_markdown(table, outcomes), to.out);
    return ok ? code : complain(ok.error());
  }
  if (to.format == report::Format::Table && !found.whole) {
    const int width =
        to.out.empty() ? terminal_width(STDOUT_FILENO, kWidthWithoutTerminal) : kWidthWithoutTerminal;
    const std::string lead = report::verdict_text(whole_table, said, o.language, width);
    auto ok = deliver(table, to.format, to.out, lead);
    return ok ? code : complain(ok.error());
  }
  auto ok = found.whole ? deliver_text(study::write_part(table, *found.whole, page), to.out)
            : to.format == report::Format::Json ? deliver_text(report::write_json(table, &page), to.out)
                                                : deliver(table, to.format, to.out);
  return ok ? code : complain(ok.error());
}

}  // namespace ww::cli
