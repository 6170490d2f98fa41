// CUDA Driver API: Stream Memory Operations.
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "cuda/core/checking.h"
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

/// Under `check`: what streams have written to words, so that who waits for a value comes behind who wrote
/// it.
class Written {
 public:
  static Written& get() {
    static Written w;
    return w;
  }
  /// `now`: what is there before. `ordered`: it comes behind what its stream did before.
  void writes(const Stream& stream, DevicePointer address, unsigned long long now, unsigned long long value,
              bool ordered) {
    std::lock_guard lock(mutex_);
    Word& w = words_[address];
    if (w.values.empty() || w.values.back().value != now) w = {now, {}};  // somebody else has changed it
    if (w.values.size() >= kMostValues) w = {now, {}};
    const u64 event = ordered ? kEvents | ++count_ : 0;
    if (ordered) tell(What::Record, stream, event);
    w.values.push_back({value, event});
  }
  /// It was waited for until `holds` said so of `now`. It may have held from the first value on that it holds
  /// for.
  template <class F>
  void waited(const Stream& stream, DevicePointer address, unsigned long long now, const F& holds) {
    std::lock_guard lock(mutex_);
    const auto at = words_.find(address);
    if (at == words_.end() || at->second.values.back().value != now || holds(at->second.before))
      return tell(What::WaitWord, stream, address);
    for (const Value& v : at->second.values)
      if (holds(v.value)) return v.event ? tell(What::Wait, stream, v.event) : void();
  }

 private:
  using What = ww::events::StreamOrder::What;
  static constexpr u64 kEvents = u64{1} << 63;  // numbers that no other event has
  static constexpr size_t kMostValues = 1024;
  struct Value {
    unsigned long long value;
    u64 event;
  };
  struct Word {
    unsigned long long before = 0;
    std::vector<Value> values;
  };
  static void tell(What what, const Stream& stream, u64 event) {
    ww::events::StreamOrder e = order_of(what, stream);
    e.event = event;
    Platform::get().engine().memory().host_events().tell(e);
  }
  std::mutex mutex_;
  std::map<DevicePointer, Word> words_;
  u64 count_ = 0;
};

/// What is submitted runs at once, so a wait holds up the thread that submits it until another writes.
template <class T>
Error wait(const Stream& stream, DevicePointer address, unsigned long long value, u32 flags) {
  T* place = at<T>(address);
  if (!place) return Error::InvalidValue;
  const auto enough = [&](unsigned long long now) { return holds(now, value, flags, sizeof(T) == 8); };
  T now;
  while (!enough(now = std::atomic_ref<T>(*place).load())) std::this_thread::yield();
  if (Checking::get()) Written::get().waited(stream, address, now, enough);
  return Error::Success;
}
template <class T>
Error write(const Stream& stream, DevicePointer address, unsigned long long value, u32 flags) {
  constexpr u32 kNoBarrier = 1;  // CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER
  T* place = at<T>(address);
  if (!place) return Error::InvalidValue;
  if (Checking::get())
    Written::get().writes(stream, address, std::atomic_ref<T>(*place).load(), static_cast<T>(value),
                          !(flags & kNoBarrier));
  std::atomic_ref<T>(*place).store(static_cast<T>(value));
  return Error::Success;
}

Error one(const Stream& stream, const StreamMemoryOperation& o) {
  switch (o.operation) {
    case 1:
      return wait<u32>(stream, o.value.address, o.value.value, o.value.flags);
    case 2:
      return write<u32>(stream, o.value.address, o.value.value, o.value.flags);
    case 3:  // remote writes, and a barrier: everything is done
    case 6:
      return Error::Success;
    case 4:
      return wait<unsigned long long>(stream, o.value.address, o.value.value, o.value.flags);
    case 5:
      return write<unsigned long long>(stream, o.value.address, o.value.value, o.value.flags);
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
      if (Error e = one(*s, operations[k]); e != Error::Success) return e;
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
