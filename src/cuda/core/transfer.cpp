#include "cuda/core/transfer.h"

#include "cuda/core/array.h"
#include "cuda/core/checking.h"
#include "cuda/core/graph.h"
#include "cuda/core/platform.h"
#include "cuda/core/stream.h"

namespace ww::cuda {

Error copy_now(Copy copy) {
  if (capture_forbids_unsafe_calls()) return Error::StreamCaptureImplicit;
  Platform::get().flush_printed();
  return copy_and_wait(copy);
}

Error copy_later(Copy copy, Stream* stream) {
  if (!stream_of(stream)) return Error::InvalidResourceHandle;
  if (Error e = check(copy); e != Error::Success) return e;
  return submit(stream, std::move(copy));
}

Error fill(u64 to, size_t pitch, u32 value, u32 element, size_t width, size_t height, Stream* stream,
           DeviceContext& device) {
  if (!stream_of(stream)) return Error::InvalidResourceHandle;
  if (width == 0 || height == 0) {
    if (Checking* checking = Checking::get(); checking && height == 1)
      checking->empty_set(to, value, element);
    return Error::Success;
  }
  const size_t row = width * element;
  if (to % element || (height > 1 && (pitch < row || pitch % element))) return Error::InvalidValue;
  const Platform& platform = Platform::get();
  const u64 last = to + (height > 1 ? pitch * (height - 1) : 0);
  if (last + row > platform.memory().end_of(to)) {
    if (Checking* checking = Checking::get()) checking->bad_set(to, last + row);
    return Error::InvalidValue;
  }
  if (element == 1) value &= 0xff;
  if (element == 2) value &= 0xffff;
  return submit(stream, MemsetCall{to, pitch, value, element, width, height, &device});
}

Error fill_now(u64 to, size_t pitch, u32 value, u32 element, size_t width, size_t height,
               DeviceContext& device) {
  const Error e = fill(to, pitch, value, element, width, height, nullptr, device);
  const auto block = Platform::get().memory().find(to);
  if (e == Error::Success && block && !block->on_device()) wait_for(*stream_of(nullptr));
  return e;
}

Error array_place(Array* array, size_t x, size_t y, Place& place) {
  if (!is_array(array)) return Error::InvalidResourceHandle;
  place = {};
  place.array = array, place.base = array->address;
  place.pitch = array->row(), place.slice = array->slice();
  place.x = x, place.y = y;
  return Error::Success;
}

}  // namespace ww::cuda
