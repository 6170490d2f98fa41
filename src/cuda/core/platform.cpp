#include "cuda/core/platform.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/symbol_name.h"
#include "checks/all.h"
#include "cuda/core/backlog.h"
#include "cuda/core/checking.h"
#include "cuda/core/registry.h"
#include "cuda/core/report.h"
#include "cuda/core/stream.h"
#include "engine/compile/compile.h"
#include "engine/schedule/clock.h"
#include "gpus/catalog.h"

namespace ww::cuda {

namespace {

const gpus::Gpu* chosen_gpu() {
  const char* wanted = std::getenv("WARPWRIGHT_GPU");
  static gpus::Gpu gpu;
  if (wanted && *wanted) {
    auto found = gpus::find_gpu(wanted);
    if (found) {
      gpu = *found;
      return &gpu;
    }
    say("WARPWRIGHT_GPU: " + found.error()[0].message + "; h200 is taken");
  }
  auto usual = gpus::find_gpu("h200");
  gpu = *usual;
  return &gpu;
}

/// Seconds in which nothing changes until a launch counts as endless: another thread of the program may write
/// what it waits for.
constexpr double kStandstill = 5;
/// Seconds in which no block of a launch ends until the person who runs the program is told where it stands;
/// the second for `check`, of which answers are expected.
constexpr double kTell = 60, kTellChecked = 10;

/// The number in an environment variable; `otherwise` if it is not set, and if it is none from `least` to
/// `most`, which is said then, and what happens instead.
int number_in(const char* variable, int least, int most, int otherwise, const char* instead) {
  const char* wanted = std::getenv(variable);
  if (!wanted || !*wanted) return otherwise;
  char* end = nullptr;
  const long n = std::strtol(wanted, &end, 10);
  if (!*end && n >= least && n <= most) return static_cast<int>(n);
  say(fmt::format("{} must be a number from {} to {}, not {}; {}", variable, least, most, wanted, instead));
  return otherwise;
}

/// The engine reads the variable by itself, and takes its default for what it does not know.
void look_at_back_end() {
  const char* wanted = std::getenv("WARPWRIGHT_ENGINE");
  if (wanted && *wanted && !engine::back_of(wanted))
    say(fmt::format("WARPWRIGHT_ENGINE must be auto, interpreter or compiled, not {}; auto is used", wanted));
}

}  // namespace

void DeviceContext::reset_limits() {
  // Stack, printf buffer, heap, depth of synchronisation, pending launches, L2 fetch granularity, persisting
  // L2: the defaults that the Programming Guide names (an H200 answers the same).
  const size_t defaults[kLimits] = {1024, size_t{1} << 20, size_t{8} << 20, 2, 2048, 64, 0};
  for (int k = 0; k < kLimits; ++k) limits[k] = defaults[k];
}

Platform& Platform::get() {
  static Platform* platform = new Platform;
  return *platform;
}

Platform::Platform() {
  const gpus::Gpu* gpu = chosen_gpu();
  engine::Settings settings;
  settings.memory_limit = u64{1} << 43;  // each device counts its own
  settings.multiprocessors = static_cast<u32>(gpu->sm_count);
  settings.threads_per_multiprocessor = static_cast<u32>(gpu->max_threads_per_sm);
  settings.blocks_per_multiprocessor = static_cast<u32>(gpu->max_blocks_per_sm);
  settings.shared_per_multiprocessor = static_cast<u64>(gpu->smem_per_sm);
  engine::set_clock_rate(static_cast<u32>(gpu->boost_clock));
  settings.threads = number_in("WARPWRIGHT_THREADS", 1, 1024, 0, "all cores are used");
  look_at_back_end();
  Checking* checking = Checking::get();
  if (checking) settings.gap = checks::kGap;
  settings.standstill = kStandstill;
  settings.host_may_help = !checking;
  settings.wait_for_absent = checking != nullptr;
  if (const char* patience = std::getenv("WARPWRIGHT_PATIENCE")) settings.patience = std::atof(patience);
  // Whoever sits before a program that does not end wants to know why.
  settings.tell_after = checking ? kTellChecked : kTell;
  if (const char* after = std::getenv("WARPWRIGHT_TELL_AFTER")) settings.tell_after = std::atof(after);
  settings.tell_long = [](const engine::LongLaunch& launch) {
    say(fmt::format("kernel {} is still running; none of its blocks has ended for {:.3g} s\n  {}",
                    demangled(launch.kernel), launch.seconds, launch.standing));
  };
  settings.cancel = &stop_launch_;
  if (const char* schedule = std::getenv("WARPWRIGHT_SCHEDULE")) {
    if (auto order = engine::order_of(schedule))
      settings.order = *order;
    else
      say("WARPWRIGHT_SCHEDULE: " + order.error()[0].message);
  }
  engine_ = std::make_unique<engine::Engine>(settings);
  if (checking) checking->watch(*engine_);
  if (!engine_->memory().unified())
    say("the address range for device memory is taken by something else: managed and mapped memory and "
        "libraries (cuBLAS) will not work");
  u64 host = static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
  u64 bytes = host / 4 * 3;
  if (gpu->dram_bytes) bytes = std::min<u64>(bytes, static_cast<u64>(*gpu->dram_bytes));
  const int count = number_in("WARPWRIGHT_DEVICES", 0, 64, 1, "1 is used");
  device_count_ = static_cast<size_t>(count);
  for (int k = 0; k < std::max(1, count); ++k) {
    auto device = std::make_unique<DeviceContext>();
    device->number = k;
    device->gpu = gpu;
    device->memory_bytes = bytes;
    device->reset_limits();
    devices_.push_back(std::move(device));
  }
  ::pthread_atfork(nullptr, nullptr, [] { get().inherited_ = true; });
  std::atexit(tell_lost_output);
}

void Platform::reset(DeviceContext& d) {
  Backlog::get().wait_for_all();
  flush_printed();
  Registry::get().unload_all(d.number);
  memory_.release_all(d.number);
  d.sticky = Error::Success;
  d.flags = 0;
  d.peers = 0;
  d.active = false;
  d.reset_limits();
}

void Platform::add_printed(std::string text) {
  if (text.empty()) return;
  std::lock_guard lock(printed_mutex_);
  printed_ += text;
  any_printed_ = true;
}

void Platform::flush_printed() {
  if (!any_printed_) return;
  std::string text;
  {
    std::lock_guard lock(printed_mutex_);
    text.swap(printed_);
    any_printed_ = false;
  }
  if (text.empty()) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
}

bool Platform::lost_output() {
  std::lock_guard lock(printed_mutex_);
  return !printed_.empty();
}

void tell_lost_output() {
  if (!Platform::get().inherited() && Platform::get().lost_output())
    say("the last output of kernels is lost, as on a GPU: the program ended without waiting for them "
        "(cudaDeviceSynchronize)");
}

namespace {

/// Plain, so that it is still there behind the thread's destructors: handlers of exit() run behind the main
/// thread's, and may call (GCC's offloading gives its context back there).
thread_local ThreadState* state_of_thread = nullptr;

struct EndOfThread {
  bool wanted = true;
  ~EndOfThread() {
    state_of_thread->leave_stream();
    if (getpid() == gettid()) return;
    delete state_of_thread;
    state_of_thread = nullptr;
  }
};

}  // namespace

ThreadState& here() {
  if (!state_of_thread) {
    state_of_thread = new ThreadState;
    thread_local EndOfThread end;
    end.wanted = true;  // makes it, so that it is destroyed
  }
  return *state_of_thread;
}

}  // namespace ww::cuda
