// Work on all cores of the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace ww {

/// Calls part(first, end) for ranges that together are 0 … count − 1, each on a thread of its own; as many as
/// there are cores, but none of fewer than `worth_a_thread` (> 0) unless that is all. Returns when all have.
template <class Part>
void in_parts(uint64_t count, uint64_t worth_a_thread, const Part& part) {
  const uint64_t parts =
      std::clamp<uint64_t>(count / worth_a_thread, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (uint64_t k = 1; k < parts; ++k)
    others.emplace_back(
        [&part, first = count * k / parts, end = count * (k + 1) / parts] { part(first, end); });
  part(0, count / parts);
}

}  // namespace ww
