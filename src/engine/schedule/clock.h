// The host's time, as the clocks of kernels show it.
#pragma once

#include <cstdint>

namespace ww::engine {

/// ns since 1970, as %globaltimer shows them on a card (data/measured/h100/clocks.csv); they go on evenly
/// even where the host's time of day is set anew.
uint64_t host_time();

/// MHz of %clock64: a process shows its kernels one GPU. 1000 unless it is set.
void set_clock_rate(uint32_t mhz);
uint32_t clock_rate();
/// What %clock64 shows at a time of the host: it counts from about the process's start on.
uint64_t clocks_at(uint64_t host_time);

}  // namespace ww::engine
