// The banks that a warp asks, as a picture of text: as the rows of an array are, and with longer ones.
#pragma once

#include <string>

#include "cli/launch/shown.h"

namespace ww::cli {

/// For each array that longer rows were tried for: a bar for each bank, as high as the words that the worst
/// access of a warp asks of it; a bank gives one word at a time. "" where nothing was tried or nothing helps.
std::string banks_text(const ShownGpu& on);

}  // namespace ww::cli
