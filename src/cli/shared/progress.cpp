#include "cli/shared/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/shared/output.h"

namespace ww::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenDrawings = 100ms;
constexpr auto kTick = 500ms;
constexpr size_t kBar = 10, kLeastItem = 8;

bool is_terminal() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) && term && std::string_view(term) != "dumb";
}

void put(std::string_view text) {
  // A progress line that cannot be written is no reason for anything.
  [[maybe_unused]] ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string clock(double seconds) {
  auto s = static_cast<uint64_t>(std::llround(std::clamp(seconds, 0.0, 1e9)));
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

std::string progress_line(const ProgressState& state, int width) {
  auto room = static_cast<size_t>(std::max(width - 1, 0));  // a full last column makes some terminals wrap
  uint64_t done = std::min(state.done, state.total);
  std::string count = fmt::format("{}/{}  {}", done, state.total, clock(state.elapsed));
  if (done > 0 && done < state.total)
    count += fmt::format(", {} left", clock(state.elapsed / static_cast<double>(done) *
                                            static_cast<double>(state.total - done)));
  if (columns(count) > room) count = fmt::format("{}/{}", done, state.total);
  if (columns(count) > room) return {};

  std::string line = count;
  size_t filled =
      state.total == 0 ? 0 : static_cast<size_t>(kBar * (static_cast<double>(done) / state.total));
  std::string bar = fmt::format("[{}{}] ", std::string(filled, '#'), std::string(kBar - filled, '-'));
  if (columns(line) + columns(bar) <= room) line = bar + line;
  std::string work = printable(state.work);
  if (!work.empty() && columns(line) + columns(work) + 1 <= room) line = work + " " + line;
  std::string item = printable(state.item);
  size_t used = columns(line) + 2;
  if (item.empty() || used + std::min(kLeastItem, columns(item)) > room) return line;
  if (used + columns(item) > room) {
    // Cut before the last character that fits, never within a character.
    size_t keep = room - used - 2, bytes = 0;
    while (bytes < item.size() && columns(std::string_view(item).substr(0, bytes + 1)) <= keep) ++bytes;
    item = item.substr(0, bytes) + "..";
  }
  return line + "  " + item;
}

Progress::Progress(std::string work, uint64_t total)
    : active_(is_terminal()), state_{std::move(work), 0, total, {}, 0}, start_(Clock::now()) {
  if (!active_) return;
  ticker_ = std::jthread([this](std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, stop, kTick, [&] { return stop.stop_requested(); }) &&
           !stop.stop_requested())
      draw();
  });
}

Progress::~Progress() {
  if (!active_) return;
  ticker_.request_stop();
  ticker_.join();
  erase();
}

void Progress::update(uint64_t done, std::string item) {
  if (!active_) return;
  std::lock_guard lock(mutex_);
  state_.done = done;
  state_.item = std::move(item);
  if (Clock::now() - drawn_ >= kBetweenDrawings) draw();
}

void Progress::hide() {
  if (!active_) return;
  std::lock_guard lock(mutex_);
  erase();
}

void Progress::draw() {
  drawn_ = Clock::now();
  state_.elapsed = std::chrono::duration<double>(drawn_ - start_).count();
  put("\r" + progress_line(state_, terminal_width(STDERR_FILENO, 80)) + "\x1b[K");
  visible_ = true;
}

void Progress::erase() {
  if (std::exchange(visible_, false)) put("\r\x1b[K");
}

}  // namespace ww::cli
