#include "cli/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "base/file.h"

namespace ww::cli {

int terminal_width() {
  winsize size{};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

int complain(const Diagnostics& diagnostics, std::string_view source) {
  std::fflush(stdout);
  fmt::print(stderr, "{}", render(diagnostics, source));
  return 2;
}

Status deliver(const Table& table, report::Format format, const std::string& file) {
  report::TerminalOptions options;
  if (file.empty()) {
    options.width = terminal_width();
    options.colour = isatty(STDOUT_FILENO) != 0;
  }
  std::string text = report::render(table, format, options);
  if (!file.empty()) return write_file_atomically(file, text);
  fmt::print("{}", text);
  return {};
}

}  // namespace ww::cli
