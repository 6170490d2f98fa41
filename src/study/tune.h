// Tuning without guessing: every configuration of a family of kernels for one problem, ranked by the model,
// then by measurement.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/contest.h"
#include "study/study.h"

namespace ww::study {

/// The families that have something to choose: "matmul", "aat", "box_sum", "sum".
std::vector<std::string> tuned_families();

/// A study of all kernels of a family that run on one GPU, over all that they are compiled for and their
/// usual values of k, for one size and (where they have it) radius. Error: no such family, with those there
/// are.
Result<Study> everything_of(const std::string& family, int64_t n, int r);

/// Takes out of `items` what has far too few blocks to be the best on a GPU of `multiprocessors`: less than a
/// quarter of them where other configurations have more. (Nothing can be sampled of such launches: they would
/// take longest.) Returns the names of those kernels, once each.
std::vector<std::string> drop_small_grids(std::vector<Item>& items, int64_t multiprocessors);

/// What was chosen for one problem (a family can have several: products of float32 and of bf16).
struct Tuned {
  /// By predicted time, the best first; the rows of a table of predictions. Behind the first `ranked` of them
  /// come those whose time leaves something out, in no order: only measuring says what they are worth; and
  /// those that were not predicted, as they take too long for certain (is_hopeless).
  Contest ranking;
  size_t ranked = 0;
  /// Measured times in ms, in the order of ranking.rows, nothing where none was taken or the result was
  /// wrong. Empty: nothing was measured.
  std::vector<std::optional<double>> measured;

  /// Index into ranking.rows: the fastest measured one; without measurements the model's first.
  size_t best() const;
  /// Measured time of the model's first over the best one's, at least 1; nothing without both.
  std::optional<double> loss() const;
};

/// One for each problem in the predictions of one GPU. Rows that are refused take no part.
std::vector<Tuned> rank_predictions(const Table& predictions);

/// Sets tuned.measured by a table of what was measured on that GPU elsewhere: times of the same kernel,
/// parameters and size whose results were right. False: it has none of them.
bool take_measured(const Table& predictions, const Table& elsewhere, Tuned& tuned);

/// How many of ranking.rows, from the first on, are not told apart from the first: their bands overlap.
size_t as_good_as_first(const Table& predictions, const Tuned& tuned);

/// The rows of one ranking for people and files: at most `most` of them and the best, with `rank` (by the
/// model), predicted time and band, and `measured_time`; notes say what is the best, how sure that is, and
/// what the model's pick costs.
Table tuning_table(const Table& predictions, const Tuned& tuned, size_t most);

/// The best configuration as a row to be kept: its axes, problem and time.
Row kept_row(const Table& predictions, const Tuned& tuned);

/// Puts `row` into the table of what was kept, in place of that of the same problem and size.
void keep(Table& known, const Row& row);

}  // namespace ww::study
