#include "cli/shared/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/file.h"

namespace ww::cli {

namespace {

/// The size of the terminal behind a file descriptor; zeros when it is none.
winsize terminal_size(int descriptor) {
  winsize size{};
  return isatty(descriptor) && ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size : winsize{};
}

}  // namespace

int terminal_width(int descriptor, int otherwise) {
  const int width = terminal_size(descriptor).ws_col;
  return width > 0 ? width : otherwise;
}

int complain(const Diagnostics& diagnostics, std::string_view source) {
  std::fflush(stdout);
  fmt::print(stderr, "{}", render(diagnostics, source));
  return 2;
}

int complain_in_file(const Diagnostics& diagnostics, const std::string& file) {
  constexpr uint64_t kMost = 64 << 20;  // bytes
  bool located = false;
  for (const auto& d : diagnostics) located |= d.where.known() && d.where.file == file;
  auto text = located ? read_file(file, kMost) : Result<std::string>(std::string());
  return complain(diagnostics, text ? *text : std::string());
}

Status deliver(const Table& table, report::Format format, const std::string& file, const std::string& lead) {
  report::TerminalOptions options;
  options.width = file.empty() ? terminal_width(STDOUT_FILENO, kWidthWithoutTerminal) : kWidthWithoutTerminal;
  options.colour = file.empty() && isatty(STDOUT_FILENO);
  const std::string text = report::render(table, format, options);
  const int height = file.empty() ? terminal_size(STDOUT_FILENO).ws_row : 0;
  const bool scrolls = height > 0 && std::count(text.begin(), text.end(), '\n') >= height;
  return deliver_text(lead.empty() ? text : scrolls ? text + "\n" + lead : lead + "\n" + text, file);
}

Status deliver_text(const std::string& text, const std::string& file) {
  if (!file.empty()) return write_file_atomically(file, text);
  fmt::print("{}", text);
  return {};
}

}  // namespace ww::cli
