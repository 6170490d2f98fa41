// What tests need to work on the fake driver's GPUs.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "device/gpu.h"
#include "fake_cuda.h"

namespace ww::device {

class FakeGpu : public testing::Test {
 protected:
  static void* symbol(const char* name) {
    static void* library = dlopen(FAKE_CUDA, RTLD_NOW);
    return dlsym(library, name);
  }
  void SetUp() override { set({}); }
  static void set(const FakeScript& script) {
    reinterpret_cast<FakeSetScript>(symbol("fake_cuda_script"))(&script);
  }
  static const FakeLog& log() { return *reinterpret_cast<FakeGetLog>(symbol("fake_cuda_log"))(); }

  static DriverOptions paths() { return {FAKE_CUDA, FAKE_CUDA, FAKE_CUDA}; }
  static std::unique_ptr<Device> open(int ordinal = 0, const DriverOptions& with = paths()) {
    auto device = open_gpu(ordinal, with);
    EXPECT_TRUE(device) << (device ? "" : render(device.error()));
    return std::move(*device);
  }
  template <class T>
  static std::string why(const Result<T>& result) {
    return result ? "it succeeded" : render(result.error());
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }
};

#define EXPECT_SAYS(result, part)                                   \
  do {                                                              \
    std::string text = why(result);                                 \
    EXPECT_TRUE(has(text, part)) << part << " is not in\n" << text; \
  } while (false)

}  // namespace ww::device
