// What every study file says, whatever it runs: how it is called and shown, and what must hold.
#pragma once

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "study/study.h"

namespace ww::study {

/// The keys that read_shown reads.
const std::vector<std::string>& shown_keys();

/// Into `study`, whose name and summary are the file's where it gives none. `own`: axes that the plots may
/// name besides the common ones. Complaints go to `reader`.
void read_shown(const Json& root, const std::vector<AxisInfo>& own, JsonReader& reader, Study& study);

}  // namespace ww::study
