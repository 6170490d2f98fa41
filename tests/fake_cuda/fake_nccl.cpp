// NCCL for tests, in the fake driver's streams: what is sent arrives when both sides' streams have come to
// it.
#include <algorithm>
#include <vector>

#include "fake_state.h"

namespace {

/// One side of a transfer.
struct Side {
  int rank, other;
  unsigned long long address;
  size_t bytes;
  void* stream;
};
std::vector<Side> sends, receives;
int depth = 0;

double ms_of(size_t bytes) { return static_cast<double>(bytes) / FakeRates::kNccl * 1e-6; }

/// A place that several streams must have come to before any goes on; the last one does the work.
struct Meeting {
  int missing = 0;
  std::function<void()> effect;
};

/// All streams of a group start together and end when the one that moves most has ended.
void meet(const std::vector<void*>& streams, double ms, std::function<void()> effect) {
  double start = fake.clock_ms;
  for (void* s : streams) start = std::max(start, fake.streams.at(s).time);
  auto meeting = std::make_shared<Meeting>(Meeting{static_cast<int>(streams.size()), std::move(effect)});
  for (void* s : streams) {
    auto here = std::make_shared<bool>(false);
    put(s, nullptr, 0, [meeting, here] {
      if (!*here && --meeting->missing == 0) meeting->effect();
      *here = true;
      return meeting->missing == 0;
    });
    fake.streams.at(s).time = start + ms;
  }
}

int run_group() {
  require(sends.size() == receives.size(), "a send without its receive");
  std::vector<void*> streams;
  std::map<int, size_t> bytes;
  std::vector<std::pair<Side, Side>> pairs;
  for (const Side& send : sends) {
    const auto match = std::find_if(receives.begin(), receives.end(), [&](const Side& r) {
      return r.rank == send.other && r.other == send.rank && r.bytes == send.bytes;
    });
    require(match != receives.end(), "a send without its receive");
    pairs.emplace_back(send, *match);
    receives.erase(match);
  }
  for (const auto& [send, receive] : pairs) {
    bytes[send.rank] += send.bytes, bytes[receive.rank] += receive.bytes;
    for (void* s : {send.stream, receive.stream})
      if (std::find(streams.begin(), streams.end(), s) == streams.end()) streams.push_back(s);
  }
  size_t most = 0;
  for (const auto& [rank, sum] : bytes) most = std::max(most, sum);
  sends.clear(), receives.clear();
  if (streams.empty()) return 0;
  meet(streams, ms_of(most), [pairs] {
    for (const auto& [send, receive] : pairs) move(receive.address, send.address, send.bytes);
  });
  return 0;
}

void add(std::vector<Side>& sides, unsigned long long address, size_t bytes, int other, void* comm,
         void* stream) {
  require(depth > 0, "a send or receive outside of a group would wait for ever");
  require(fake.comms.count(comm), "a dead communicator");
  const Memory* memory = fake.owner(address, bytes);
  require(memory && memory->device == fake.comms[comm].device, "NCCL with memory of another GPU");
  require(fake.streams.at(stream).device == fake.comms[comm].device, "NCCL with a stream of another GPU");
  sides.push_back({fake.comms[comm].rank, other, address, bytes, stream});
}

}  // namespace

extern "C" {

int ncclGetVersion(int* version) { return *version = 22809, 0; }
const char* ncclGetErrorString(int result) { return result == 1 ? "unhandled cuda error" : "invalid usage"; }
int ncclCommInitAll(void** made, int count, const int* devices) {
  if (fake.script.nccl_join) return fake.script.nccl_join;
  for (int i = 0; i < count; ++i) {
    made[i] = fake.handle();
    fake.comms[made[i]] = {i, devices[i], count};
  }
  fake.log.live_communicators = static_cast<int>(fake.comms.size());
  fake.current = devices[count - 1];  // as the real one may leave another GPU current
  return 0;
}
int ncclCommDestroy(void* comm) {
  require(fake.comms.erase(comm), "destruction of a dead communicator");
  return fake.log.live_communicators = static_cast<int>(fake.comms.size()), 0;
}
int ncclCommAbort(void* comm) { return ncclCommDestroy(comm); }
int ncclGroupStart() { return ++depth, 0; }
int ncclGroupEnd() {
  if (--depth > 0) return 0;
  if (fake.script.nccl_group) {
    sends.clear(), receives.clear();
    return fake.script.nccl_group;
  }
  return run_group();
}
int ncclSend(const void* from, size_t bytes, int, int peer, void* comm, void* stream) {
  return add(sends, reinterpret_cast<unsigned long long>(from), bytes, peer, comm, stream), 0;
}
int ncclRecv(void* to, size_t bytes, int, int peer, void* comm, void* stream) {
  return add(receives, reinterpret_cast<unsigned long long>(to), bytes, peer, comm, stream), 0;
}
/// A transfer from the root to each of the others.
int ncclBroadcast(const void* from, void* to, size_t bytes, int type, int root, void* comm, void* stream) {
  const int rank = fake.comms[comm].rank;
  if (rank != root) return ncclRecv(to, bytes, type, root, comm, stream);
  for (int other = 0; other < fake.comms[comm].ranks; ++other)
    if (other != root) ncclSend(from, bytes, type, other, comm, stream);
  return 0;
}

}  // extern "C"
