// A comparison for people: as a table, and as Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/words.h"
#include "report/compare.h"
#include "report/markdown.h"
#include "report/number.h"

namespace ww::report {

namespace {

constexpr size_t kMostListed = 200;  // GitHub cuts summaries at 1 MiB

std::string percent(double change) {
  if (std::isnan(change)) return "";
  if (std::isinf(change)) return change > 0 ? "from 0" : "down from 0";
  return fmt::format("{:+.{}f} %", 100 * change, std::abs(change) < 0.1 ? 2 : 1);
}

std::string count_of(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string summary(const Comparison& c) {
  if (c.rows == 0) return "the two have no row in common, so nothing was compared";
  std::string text = fmt::format("{} and {} compared: {} worse", count_of(c.rows, "row"),
                                 count_of(c.values, "value"), c.count(Verdict::Worse));
  for (Verdict v : {Verdict::Missing, Verdict::Better, Verdict::Changed, Verdict::New})
    if (size_t n = c.count(v)) text += fmt::format(", {} {}", n, name(v));
  return text;
}

/// A figure's text times a factor, shortened; words stay.
std::string number(const std::string& text, double factor) {
  auto parsed = parse_number(text);
  if (!parsed) return text;
  const Value v{"", *parsed, "", Provenance::Input, ""};
  return short_text(factor == 1 ? v : Value{"", v.number() * factor, "", Provenance::Input, ""});
}

double magnitude(const std::string& text) {
  const auto parsed = parse_number(text);
  return parsed ? std::abs(Value{"", *parsed, "", Provenance::Input, ""}.number()) : 0;
}

std::string metric(const Difference& d, const std::string& unit) {
  std::string text = markdown_text(d.tag);
  if (!unit.empty()) text += fmt::format(" ({})", markdown_text(unit));
  if (d.provenance != Provenance::Counted) text += fmt::format(", {}", name(d.provenance));
  return text;
}

std::string line(const Difference& d) {
  const ReadableFigures figures = readable(d);
  return fmt::format("| {} | {} | {} | {} | {} |\n", metric(d, figures.unit),
                     markdown_text(describe_row(d.row)), markdown_text(figures.before),
                     d.after.empty() ? "missing" : markdown_text(figures.after), percent(d.change));
}

bool bad(const Difference& d) { return d.verdict == Verdict::Worse || d.verdict == Verdict::Missing; }

/// How bad a difference is, for finding the worst.
double weight(const Difference& d) { return std::isnan(d.change) ? INFINITY : std::abs(d.change); }

void append_rows(std::string& out, const char* title, const std::vector<std::string>& rows) {
  if (rows.empty()) return;
  out += fmt::format("\n**{}**\n\n", title);
  for (size_t i = 0; i < std::min(rows.size(), kMostListed); ++i)
    out += fmt::format("- {}\n", markdown_text(rows[i]));
  if (rows.size() > kMostListed) out += fmt::format("- and {} more\n", rows.size() - kMostListed);
}

}  // namespace

ReadableFigures readable(const Difference& d) {
  const ReadableUnit unit = readable_unit(d.unit, std::max(magnitude(d.before), magnitude(d.after)));
  return {number(d.before, unit.factor), number(d.after, unit.factor), unit.unit};
}

Table table_of(const Comparison& comparison, bool for_people) {
  Table table{"Comparison", {}, {}};
  for (const Difference& d : comparison.differences) {
    Row& row = table.rows.emplace_back(d.row);
    const auto word = [&](const char* tag, std::string text, const char* description) {
      row.values.push_back({tag, std::move(text), "", Provenance::Input, description});
    };
    const auto value = [&](const char* tag, const std::string& text, const char* description) {
      if (text.empty()) return;
      row.values.push_back(
          {tag, parse_number(text).value_or(Number(text)), "", Provenance::Input, description});
    };
    const ReadableFigures figures = for_people ? readable(d) : ReadableFigures{d.before, d.after, d.unit};
    if (for_people) row[axis_named("metric")] = d.tag;  // so that each block says it
    word("verdict", std::string(name(d.verdict)), "worse, missing, better, changed or new");
    if (!for_people) word("metric", d.tag, "its tag");
    // Before the figures: rows may differ in it, and wide tables go on in blocks.
    word("unit", figures.unit, "of before and after");
    value("before", figures.before, "in the first table");
    value("after", figures.after, "in the second table");
    if (!std::isnan(d.change))
      row.values.push_back({"change", 100 * d.change, "%", Provenance::Input, "(after - before) / |before|"});
    word("origin", std::string(name(d.provenance)), "provenance of before and after");
  }
  table.notes.push_back(summary(comparison) + ".");
  for (const auto& row : comparison.missing_rows) table.notes.push_back("Missing row: " + row);
  for (const auto& row : comparison.new_rows) table.notes.push_back("New row: " + row);
  return table;
}

std::string markdown_of(const Comparison& comparison, const std::string& before, const std::string& after) {
  std::vector<const Difference*> worse;
  for (const Difference& d : comparison.differences)
    if (bad(d)) worse.push_back(&d);
  std::string out = comparison.rows == 0  ? "### Nothing was compared\n\n"
                    : !comparison.worse() ? "### Nothing is worse\n\n"
                    : worse.empty()
                        ? fmt::format("### {} missing\n\n", count_of(comparison.missing_rows.size(), "row"))
                        : fmt::format("### {} worse\n\n", count_of(worse.size(), "value"));
  out += fmt::format("{} → {}: {}.\n", markdown_text(before), markdown_text(after), summary(comparison));
  if (!comparison.missing_rows.empty())
    out += fmt::format("{} missing.\n", count_of(comparison.missing_rows.size(), "row"));

  // A line for each metric, the worst of its rows beside it.
  std::vector<std::pair<const Difference*, size_t>> metrics;
  for (const Difference* d : worse) {
    const auto same = [&](const auto& m) {
      return m.first->tag == d->tag && m.first->unit == d->unit && m.first->provenance == d->provenance;
    };
    auto it = std::find_if(metrics.begin(), metrics.end(), same);
    if (it == metrics.end()) it = metrics.insert(metrics.end(), {d, 0});
    ++it->second;
    if (weight(*d) > weight(*it->first)) it->first = d;
  }
  if (!metrics.empty())
    out += "\n| metric | rows | worst in | before | after | change |\n|---|--:|---|--:|--:|--:|\n";
  for (const auto& [d, rows] : metrics) {
    std::string text = line(*d);
    const size_t bar = text.find(" | ");
    out += text.insert(bar, fmt::format(" | {}", rows));
  }
  if (worse.size() > metrics.size()) {
    out += fmt::format("\n<details><summary>All {} of them</summary>\n\n", worse.size());
    out += "| metric | row | before | after | change |\n|---|---|--:|--:|--:|\n";
    for (size_t i = 0; i < std::min(worse.size(), kMostListed); ++i) out += line(*worse[i]);
    if (worse.size() > kMostListed) out += fmt::format("\nand {} more\n", worse.size() - kMostListed);
    out += "\n</details>\n";
  }
  append_rows(out, "Missing rows", comparison.missing_rows);
  append_rows(out, "New rows", comparison.new_rows);
  return out;
}

}  // namespace ww::report
