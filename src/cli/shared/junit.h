// The outcome of a study as JUnit's XML, which CI systems show.
#pragma once

#include <string>
#include <vector>

#include "base/table.h"
#include "study/expect.h"

namespace ww::cli {

/// A test case for each row (verified or not; what was refused is skipped) and one for each expectation.
std::string junit(const std::string& study, const Table& table, const std::vector<study::Outcome>& outcomes);

/// One thing that holds or not.
struct JunitCase {
  std::string name;
  bool good = false;
  std::string why;  ///< where it does not
};
std::string junit(const std::string& suite, const std::vector<JunitCase>& cases);

}  // namespace ww::cli
