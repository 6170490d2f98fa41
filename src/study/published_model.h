// Published and measured times, rates, registers and occupancies, for comparing with what the model predicts.
#pragma once

#include "study/published.h"

namespace ww::study {

/// Built-in tables that hold times, occupancy or bounds.
std::span<const PublishedFile> modelled_files();

/// The cells of a table whose metric the model predicts; count_cells fills them in like counters. In
/// milliseconds; where a table prints time with a digit or two and gflops with more, the time is flop /
/// gflops. Left out: what its README calls a misprint (RTX 4070 SUPER, table 7). Errors: not a table.
Result<std::vector<Cell>> read_modelled_cells(const PublishedFile& file);
/// Those that follow from others or from formulas: rates, flop per byte, theoretical occupancy. Of any size
/// where the table has no n. Errors: not a table.
Result<std::vector<Cell>> read_derived_cells(const PublishedFile& file);
/// Whether the cell is one of read_modelled_cells.
bool is_modelled(const Cell& cell);

/// For each file and metric: mean and largest |error|, bias, Kendall's rank correlation (tau-b, mean over the
/// sizes of a table, each with at least three cells); then mean errors of time for each GPU and for all.
Table model_agreement(const std::vector<Cell>& cells);
/// The cells of time with the largest |error|.
Table worst_times(const std::vector<Cell>& cells, size_t count);

}  // namespace ww::study
