#include "cli/devices.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

namespace ww::cli {

TEST(DevicesPage, ListsGpusWithTheirLoad) {
  device::GpuSummary busy{.ordinal = 0,
                          .name = "NVIDIA H200",
                          .cc_major = 9,
                          .cc_minor = 0,
                          .multiprocessors = 132,
                          .memory = uint64_t{143771} << 20,
                          .driver = "580.1, CUDA 13.0"};
  busy.state.utilisation = 97;
  busy.state.free_memory = uint64_t{1} << 30;
  device::GpuSummary idle = busy;
  idle.ordinal = 1;
  idle.state.utilisation = 0;
  idle.state.free_memory = {};
  EXPECT_EQ(devices_page("Engine", std::vector{busy, idle}),
            "device  name          cc  SMs     memory     free  busy\n"
            "engine  Engine\n"
            "gpu0    NVIDIA H200  9.0  132  140.4 GiB  1.0 GiB  97 %\n"
            "gpu1 *  NVIDIA H200  9.0  132  140.4 GiB        ?   0 %\n"
            "* the least loaded GPU; driver 580.1, CUDA 13.0\n");
}

TEST(DevicesPage, SaysInOneLineWhyThereIsNoGpu) {
  EXPECT_EQ(devices_page("Engine", error("no NVIDIA driver: libcuda.so.1: not found", "a hint")),
            "engine  Engine\n"
            "No GPU can be used: no NVIDIA driver: libcuda.so.1: not found\n");
}

TEST(Devices, IsNoFailureWithoutAGpu) {
  CLI::App app;
  int exit_code = 7;
  add_devices(app, exit_code);
  testing::internal::CaptureStdout();
  app.parse("devices");
  EXPECT_NE(testing::internal::GetCapturedStdout().find("Warpwright engine"), std::string::npos);
  EXPECT_EQ(exit_code, 0);
}

}  // namespace ww::cli
