// A launch on one GPU as data for a picture: what a page, or another program, draws.
#pragma once

#include <string>
#include <vector>

#include "base/said.h"
#include "forecast/forecast.h"
#include "model/explain_lines.h"

namespace ww::forecast {

/// One JSON object: time and its parts, occupancy with the steps at which it
/// changes, memory level by level, roofline, source lines with their texts, PTX and counters, sentences and
/// all counters. "<" does not occur in it. `values`: what the GPU's row holds. `source`: "" for lines that
/// are not known.
std::string write_view(const gpus::Gpu& gpu, const Figures& figures, const LaunchShape& shape,
                       const Table& lines, const std::vector<Value>& values,
                       const std::vector<Said>& sentences, const model::SourceLine& source);

}  // namespace ww::forecast
