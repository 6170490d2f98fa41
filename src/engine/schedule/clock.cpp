#include "engine/schedule/clock.h"

#include <atomic>
#include <chrono>

namespace ww::engine {

namespace {

template <class Clock>
uint64_t ns_of() {
  using std::chrono::nanoseconds;
  return static_cast<uint64_t>(
      std::chrono::duration_cast<nanoseconds>(Clock::now().time_since_epoch()).count());
}

/// When the process first looked, by both of the host's clocks.
struct FirstLook {
  uint64_t steady = ns_of<std::chrono::steady_clock>(), system = ns_of<std::chrono::system_clock>();
};
const FirstLook& first_look() {
  static const FirstLook first;
  return first;
}

std::atomic<uint32_t> rate{1000};

}  // namespace

uint64_t host_time() {
  const FirstLook& first = first_look();
  return ns_of<std::chrono::steady_clock>() - first.steady + first.system;
}

void set_clock_rate(uint32_t mhz) {
  rate = mhz;
  first_look();
}
uint32_t clock_rate() { return rate; }

uint64_t clocks_at(uint64_t time) {
  const uint64_t ns = time - first_look().system, mhz = rate;
  return ns / 1000 * mhz + ns % 1000 * mhz / 1000;  // without an overflow for decades
}

}  // namespace ww::engine
