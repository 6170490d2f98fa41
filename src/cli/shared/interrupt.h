// Ctrl-C: the first asks long work to end and keep what is done, the second ends the program.
#pragma once

#include <atomic>
#include <thread>

namespace ww::cli {

/// From now on SIGINT and SIGTERM only make interrupted() true; the second one ends the process at once, with
/// 130 (SIGINT) or 143 (SIGTERM). A signal that the parent made ignored (nohup, a job in the background)
/// stays so.
void handle_interrupts();

/// Whether the user asked to stop. Cheap; any thread may ask.
bool interrupted();

/// The exit code to end with after an interruption: 128 + the signal; 0 when there was none.
int interrupted_exit_code();

/// While it lives, an interruption makes its flag true within 50 ms, for layers below that know nothing of
/// signals.
class StopOnInterrupt {
 public:
  StopOnInterrupt();
  const std::atomic<bool>& flag() const { return flag_; }

 private:
  std::atomic<bool> flag_{false};
  std::jthread watcher_;  // last: it uses the flag
};

}  // namespace ww::cli
