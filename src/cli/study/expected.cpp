#include "cli/study/expected.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/compare.h"
#include "report/markdown.h"
#include "study/conclusions.h"
#include "study/verdict.h"

namespace ww::cli {

namespace {

constexpr size_t kMostShown = 10;  // failures of one expectation

/// Whether the command line leaves out some of the study.
bool narrowed(const StudyOptions& o) {
  const study::Selection& s = o.selection;
  return !s.kernels.empty() || !s.blocks.empty() || !s.tiles.empty() || !s.n.empty() || !s.r.empty() ||
         !s.k.empty() || !o.axes.empty() || !o.gpus.empty();
}

/// The first rows that are not as expected, each with its figures, and how many more there are.
std::vector<std::string> failures_of(const Table& table, const study::Outcome& outcome) {
  std::vector<std::string> out;
  for (size_t i = 0; i < std::min(outcome.failures.size(), kMostShown); ++i) {
    Row row = table.rows[outcome.failures[i].row];
    row[Axis::Study] = "";  // known
    out.push_back(fmt::format("{}: {}", report::describe_row(row), outcome.failures[i].what));
  }
  if (outcome.failures.size() > kMostShown)
    out.push_back(fmt::format("and {} more", outcome.failures.size() - kMostShown));
  return out;
}

}  // namespace

std::vector<study::Outcome> judged(const StudyOptions& o, const study::Study& study, const Table& table) {
  std::vector<study::Outcome> outcomes = study::judge(table, study.expect);
  if (narrowed(o))
    std::erase_if(outcomes, [](const study::Outcome& outcome) {
      return !outcome.good() && outcome.failures.empty();  // none of its rows is here
    });
  return outcomes;
}

bool say_failed(const Table& table, const std::vector<study::Outcome>& outcomes) {
  bool good = true;
  for (const study::Outcome& outcome : outcomes) {
    if (outcome.good()) continue;
    good = false;
    const study::Expectation& e = *outcome.expectation;
    std::string text = render(error_at(e.where, fmt::format("not so: {}", e.text), outcome.wrong));
    for (const std::string& failure : failures_of(table, outcome))
      text += fmt::format("  {}\n", printable(failure));
    fmt::print(stderr, "{}", text);
  }
  return good;
}

void note_expected(Table& table, const std::vector<study::Outcome>& outcomes) {
  for (const study::Outcome& outcome : outcomes) {
    if (outcome.good()) continue;
    std::string note = "expected, but not so: " + outcome.expectation->text;
    if (!outcome.wrong.empty()) note += ": " + outcome.wrong;
    for (const std::string& failure : failures_of(table, outcome)) note += "; " + failure;
    table.notes.push_back(std::move(note));
  }
}

void show_expected(report::Page& page, const std::vector<study::Outcome>& outcomes) {
  const auto not_so = std::count_if(outcomes.begin(), outcomes.end(),
                                    [](const study::Outcome& outcome) { return !outcome.good(); });
  page.verdict = study::verdict(page.table, static_cast<size_t>(not_so));
  std::vector<report::Conclusion> said = study::expected(outcomes);
  page.verification.insert(page.verification.begin(), said.begin(), said.end());
}

std::string expected_markdown(const Table& table, const std::vector<study::Outcome>& outcomes) {
  std::string out = outcomes.empty() ? "" : "\n#### Expected\n\n";
  for (const study::Outcome& outcome : outcomes) {
    out +=
        fmt::format("- {} {}", outcome.good() ? "✅" : "❌", report::markdown_text(outcome.expectation->text));
    if (!outcome.wrong.empty()) out += ": " + report::markdown_text(outcome.wrong);
    out += "\n";
    for (const std::string& failure : failures_of(table, outcome))
      out += fmt::format("  - {}\n", report::markdown_text(failure));
  }
  return out;
}

}  // namespace ww::cli
