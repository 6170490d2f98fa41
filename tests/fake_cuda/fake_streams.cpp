// The fake driver's streams, host memory and peers.
#include <algorithm>

#include "fake_state.h"

namespace {

template <class Map>
auto holder(Map& all, unsigned long long address, size_t bytes) {
  auto it = all.upper_bound(address);
  if (it == all.begin()) return all.end();
  --it;
  return address - it->first + bytes <= it->second.bytes ? it : all.end();
}

/// Runs one piece of work of the stream; false when it has none that can run.
bool step(Stream& stream) {
  if (stream.work.empty() || !stream.work.front()()) return false;
  stream.work.pop_front();
  return true;
}

double ms_of(size_t bytes, double gigabytes_per_second) {
  return static_cast<double>(bytes) / gigabytes_per_second * 1e-6;
}

constexpr unsigned kWriteCombined = 4;

/// A copy between device and host: locked memory by itself, pageable memory while the host waits.
int copy(void* stream, unsigned long long device_address, void* to, const void* from, size_t bytes,
         bool to_device) {
  if (const int wrong = copy_result()) return wrong;
  require(fake.owner(device_address, bytes), "copy outside device memory");
  const auto host_address = reinterpret_cast<unsigned long long>(to_device ? from : to);
  const HostMemory* locked = fake.host_owner(host_address, bytes);
  const bool combined = locked && locked->flags & kWriteCombined;
  const double rate = !locked     ? FakeRates::kPageable
                      : to_device ? (combined ? FakeRates::kCombinedToDevice : FakeRates::kLockedToDevice)
                                  : (combined ? FakeRates::kCombinedToHost : FakeRates::kLockedToHost);
  put(stream, to_device ? "in" : "out", ms_of(bytes, rate), [=] {
    move(reinterpret_cast<unsigned long long>(to), reinterpret_cast<unsigned long long>(from), bytes);
    return true;
  });
  if (!locked) finish(stream);
  return 0;
}

}  // namespace

const Memory* Fake::owner(unsigned long long address, size_t bytes) const {
  auto it = holder(memory, address, bytes);
  return it == memory.end() ? nullptr : &it->second;
}
const HostMemory* Fake::host_owner(unsigned long long address, size_t bytes) const {
  auto it = holder(host, address, bytes);
  return it == host.end() ? nullptr : &it->second;
}

int copy_result() {
  if (fake.sticky) return fake.sticky;
  return fake.script.copy && fake.copies++ >= fake.script.copy_after ? fake.script.copy : 0;
}

void move(unsigned long long to, unsigned long long from, size_t bytes) {
  if (fake.script.lose_copies) return;
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
}

Stream& put(void* handle, const char* engine, double ms, std::function<bool()> effect) {
  require(fake.streams.count(handle), "work for a dead stream");
  Stream& stream = fake.streams[handle];
  double start = std::max(stream.time, fake.clock_ms);
  if (engine) {
    double& busy = fake.busy[{stream.device, engine}];
    start = std::max(start, busy);
    busy = start + ms;
  }
  stream.time = start + ms;
  stream.work.push_back(std::move(effect));
  return stream;
}

void finish(void* handle) {
  require(fake.streams.count(handle), "wait for a dead stream");
  Stream& stream = fake.streams[handle];
  while (!stream.work.empty()) {
    if (step(stream)) continue;
    bool moved = false;
    for (auto it = fake.streams.rbegin(); it != fake.streams.rend() && !moved; ++it) moved = step(it->second);
    require(moved, "streams wait for each other");
  }
  fake.clock_ms = std::max(fake.clock_ms, stream.time);
}

void finish_all() {
  for (auto& [handle, stream] : fake.streams) finish(handle);
}

extern "C" {

int cuStreamCreate(void** stream, unsigned flags) {
  if (fake.sticky) return fake.sticky;
  require(flags == 1, "a stream that the default stream would hold up");
  *stream = fake.handle();
  fake.streams[*stream].device = fake.current;
  return fake.count(), 0;
}
int cuStreamDestroy_v2(void* stream) {
  finish(stream);
  fake.streams.erase(stream);
  return fake.count(), 0;
}
int cuStreamSynchronize(void* stream) {
  if (!fake.sticky) finish(stream);
  return fake.sticky;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  if (fake.sticky) return fake.sticky;
  require(fake.events.count(event), "wait for a dead event");
  auto mark = fake.events[event];
  Stream& waiting = put(stream, nullptr, 0, [mark] { return mark->done; });
  waiting.time = std::max(waiting.time, mark->when);
  return 0;
}

int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, size_t bytes, void* stream) {
  return copy(stream, to, reinterpret_cast<void*>(to), from, bytes, true);
}
int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, size_t bytes, void* stream) {
  return copy(stream, from, to, reinterpret_cast<void*>(from), bytes, false);
}
int cuMemcpyPeerAsync(unsigned long long to, void* to_context, unsigned long long from, void* from_context,
                      size_t bytes, void* stream) {
  if (const int wrong = copy_result()) return wrong;
  const int target = static_cast<int>(reinterpret_cast<uintptr_t>(to_context)) - 1;
  const int source = static_cast<int>(reinterpret_cast<uintptr_t>(from_context)) - 1;
  const Memory *there = fake.owner(to, bytes), *here = fake.owner(from, bytes);
  require(there && there->device == target && here && here->device == source, "copy outside device memory");
  const bool path = fake.reach.count({source, target});
  put(stream, "peer", ms_of(bytes, path ? FakeRates::kPeer : FakeRates::kPeerByDriver),
      [=] { return move(to, from, bytes), true; });
  return 0;
}

static int allocate_host(void** address, size_t bytes, unsigned flags, bool managed) {
  if (fake.sticky) return fake.sticky;
  size_t used = 0;
  for (const auto& [at, memory] : fake.host) used += memory.bytes;
  if (used + bytes > fake.script.host_memory) return 2;
  *address = std::malloc(bytes);
  fake.host[reinterpret_cast<unsigned long long>(*address)] = {bytes, flags, managed, fake.current};
  return fake.count(), 0;
}
int cuMemHostAlloc(void** address, size_t bytes, unsigned flags) {
  return allocate_host(address, bytes, flags, false);
}
int cuMemAllocManaged(unsigned long long* address, size_t bytes, unsigned) {
  void* at = nullptr;
  const int result = allocate_host(&at, bytes, 0, true);
  return *address = reinterpret_cast<unsigned long long>(at), result;
}
int cuMemFreeHost(void* address) {
  finish_all();
  const auto at = reinterpret_cast<unsigned long long>(address);
  require(fake.host.count(at) && !fake.host[at].managed, "free of host memory that is not allocated");
  std::free(address);
  fake.host.erase(at);
  return fake.count(), fake.sticky;
}
int cuMemHostGetDevicePointer_v2(unsigned long long* device, void* host, unsigned) {
  require(fake.host_owner(reinterpret_cast<unsigned long long>(host), 1), "address of unknown host memory");
  return *device = reinterpret_cast<unsigned long long>(host), 0;
}
int cuPointerGetAttribute(void* data, int attribute, unsigned long long address) {
  const Memory* memory = fake.owner(address, 1);
  const HostMemory* host = fake.host_owner(address, 1);
  if (!memory && !host) return 1;
  switch (attribute) {
    case 2:  // memory type
      return *static_cast<unsigned*>(data) = memory || host->managed ? 2 : 1, 0;
    case 3:  // address in kernels
      return *static_cast<unsigned long long*>(data) = address, 0;
    case 8:  // managed
      return *static_cast<unsigned*>(data) = host && host->managed, 0;
    case 9:  // device
      return *static_cast<int*>(data) = memory ? memory->device : host->device, 0;
    case 12:  // bytes of the allocation
      return *static_cast<size_t*>(data) = memory ? memory->bytes : host->bytes, 0;
    default:
      return 1;
  }
}

int cuDeviceCanAccessPeer(int* can, int from, int to) { return *can = fake.script.peers && from != to, 0; }
int cuDeviceGetP2PAttribute(int* value, int attribute, int, int) { return *value = attribute == 3, 0; }
int cuCtxEnablePeerAccess(void* context, unsigned) {
  const int other = static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1;
  if (!fake.script.peers) return 217;
  return fake.reach.insert({fake.current, other}).second ? 0 : 704;
}

}  // extern "C"
