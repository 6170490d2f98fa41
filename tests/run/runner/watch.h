// Jobs in a child process, each under a time limit: a kernel that never ends on a real GPU ends with its
// process only.
#pragma once

#include <functional>
#include <string>

namespace ww::runtest {

/// Tells the watcher what a job does next.
using Step = std::function<void(const std::string&)>;

/// How a job ended.
struct JobEnd {
  bool finished = false;
  std::string result;   ///< what the job returned
  std::string problem;  ///< why it did not finish, with its last step
};

/// Does the jobs 0 … count-1 in order in a child process. When one takes longer than `seconds` or takes the
/// process down, the next one gets a new child. `done` gets each end, in this process; it returns whether to
/// go on. The caller must not have opened a GPU or started threads yet: children are forks.
void watch(size_t count, double seconds, const std::function<std::string(size_t, const Step&)>& job,
           const std::function<bool(size_t, const JobEnd&)>& done);

}  // namespace ww::runtest
