#include "cuda/core/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/symbol_name.h"
#include "cuda/core/host_trace.h"

namespace ww::cuda {

namespace {

using events::u64;
constexpr auto kFirst = std::chrono::seconds(2);
constexpr auto kEach = std::chrono::milliseconds(500);
constexpr size_t kNameShown = 40, kNameLeast = 20;  // characters

void write_out(const std::string& text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) {
    // The terminal has gone.
  }
}

/// Characters that a line of the terminal takes without wrapping.
size_t columns_there() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return std::string::npos;
  return size.ws_col - size_t{1};
}

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string progress_line(const std::string& kernel, u64 ended, u64 blocks, double seconds, size_t columns) {
  std::string line = fmt::format(": {} of {} blocks, {} so far", ended, blocks, duration(seconds));
  if (ended && ended < blocks)
    line += fmt::format(", about {} to go",
                        duration(seconds * static_cast<double>(blocks - ended) / static_cast<double>(ended)));
  // Of a line that is too long the name gives way first, then the end: a line that wraps cannot be taken
  // back.
  const size_t room = columns > line.size() ? columns - line.size() : 0;
  return (kernel.substr(0, std::min(kNameShown, std::max(room, kNameLeast))) + line).substr(0, columns);
}

Progress* Progress::get() {
  static Progress* progress = []() -> Progress* {
    const char* wish = std::getenv("WARPWRIGHT_PROGRESS");
    const bool wanted = wish && *wish ? *wish != '0' : ::isatty(STDERR_FILENO) != 0;
    return wanted ? new Progress : nullptr;
  }();
  return progress;
}

Progress::Launch::Launch(Progress& progress, std::string kernel, u64 blocks)
    : progress_(progress), kernel_(std::move(kernel)), blocks_(blocks) {
  std::lock_guard lock(progress_.mutex_);
  progress_.running_ = this;
  if (progress_.process_ != ::getpid()) {
    progress_.process_ = ::getpid();
    std::thread([p = &progress_] { p->watch(); }).detach();
  }
  progress_.begun_.notify_one();
}

Progress::Launch::~Launch() {
  std::lock_guard lock(progress_.mutex_);
  progress_.running_ = nullptr;
  if (std::exchange(progress_.shown_, false)) write_out("\r\x1b[K");  // to the line's begin, and empty it
}

void Progress::watch() {
  std::unique_lock lock(mutex_);
  for (;;) {
    begun_.wait(lock, [this] { return running_ != nullptr; });
    const auto due = running_->since_ + kFirst;
    if (std::chrono::steady_clock::now() < due) {
      // Most launches end before: it is looked again when this one could be due.
      lock.unlock();
      std::this_thread::sleep_until(due);
      lock.lock();
      continue;
    }
    const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - running_->since_;
    shown_ = true;
    write_out("\r" +
              progress_line("warpwright: " + demangled(running_->kernel_), running_->ended_,
                            running_->blocks_, so_far.count(), columns_there()) +
              "\x1b[K");
    lock.unlock();
    std::this_thread::sleep_for(kEach);
    lock.lock();
  }
}

}  // namespace ww::cuda
