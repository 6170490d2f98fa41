// What limits a launch on a GPU, in sentences that quote its own numbers. Advice is not given here: it has to
// be tried first (cli/explain_tried.h).
#pragma once

#include <string>
#include <vector>

#include "base/said.h"
#include "gpus/gpu.h"
#include "model/activity.h"
#include "model/time.h"

namespace ww::model {

/// `time` is predict_time(gpu, activity). The first sentence says what binds; the others follow by how much
/// time they concern, those of less than a twentieth of it left out. Each ends with a full stop.
std::vector<Said> explain(const gpus::Gpu& gpu, const Activity& activity, const Time& time);

/// "registers", "warps and blocks": what lets no more blocks be resident.
std::string limiter(const Occupancy& occupancy);
/// The same as words of the catalogue.
Said::Words limiter_words(const Occupancy& occupancy);

}  // namespace ww::model
