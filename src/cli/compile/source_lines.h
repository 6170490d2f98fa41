// Lines of users' sources, for sentences and pages.
#pragma once

#include <string>

#include "model/explain_lines.h"

namespace ww::cli {

/// Reads a file when its first line is asked for. Lines of `ptx_name` are those of `ptx`; what cannot be read
/// has none.
model::SourceLine source_lines(const std::string& ptx_name = {}, const std::string& ptx = {});

}  // namespace ww::cli
