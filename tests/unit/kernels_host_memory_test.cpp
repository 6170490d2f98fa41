// Host memory, peers and the product on several GPUs, on the fake driver's GPUs: what the rows say must be
// what its rates (fake_cuda.h) come to.
#include <cmath>

#include "device/engine_device.h"
#include "fake_gpu.h"
#include "kernels/axes.h"
#include "kernels/run.h"

namespace ww::kernels {
namespace {

using device::FakeGpu;

class HostMemory : public FakeGpu {
 protected:
  static FakeScript script() { return {.devices = 1, .memory = 1 << 26}; }
  void SetUp() override { set(script()); }

  static std::vector<Row> rows(device::Device& gpu, const char* name, Config config) {
    auto found = find_case(name);
    EXPECT_TRUE(found);
    return Runner().run_for_gpus(**found, config, &gpu);
  }
  static std::vector<Row> rows(const char* name, Config config, const device::DriverOptions& with = paths()) {
    auto gpu = open(0, with);
    return rows(*gpu, name, config);
  }
  static double value(const Row& row, const char* tag) {
    const Value* v = row.find(tag);
    EXPECT_NE(v, nullptr) << tag;
    return v ? v->number() : NAN;
  }
  static std::string text(const Row& row, const char* tag) {
    const Value* v = row.find(tag);
    return v ? v->text() : "";
  }
};

constexpr int64_t kN = 1 << 16;
constexpr double kBytes = 4.0 * kN;

TEST_F(HostMemory, CopiesAreVerifiedAndHaveTheirBandwidths) {
  constexpr const char* kHost = "host, gpu0, same address in kernels";
  const struct {
    const char* name;
    double to_device, to_host;
    const char* pointer;
  } cases[] = {
      {"spaces/pageable", FakeRates::kPageable, FakeRates::kPageable, "unknown to the driver"},
      {"spaces/page_locked", FakeRates::kLockedToDevice, FakeRates::kLockedToHost, kHost},
      {"spaces/write_combined", FakeRates::kCombinedToDevice, FakeRates::kCombinedToHost, kHost},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto found = rows(c.name, {kN});
    ASSERT_EQ(found.size(), 1u);
    const Row& row = found[0];
    ASSERT_EQ(row.refused, "");
    EXPECT_EQ(row[Axis::Kernel], c.name);
    EXPECT_EQ(row[Axis::Device], "gpu0");
    EXPECT_EQ(row[lab::N], "65536");
    EXPECT_EQ(value(row, "verified"), 1);
    EXPECT_EQ(value(row, "bytes"), kBytes);
    EXPECT_NEAR(value(row, "bandwidth_to_device"), c.to_device, 1e-3 * c.to_device);
    EXPECT_NEAR(value(row, "bandwidth_to_host"), c.to_host, 1e-3 * c.to_host);
    EXPECT_NEAR(value(row, "time_to_device"), kBytes / c.to_device * 1e-6, 1e-5);
    EXPECT_EQ(text(row, "pointer"), c.pointer);
    EXPECT_GT(value(row, "processor_read"), 0);
    EXPECT_GT(value(row, "processor_write"), 0);
  }
  EXPECT_EQ(log().live_host, 0);
  EXPECT_EQ(log().live_allocations, 0);
  EXPECT_EQ(log().live_streams, 0);
}

TEST_F(HostMemory, WhatDoesNotArriveIsNotVerified) {
  FakeScript lossy = script();
  lossy.devices = 2, lossy.lose_copies = true;
  set(lossy);
  for (const char* name : {"spaces/pageable", "spaces/page_locked", "spaces/write_combined", "spaces/overlap",
                           "spaces/peer_copy", "spaces/peer_staged"}) {
    const int streams = std::string(name) == "spaces/overlap" ? 2 : 0;
    for (const Row& row : rows(name, {kN, {}, 0, streams})) EXPECT_EQ(value(row, "verified"), 0) << name;
  }
  const auto multi = rows("matmul/multi", {192, {16, 5, 6}});
  ASSERT_EQ(multi.size(), 2u);
  EXPECT_EQ(value(multi[0], "verified"), 1);
  EXPECT_EQ(value(multi[1], "verified"), 0);
  EXPECT_TRUE(has(text(multi[1], "wrong"), "(18432 never written)")) << text(multi[1], "wrong");  // 96 rows
}

TEST_F(HostMemory, AKernelReadsAndWritesTheHost) {
  const Row row = rows("spaces/mapped", {kN})[0];
  ASSERT_EQ(row.refused, "");
  EXPECT_EQ(value(row, "verified"), 1);
  EXPECT_NEAR(value(row, "kernel_read"), FakeRates::kKernelHost, 0.1);
  EXPECT_NEAR(value(row, "kernel_write"), FakeRates::kKernelHost, 0.1);
  EXPECT_NEAR(value(row, "kernel_device"), FakeRates::kKernelDevice, 10);
}

TEST_F(HostMemory, AddressesAreKnownForWhatTheyAre) {
  Row row = rows("spaces/unified", {kN})[0];
  ASSERT_EQ(row.refused, "");
  EXPECT_EQ(value(row, "verified"), 1);
  EXPECT_EQ(text(row, "pointer"), "device, gpu0, same address in kernels");
  EXPECT_EQ(text(row, "pointer_page_locked"), "host, gpu0, same address in kernels");
  EXPECT_EQ(text(row, "pointer_managed"), "managed, gpu0, same address in kernels");
  EXPECT_EQ(text(row, "pointer_pageable"), "unknown to the driver");
  FakeScript without = script();
  without.managed = false;
  set(without);
  row = rows("spaces/unified", {kN})[0];
  EXPECT_EQ(value(row, "verified"), 1);
  EXPECT_EQ(text(row, "pointer_managed"), "gpu0 (Fake GPU) has no managed memory");
}

/// Rows of spaces/overlap: the whole, then the pieces.
struct Overlap {
  std::vector<Row> rows;
  double at(size_t piece, const char* tag) const { return rows[piece + 1].find(tag)->number(); }
};

TEST_F(HostMemory, OneStreamRunsOneAfterAnother) {
  const Overlap o{rows("spaces/overlap", {kN, {}, 0, 1})};
  ASSERT_EQ(o.rows.size(), 9u);
  ASSERT_EQ(o.rows[0].refused, "");
  EXPECT_EQ(o.rows[0][lab::R], "");
  EXPECT_EQ(o.rows[8][lab::R], "8");
  EXPECT_EQ(o.rows[8][lab::K], "1");
  for (const Row& row : o.rows) EXPECT_EQ(value(row, "verified"), 1);
  const Row& whole = o.rows[0];
  EXPECT_NEAR(o.at(0, "to_device_start"), 0, 1e-6);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(o.at(i, "to_device_end") - o.at(i, "to_device_start"),
                kBytes / 8 / FakeRates::kLockedToDevice * 1e-6, 1e-6);
    EXPECT_EQ(o.at(i, "kernel_start"), o.at(i, "to_device_end"));
    EXPECT_EQ(o.at(i, "to_host_start"), o.at(i, "kernel_end"));
    if (i > 0) {
      EXPECT_EQ(o.at(i, "to_device_start"), o.at(i - 1, "to_host_end"));
    }
  }
  EXPECT_EQ(value(whole, "time"), o.at(7, "to_host_end"));
  EXPECT_NEAR(value(whole, "to_device_time"), kBytes / FakeRates::kLockedToDevice * 1e-6, 1e-6);
  EXPECT_NEAR(value(whole, "to_host_time"), kBytes / FakeRates::kLockedToHost * 1e-6, 1e-6);
  EXPECT_NEAR(value(whole, "kernel_time"),
              2 * value(whole, "steps") * static_cast<double>(kN) / FakeRates::kTeraFlop * 1e-9, 1e-6);
  // The kernel was given as many steps as take the time of a copy.
  EXPECT_NEAR(value(whole, "kernel_time") / value(whole, "to_device_time"), 1, 0.05);
  EXPECT_NEAR(value(whole, "speed_up"), 1, 1e-5);
}

TEST_F(HostMemory, SeveralStreamsHideWhatIsShorter) {
  const Overlap o{rows("spaces/overlap", {kN, {}, 0, 4})};
  ASSERT_EQ(o.rows[0].refused, "");
  const Row& whole = o.rows[0];
  EXPECT_EQ(value(whole, "verified"), 1);
  // One copy engine for each direction: pieces arrive one after another, whatever their streams.
  const double copy = kBytes / 8 / FakeRates::kLockedToDevice * 1e-6;
  for (size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(o.at(i, "to_device_end"), static_cast<double>(i + 1) * copy, 1e-6);
  EXPECT_LT(o.at(1, "to_device_end"), o.at(0, "to_host_end"));  // while the first piece is still under way
  EXPECT_NEAR(o.at(4, "to_device_start"), o.at(0, "to_host_end"),
              1e-6);  // the fifth is in the first's stream
  const double in = value(whole, "to_device_time"), kernel = value(whole, "kernel_time"),
               out = value(whole, "to_host_time"), serial = in + kernel + out;
  // A pipeline of three stages: the slowest stage for every piece, the others once.
  const double longest = std::max({in, kernel, out});
  EXPECT_NEAR(value(whole, "time"), longest + (serial - longest) / 8, 1e-5);
  EXPECT_NEAR(value(whole, "serial_time"), serial, 1e-5);
  EXPECT_NEAR(value(whole, "speed_up"), serial / value(whole, "time"), 1e-3);
  EXPECT_NEAR(value(whole, "of_bound"), longest / value(whole, "time"), 1e-3);
}

TEST_F(HostMemory, PeersWithAPath) {
  FakeScript two = script();
  two.devices = 2;
  set(two);
  const Row copy = rows("spaces/peer_copy", {kN})[0];
  ASSERT_EQ(copy.refused, "");
  EXPECT_EQ(copy[Axis::Device], "gpu0+gpu1");
  EXPECT_EQ(value(copy, "verified"), 1);
  EXPECT_NEAR(value(copy, "copy_there"), FakeRates::kPeer, 1);
  EXPECT_NEAR(value(copy, "copy_back"), FakeRates::kPeer, 1);
  EXPECT_NEAR(value(copy, "copy_both"), 2 * FakeRates::kPeer, 2);
  EXPECT_EQ(text(copy, "peer_atomics"), "yes");
  const Row access = rows("spaces/peer_access", {kN})[0];
  EXPECT_EQ(value(access, "verified"), 1);
  EXPECT_NEAR(value(access, "kernel_read"), FakeRates::kKernelPeer, 1);
  EXPECT_NEAR(value(access, "kernel_write"), FakeRates::kKernelPeer, 1);
  const Row staged = rows("spaces/peer_staged", {1 << 22})[0];  // four steps
  EXPECT_EQ(value(staged, "verified"), 1);
  EXPECT_EQ(text(staged, "peer_path"), "yes");
  EXPECT_EQ(staged.find("copy_by_driver"), nullptr);
  // To the host at 50 GB/s, on to the device at 40: four steps of the slower one and one of the other.
  const double bytes = 1 << 24, ms = bytes / 40e6 + bytes / 4 / 50e6;
  EXPECT_NEAR(value(staged, "copy_staged"), bytes / ms * 1e-6, 0.1);
}

TEST_F(HostMemory, EveryPairHasItsRow) {
  FakeScript three = script();
  three.devices = 3;
  set(three);
  auto gpu = open(1);
  const auto found = rows(*gpu, "spaces/peer_copy", {kN});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0][Axis::Device], "gpu1+gpu0");
  EXPECT_EQ(found[1][Axis::Device], "gpu1+gpu2");
  EXPECT_EQ(found[2][Axis::Device], "gpu0+gpu2");
  for (const Row& row : found) EXPECT_EQ(value(row, "verified"), 1);
}

TEST_F(HostMemory, PeersWithoutAPathAreSaidAndStaged) {
  FakeScript two = script();
  two.devices = 2, two.peers = false;
  set(two);
  for (const char* name : {"spaces/peer_copy", "spaces/peer_access"}) {
    const Row row = rows(name, {kN})[0];
    EXPECT_EQ(row.refused,
              "there is no peer path from gpu0 to gpu1: copies between them go through the host");
  }
  const Row staged = rows("spaces/peer_staged", {kN})[0];
  EXPECT_EQ(value(staged, "verified"), 1);
  EXPECT_EQ(text(staged, "peer_path"), "no");
  EXPECT_NEAR(value(staged, "copy_by_driver"), FakeRates::kPeerByDriver, 0.1);
}

TEST_F(HostMemory, OneGpuHasNoPeer) {
  for (const char* name : {"spaces/peer_copy", "spaces/peer_access", "spaces/peer_staged"}) {
    const auto found = rows(name, {kN});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].refused, "this host has one GPU, gpu0; two are needed");
  }
}

class Multi : public HostMemory {
 protected:
  static Config config(int64_t n) { return {n, {16, 5, 6}}; }
  static double compute_ms(double rows, double n) { return 2 * rows * n * n / FakeRates::kTeraFlop * 1e-9; }
  static double nccl_ms(double elements) { return 4 * elements / FakeRates::kNccl * 1e-6; }
};

TEST_F(Multi, TwoGpusShareTheRows) {
  FakeScript two = script();
  two.devices = 2;
  set(two);
  const double n = 300;  // 96 rows in a block: 4 rows of blocks, the last of 12 rows
  const auto found = rows("matmul/multi", config(300));
  ASSERT_EQ(found.size(), 2u);
  for (const Row& row : found) {
    ASSERT_EQ(row.refused, "");
    EXPECT_EQ(value(row, "verified"), 1);
    EXPECT_LT(value(row, "error_of_bound"), 1);
  }
  EXPECT_EQ(found[0][lab::K], "1");
  EXPECT_EQ(found[1][lab::K], "2");
  EXPECT_EQ(found[1][lab::Rx], "5");
  const Row &one = found[0], &both = found[1];
  EXPECT_NEAR(value(one, "time"), compute_ms(300, n), 1e-5);
  EXPECT_EQ(value(one, "communication_time"), 0);
  EXPECT_NEAR(value(one, "speed_up"), 1, 1e-12);
  EXPECT_EQ(one.find("library"), nullptr);
  // 192 rows stay, 108 go: A's rows, then all of B; C's rows come back when both have ended.
  EXPECT_EQ(value(both, "rows_per_gpu"), 192);
  EXPECT_NEAR(value(both, "moved_bytes"), 4 * (2 * 108 * n + n * n), 0.5);
  EXPECT_NEAR(value(both, "distribute_time"), nccl_ms(108 * n) + nccl_ms(n * n), 1e-5);
  EXPECT_NEAR(value(both, "compute_time"), compute_ms(192, n), 1e-5);
  EXPECT_NEAR(value(both, "gather_time"), nccl_ms(108 * n), 1e-5);
  const double total =
      value(both, "distribute_time") + value(both, "compute_time") + value(both, "gather_time");
  EXPECT_NEAR(value(both, "time"), total, 1e-5);
  EXPECT_NEAR(value(both, "communication_time"), total - value(both, "compute_time"), 1e-5);
  EXPECT_NEAR(value(both, "speed_up"), value(one, "time") / value(both, "time"), 1e-9);
  EXPECT_NEAR(value(both, "efficiency"), value(both, "speed_up") / 2, 1e-9);
  EXPECT_NEAR(value(both, "gflops"), 2 * n * n * n / total * 1e-6, 1);
  EXPECT_EQ(text(both, "library"), "NCCL 2.28.9");
  EXPECT_EQ(log().live_communicators, 0);
  EXPECT_EQ(log().live_allocations, 0);
}

TEST_F(Multi, AnyNumberOfGpus) {
  FakeScript four = script();
  four.devices = 4;
  set(four);
  const auto found = rows("matmul/multi", config(400));  // 5 rows of blocks
  ASSERT_EQ(found.size(), 4u);
  for (const Row& row : found) EXPECT_EQ(value(row, "verified"), 1) << row.refused << text(row, "wrong");
  EXPECT_EQ(value(found[3], "rows_per_gpu"), 112);  // the last GPU has the fifth row of blocks, too
}

TEST_F(Multi, WhatStopsItLeavesTheRowsBefore) {
  auto found = rows("matmul/multi", config(192));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(value(found[0], "verified"), 1);
  EXPECT_EQ(found[1].refused, "this host has one GPU, gpu0: there is nothing to share the work with");

  FakeScript two = script();
  two.devices = 2;
  set(two);
  found = rows("matmul/multi", config(192), {FAKE_CUDA, FAKE_CUDA, "libnot_there.so.7"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(value(found[0], "verified"), 1);
  EXPECT_TRUE(has(found[1].refused, "no NCCL: libnot_there.so.7")) << found[1].refused;
  found = rows("matmul/multi", config(96));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].refused, "n = 96 has 1 rows of blocks, too few for 2 GPUs");

  two.nccl_group = 1;
  set(two);
  found = rows("matmul/multi", config(192));
  EXPECT_EQ(value(found[0], "verified"), 1);
  EXPECT_TRUE(has(found[1].refused, "NCCL 2.28.9 cannot send: unhandled cuda error")) << found[1].refused;

  two = script();
  two.devices = 2, two.faulty = "matmul_tiles_16_5x6", two.fault = 700, two.fault_after = 8;
  set(two);
  found = rows("matmul/multi", config(192));
  EXPECT_EQ(value(found[0], "verified"), 1);
  EXPECT_TRUE(has(found[1].refused, "kernel 'matmul_tiles_16_5x6' faulted on gpu")) << found[1].refused;
}

TEST_F(HostMemory, WhatGoesWrongIsARowThatSaysIt) {
  FakeScript bad = script();
  bad.host_memory = 1000;
  set(bad);
  EXPECT_EQ(rows("spaces/page_locked", {kN})[0].refused,
            "out of page-locked host memory: 262144 bytes wanted");
  EXPECT_EQ(rows("spaces/pageable", {kN})[0].refused, "");
  bad = script();
  bad.memory = 100000;
  set(bad);
  EXPECT_TRUE(has(rows("spaces/mapped", {kN})[0].refused, "out of memory on gpu0 (Fake GPU)"));
  bad = script();
  bad.faulty = "calibrate_copy", bad.fault = 719;
  set(bad);
  EXPECT_TRUE(has(rows("spaces/mapped", {kN})[0].refused, "kernel 'calibrate_copy' faulted on gpu0"));
}

TEST_F(HostMemory, ALostGpuEndsTheRowsAfterIt) {
  FakeScript bad = script();
  bad.copy = 214, bad.copy_after = 60;
  set(bad);
  auto gpu = open();
  EXPECT_EQ(rows(*gpu, "spaces/page_locked", {kN})[0].refused, "");
  Row last;
  for (int i = 0; i < 10 && last.refused.empty(); ++i) last = rows(*gpu, "spaces/page_locked", {kN})[0];
  EXPECT_TRUE(has(last.refused, "gpu0 (Fake GPU) is lost: CUDA_ERROR_ECC_UNCORRECTABLE")) << last.refused;
  EXPECT_TRUE(has(rows(*gpu, "spaces/unified", {kN})[0].refused, "is lost"));
}

TEST_F(HostMemory, OtherDevicesSayThatAGpuIsNeeded) {
  const auto engine = device::make_engine_device({});
  const auto found = rows(*engine, "spaces/page_locked", {kN});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].refused.starts_with("needs a real GPU: ")) << found[0].refused;
  EXPECT_EQ(found[0][Axis::Device], "engine");
  EXPECT_TRUE(rows(*engine, "matmul/multi", {192, {16, 5, 6}})[0].refused.starts_with("needs a real GPU: "));
}

}  // namespace
}  // namespace ww::kernels
