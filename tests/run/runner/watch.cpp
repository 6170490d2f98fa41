#include "watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace ww::runtest {

namespace {

using Clock = std::chrono::steady_clock;

// A message is a letter ('S': a step, 'R': a result), the length of its text, and the text.
struct Head {
  char kind;
  uint64_t size;
};

bool send_bytes(int fd, const char* data, size_t size) {
  while (size > 0) {
    ssize_t n = ::write(fd, data, size);
    if (n <= 0) return false;
    data += n, size -= static_cast<size_t>(n);
  }
  return true;
}

void send(int fd, char kind, const std::string& text) {
  Head head{};
  head.kind = kind;
  head.size = text.size();
  if (!send_bytes(fd, reinterpret_cast<const char*>(&head), sizeof head) ||
      !send_bytes(fd, text.data(), text.size()))
    ::_exit(1);  // nobody listens any more
}

struct Child {
  pid_t pid = -1;
  int from = -1;
  std::string buffer;

  /// Fills data from the child until `size` bytes are there. Problem: "" when it was fine.
  std::string fill(size_t size, Clock::time_point until) {
    while (buffer.size() < size) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      pollfd ready{from, POLLIN, 0};
      int n = left <= 0 ? 0 : ::poll(&ready, 1, static_cast<int>(left));
      if (n == 0) return "no answer in time";
      char data[65536];
      ssize_t got = n < 0 ? -1 : ::read(from, data, sizeof data);
      if (got <= 0) return "its process died";
      buffer.append(data, static_cast<size_t>(got));
    }
    return "";
  }

  void end() {
    if (pid < 0) return;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    ::close(from);
    *this = {};
  }
};

Child start(size_t first, size_t count, const std::function<std::string(size_t, const Step&)>& job) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  std::fflush(nullptr);
  pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    auto step = [to = ends[1]](const std::string& what) { send(to, 'S', what); };
    for (size_t k = first; k < count; ++k) send(ends[1], 'R', job(k, step));
    std::fflush(nullptr);
    ::_exit(0);
  }
  ::close(ends[1]);
  if (pid < 0) ::close(ends[0]);
  return pid < 0 ? Child{} : Child{pid, ends[0], {}};
}

}  // namespace

void watch(size_t count, double seconds, const std::function<std::string(size_t, const Step&)>& job,
           const std::function<bool(size_t, const JobEnd&)>& done) {
  Child child;
  bool go_on = true;
  for (size_t k = 0; go_on && k < count; ++k) {
    if (child.pid < 0) child = start(k, count, job);
    JobEnd end;
    std::string last = "it started";
    auto until = Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
    if (child.pid < 0) end.problem = "there is no process for it";
    while (!end.finished && end.problem.empty()) {
      Head head{};
      end.problem = child.fill(sizeof head, until);
      if (!end.problem.empty()) break;
      std::memcpy(&head, child.buffer.data(), sizeof head);
      end.problem = child.fill(sizeof head + head.size, until);
      if (!end.problem.empty()) break;
      std::string text = child.buffer.substr(sizeof head, head.size);
      child.buffer.erase(0, sizeof head + head.size);
      if (head.kind == 'R')
        end.finished = true, end.result = std::move(text);
      else
        last = std::move(text);
    }
    if (!end.finished) {
      end.problem += "; last: " + last;
      child.end();
    }
    go_on = done(k, end);
  }
  child.end();
}

}  // namespace ww::runtest
