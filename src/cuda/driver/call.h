// What every entry point of the driver does around its body.
#pragma once

#include "cuda/abi/driver.h"
#include "cuda/core/context.h"
#include "cuda/core/error_names.h"
#include "cuda/core/stream.h"

namespace ww::cuda {

/// Calls that ask for no context. Errors: InitializationError (cuInit was not called).
template <class F>
Error driver_plain(F&& body) {
  if (Fidelity* fidelity = Fidelity::get()) fidelity->called();
  const bool ready = driver_ready() && !Platform::get().inherited();
  return ready ? driver_error(body()) : Error::InitializationError;
}
/// Calls that name a device by its number.
template <class F>
Error driver_device(Device number, F&& body) {
  return driver_plain([&]() -> Error {
    DeviceContext* device = Platform::get().device(number);
    return device ? body(*device) : Error::InvalidDevice;
  });
}
/// Calls that need a context; after a kernel's fault they return it.
template <class F>
Error driver(F&& body) {
  return driver_plain([&]() -> Error {
    Context* context = current_context();
    if (!context) return Error::DeviceUninitialized;  // CUDA_ERROR_INVALID_CONTEXT
    context->device->active = true;
    Error fault = context->device->sticky;
    return fault == Error::Success ? body(*context->device) : fault;
  });
}
/// One of the runtime's calls: cudaGetLastError stays as it was, and the thread as far from the runtime.
template <class F>
Error without_traces(F&& call) {
  ThreadState& thread = here();
  const Error last = thread.last;
  const bool runtime = thread.runtime;
  Error e = call();
  thread.last = last;
  thread.runtime = runtime;
  return e;
}
/// Calls that mean what one of the runtime's means.
template <class F>
Error as_runtime(F&& call) {
  return driver([&](DeviceContext&) { return without_traces(call); });
}
/// Those that need no context, as what they are given knows its own: they give something back, ask a stream
/// or an event, build graphs, make pools. cuda.h names no CUDA_ERROR_INVALID_CONTEXT for them, or programs
/// that are tested on cards (numba, cuda-api-wrappers) call them so.
template <class F>
Error as_runtime_anywhere(F&& call) {
  return current_context() ? as_runtime(call) : driver_plain([&] { return without_traces(call); });
}
/// Of a stream that was created: the default streams are those of the current context.
inline bool is_created(const Stream* stream) {
  return stream && stream != kLegacyStream && stream != kPerThreadStream;
}
/// Those that need a context only where a default stream is specified, in the manual's words.
template <class F>
Error as_runtime_in(const Stream* stream, F&& call) {
  return is_created(stream) ? as_runtime_anywhere(call) : as_runtime(call);
}

}  // namespace ww::cuda

/// A call of the driver that is one of the runtime's under another name.
#define WW_FORWARD(name, runtime_name, parameters, arguments)  \
  WW_CUDA_API Error name parameters {                          \
    return as_runtime([&] { return runtime_name arguments; }); \
  }
#define WW_FORWARD_ANYWHERE(name, runtime_name, parameters, arguments)  \
  WW_CUDA_API Error name parameters {                                   \
    return as_runtime_anywhere([&] { return runtime_name arguments; }); \
  }
