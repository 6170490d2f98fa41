// A child process that shares our terminal, with a limit of time.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ww::cli {

/// The exit code where the time was over, as of timeout(1) of the GNU core utilities.
inline constexpr int kTimeIsOver = 124;

struct Ended {
  int exit_code = 0;  ///< 128 + the signal when one ended it; kTimeIsOver
  bool timed_out = false;
  int signal = 0;  ///< that ended it before its time was over
};

/// Starts `path` with these words (words[0] is its name) and waits. Signals sent to us go on to it. After
/// `seconds` (0: no limit) it and all that it started get SIGTERM, and two seconds later SIGKILL. Error: it
/// cannot be started.
Result<Ended> supervise(const std::string& path, const std::vector<std::string>& words, double seconds);

/// A program that is ended after so many seconds (0: no limit), and in which a kernel runs on, says before
/// where that stands.
void tell_before(double seconds);

/// A line that says why it ended early; "" where it did not.
std::string ended_early(const Ended& ended, const std::string& program, double seconds);

}  // namespace ww::cli
