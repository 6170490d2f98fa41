// Contexts of the driver: each device's primary one, which the runtime uses, and those that programs make.
// Memory, code and faults belong to the device, so contexts of one device share them.
#pragma once

#include "cuda/core/platform.h"

namespace ww::cuda {

struct Context {
  DeviceContext* device = nullptr;
  bool primary = false;
  u32 flags = 0;
  u64 id = 0;
  std::atomic<int> uses{1};  ///< cuCtxAttach, cuCtxDetach
};

/// cuInit was called, or the runtime is in use.
bool driver_ready();
void set_driver_ready();

Context& primary_context(DeviceContext& device);
Context* make_context(DeviceContext& device, u32 flags);
/// Errors: InvalidValue (not one that was made). It leaves the stack of this thread, too.
Error destroy_context(Context* context);
bool is_context(const Context* context);

/// What this thread's calls mean: the top of its stack or, where the runtime chose a device, the primary one.
/// Null: none.
Context* current_context();
/// Replaces the top of the stack; null takes it away.
void set_context(Context* context);
void push_context(Context* context);
Context* pop_context();

}  // namespace ww::cuda
