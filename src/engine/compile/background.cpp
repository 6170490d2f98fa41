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

/// Seconds that the compiler needs to bring a program so far from the step before.
double compile_seconds(const Program& program, Compiled wanted) {
  size_t instructions = 0;
  for (const auto& f : program.functions) instructions += f->code.size();
  // Measured 2026-11-23 on 48 programs of 12 to 817 instructions, processor time: WARPWRIGHT_COMPILE_TIMES.
  const double each = wanted == Compiled::Together ? 0.0010
                      : wanted == Compiled::Parted ? 0.0016
                      : wanted == Compiled::All    ? 0.0014
                                                   : 0.0026;
  // Of long ones more: 1196 took 3.3 s (HeCBench's topk, whole), 3073 without parted lanes 4.7 s
  // (2026-11-29).
  const auto count = static_cast<double>(instructions);
  return 0.010 + each * count * (1 + count / 3000);
}

/// Seconds that a warp may have been interpreted which left whole-warp code.
double left_seconds(const Program& program) {
  constexpr double kInstruction = 15e-9;
  return kInstruction * static_cast<double>(program.left) *
         static_cast<double>(program.functions[0]->code.size());
}

/// What is compiled next. Where the lanes of many warps part, code for lanes that stay together would be made
/// only to be replaced.
Compiled next_step(const Program& program) {
  const Compiled done = program.compiled;
  const bool part =
      done == Compiled::Nothing && left_seconds(program) >= compile_seconds(program, Compiled::Together) / 4;
  return part ? Compiled::Parted : static_cast<Compiled>(static_cast<int>(done) + 1);
}

/// Of the time that compiling takes: what every process interprets for so long is worth it in the end.
constexpr double kWorthALater = 0.1;

/// How long the program has run as the next part would not, over what making that part takes.
double gain(const Program& program, double seconds) {
  const double interpreted = program.compiled == Compiled::Nothing ? program.run_seconds + seconds
                             : program.compiled == Compiled::All
                                 ? 1e-9 * static_cast<double>(program.lost_nanoseconds)
                                 : left_seconds(program);
  return interpreted / compile_seconds(program, next_step(program));
}

/// The gain from which compiling is worth it.
double enough(const Program& program) {
  // Where an earlier process ended before it was done, this one would, too.
  return program.begun_before ? kWorthALater : 1;
}

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
      const Compiled wanted = next_step(*program);
      const Compiled done = compile(*program, *lanes, wanted, why, [this](bool away) { move(away); });
      program->left = 0;
      program->begun_before = false;
      program->compiled = done;
      program->compiling = done == Compiled::Again;
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
    if (dladdr(reinterpret_cast<const void*>(&worth_compiling), &here) && here.dli_fname)
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

bool worth_compiling(const Program& program, double seconds) {
  // What has run as long as compiling takes may well run as long again, and compiled code is several times as
  // fast (box sum 6.6, merge 5.7, a sparse product 3.7 times: one run each, 2026-11-28). A program that ends
  // in the meantime does not wait for it. By reckoning, it is then a quarter longer at worst on two cores,
  // which the compiler shares with two workers.
  return gain(program, seconds) >= enough(program);
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

Warming::Warming(const std::shared_ptr<Program>& program, bool wanted, const LaneCode& lanes,
                 Clock::time_point begin)
    : program_(wanted && program->compiled != Compiled::Again ? &program : nullptr),
      lanes_(lanes),
      begin_(begin) {}

double Warming::look_now() {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (worth_compiling(**program_, seconds)) compile_later(*program_, lanes_);
  return seconds;
}

void Warming::end(double seconds) {
  if (!program_) return;
  Program& program = **program_;
  if (!program.compiling.load(std::memory_order_relaxed)) {
    const double worth = gain(program, seconds);
    if (worth >= enough(program))
      compile_later(*program_, lanes_);
    else if (!program.begun_before && worth >= kWorthALater && !program.wish_kept.exchange(true))
      keep_wish(program, lanes_, next_step(program));
  }
  program.run_seconds.store(program.run_seconds.load(std::memory_order_relaxed) + seconds,
                            std::memory_order_relaxed);
}

}  // namespace ww::engine
