// What makes a launch slow on a GPU, line by line, with what was tried against it.
#pragma once

#include <string>
#include <vector>

#include "forecast/forecast.h"
#include "model/explain_lines.h"

namespace ww::forecast {

struct Hint {
  std::string kind;               ///< "bank conflicts", "uncoalesced access", "divergence"
  std::string place;              ///< "file.cu:12"
  std::string text;               ///< a sentence with its figures
  std::vector<std::string> more;  ///< what was tried, and the time that the model predicts for it
};

/// `lines`: counters::line_table. Nothing for a launch that the GPU refuses.
std::vector<Hint> hints(const gpus::Gpu& gpu, const Figures& figures, const Table& lines,
                        const model::SourceLine& source);

}  // namespace ww::forecast
