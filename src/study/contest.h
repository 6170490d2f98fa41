// Rows that can be compared: the same problem, on the same GPU, with figures of the same origin.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/table.h"
#include "report/page.h"

namespace ww::study {

/// Rows of one problem (n, r, and `problem` where rows have it) on one GPU that have the metric, best first.
struct Contest {
  std::string gpu, n, r;
  std::string tag;  ///< "gflops", "time" or a counter
  Provenance provenance = Provenance::Counted;
  bool larger_is_better = false;
  std::vector<size_t> rows;  ///< indices into the table
  std::string problem;       ///< "" where rows have none
  std::string own;           ///< the problem by the study's own axes: "rows = 640"
};

/// Whether the row's predicted time holds all that the kernel did there: nothing is said to be not modelled.
bool modelled_whole(const Row& row);

/// The figure of a row that takes part.
const Value& score(const Table& table, const Contest& contest, size_t row);

/// The row's value with this tag and provenance; nullptr where there is none or it is a word.
const Value* figure(const Row& row, const std::string& tag, Provenance provenance);

/// All contests of that metric with two rows or more, none of which rests on a prediction that leaves
/// something out (modelled_whole), GPUs in the order of the table, then by problem, r and
/// n. Rows of the host are left out, and what the engine measured: that says nothing about a GPU.
std::vector<Contest> all_contests(const Table& table, const std::string& tag, Provenance provenance,
                                  bool larger_is_better);

/// Of those the one with most rows, of these the one with the largest n; for each GPU.
std::vector<Contest> contests(const Table& table, const std::string& tag, Provenance provenance,
                              bool larger_is_better);

/// The contests that a table is about: by rate of arithmetic, or by time where it holds several problems,
/// kernels that only move data, or some that compute more than others for the same result.
std::vector<Contest> main_contests(const Table& table, Provenance provenance);

/// Rows beside the contest's, at its size and on its GPU, of which nobody knows whether they compute the
/// same: of each other problem of a study of own kernels the best, best first.
std::vector<size_t> unrelated(const Table& table, const Contest& contest);

/// A contest of one row, by its time, where no two rows can be compared: of the largest problem, the first;
/// where others are unrelated to it, the best of them.
std::optional<Contest> contest_of_one(const Table& table, Provenance provenance);

/// The same for GPUs: rows of one configuration on two GPUs or more, the configuration that most GPUs have,
/// of these the one with the largest n. Nothing where no configuration has two.
std::optional<Contest> contest_of_gpus(const Table& table, const std::string& tag, Provenance provenance,
                                       bool larger_is_better);

/// The band of a predicted time or rate (time_low, time_high), the quartiles of a measured one (time_p25,
/// time_p75); the figure alone where there is none.
struct Span {
  double low = 0, high = 0;
};
Span span_of(const Table& table, const Contest& contest, size_t row);
/// Its ends as figures of a sentence, in the unit of what the contest is about; nothing without a band.
std::optional<std::pair<Value, Value>> ends_of_span(const Table& table, const Contest& contest, size_t row);
/// Where a predicted time lies outside the band of its kind, since most such predictions were too short or
/// too long: ".short", ".long"; "" where it lies inside or has none.
std::string side_of_band(const Row& row);
/// Whether the figures of two rows differ by more than their bands. Equal figures do not.
bool told_apart(const Table& table, const Contest& contest, size_t row, size_t other);

/// Whether the best of both is one configuration, whatever its GPU and size.
bool same_winner(const Table& table, const Contest& a, const Contest& b);

/// How many times better the first is than the second, at least 1 where it is; nothing with zeros.
std::optional<double> times_better(const Contest& contest, const Table& table, size_t row, size_t other);

/// The same as a figure in a sentence. Where a figure of a GPU is missing in a time, by how much at least,
/// between the nearest ends of their bands: a derived value that a description marks as the least.
Value ratio(const Contest& contest, const Table& table, size_t row, size_t other);

/// Along what a kernel's configurations are ordered: results per thread (Rx · Ry), else K, else the block's
/// side.
enum class Order { Results, K, Block };
Order order_of(const Row& row);
/// Its value; 0 where the row has none.
double place_of(const Row& row);

/// A number for people: three significant digits.
double rounded(double v);

/// A figure in a sentence that is computed from others: unit "" or "%".
Value derived(double v, std::string unit, Provenance provenance);

}  // namespace ww::study
