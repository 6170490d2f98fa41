// Counts as a sentence says them.
#pragma once

#include <string>

namespace ww::model {

/// "7", "253,952", "12.3 million", "4.29 billion": to the unit below a million, then three digits.
std::string count_text(double count);

}  // namespace ww::model
