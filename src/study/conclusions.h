// What a table says, as sentences with the figures they rest on. Computed from the rows alone.
#pragma once

#include <vector>

#include "base/table.h"
#include "report/page.h"
#include "study/expect.h"

namespace ww::study {

/// Best configuration and by how much, what binds before and after it, what it does less of than the slowest,
/// which GPU is the fastest, and where two origins of a number part ways. Empty when the table gives no
/// ground for any.
std::vector<report::Conclusion> conclusions(const Table& table);

/// How many rows were verified, how near the errors come to their bounds, what is wrong, refused or not
/// verified.
std::vector<report::Conclusion> verification(const Table& table);

/// What the study's file expects: first what does not hold, with the rows, or cannot be judged, then what
/// holds.
std::vector<report::Conclusion> expected(const std::vector<Outcome>& outcomes);

}  // namespace ww::study
