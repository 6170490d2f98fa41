// Two tables, row by row: what got worse.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/table.h"

namespace ww::report {

enum class Worse { More, Less, Neither };
/// Which way this metric is worse (worse.inc).
Worse worse_way(std::string_view tag);

struct CompareOptions {
  /// Relative changes up to this are none; nothing given: 0, and 5 % for what was measured.
  std::optional<double> threshold;
  std::vector<std::pair<std::string, double>> of_metric;  ///< the same for single tags
  std::vector<std::string> metrics;                       ///< only these; empty: all
  std::vector<std::string> ignored;                       ///< not these
};

enum class Verdict { Worse, Missing, Better, Changed, New };
std::string_view name(Verdict verdict);

/// A value that differs by more than its threshold.
struct Difference {
  Row row;  ///< only its axes
  std::string tag, unit;
  Provenance provenance = Provenance::Counted;
  std::string before, after;  ///< as text; "" when the value, or the row, is not there
  double change = 0;          ///< (after − before) / |before|; NaN for words and what is not there
  Verdict verdict = Verdict::Changed;
};

struct Comparison {
  std::vector<Difference> differences;              ///< worst verdicts first, then in the order of the rows
  std::vector<std::string> missing_rows, new_rows;  ///< described
  size_t rows = 0, values = 0;                      ///< that both have

  size_t count(Verdict verdict) const;
  /// Whether something is worse, or cannot be told because it is missing.
  bool worse() const;
};

/// Rows belong together by all their axes, values by tag, unit and provenance. A row that is refused or
/// faulty in `after` only is worse; so is a NaN that was a number. A value that has a worse way and is gone
/// is Missing; others that came or went are no difference. Measured times of repeated runs (time_p25,
/// time_p75) whose quartiles overlap are no difference. Errors: a row twice in one table, a metric in the
/// options that neither table has.
Result<Comparison> compare(const Table& before, const Table& after, const CompareOptions& options);

/// Before and after for people: shortened, times in one unit that suits them; words as they are.
struct ReadableFigures {
  std::string before, after, unit;
};
ReadableFigures readable(const Difference& difference);

/// A row for each difference; notes count them and name the rows that are missing or new. `for_people`:
/// figures as readable() has them.
Table table_of(const Comparison& comparison, bool for_people = false);
/// A summary in GitHub's Markdown: the metrics that got worse, then every such value.
std::string markdown_of(const Comparison& comparison, const std::string& before, const std::string& after);

/// Tells the launches of a profile that have the same axes apart: the second of them gets the axis nth = 2,
/// and so on, for each GPU and device. Rows that are no launches of a profile stay as they are.
void number_equal_launches(Table& table);

/// "matmul/tiled n=176 block=8 gpu=h200 device=engine"
std::string describe_row(const Row& row);

}  // namespace ww::report
