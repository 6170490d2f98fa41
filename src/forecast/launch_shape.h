// The shape of a launch: its grid, blocks and shared memory.
#pragma once

#include <cstdint>

#include "engine/engine.h"

namespace ww::forecast {

struct LaunchShape {
  engine::Extent3 grid, block;
  uint64_t dynamic_shared = 0;  ///< bytes of a block

  LaunchShape() = default;
  explicit LaunchShape(const engine::LaunchRequest& request)
      : grid(request.grid), block(request.block), dynamic_shared(request.dynamic_shared) {}
};

}  // namespace ww::forecast
