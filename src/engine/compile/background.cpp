#include "engine/compile/background.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <system_error>
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
  const pid_t process = getpid();

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !waiting.empty() && !closed; });
      auto [program, lanes] = std::move(waiting.front());
      waiting.pop_front();
      busy = true;
      lock.unlock();
      std::string why;
      compile(*program, *lanes, why, [this](bool away) { move(away); });
      program.reset();
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }

  /// While the compiler's library is at work (`away`) the process may end; afterwards the thread stays where
  /// it is.
  void move(bool away) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return away || !closed; });
    busy = !away;
    changed.notify_all();
  }

  /// The process ends, and destroys what programs are made of. Waits for moments only.
  void close() {
    if (getpid() != process) return;  // a child has no such thread
    std::unique_lock lock(mutex);
    closed = true;
    changed.wait(lock, [&] { return !busy; });
  }

  void start() {
    started = true;
    // Neither this code nor the handlers may be unloaded any more.
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&worth_compiling_after), &here) && here.dli_fname)
      (void)dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    std::atexit([] { background().close(); });
    // The program's signals are not for this thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([this] { run(); }).detach();
    } catch (const std::system_error&) {
      closed = true;  // no more threads: everything stays with the interpreter
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  static Background& background() {
    static Background* b = new Background;
    return *b;
  }
};

}  // namespace

double worth_compiling_after(const Program& program) {
  // Measured 2026-11-23, all versions of kernels of 20, 80, 120, 241, 317 and 442 instructions, processor
  // time: 2.0, 2.7, 2.3, 3.9, 2.4 and 2.2 ms for each instruction; other threads want the processor too.
  size_t instructions = 0;
  for (const auto& f : program.functions) instructions += f->code.size();
  const double compiling = 0.010 + 0.003 * static_cast<double>(instructions);
  // Compiled code is some 2 to 5 times as fast, so compiling pays once twice as long as it takes is still to
  // run. What has run that long may well run as long again.
  return 2 * compiling;
}

void compile_later(std::shared_ptr<Program> program, const LaneCode& lanes) {
  if (program->compiling.exchange(true)) return;
  std::string why;
  if (!can_compile(lanes, why)) return;
  Background& b = Background::background();
  if (getpid() != b.process) return;  // a child: the thread is not here, and the lock may never be free
  std::lock_guard lock(b.mutex);
  if (b.closed) return;
  if (!b.started) b.start();
  if (b.closed) return;
  b.waiting.emplace_back(std::move(program), &lanes);
  b.changed.notify_all();
}

Warming::Warming(std::shared_ptr<Program> program, const LaneCode& lanes)
    : program_(std::move(program)), lanes_(lanes) {
  if (!program_ || program_->compiling.load(std::memory_order_relaxed)) {
    program_.reset();
    return;
  }
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
