// The kernels that the fake driver runs in streams, by name: what they do and how long it takes.
#include <algorithm>
#include <cmath>
#include <vector>

#include "fake_state.h"

namespace {

enum class Place { Own, Peer, Host, Nowhere };

/// Where an address lies, seen from a device.
Place place(int device, unsigned long long address, size_t bytes) {
  if (const Memory* memory = fake.owner(address, bytes)) {
    if (memory->device == device) return Place::Own;
    return fake.reach.count({device, memory->device}) ? Place::Peer : Place::Nowhere;
  }
  return fake.host_owner(address, bytes) ? Place::Host : Place::Nowhere;
}

/// The n-th argument, as this type.
template <class T>
T argument(void** arguments, int index) {
  return *static_cast<T*>(arguments[index]);
}

/// Effect and milliseconds. A device that reaches where it must not faults.
struct Run {
  double ms = 0;
  bool fault = false;
  std::function<void()> effect = [] {};
};

Run copy(int device, void** arguments) {
  const auto to = argument<unsigned long long>(arguments, 0),
             from = argument<unsigned long long>(arguments, 1);
  const size_t bytes = argument<unsigned long long>(arguments, 2) * 16;
  const Place places[] = {place(device, to, bytes), place(device, from, bytes)};
  const auto has = [&](Place p) { return places[0] == p || places[1] == p; };
  const double rate = has(Place::Host)   ? FakeRates::kKernelHost
                      : has(Place::Peer) ? FakeRates::kKernelPeer
                                         : FakeRates::kKernelDevice;
  return {static_cast<double>(bytes) / rate * 1e-6, has(Place::Nowhere),
          [=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes); }};
}

Run chain(int device, void** arguments) {
  const auto at = argument<unsigned long long>(arguments, 0);
  const auto n = argument<unsigned>(arguments, 1), steps = argument<unsigned>(arguments, 2);
  return {2.0 * n * steps / FakeRates::kTeraFlop * 1e-9, place(device, at, n * sizeof(float)) != Place::Own,
          [=] {
            // Elements side by side, for the compiler's vector instructions: one after the other took a
            // minute.
            constexpr unsigned kTogether = 64;
            auto* data = reinterpret_cast<float*>(at);
            for (unsigned first = 0; first < n; first += kTogether) {
              float part[kTogether] = {};
              const unsigned count = std::min(kTogether, n - first);
              std::copy_n(data + first, count, part);
              for (unsigned s = 0; s < steps; ++s)
                for (float& value : part) value = std::fma(value, -0.999f, 0.25f);
              std::copy_n(part, count, data + first);
            }
          }};
}

/// As many rows as the blocks cover, and no more than n.
Run multiply(int device, const unsigned (&grid)[3], unsigned block_rows, void** arguments) {
  const auto a = argument<unsigned long long>(arguments, 0), b = argument<unsigned long long>(arguments, 1),
             c = argument<unsigned long long>(arguments, 2);
  const auto n = static_cast<size_t>(argument<int>(arguments, 3));
  const size_t rows = std::min<size_t>(n, size_t{grid[1]} * block_rows);
  const bool good = place(device, a, rows * n * 4) == Place::Own &&
                    place(device, b, n * n * 4) == Place::Own && place(device, c, rows * n * 4) == Place::Own;
  return {2.0 * static_cast<double>(rows * n * n) / FakeRates::kTeraFlop * 1e-9, !good, [=] {
            const auto *x = reinterpret_cast<const float*>(a), *y = reinterpret_cast<const float*>(b);
            auto* z = reinterpret_cast<float*>(c);
            for (size_t i = 0; i < rows; ++i) {
              std::vector<double> sum(n);
              for (size_t k = 0; k < n; ++k)
                for (size_t j = 0; j < n; ++j) sum[j] += double{x[i * n + k]} * y[k * n + j];
              for (size_t j = 0; j < n; ++j) z[i * n + j] = static_cast<float>(sum[j]);
            }
          }};
}

}  // namespace

int run_in_stream(void* stream, const std::string& name, const unsigned (&grid)[3], void** arguments) {
  require(fake.streams.count(stream), "launch in a dead stream");
  const int device = fake.streams[stream].device;
  Run run;
  if (name == "calibrate_copy") run = copy(device, arguments);
  if (name == "host_memory_chain") run = chain(device, arguments);
  unsigned block = 0, rx = 0, ry = 0;
  if (std::sscanf(name.c_str(), "matmul_tiles_%u_%ux%u", &block, &rx, &ry) == 3)
    run = multiply(device, grid, block * ry, arguments);
  ++fake.log.launches;
  const bool faulty = name == fake.script.faulty && fake.faulty_runs++ >= fake.script.fault_after;
  const int fault = run.fault ? 700 : faulty ? fake.script.fault : 0;
  put(stream, "kernel", run.ms, [run, fault] {
    if (fault)
      fake.sticky = fault;
    else
      run.effect();
    return true;
  });
  return 0;
}
