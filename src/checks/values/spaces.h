// Addresses and spaces of memory, as the check of undefined values sees them.
#pragma once

#include "checks/finding.h"
#include "engine/machine.h"
#include "ir/module.h"

namespace ww::checks {

/// Whether undefined bits are followed in a space.
inline bool judged(ir::Space space) {
  return space == ir::Space::Shared || space == ir::Space::Local || space == ir::Space::Global;
}

/// The address within shared or local memory that a generic address stands for; others as they are.
inline u64 within(ir::Space space, u64 address) {
  if (space == ir::Space::Shared && address >= engine::kSharedWindow) return address - engine::kSharedWindow;
  if (space == ir::Space::Local && address >= engine::kLocalWindow) return address - engine::kLocalWindow;
  return address;
}

}  // namespace ww::checks
