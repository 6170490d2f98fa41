#include "cli/shared/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>

namespace ww::cli {
namespace {

std::atomic<int> g_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

extern "C" void on_signal(int signal) {
  int none = 0;
  if (g_signal.compare_exchange_strong(none, signal)) return;
  ::_exit(128 + signal);
}

}  // namespace

void handle_interrupts() {
  for (int signal : {SIGINT, SIGTERM}) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags =
        SA_RESTART;  // reads and writes under way are finished, the flag is looked at between items
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

bool interrupted() { return g_signal.load(std::memory_order_relaxed) != 0; }

int interrupted_exit_code() {
  int signal = g_signal.load(std::memory_order_relaxed);
  return signal == 0 ? 0 : 128 + signal;
}

StopOnInterrupt::StopOnInterrupt()
    : watcher_([this](const std::stop_token& end) {
        for (; !end.stop_requested() && !flag_; std::this_thread::sleep_for(std::chrono::milliseconds(50)))
          if (interrupted()) flag_ = true;
      }) {}

}  // namespace ww::cli
