// The real GPU's device against a scripted driver (tests/fake_cuda): every error path, without a GPU.
#include <algorithm>
#include <array>

#include "device/gpu.h"

#include "fake_gpu.h"

namespace ww::device {
namespace {

constexpr const char* kPtx = R"(
.version 8.0
.target sm_90
.visible .entry add_one(.param .u64 data, .param .u32 n) { ret; }
.visible .entry fault() { ret; }
.visible .entry work() { ret; }
)";

class Gpu : public FakeGpu {
 protected:
  static Launch launch_of(Device& device, std::string kernel) {
    auto module = device.load("test.ptx", kPtx);
    EXPECT_TRUE(module);
    return {.module = *module, .kernel = std::move(kernel)};
  }
};

TEST_F(Gpu, SaysWhyThereIsNone) {
  EXPECT_SAYS(open_gpu(0, {"libnot_there.so.7", ""}), "no NVIDIA driver: libnot_there.so.7");
  EXPECT_SAYS(list_gpus({"libnot_there.so.7", ""}), "no NVIDIA driver");
  EXPECT_SAYS(open_gpu(0, {"libdl.so.2", ""}), "not a CUDA driver library");
  EXPECT_SAYS(open_gpu(0, {OLD_CUDA, ""}), "(CUDA 8.0) is too old: it lacks cuGetErrorName");
  EXPECT_SAYS(open_gpu(0, {OLD_CUDA, ""}), "hint: CUDA 11.4 (driver 470) or later is needed");
  set({.init = 100});
  EXPECT_SAYS(open_gpu(0, paths()), "finds no device");
  set({.init = 34});
  EXPECT_SAYS(open_gpu(0, paths()), "stub");
  set({.init = 803});
  EXPECT_SAYS(open_gpu(0, paths()), "reboot");
  set({.devices = 2});
  EXPECT_SAYS(open_gpu(2, paths()), "the GPUs are gpu0 to gpu1");
}

TEST_F(Gpu, ListsAllWithTheirLoad) {
  set({.devices = 3});
  auto gpus = list_gpus(paths());
  ASSERT_TRUE(gpus);
  ASSERT_EQ(gpus->size(), 3u);
  const GpuSummary& second = gpus.value()[1];
  EXPECT_EQ(second.uuid, "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f");
  EXPECT_EQ(second.driver, "580.1, CUDA 13.0");
  EXPECT_EQ(second.multiprocessors, 4u);
  EXPECT_EQ(second.state.utilisation, 25u);
  EXPECT_EQ(second.state.free_memory, uint64_t{1} << 20);
  EXPECT_FALSE(second.state.power);  // not supported there
  EXPECT_EQ(least_loaded(*gpus), 2);

  set({.devices = 3, .nvml = false});
  gpus = list_gpus(paths());
  ASSERT_TRUE(gpus);
  EXPECT_EQ(gpus.value()[1].driver, "CUDA 13.0");
  EXPECT_FALSE(gpus.value()[1].state.utilisation);
  EXPECT_EQ(least_loaded(*gpus), 0);
  EXPECT_EQ(least_loaded({}), -1);
}

TEST_F(Gpu, RunsAKernelAndGivesEverythingBack) {
  {
    auto device = open();
    EXPECT_EQ(device->info().id, "gpu0");
    EXPECT_EQ(device->info().cc_major, 9);
    EXPECT_EQ(device->info().shared_per_block_optin, 232448u);
    std::vector<uint32_t> data{1, 2, 3};
    auto address = device->allocate(12);
    ASSERT_TRUE(address);
    ASSERT_TRUE(device->write(*address, std::as_bytes(std::span(data))));
    Launch launch = launch_of(*device, "add_one");
    launch.arguments = {Argument::of(*address), Argument::of(uint32_t{3})};
    auto report = device->launch(launch);
    ASSERT_TRUE(report) << why(report);
    EXPECT_TRUE(report->faults.empty());
    ASSERT_TRUE(device->read(*address + 4, std::as_writable_bytes(std::span(data).first(2))));
    EXPECT_EQ(data, (std::vector<uint32_t>{3, 4, 3}));
    auto attributes = launch.module->attributes("add_one");
    ASSERT_EQ(attributes.size(), 5u);
    EXPECT_EQ(attributes[0].tag, "registers_per_thread");
    EXPECT_EQ(attributes[0].number(), 40);
    EXPECT_TRUE(device->allocate(16));  // left to the device's end
  }
  EXPECT_EQ(log().live_allocations, 0);
  EXPECT_EQ(log().live_modules, 0);
  EXPECT_EQ(log().contexts, 0);
}

TEST_F(Gpu, RefusesWrongMemoryBeforeTheDriverSeesIt) {
  auto device = open();
  auto address = device->allocate(16);
  ASSERT_TRUE(address);
  std::vector<std::byte> bytes(16);
  EXPECT_SAYS(device->write(*address + 8, bytes), "go 8 bytes beyond the allocation of 16 bytes");
  EXPECT_SAYS(device->read(0x10, bytes), "no device memory is allocated at 0x10");
  EXPECT_SAYS(device->free(*address + 1), "no allocation starts there");
  EXPECT_SAYS(device->allocate(0), "0 bytes");
  EXPECT_SAYS(
      device->allocate(uint64_t{1} << 40),
      "out of memory on gpu0 (Fake GPU): 1099511627776 bytes wanted, 1048560 of 1048576 bytes are free");
  EXPECT_TRUE(device->write(*address, bytes));
  EXPECT_TRUE(device->free(*address));
}

TEST_F(Gpu, ShowsTheCompilersLog) {
  set({.compile = 218, .compile_log = "ptxas application ptx input, line 7; error : syntax error\n"});
  auto device = open();
  auto module = device->load("bad.ptx", kPtx);
  EXPECT_SAYS(module,
              "bad.ptx: error: the driver cannot compile it for gpu0 (Fake GPU) (compute capability 9.0)");
  EXPECT_SAYS(module, "line 7; error : syntax error\n  hint: the module's target is sm_90");
  set({.version = 11080, .compile = 222});
  auto old = open();
  EXPECT_SAYS(old->load("new.ptx", kPtx), "the driver (CUDA 11.8) is too old for PTX 8.0");
  set({.compile = 221});
  EXPECT_SAYS(open()->load("new.ptx", kPtx), "libnvidia-ptxjitcompiler");
}

TEST_F(Gpu, RefusesWrongLaunches) {
  set({.max_threads = 512, .static_shared = 1000});
  auto device = open();
  EXPECT_SAYS(device->launch(launch_of(*device, "add_on")), "hint: did you mean 'add_one'?");
  Launch launch = launch_of(*device, "add_one");
  EXPECT_SAYS(device->launch(launch), "takes 2 arguments, 0 were given");
  launch.arguments = {Argument::of(uint32_t{}), Argument::of(uint32_t{3})};
  EXPECT_SAYS(device->launch(launch), "argument 0 of kernel 'add_one' is 8 bytes, 4 were given");
  launch = launch_of(*device, "work");
  launch.block = {513};
  EXPECT_SAYS(device->launch(launch),
              "uses 40 registers per thread: on Fake GPU its blocks have at most 512");
  launch.block = {32};
  launch.dynamic_shared = 232000;
  EXPECT_SAYS(device->launch(launch), "1000 + 232000 bytes of static and dynamic shared memory");
  launch.dynamic_shared = 0;
  launch.grid = {0};
  EXPECT_SAYS(device->launch(launch), "grid.x is 0");
  launch.grid = {9};
  launch.cooperative = true;
  EXPECT_SAYS(device->launch(launch), "at most 8 blocks (2 on each of 4 multiprocessors), 9 were asked for");
  auto other = open();
  EXPECT_SAYS(other->launch(launch), "was not loaded on gpu0");
  EXPECT_EQ(log().launches, 0);
}

TEST_F(Gpu, OptsInForMuchSharedMemoryAndLaunchesCooperatively) {
  set({.static_shared = 1000});
  auto device = open();
  Launch launch = launch_of(*device, "work");
  launch.dynamic_shared = 48000;
  ASSERT_TRUE(device->launch(launch));
  EXPECT_EQ(log().dynamic_shared_limit, 0u);  // 49000 bytes need no opting in
  launch.dynamic_shared = 100000;
  launch.cooperative = true;
  ASSERT_TRUE(device->launch(launch));
  EXPECT_EQ(log().dynamic_shared_limit, 100000u);
  EXPECT_EQ(log().cooperative_launches, 1);
}

TEST_F(Gpu, LaunchesClusters) {
  set({});
  auto device = open();
  Launch launch = launch_of(*device, "work");
  launch.cluster = {2, 1, 3};
  ASSERT_TRUE(device->launch(launch));
  EXPECT_EQ(log().launches, 1);
  EXPECT_TRUE(std::ranges::equal(log().cluster, std::array{2u, 1u, 3u}));
  launch.cooperative = true;
  EXPECT_SAYS(device->launch(launch), "do not go together with a barrier of the grid");
}

TEST_F(Gpu, LivesOnAfterAKernelFault) {
  set({.fault = 700});
  auto device = open();
  auto old = device->allocate(4);
  ASSERT_TRUE(old);
  Launch good = launch_of(*device, "work");
  Launch bad = good;
  bad.kernel = "fault";
  auto report = device->launch(bad);
  ASSERT_TRUE(report) << why(report);
  ASSERT_EQ(report->faults.size(), 1u);
  EXPECT_EQ(report->faults[0].kind, "illegal address");
  EXPECT_EQ(report->faults[0].where.file, "test.ptx");
  const std::string& message = report->faults[0].message;
  EXPECT_TRUE(has(message, "kernel 'fault' faulted on gpu0 (Fake GPU): CUDA_ERROR_ILLEGAL_ADDRESS"))
      << message;
  EXPECT_TRUE(has(message, "everything that was in device memory is lost")) << message;

  std::vector<std::byte> bytes(4);
  EXPECT_SAYS(device->read(*old, bytes), "was lost when kernel 'fault' faulted");
  EXPECT_TRUE(device->free(*old));  // cleaning up is no error
  EXPECT_SAYS(device->free(*old), "no allocation starts there");
  auto fresh = device->allocate(4);
  ASSERT_TRUE(fresh);
  EXPECT_TRUE(device->write(*fresh, bytes));
  auto again = device->launch(good);  // the module is compiled again by itself
  ASSERT_TRUE(again) << why(again);
  EXPECT_TRUE(again->faults.empty());
  EXPECT_EQ(log().resets, 1);
  good.module.reset(), bad.module.reset();
  EXPECT_EQ(log().live_modules, 0);
}

TEST_F(Gpu, MakesTexturesOfWhatIsAllocated) {
  set({.fault = 700});
  auto device = open();
  auto image = device->allocate(8 * 4 * 4);
  ASSERT_TRUE(image);
  auto one = device->create_texture({*image, 8, 4, true, false});
  auto two = device->create_texture({*image, 8, 4, false, true});
  ASSERT_TRUE(one && two);
  EXPECT_NE(*one, *two);
  EXPECT_SAYS(device->create_texture({*image, 8, 5, false, false}), "32 bytes beyond the allocation");
  EXPECT_TRUE(device->destroy_texture(*one));
  ASSERT_TRUE(device->launch(launch_of(*device, "fault")));
  EXPECT_TRUE(device->destroy_texture(*two));  // went with the context: the fake driver would complain
}

TEST_F(Gpu, SaysSoWhenAFaultCannotBeRecovered) {
  set({.fault = 700, .dead_after_fault = true});
  auto device = open();
  auto old = device->allocate(4);
  Launch launch = launch_of(*device, "fault");
  auto report = device->launch(launch);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->faults.size(), 1u);
  EXPECT_TRUE(has(report->faults[0].message, "this process cannot use the GPU any more"));
  EXPECT_SAYS(device->launch(launch), "cannot be used any more since kernel 'fault' faulted");
  EXPECT_SAYS(device->allocate(4), "cannot be used any more");
  EXPECT_TRUE(device->free(*old));
}

TEST_F(Gpu, ALostGpuStaysLost) {
  FakeScript script{.copy = 214};
  set(script);
  auto device = open();
  auto address = device->allocate(4);
  ASSERT_TRUE(address);
  std::vector<std::byte> bytes(4);
  EXPECT_SAYS(device->write(*address, bytes), "gpu0 (Fake GPU) is lost: CUDA_ERROR_ECC_UNCORRECTABLE");
  EXPECT_SAYS(device->allocate(4), "is lost: CUDA_ERROR_ECC_UNCORRECTABLE");
  EXPECT_TRUE(device->free(*address));
}

TEST_F(Gpu, TimesUntilTheSpreadIsSmall) {
  // Two warm-ups, then 4, 2, 2, 2, …: with (p75 - p25)/median of 4 2 2 = 0.5, of 4 2 2 2 = 0.25, of 4 2 2 2 2
  // = 0.
  const float times[] = {9, 9, 4, 2};
  set({.times_ms = times, .times = 4});
  auto device = open();
  Launch launch = launch_of(*device, "work");
  auto timing = device->time(launch, {.warm_ups = 2, .min_repeats = 3, .max_repeats = 50});
  ASSERT_TRUE(timing) << why(timing);
  EXPECT_EQ(timing->repeats, 5);
  EXPECT_EQ(log().launches, 7);
  // The cache is emptied before every run, outside of the measured time; before the 22 empty launches, too.
  EXPECT_EQ(log().fills, 7 + 22);
  EXPECT_NEAR(timing->median_ms, 2, 1e-4);
  EXPECT_NEAR(timing->max_ms, 4, 1e-4);
  Row row{.values = timing->values};
  EXPECT_EQ(row.find("timing_stop")->text(), "spread reached");
  EXPECT_NEAR(row.find("launch_overhead")->number(), 2, 0.1);  // us
  EXPECT_EQ(row.find("l2_flushed")->text(), "yes");
  EXPECT_EQ(row.find("sm_clock_before")->number(), 1980);
  EXPECT_EQ(row.find("memory_clock_after")->number(), 3201);
  EXPECT_EQ(row.find("temperature_after")->number(), 41);
  EXPECT_EQ(row.find("power_after"), nullptr);
  EXPECT_EQ(log().live_events, 0);

  timing = device->time(launch, {.flush_l2 = false});
  ASSERT_TRUE(timing);
  EXPECT_EQ(log().fills, 7 + 22);
  EXPECT_EQ(Row{.values = timing->values}.find("l2_flushed")->text(), "no");
}

TEST_F(Gpu, TimingStopsAtItsLimits) {
  const float times[] = {3000};
  set({.times_ms = times, .times = 1});
  auto device = open();
  auto timing = device->time(launch_of(*device, "work"),
                             {.warm_ups = 5, .min_repeats = 2, .enough_spread = 0, .max_seconds = 2});
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->repeats, 2);
  EXPECT_EQ(log().launches, 3);  // one warm-up of 3 s is warm enough
  EXPECT_EQ(Row{.values = timing->values}.find("timing_stop")->text(), "time limit");
}

TEST_F(Gpu, AFaultWhileTimingIsAnErrorAndTheNextTimingWorks) {
  set({.fault = 716, .fault_after = 3});
  auto device = open();
  Launch launch = launch_of(*device, "fault");
  auto timing = device->time(launch, {.warm_ups = 1, .enough_spread = -1});
  EXPECT_SAYS(timing, "kernel 'fault' faulted on gpu0");
  EXPECT_SAYS(timing, "everything that was in device memory is lost");
  launch.kernel = "work";
  EXPECT_TRUE(
      device->time(launch, {}));  // with a buffer for the cache and an empty kernel of the new context
}

TEST_F(Gpu, NoMemoryForEmptyingTheCacheIsSaid) {
  set({.memory = 8000});  // less than twice the L2 cache of 4096 bytes
  auto device = open();
  EXPECT_SAYS(device->time(launch_of(*device, "work"), {}), "time without flush_l2");
  EXPECT_TRUE(device->time(launch_of(*device, "work"), {.flush_l2 = false}));
}

}  // namespace
}  // namespace ww::device
