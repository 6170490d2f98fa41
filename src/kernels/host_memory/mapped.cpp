// Kernels that work on the host's memory where it lies.
#include <cstring>

#include "kernels/host_memory/measure.h"
#include "kernels/host_memory/probes.h"

namespace ww::kernels {

namespace {

using device::HostKind;

Value bytes_value(uint64_t bytes) {
  return {"bytes", static_cast<int64_t>(bytes), "byte", Provenance::Input, "read or written by the kernel"};
}

}  // namespace

std::vector<Row> probe_mapped(const ProbeRun& run, int64_t n) {
  return {row_of({}, [&](Row& row) -> Status {
    const std::vector<float> elements = pattern(n, run.seed);
    const auto content = std::as_bytes(std::span(elements));
    const uint64_t bytes = content.size();
    auto host = run.link().host_memory(HostKind::PageLocked, bytes);
    if (!host) return host.error();
    auto one = DeviceMemory::create(run.gpu, bytes), two = DeviceMemory::create(run.gpu, bytes);
    if (!one) return one.error();
    if (!two) return two.error();
    auto streams = run.link().streams(1);
    if (!streams) return streams.error();
    std::memcpy((*host)->bytes().data(), content.data(), bytes);
    for (const auto* memory : {&*one, &*two})
      if (auto ok = poison(run.gpu, memory->address(), bytes); !ok) return ok;

    const auto bandwidth = [&](const char* tag, const char* what, device::Address to,
                               device::Address from) -> Status {
      auto launch = copy_launch(run.gpu, to, from, bytes);
      if (!launch) return launch.error();
      auto timing = time_in(**streams, run.timing, [&] { return (*streams)->launch(0, *launch); });
      if (!timing) return timing.error();
      row.values.push_back(
          measured(tag, gigabytes_per_second(static_cast<double>(bytes), timing->median_ms), "GB/s", what));
      return {};
    };
    row.values.push_back(bytes_value(bytes));
    // Read into one, hand on to two, write back: what comes back passed through all of them.
    if (auto ok =
            bandwidth("kernel_read", "a kernel reads the host's memory", one->address(), (*host)->address());
        !ok)
      return ok;
    if (auto ok = bandwidth("kernel_device", "the same kernel reads the device's own memory", two->address(),
                            one->address());
        !ok)
      return ok;
    poison((*host)->bytes());
    if (auto ok = bandwidth("kernel_write", "a kernel writes the host's memory", (*host)->address(),
                            two->address());
        !ok)
      return ok;
    if (auto ok = add_pointer(row, run.link(), **host); !ok) return ok;
    const bool good = std::memcmp((*host)->bytes().data(), content.data(), bytes) == 0;
    row.values.insert(row.values.begin(),
                      verified(good, "1 if what the kernels read and wrote is what was there"));
    return {};
  })};
}

}  // namespace ww::kernels
