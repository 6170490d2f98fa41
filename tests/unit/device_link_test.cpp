// Host memory, streams, peers and NCCL of a real GPU against a scripted driver (tests/fake_cuda), whose work
// takes effect only when somebody waits for it.
#include "device/link.h"

#include <cstring>
#include <numeric>

#include "device/collective.h"
#include "device/engine_device.h"
#include "fake_gpu.h"

namespace ww::device {
namespace {

constexpr const char* kCopy = R"(
.version 8.0
.target sm_90
.visible .entry calibrate_copy(.param .u64 to, .param .u64 from, .param .u64 n) { ret; }
.visible .entry fault() { ret; }
)";

class LinkTest : public FakeGpu {
 protected:
  static std::vector<uint32_t> numbers(size_t count, uint32_t first) {
    std::vector<uint32_t> out(count);
    std::iota(out.begin(), out.end(), first);
    return out;
  }
  static Launch copy(Device& device, Address to, Address from, uint64_t bytes) {
    auto module = device.load("copy.ptx", kCopy);
    EXPECT_TRUE(module) << why(module);
    return {.module = *module,
            .kernel = "calibrate_copy",
            .arguments = {Argument::of(to), Argument::of(from), Argument::of(bytes / 16)}};
  }
  static std::vector<uint32_t> content(Device& device, Address address, size_t count) {
    std::vector<uint32_t> out(count);
    EXPECT_TRUE(device.read(address, std::as_writable_bytes(std::span(out))));
    return out;
  }
};

TEST_F(LinkTest, OnlyRealGpusHaveOne) {
  EXPECT_NE(open()->link(), nullptr);
  EXPECT_EQ(make_engine_device({})->link(), nullptr);
}

TEST_F(LinkTest, HostMemoryIsAllocatedKnownAndGivenBack) {
  auto device = open();
  Link& link = *device->link();
  auto own = device->allocate(64);
  ASSERT_TRUE(own);
  auto of_device = link.pointer(*own + 60);
  ASSERT_TRUE(of_device);
  EXPECT_EQ(of_device->memory, "device");
  EXPECT_EQ(of_device->gpu, 0);
  EXPECT_EQ(of_device->bytes, 64u);
  {
    auto locked = link.host_memory(HostKind::PageLocked, 100);
    auto combined = link.host_memory(HostKind::WriteCombined, 100);
    auto managed = link.host_memory(HostKind::Managed, 100);
    auto pageable = link.host_memory(HostKind::Pageable, 100);
    ASSERT_TRUE(locked && combined && managed && pageable);
    EXPECT_EQ(log().live_host, 3);
    const auto kind = [&](const Result<std::unique_ptr<HostBuffer>>& buffer) {
      EXPECT_EQ((*buffer)->bytes().size(), 100u);
      auto pointer = link.pointer(reinterpret_cast<Address>((*buffer)->bytes().data()));
      EXPECT_TRUE(pointer);
      if (pointer->memory != "unknown") {
        EXPECT_EQ(pointer->address, (*buffer)->address());
      }
      return pointer->memory;
    };
    EXPECT_EQ(kind(locked), "host");
    EXPECT_EQ(kind(combined), "host");
    EXPECT_EQ(kind(managed), "managed");
    EXPECT_EQ(kind(pageable), "unknown");
    EXPECT_EQ((*pageable)->address(), 0u);
  }
  EXPECT_EQ(log().live_host, 0);
}

TEST_F(LinkTest, SaysWhichMemoryThereIsNot) {
  set({.host_memory = 1000, .managed = false});
  auto device = open();
  Link& link = *device->link();
  EXPECT_SAYS(link.host_memory(HostKind::PageLocked, 2000),
              "out of page-locked host memory: 2000 bytes wanted");
  EXPECT_SAYS(link.host_memory(HostKind::WriteCombined, 2000), "out of write-combined host memory");
  EXPECT_SAYS(link.host_memory(HostKind::Managed, 10), "gpu0 (Fake GPU) has no managed memory");
  EXPECT_SAYS(link.host_memory(HostKind::Pageable, 0), "0 bytes");
  EXPECT_SAYS(link.host_memory(HostKind::Pageable, uint64_t{1} << 60), "out of pageable host memory");
  EXPECT_TRUE(link.host_memory(HostKind::PageLocked, 1000));
}

TEST_F(LinkTest, WorkInStreamsIsDoneInOrderAndTimed) {
  auto device = open();
  Link& link = *device->link();
  constexpr size_t kCount = 10000;
  const uint64_t bytes = kCount * 4;
  auto host = link.host_memory(HostKind::PageLocked, bytes);
  auto one = device->allocate(bytes), two = device->allocate(bytes);
  ASSERT_TRUE(host && one && two);
  const auto sent = numbers(kCount, 7);
  std::memcpy((*host)->bytes().data(), sent.data(), bytes);
  auto made = link.streams(2);
  ASSERT_TRUE(made) << why(made);
  Streams& s = **made;
  EXPECT_EQ(log().live_streams, 2);
  EXPECT_EQ(&s.device(), device.get());

  // Stream 1 hands on what stream 0 has copied in, and copies it back.
  auto begin = s.mark(0);
  ASSERT_TRUE(s.to_device(0, *one, (*host)->bytes()));
  auto there = s.mark(0);
  ASSERT_TRUE(s.wait(1, s, *there));
  ASSERT_TRUE(s.launch(1, copy(*device, *two, *one, bytes)));
  auto copied = s.mark(1);
  std::vector<uint32_t> back(kCount);
  ASSERT_TRUE(s.finish());
  auto again = link.host_memory(HostKind::PageLocked, bytes);
  ASSERT_TRUE(s.to_host(1, (*again)->bytes(), *two));
  auto end = s.mark(1);
  EXPECT_SAYS(s.ms(*begin, *end), "cannot take a time");  // it has not ended yet
  ASSERT_TRUE(s.finish());
  std::memcpy(back.data(), (*again)->bytes().data(), bytes);
  EXPECT_EQ(back, sent);
  const auto ms = [&](double rate) { return static_cast<double>(bytes) / rate * 1e-6; };
  EXPECT_NEAR(*s.ms(*begin, *there), ms(FakeRates::kLockedToDevice), 1e-6);
  EXPECT_NEAR(*s.ms(*there, *copied), ms(FakeRates::kKernelDevice), 1e-6);
  EXPECT_NEAR(*s.ms(*copied, *end), ms(FakeRates::kLockedToHost), 1e-6);

  EXPECT_SAYS(s.to_device(0, *one + 4, (*host)->bytes()), "go 4 bytes beyond the allocation");
  EXPECT_SAYS(s.to_host(0, (*host)->bytes(), 16), "no device memory is allocated at 0x10");
  const int events = log().live_events;
  s.forget_marks();
  EXPECT_EQ(*s.mark(0), 0);
  EXPECT_EQ(log().live_events, events);  // used again
  made->reset();
  EXPECT_EQ(log().live_streams, 0);
  EXPECT_EQ(log().live_events, 0);
}

TEST_F(LinkTest, WhatNobodyWaitsForHasNotHappened) {
  auto device = open();
  auto host = device->link()->host_memory(HostKind::PageLocked, 64);
  auto memory = device->allocate(64);
  auto s = device->link()->streams(1);
  ASSERT_TRUE(host && memory && s);
  const auto sent = numbers(16, 1);
  std::memcpy((*host)->bytes().data(), sent.data(), 64);
  const std::vector<std::byte> empty(64);
  ASSERT_TRUE(device->write(*memory, empty));
  ASSERT_TRUE((*s)->to_device(0, *memory, (*host)->bytes()));
  EXPECT_NE(content(*device, *memory, 16), sent);  // the tests above would notice a missing wait
  ASSERT_TRUE((*s)->finish());
  EXPECT_EQ(content(*device, *memory, 16), sent);
}

TEST_F(LinkTest, AFaultInAStreamIsSaidOnceAndTheGpuGoesOn) {
  set({.fault = 700});
  auto device = open();
  auto module = device->load("copy.ptx", kCopy);
  ASSERT_TRUE(module);
  auto s = device->link()->streams(1);
  ASSERT_TRUE(s);
  ASSERT_TRUE((*s)->launch(0, {.module = *module, .kernel = "fault"}));
  auto finished = (*s)->finish();
  EXPECT_SAYS(finished, "kernel 'fault' faulted on gpu0 (Fake GPU): CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_SAYS(finished, "everything that was in device memory is lost");
  EXPECT_SAYS((*s)->mark(0), "the streams of gpu0 (Fake GPU) were lost when a kernel faulted");
  auto fresh = device->link()->streams(1);
  ASSERT_TRUE(fresh);
  EXPECT_TRUE((*fresh)->finish());
}

TEST_F(LinkTest, ALostGpuIsSaidByItsStreams) {
  set({.copy = 214});
  auto device = open();
  auto host = device->link()->host_memory(HostKind::PageLocked, 64);
  auto memory = device->allocate(64);
  auto s = device->link()->streams(1);
  ASSERT_TRUE(host && memory && s);
  EXPECT_SAYS((*s)->to_device(0, *memory, (*host)->bytes()),
              "gpu0 (Fake GPU) is lost: CUDA_ERROR_ECC_UNCORRECTABLE");
  EXPECT_SAYS(device->link()->streams(1), "is lost");
  EXPECT_SAYS(device->link()->pointer(*memory), "is lost");
}

TEST_F(LinkTest, GpusReachEachOtherWhereThereIsAPath) {
  set({.devices = 2});
  auto a = open();
  EXPECT_EQ(a->link()->gpu_count(), 2);
  auto other = a->link()->open(1);
  ASSERT_TRUE(other) << why(other);
  Device& b = **other;
  EXPECT_EQ(b.info().id, "gpu1");
  EXPECT_EQ(b.link()->ordinal(), 1);
  EXPECT_SAYS(a->link()->open(2), "there is no gpu2");
  constexpr uint64_t kBytes = 6400;
  auto from = a->allocate(kBytes), to = b.allocate(kBytes), back = a->allocate(kBytes);
  ASSERT_TRUE(from && to && back);
  const auto sent = numbers(kBytes / 4, 3);
  ASSERT_TRUE(a->write(*from, std::as_bytes(std::span(sent))));
  auto s = a->link()->streams(1);
  ASSERT_TRUE(s);
  const auto copy_ms = [&] {
    (*s)->forget_marks();
    auto begin = (*s)->mark(0);
    EXPECT_TRUE((*s)->to_peer(0, b, *to, *from, kBytes));
    auto end = (*s)->mark(0);
    EXPECT_TRUE((*s)->finish());
    return *(*s)->ms(*begin, *end);
  };
  EXPECT_NEAR(copy_ms(), kBytes / FakeRates::kPeerByDriver * 1e-6, 1e-6);
  EXPECT_EQ(content(b, *to, kBytes / 4), sent);

  auto path = a->link()->path_to(b);
  ASSERT_TRUE(path);
  EXPECT_TRUE(path->access);
  EXPECT_TRUE(path->atomics);
  ASSERT_TRUE(a->link()->reach(b));
  EXPECT_TRUE(a->link()->reach(b));  // again is no error
  EXPECT_NEAR(copy_ms(), kBytes / FakeRates::kPeer * 1e-6, 1e-6);
  ASSERT_TRUE((*s)->launch(0, copy(*a, *back, *to, kBytes)));  // a kernel of a reads b's memory
  ASSERT_TRUE((*s)->finish());
  EXPECT_EQ(content(*a, *back, kBytes / 4), sent);
  EXPECT_SAYS((*s)->to_peer(0, b, *to + 16, *from, kBytes), "go 16 bytes beyond the allocation");
}

TEST_F(LinkTest, WithoutAPathNothingIsReached) {
  set({.devices = 2, .peers = false});
  auto a = open();
  auto b = a->link()->open(1);
  ASSERT_TRUE(b);
  EXPECT_FALSE(a->link()->path_to(**b)->access);
  EXPECT_SAYS(a->link()->reach(**b), "there is no peer path from gpu0 to gpu1");
  EXPECT_SAYS(a->link()->path_to(*make_engine_device({})), "is no GPU");
}

/// Two GPUs with a stream and a buffer of 64 bytes each.
struct Two {
  std::unique_ptr<Device> a, b;
  std::unique_ptr<Streams> of_a, of_b;
  Address in_a = 0, in_b = 0;
};

class CollectiveTest : public LinkTest {
 protected:
  static Two two(const DriverOptions& with = paths()) {
    Two out{open(0, with), nullptr, nullptr, nullptr};
    out.b = out.a->link()->open(1).value();
    out.of_a = out.a->link()->streams(1).value();
    out.of_b = out.b->link()->streams(1).value();
    out.in_a = *out.a->allocate(64), out.in_b = *out.b->allocate(64);
    return out;
  }
};

TEST_F(CollectiveTest, BroadcastsAndMoves) {
  set({.devices = 2});
  Two t = two();
  auto joined = t.a->link()->join({t.of_a.get(), t.of_b.get()});
  ASSERT_TRUE(joined) << why(joined);
  EXPECT_EQ((*joined)->library(), "NCCL 2.28.9");
  EXPECT_EQ(log().live_communicators, 2);
  const auto sent = numbers(16, 5);
  ASSERT_TRUE(t.a->write(t.in_a, std::as_bytes(std::span(sent))));
  const Address buffers[] = {t.in_a, t.in_b};
  ASSERT_TRUE((*joined)->broadcast(0, buffers, 64));
  ASSERT_TRUE(t.of_b->finish());
  EXPECT_EQ(content(*t.b, t.in_b, 16), sent);
  const Collective::Transfer back[] = {{1, 0, t.in_b + 32, t.in_a, 32}};
  ASSERT_TRUE((*joined)->move(back));
  ASSERT_TRUE(t.of_a->finish());
  auto expected = sent;
  std::copy_n(sent.begin() + 8, 8, expected.begin());
  EXPECT_EQ(content(*t.a, t.in_a, 16), expected);
  joined->reset();
  EXPECT_EQ(log().live_communicators, 0);
}

TEST_F(CollectiveTest, SaysWhatIsMissingOrFails) {
  set({.devices = 2});
  const auto join = [](const DriverOptions& with) -> Status {
    Two t = two(with);
    auto joined = t.a->link()->join({t.of_a.get(), t.of_b.get()});
    if (!joined) return joined.error();
    const Address buffers[] = {t.in_a, t.in_b};
    return (*joined)->broadcast(0, buffers, 64);
  };
  EXPECT_SAYS(join({FAKE_CUDA, FAKE_CUDA, "libnot_there.so.7"}), "no NCCL: libnot_there.so.7");
  EXPECT_SAYS(join({FAKE_CUDA, FAKE_CUDA, "libnot_there.so.7"}), "must be in LD_LIBRARY_PATH");
  EXPECT_SAYS(join({FAKE_CUDA, FAKE_CUDA, OLD_CUDA}), "is not NCCL: it has no ncclGetVersion");
  EXPECT_TRUE(join(paths()));
  set({.devices = 2, .nccl_join = 1});
  EXPECT_SAYS(join(paths()), "NCCL 2.28.9 cannot join the GPUs: unhandled cuda error");
  set({.devices = 2, .nccl_group = 5});
  EXPECT_SAYS(join(paths()), "NCCL 2.28.9 cannot broadcast: invalid usage");
  EXPECT_EQ(log().live_communicators, 0);
}

}  // namespace
}  // namespace ww::device
