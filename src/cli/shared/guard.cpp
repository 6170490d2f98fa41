#include "cli/shared/guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

namespace ww::cli {

namespace {

/// Of the exception that is being handled. Streams may be what is broken, so they are not used.
void tell_exception() {
  std::string line;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kText = "error: not enough memory\n";
    [[maybe_unused]] auto n = ::write(STDERR_FILENO, kText.data(), kText.size());
    return;
  } catch (const std::system_error& e) {
    line =
        fmt::format("error: {}\n", e.what());  // of streams: "cannot write to file: No space left on device"
  } catch (const std::exception& e) {
    line = fmt::format("error: this is a bug in warpwright: {}\n", e.what());
  } catch (...) {
    line = "error: this is a bug in warpwright: an unknown exception\n";
  }
  [[maybe_unused]] auto n = ::write(STDERR_FILENO, line.data(), line.size());
}

[[noreturn]] void on_terminate() {
  if (std::current_exception()) {
    tell_exception();
    ::_exit(2);
  }
  ::abort();
}

}  // namespace

void prepare_process() {
  std::set_terminate(on_terminate);
  // A closed stream's number would be the next file's, and that file would get what is printed. Opened the
  // wrong way round, it goes on failing.
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) [[maybe_unused]]
      int opened = ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int guarded(const std::function<int()>& body) {
  try {
    const int code = body();
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
    throw std::system_error(errno, std::generic_category(), "cannot write to the standard output");
  } catch (...) {
    tell_exception();
    return 2;
  }
}

}  // namespace ww::cli
