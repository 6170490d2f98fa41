// CUDA Driver API: Stream Memory Operations.
#include <atomic>
#include <thread>

#include "cuda/core/stream.h"
#include "cuda/driver/call.h"

using namespace ww::cuda;

namespace {

bool holds(unsigned long long now, unsigned long long value, u32 flags, bool wide) {
  switch (flags & 3) {
    case 0:  // a cyclic greater or equal
      return wide ? static_cast<long long>(now - value) >= 0
                  : static_cast<int>(static_cast<u32>(now) - static_cast<u32>(value)) >= 0;
    case 1:
      return wide ? now == value : static_cast<u32>(now) == static_cast<u32>(value);
    case 2:
      return (now & value) != 0;
    default:
      return wide ? ~(now | value) != 0 : static_cast<u32>(~(now | value)) != 0;
  }
}

template <class T>
T* at(DevicePointer address) {
  auto block = Platform::get().memory().find(address);
  if (address % sizeof(T) || !block || address + sizeof(T) > block->base + block->bytes) return nullptr;
  return reinterpret_cast<T*>(Platform::get().engine().memory().host(address));
}

/// What is submitted runs at once, so a wait holds up the thread that submits it until another writes.
template <class T>
Error wait(DevicePointer address, unsigned long long value, u32 flags) {
  T* place = at<T>(address);
  if (!place) return Error::InvalidValue;
  while (!holds(std::atomic_ref<T>(*place).load(), value, flags, sizeof(T) == 8)) std::this_thread::yield();
  return Error::Success;
}
template <class T>
Error write(DevicePointer address, unsigned long long value) {
  T* place = at<T>(address);
  if (!place) return Error::InvalidValue;
  std::atomic_ref<T>(*place).store(static_cast<T>(value));
  return Error::Success;
}

Error one(const StreamMemoryOperation& o) {
  switch (o.operation) {
    case 1:
      return wait<u32>(o.value.address, o.value.value, o.value.flags);
    case 2:
      return write<u32>(o.value.address, o.value.value);
    case 3:  // remote writes, and a barrier: everything is done
    case 6:
      return Error::Success;
    case 4:
      return wait<unsigned long long>(o.value.address, o.value.value, o.value.flags);
    case 5:
      return write<unsigned long long>(o.value.address, o.value.value);
    default:
      return Error::InvalidValue;
  }
}

Error single(Stream* stream, int operation, DevicePointer address, unsigned long long value, u32 flags);

}  // namespace

WW_CUDA_API Error cuStreamBatchMemOp_v2(Stream* stream, u32 count, StreamMemoryOperation* operations,
                                        u32 flags) {
  return driver([&](DeviceContext&) -> Error {
    Stream* s = stream_of(stream);
    if (!s) return Error::InvalidResourceHandle;
    if (!operations || flags || count > 256) return Error::InvalidValue;
    if (s->capture) return Error::NotSupported;
    for (u32 k = 0; k < count; ++k)
      if (Error e = one(operations[k]); e != Error::Success) return e;
    return Error::Success;
  });
}
namespace {
Error single(Stream* stream, int operation, DevicePointer address, unsigned long long value, u32 flags) {
  StreamMemoryOperation o{};
  o.value = {operation, address, value, flags, 0};
  return cuStreamBatchMemOp_v2(stream, 1, &o, 0);
}
}  // namespace
WW_CUDA_API Error cuStreamWaitValue32_v2(Stream* stream, DevicePointer address, u32 value, u32 flags) {
  return single(stream, 1, address, value, flags);
}
WW_CUDA_API Error cuStreamWriteValue32_v2(Stream* stream, DevicePointer address, u32 value, u32 flags) {
  return single(stream, 2, address, value, flags);
}
WW_CUDA_API Error cuStreamWaitValue64_v2(Stream* stream, DevicePointer address, unsigned long long value,
                                         u32 flags) {
  return single(stream, 4, address, value, flags);
}
WW_CUDA_API Error cuStreamWriteValue64_v2(Stream* stream, DevicePointer address, unsigned long long value,
                                          u32 flags) {
  return single(stream, 5, address, value, flags);
}
