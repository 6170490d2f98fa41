// Kernels that work on the host's memory where it lies, and what the driver knows of an address.
#include <fmt/format.h>

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
    const bool good = std::memcmp((*host)->bytes().data(), content.data(), bytes) == 0;
    row.values.insert(row.values.begin(),
                      verified(good, "1 if what the kernels read and wrote is what was there"));
    return {};
  })};
}

namespace {

/// What stands in the table, and what must stand there.
struct Asked {
  const char* tag;
  std::string memory;
  bool reachable;  ///< by kernels
};

std::string words(const device::Pointer& pointer, device::Address asked) {
  std::string text = pointer.memory;
  if (pointer.memory == "unknown") return text + " to the driver";
  if (pointer.gpu >= 0) text += fmt::format(", gpu{}", pointer.gpu);
  if (pointer.address != 0)
    text += pointer.address == asked ? ", same address in kernels" : ", another address in kernels";
  return text;
}

}  // namespace

std::vector<Row> probe_unified(const ProbeRun& run, int64_t n) {
  return {row_of({}, [&](Row& row) -> Status {
    const std::vector<float> elements = pattern(n, run.seed);
    const auto content = std::as_bytes(std::span(elements));
    const uint64_t bytes = content.size();
    auto target = DeviceMemory::create(run.gpu, bytes);
    if (!target) return target.error();
    auto streams = run.link().streams(1);
    if (!streams) return streams.error();
    bool good = true;

    /// What the driver says of the address, and whether a kernel finds the content there.
    const auto ask = [&](const Asked& asked, device::Address address, device::Address in_kernel) -> Status {
      auto pointer = run.link().pointer(address);
      if (!pointer) return pointer.error();
      row.values.push_back({asked.tag, words(*pointer, address), "", Provenance::Measured,
                            "what the driver says of an address in this memory"});
      good &= pointer->memory == asked.memory && (pointer->address != 0) == asked.reachable;
      if (!asked.reachable) return {};
      good &= pointer->address == in_kernel && pointer->gpu == run.link().ordinal();
      if (auto ok = poison(run.gpu, target->address(), bytes); !ok) return ok;
      auto launch = copy_launch(run.gpu, target->address(), in_kernel, bytes);
      if (!launch) return launch.error();
      if (auto ok = (*streams)->launch(0, *launch); !ok) return ok;
      if (auto ok = (*streams)->finish(); !ok) return ok;
      auto same = holds(run.gpu, target->address(), elements);
      if (!same) return same.error();
      good &= *same;
      return {};
    };

    auto own = DeviceMemory::create(run.gpu, bytes);
    if (!own) return own.error();
    if (auto ok = run.gpu.write(own->address(), content); !ok) return ok;
    if (auto ok = ask({"pointer_device", "device", true}, own->address(), own->address()); !ok) return ok;
    const struct {
      HostKind kind;
      Asked asked;
    } kinds[] = {{HostKind::PageLocked, {"pointer_page_locked", "host", true}},
                 {HostKind::WriteCombined, {"pointer_write_combined", "host", true}},
                 {HostKind::Managed, {"pointer_managed", "managed", true}},
                 {HostKind::Pageable, {"pointer_pageable", "unknown", false}}};
    for (const auto& [kind, asked] : kinds) {
      auto host = run.link().host_memory(kind, bytes);
      if (!host && kind == HostKind::Managed) {  // not every GPU has it
        row.values.push_back({asked.tag, host.error()[0].message, "", Provenance::Measured,
                              "what the driver says of an address in this memory"});
        continue;
      }
      if (!host) return host.error();
      std::memcpy((*host)->bytes().data(), content.data(), bytes);
      if (auto ok =
              ask(asked, reinterpret_cast<device::Address>((*host)->bytes().data()), (*host)->address());
          !ok)
        return ok;
    }
    row.values.insert(row.values.begin(),
                      verified(good,
                               "1 if the driver knows every address for what it is, and kernels find "
                               "there what was written"));
    row.values.push_back(bytes_value(bytes));
    return {};
  })};
}

}  // namespace ww::kernels
