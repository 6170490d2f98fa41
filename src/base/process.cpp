#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

extern char** environ;

namespace ww {

namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  ~Pipe() { close_end(0), close_end(1); }
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  void close_end(int i) {
    if (ends[i] >= 0) close(ends[i]);
    ends[i] = -1;
  }
};

struct SpawnSettings {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  SpawnSettings() { posix_spawn_file_actions_init(&files), posix_spawnattr_init(&attributes); }
  ~SpawnSettings() { posix_spawn_file_actions_destroy(&files), posix_spawnattr_destroy(&attributes); }
};

// False at the end of the stream.
bool take(int from, std::string& into) {
  char buffer[16384];
  ssize_t got = ::read(from, buffer, sizeof buffer);
  if (got > 0) into.append(buffer, static_cast<size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& command, double seconds) {
  Pipe out, err;
  if (command.empty() || !out.open() || !err.open()) return error("no process can be started");
  SpawnSettings settings;
  posix_spawn_file_actions_addopen(&settings.files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&settings.files, out.ends[1], 1);
  posix_spawn_file_actions_adddup2(&settings.files, err.ends[1], 2);
  // A group of its own, so that a limit ends its children too.
  posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&settings.attributes, 0);

  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  int failed =
      posix_spawnp(&child, arguments[0], &settings.files, &settings.attributes, arguments.data(), environ);
  if (failed) return error("cannot start " + command[0] + ": " + std::strerror(failed));
  out.close_end(1);
  err.close_end(1);

  ProcessResult result;
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  pollfd streams[] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
  std::string* texts[] = {&result.output, &result.errors};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    std::chrono::duration<double, std::milli> left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) {
      result.timed_out = true;
      break;
    }
    poll(streams, 2, static_cast<int>(std::min(left.count() + 1, 1e6)));
    for (int i = 0; i < 2; ++i)
      if (streams[i].revents && !take(streams[i].fd, *texts[i])) streams[i].fd = -1;
  }
  if (result.timed_out) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

std::string find_program(const std::string& name, const std::string& more) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(std::string(path ? path : "/usr/bin:/bin") + ":" + more);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = folder + "/" + name;
    std::error_code none;
    if (!folder.empty() && std::filesystem::is_regular_file(candidate, none) &&
        access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return {};
}

}  // namespace ww
