#include "machine_limit.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace ww::bench {
namespace {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr int kRounds = 20000, kSets = 12;
constexpr int kChains = 16;         // more than latency × units of any processor that there is (4 × 2)
constexpr int kL1Bytes = 16 << 10;  // half of the smallest first-level cache

/// `fma` does kRounds * kChains vectors of this width, `load` loads as many.
template <class Loop>
MachineLimit limit_of(Loop fma, Loop load, int bytes) {
  alignas(64) static const char memory[kL1Bytes] = {};
  const auto least = [&](Loop loop) {
    double seconds = 1e9;
    for (int k = 0; k < kSets; ++k) {
      const double begin = thread_seconds();
      loop(memory);
      seconds = std::min(seconds, thread_seconds() - begin);
    }
    return seconds;
  };
  const double vectors = double{kRounds} * kChains;
  return {vectors * (bytes / 4.0) / least(fma), vectors * bytes / least(load)};
}

template <class Loop>
double together(Loop loop, int threads) {
  alignas(64) static const char memory[64] = {};
  constexpr int kLoops = 32;  // some milliseconds: starting threads and telling them to begin takes less
  const auto seconds = [&](int count) {
    double least = 1e9;
    for (int k = 0; k < kSets; ++k) {
      std::atomic<int> ready{0};
      std::atomic<bool> go{false};
      std::vector<std::thread> all;
      for (int t = 0; t < count; ++t)
        all.emplace_back([&] {
          for (++ready; !go;) std::this_thread::yield();
          for (int n = 0; n < kLoops; ++n) loop(memory);
        });
      while (ready < count) std::this_thread::yield();
      const auto begin = std::chrono::steady_clock::now();
      go = true;
      for (std::thread& t : all) t.join();
      least =
          std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return least;
  };
  return seconds(1) / seconds(threads);
}

// The same two loops for each width. The `asm` statements hold what the compiler would leave out or move.
#define WW_LOOPS(NAME, BYTES, TARGET, REGISTER)                                      \
  typedef float NAME##_floats __attribute__((vector_size(BYTES)));                   \
  TARGET void NAME##_fma(const char* from) {                                         \
    const NAME##_floats x = *reinterpret_cast<const NAME##_floats*>(from);           \
    NAME##_floats sum[kChains] = {};                                                 \
    for (int r = 0; r < kRounds; ++r) _Pragma("GCC unroll 16") for (auto& s : sum) { \
        s = x * s + x;                                                               \
        asm volatile("" : "+" REGISTER(s));                                          \
      }                                                                              \
  }                                                                                  \
  TARGET void NAME##_load(const char* from) {                                        \
    for (int r = 0; r < kRounds * kChains * BYTES / kL1Bytes; ++r)                   \
      _Pragma("GCC unroll 16") for (int k = 0; k < kL1Bytes; k += BYTES) {           \
        NAME##_floats got = *reinterpret_cast<const NAME##_floats*>(from + k);       \
        asm volatile("" : "+" REGISTER(got)::"memory");                              \
      }                                                                              \
  }                                                                                  \
  MachineLimit NAME##_limit() { return limit_of(NAME##_fma, NAME##_load, BYTES); }   \
  double NAME##_together(int threads) { return together(NAME##_fma, threads); }

#ifdef __x86_64__
WW_LOOPS(avx512, 64, __attribute__((target("avx512f,fma"))), "v")
WW_LOOPS(avx2, 32, __attribute__((target("avx2,fma"))), "x")
WW_LOOPS(sse, 16, , "x")
#else
WW_LOOPS(vector, 16, , "w")
#endif
#undef WW_LOOPS

}  // namespace

MachineLimit measure_machine_limit() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) {  // some load two halves more quickly
    const MachineLimit wide = avx512_limit(), half = avx2_limit();
    return {std::max(wide.fma, half.fma), std::max(wide.l1_bytes, half.l1_bytes)};
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_limit();
  return sse_limit();
#else
  return vector_limit();
#endif
}

double measure_threads_together(int threads) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return avx512_together(threads);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_together(threads);
  return sse_together(threads);
#else
  return vector_together(threads);
#endif
}

}  // namespace ww::bench
