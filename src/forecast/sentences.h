// A launch on a GPU in sentences: what limits it, its worst lines, and what was tried.
#pragma once

#include <string>
#include <vector>

#include "base/said.h"
#include "forecast/forecast.h"
#include "model/explain_lines.h"

namespace ww::forecast {

/// Whether bank conflicts take enough of the launch's shared accesses to be worth trying something.
bool conflicts_matter(const model::Activity& activity);

/// What longer rows give: "Tried: rows of tile with 33 instead of 32 words. …", with the predicted time.
/// Empty where the trial had nothing to try.
Said padding_sentence(const gpus::Gpu& gpu, const model::Prediction& prediction, const PaddingTrial& trial);

/// First what binds, then the rest by the time it concerns; the worst source lines; what an SM holds; what
/// was tried. For a launch that the GPU refuses, why. `lines`: counters::line_table.
std::vector<Said> sentences(const gpus::Gpu& gpu, const Figures& figures, const Table& lines,
                            const model::SourceLine& source);

}  // namespace ww::forecast
