// Copies between the device and each kind of host memory, and what the processor makes of that memory.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

#include "kernels/host_memory/measure.h"
#include "kernels/host_memory/probes.h"

namespace ww::kernels {

namespace {

using device::HostKind;

// Uncached memory is read at a few hundred MB/s: the processor's own access is measured, and results are
// compared, on a part of large buffers.
constexpr uint64_t kProcessorBytes = 4 << 20;
constexpr int kProcessorRuns = 5;

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

template <class Work>
double median_ms(Work work) {
  std::vector<double> times;
  for (int i = 0; i < kProcessorRuns; ++i) {
    const auto start = Clock::now();
    work();
    times.push_back(ms_since(start));
  }
  std::nth_element(times.begin(), times.begin() + kProcessorRuns / 2, times.end());
  return times[kProcessorRuns / 2];
}

/// One core's copies from this memory and into it.
void add_processor(Row& row, std::span<std::byte> bytes) {
  const std::span<std::byte> part = bytes.first(std::min<uint64_t>(bytes.size(), kProcessorBytes));
  std::vector<std::byte> own(part.begin(), part.end());
  const double write = median_ms([&] { std::memcpy(part.data(), own.data(), part.size()); });
  const double read = median_ms([&] { std::memcpy(own.data(), part.data(), part.size()); });
  const auto size = static_cast<double>(part.size());
  row.values.push_back(measured("processor_write", gigabytes_per_second(size, write), "GB/s",
                                "one core of the processor copies into this memory"));
  row.values.push_back(measured("processor_read", gigabytes_per_second(size, read), "GB/s",
                                "one core of the processor copies out of this memory"));
}

void add_direction(Row& row, const char* where, const char* what, double bytes,
                   const device::Timing& timing) {
  const std::string suffix = where;
  row.values.push_back(
      measured("time_" + suffix, timing.median_ms, "ms", std::string("median time of a copy ") + what));
  row.values.push_back(measured("bandwidth_" + suffix, gigabytes_per_second(bytes, timing.median_ms), "GB/s",
                                std::string("bytes copied ") + what + " / time"));
  for (const Value& v : timing.values)
    if (v.tag == "time_spread")
      row.values.push_back({"spread_" + suffix, v.value, v.unit, v.provenance, v.description});
}

/// Compares all of it, or of memory that is slow to read the two ends.
bool same(std::span<const std::byte> bytes, std::span<const float> expected, HostKind kind) {
  const auto wanted = std::as_bytes(expected);
  if (kind != HostKind::WriteCombined || bytes.size() <= 2 * kProcessorBytes)
    return std::memcmp(bytes.data(), wanted.data(), bytes.size()) == 0;
  const uint64_t last = bytes.size() - kProcessorBytes;
  return std::memcmp(bytes.data(), wanted.data(), kProcessorBytes) == 0 &&
         std::memcmp(bytes.data() + last, wanted.data() + last, kProcessorBytes) == 0;
}

}  // namespace

std::vector<Row> probe_copies(const ProbeRun& run, int64_t n, HostKind kind) {
  return {row_of({}, [&](Row& row) -> Status {
    const std::vector<float> elements = pattern(n, run.seed);
    const auto content = std::as_bytes(std::span(elements));
    const uint64_t bytes = content.size();
    const auto start = Clock::now();
    auto host = run.link().host_memory(kind, bytes);
    if (!host) return host.error();
    std::memcpy((*host)->bytes().data(), content.data(), bytes);
    const double allocation = ms_since(start);
    auto memory = DeviceMemory::create(run.gpu, bytes);
    if (!memory) return memory.error();
    if (auto ok = poison(run.gpu, memory->address(), bytes); !ok) return ok;
    auto streams = run.link().streams(1);
    if (!streams) return streams.error();

    auto there = time_in(**streams, run.timing,
                         [&] { return (*streams)->to_device(0, memory->address(), (*host)->bytes()); });
    if (!there) return there.error();
    auto arrived = holds(run.gpu, memory->address(), elements);
    if (!arrived) return arrived.error();
    poison((*host)->bytes());
    auto back = time_in(**streams, run.timing,
                        [&] { return (*streams)->to_host(0, (*host)->bytes(), memory->address()); });
    if (!back) return back.error();
    const bool returned = same((*host)->bytes(), elements, kind);

    row.values.push_back(verified(*arrived && returned, "1 if what was copied is the same on both sides"));
    row.values.push_back({"bytes", static_cast<int64_t>(bytes), "byte", Provenance::Input, "size of a copy"});
    add_direction(row, "to_device", "to the device", static_cast<double>(bytes), *there);
    add_direction(row, "to_host", "to the host", static_cast<double>(bytes), *back);
    add_processor(row, (*host)->bytes());
    if (auto ok = add_pointer(row, run.link(), **host); !ok) return ok;
    row.values.push_back(measured("allocation_time", allocation, "ms",
                                  "until the host's memory was there and written for the first time"));
    return {};
  })};
}

}  // namespace ww::kernels
