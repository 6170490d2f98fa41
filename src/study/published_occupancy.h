// Published occupancies, bounds and counts that follow from formulas alone, compared with ours.
#pragma once

#include "study/published_model.h"

namespace ww::study {

/// A printed number and ours, without a run.
struct FormulaCell {
  std::string file, what, metric;
  std::string published, ours;  ///< as text: some are formulas
  bool equal = false;           ///< within half a unit of the last printed digit
};

/// gt240_occupancy.csv by model/occupancy.h, gtx1080_theory.csv and gtx280_matmul_bounds.csv by
/// model/theory.h, flop of rtx4070s_box_sum.csv. What a table prints that is measured, or no formula's, is
/// left out.
std::vector<FormulaCell> formula_cells();

/// For each file: cells, equal ones, and those that are not.
Table formula_agreement(const std::vector<FormulaCell>& cells);

}  // namespace ww::study
