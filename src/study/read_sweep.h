// What a study file says to run.
#pragma once

#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "study/study.h"

namespace ww::study {

/// The list at `key` of a study file: kernels with the values of their axes. A block or tile that is left out
/// means all that the kernel exists in. Complaints go to `reader`.
std::vector<Sweep> read_sweeps(const Json& list, std::string_view key, JsonReader& reader);

}  // namespace ww::study
