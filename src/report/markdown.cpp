#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/columns.h"

namespace ww::report {

namespace {

constexpr size_t kMostMarkdownRows = 500;  // GitHub cuts summaries at 1 MiB

/// A cell without the blanks that align it on a terminal.
std::string markdown_cell(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return markdown_text(text);
}

/// A few rows beside each other, a line for each of their figures: as many columns would be too wide to read.
std::string few_rows(const std::vector<const Column*>& columns, size_t rows) {
  std::string out = "|", rule = "| --- |";
  for (size_t r = 0; r <= rows; ++r) out += " |", rule += r < rows ? " ---: |" : " --- |";
  out += " |\n" + rule + "\n";
  for (const Column* column : columns) {
    out += fmt::format("| {} |", markdown_text(column->head));
    for (size_t r = 0; r < rows; ++r) out += fmt::format(" {} |", markdown_cell(column->cells[r]));
    out += fmt::format(" {} |\n", markdown_text(column->unit));
  }
  return out;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string out;
  for (char c : printable(text)) {
    if (std::string_view("|*_[]\\`~#").find(c) != std::string_view::npos) out += '\\';
    out += c == '<' ? "&lt;" : std::string(1, c);
  }
  return out;
}

std::string write_markdown(const Table& table, const std::string& lead) {
  const Columns columns = columns_of(table);
  std::string out = table.title.empty() ? "" : "### " + markdown_text(table.title) + "\n\n";
  out += lead;
  if (!columns.shared.empty()) {
    std::string shared;
    for (const std::string& one : columns.shared)
      shared += (shared.empty() ? "" : " · ") + markdown_text(one);
    out += shared + "\n\n";
  }
  std::vector<const Column*> all;
  for (const auto* list : {&columns.axes, &columns.metrics})
    for (const Column& column : *list) all.push_back(&column);
  constexpr size_t kFewColumns = 8, kFewRows = 4;
  const bool whole =
      std::all_of(table.rows.begin(), table.rows.end(), [](const Row& r) { return r.refused.empty(); });
  const size_t rows = table.rows.size();
  if (rows > 0 && rows <= kFewRows && whole && all.size() > kFewColumns * rows) {
    out += few_rows(all, rows);
  } else if (!all.empty()) {
    // A reason stands in the first metric's place, or in a column of its own where no row has a metric.
    const bool alone =
        columns.metrics.empty() &&
        std::any_of(table.rows.begin(), table.rows.end(), [](const Row& r) { return !r.refused.empty(); });
    std::string heads = "|", rule = "|";
    for (const Column* column : all) {
      heads += fmt::format(" {}{} |", markdown_text(column->head),
                           column->unit.empty() ? "" : ", " + markdown_text(column->unit));
      rule += column->right ? " ---: |" : " --- |";
    }
    if (alone) heads += " refused |", rule += " --- |";
    out += heads + "\n" + rule + "\n";
    for (size_t r = 0; r < std::min(table.rows.size(), kMostMarkdownRows); ++r) {
      out += "|";
      const std::string& refused = table.rows[r].refused;
      for (size_t c = 0; c < all.size(); ++c) {
        const bool reason = !refused.empty() && c == columns.axes.size();
        out += fmt::format(" {} |",
                           reason ? "refused: " + markdown_text(refused) : markdown_cell(all[c]->cells[r]));
      }
      if (alone) out += fmt::format(" {} |", markdown_text(refused));
      out += "\n";
    }
    if (table.rows.size() > kMostMarkdownRows)
      out += fmt::format("\n{} of {} rows.\n", kMostMarkdownRows, table.rows.size());
  }
  if (!columns.legend.empty()) {
    std::string legend;
    for (const std::string& one : columns.legend) legend += (legend.empty() ? "" : ", ") + markdown_text(one);
    out += "\n" + legend + "\n";
  }
  for (const std::string& note : table.notes) out += "\n- " + markdown_text(note) + "\n";
  return out;
}

}  // namespace ww::report
