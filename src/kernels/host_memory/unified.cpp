// What the driver knows of an address, and what a kernel finds there.
#include <cstring>

#include "kernels/host_memory/measure.h"
#include "kernels/host_memory/probes.h"

namespace ww::kernels {

using device::HostKind;

namespace {

/// What stands in the table, and what must stand there.
struct Asked {
  const char* tag;
  std::string memory;
  bool reachable;  ///< by kernels
};

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
      row.values.push_back({asked.tag, pointer_words(*pointer, address), "", Provenance::Measured,
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
    if (auto ok = ask({"pointer", "device", true}, own->address(), own->address()); !ok) return ok;
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
    row.values.push_back(
        {"bytes", static_cast<int64_t>(bytes), "byte", Provenance::Input, "read by each kernel"});
    return {};
  })};
}

}  // namespace ww::kernels
