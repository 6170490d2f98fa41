// Copies and fills as calls submit them: at once, or into a stream.
#pragma once

#include "cuda/core/copy.h"

namespace ww::cuda {

/// A copy that the program waits for; kernels' output appears. Errors: StreamCaptureImplicit and those of
/// perform().
Error copy_now(Copy copy);
/// Errors: InvalidResourceHandle (no such stream) and those of check() and submit().
Error copy_later(Copy copy, Stream* stream);
/// `height` rows of `width` elements of 1, 2 or 4 bytes. Errors: InvalidResourceHandle, InvalidValue.
Error fill(u64 to, size_t pitch, u32 value, u32 element, size_t width, size_t height, Stream* stream,
           DeviceContext& device);
/// The same in the default stream. The host waits where it can touch the memory itself (CUDA driver API, "API
/// synchronization behavior", Memset).
Error fill_now(u64 to, size_t pitch, u32 value, u32 element, size_t width, size_t height,
               DeviceContext& device);
/// An array as one end of a copy; x in bytes. Error: InvalidResourceHandle.
Error array_place(Array* array, size_t x, size_t y, Place& place);

}  // namespace ww::cuda
