// What checks are told of a launch, from what asks for it.
#pragma once

#include "base/symbol_name.h"
#include "checks/check.h"

namespace ww::checks {

/// `launch`: anything with a kernel (its symbol), a grid, a block and a cluster, as the engine, devices and
/// the library have them; `number`: of the launch in its process, from 0.
template <class Launch>
LaunchFacts facts_of(const Launch& launch, u64 number, const engine::GlobalMemory& memory) {
  const auto extent = [](const auto& of) { return engine::Extent3{of.x, of.y, of.z}; };
  LaunchFacts facts;
  facts.number = number;
  facts.kernel = demangled(launch.kernel);
  facts.grid = extent(launch.grid), facts.block = extent(launch.block),
  facts.cluster = extent(launch.cluster);
  facts.memory = &memory;
  return facts;
}

}  // namespace ww::checks
