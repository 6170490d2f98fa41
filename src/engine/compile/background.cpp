#include "engine/compile/background.h"

#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/compile/compile.h"

namespace ww::engine {

namespace {

/// Never destroyed: its thread may outlive whatever else the process destroys at its end.
struct Background {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<std::shared_ptr<Program>, const LaneCode*>> waiting;
  bool started = false, busy = false, closed = false;
  pid_t process = getpid();

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !waiting.empty(); });
      auto [program, lanes] = std::move(waiting.front());
      waiting.pop_front();
      if (closed) continue;
      busy = true;
      lock.unlock();
      std::string why;
      compile(*program, *lanes, why);
      program.reset();
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }

  /// The compiler's library must not be at work while the process ends and destroys what is in it.
  void close() {
    if (getpid() != process) return;  // a child has no such thread
    std::unique_lock lock(mutex);
    closed = true;
    changed.wait(lock, [&] { return !busy; });
  }
};

Background& background() {
  static Background* b = new Background;
  return *b;
}

/// LLVM makes objects while it works that are destroyed when the process ends, before anything that was
/// registered earlier is called. What belongs to the main thread is destroyed before all of them.
struct EndOfMainThread {
  bool used = false;
  ~EndOfMainThread() {
    if (used && gettid() == getpid()) background().close();
  }
};
thread_local EndOfMainThread end_of_main_thread;

}  // namespace

double worth_compiling_after(const Program& program) {
  // Measured 2026-11-23: 1 to 3 ms for each instruction of small kernels on a busy machine, and some 20 ms
  // for each kernel.
  size_t instructions = 0;
  for (const auto& f : program.functions) instructions += f->code.size();
  return 0.010 + 0.001 * static_cast<double>(instructions);
}

void compile_later(std::shared_ptr<Program> program, const LaneCode& lanes) {
  if (program->compiling.exchange(true)) return;
  std::string why;
  if (!can_compile(lanes, why)) return;
  Background& b = background();
  std::lock_guard lock(b.mutex);
  if (getpid() != b.process || b.closed) return;
  if (!b.started) {
    b.started = true;
    // After the compiler's library was opened, so that this comes before it is taken down.
    std::atexit([] { background().close(); });
    std::thread([&b] { b.run(); }).detach();
  }
  b.waiting.emplace_back(std::move(program), &lanes);
  b.changed.notify_all();
}

Warming::Warming(std::shared_ptr<Program> program, const LaneCode& lanes)
    : program_(std::move(program)), lanes_(lanes) {
  if (!program_ || program_->compiling.load(std::memory_order_relaxed)) {
    program_.reset();
    return;
  }
  end_of_main_thread.used = true;
  begin_ = std::chrono::steady_clock::now();
  wait_ = worth_compiling_after(*program_) - program_->run_seconds.load(std::memory_order_relaxed);
}

double Warming::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Warming::look_at_clock() {
  if (seconds() < wait_ || asked_.exchange(true)) return;
  compile_later(program_, lanes_);
}

void Warming::end() {
  if (!program_) return;
  look();
  program_->run_seconds.store(program_->run_seconds.load(std::memory_order_relaxed) + seconds(),
                              std::memory_order_relaxed);
}

}  // namespace ww::engine
