#include "cli/program/supervise.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/text.h"

namespace ww::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(2);

std::atomic<pid_t> supervised{0};

void pass_on(int signal) {
  pid_t child = supervised;
  if (child > 0) ::kill(child, signal);
}

/// A process's children and their children.
void add_descendants(pid_t process, std::vector<pid_t>& all) {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", process));
  for (pid_t child; children >> child;) {
    all.push_back(child);
    add_descendants(child, all);
  }
}

void kill_all(pid_t child, int signal) {
  std::vector<pid_t> all;
  add_descendants(child, all);
  for (pid_t process : all) ::kill(process, signal);
  ::kill(child, signal);
}

/// Runs in the child; returns only when the program cannot be started.
void become(const std::string& path, const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp(path.c_str(), pointers.data());
}

}  // namespace

Result<Ended> supervise(const std::string& path, const std::vector<std::string>& words, double seconds) {
  int failure[2];
  if (::pipe2(failure, O_CLOEXEC) != 0) return error("no process can be started");
  pid_t child = ::fork();
  if (child < 0) return error("no process can be started");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // also when we are killed, the program does not go on alone
    become(path, words);
    int why = errno;
    if (::write(failure[1], &why, sizeof why) < 0) ::_exit(126);
    ::_exit(127);
  }
  ::close(failure[1]);
  supervised = child;
  // A terminal sends Ctrl-C to the program, too; from elsewhere the signal comes to us alone.
  struct sigaction forward {};
  forward.sa_handler = pass_on;
  for (int signal : {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) ::sigaction(signal, &forward, nullptr);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGQUIT, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too large is an error like a full disk
  int why = 0;
  bool failed = ::read(failure[0], &why, sizeof why) == sizeof why;
  ::close(failure[0]);

  Ended ended;
  bool limited = seconds > 0, killed = false;
  auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  int status = 0;
  for (auto pause = std::chrono::microseconds(200);;) {
    pid_t got = ::waitpid(child, &status, limited ? WNOHANG : 0);
    if (got == child || (got < 0 && errno != EINTR)) break;
    if (!limited) continue;
    if (!ended.timed_out && Clock::now() >= end) {
      ended.timed_out = true;
      kill_all(child, SIGTERM);
    } else if (ended.timed_out && !killed && Clock::now() >= end + kGrace) {
      killed = true;
      kill_all(child, SIGKILL);
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10000));
  }
  supervised = 0;
  if (failed) return error(fmt::format("{} cannot be started: {}", printable(path), std::strerror(why)));
  if (!ended.timed_out && WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  ended.exit_code = ended.timed_out     ? kTimeIsOver
                    : WIFEXITED(status) ? WEXITSTATUS(status)
                                        : 128 + WTERMSIG(status);
  return ended;
}

void tell_before(double seconds) {
  constexpr double kUsual = 60;  // as cuda/core/platform.cpp has it without a limit
  if (seconds > 0 && 0.8 * seconds < kUsual)
    ::setenv("WARPWRIGHT_TELL_AFTER", fmt::format("{}", 0.8 * seconds).c_str(), 1);
}

std::string ended_early(const Ended& ended, const std::string& program, double seconds) {
  if (ended.timed_out)
    return fmt::format("warpwright: {} took longer than {} s and was ended\n", printable(program), seconds);
  // A terminal has shown ^C, perhaps behind a line about progress.
  const char* begin = ended.signal == SIGINT && ::isatty(STDERR_FILENO) ? "\n" : "";
  if (ended.signal)
    return fmt::format("{}warpwright: {} was ended by a signal ({}); this is what was known by then\n", begin,
                       printable(program), ::strsignal(ended.signal));
  return {};
}

}  // namespace ww::cli
