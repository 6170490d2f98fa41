// One line on stderr that shows how far long work is; nothing unless stderr is a terminal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace ww::cli {

/// What the line says.
struct ProgressState {
  std::string work;  ///< "matmul-ladder"
  uint64_t done = 0, total = 0;
  std::string item;    ///< what is being done now; may be empty
  double elapsed = 0;  ///< seconds
};

/// "matmul-ladder [#---------] 12/96  0:07, 0:49 left  matmul/tiled n 352" in at most width - 1 columns: the
/// item is cut first, then left out, then the bar and the work. What remains is estimated from the mean time
/// so far.
std::string progress_line(const ProgressState& state, int width);

/// Shows the line while it lives and erases it at the end. Any thread may call it. A thread of its own keeps
/// the elapsed time going while an item takes long.
class Progress {
 public:
  Progress(std::string work, uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of the total are done, `item` is next. Drawn at most ten times a second.
  void update(uint64_t done, std::string item = {});
  /// Takes the line away so that something else can be printed; the next drawing brings it back.
  void hide();

 private:
  using Clock = std::chrono::steady_clock;
  void draw();  // under the mutex
  void erase();

  bool active_;
  ProgressState state_;
  Clock::time_point start_, drawn_;
  bool visible_ = false;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread ticker_;  // last: it uses the others
};

}  // namespace ww::cli
