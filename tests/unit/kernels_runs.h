// Runs of the laboratory's cases on the engine, counted for GPUs.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "device/engine_device.h"
#include "gpus/catalog.h"
#include "kernels/axes.h"
#include "kernels/run.h"

namespace ww::kernels {

/// A configuration of a case that takes a moment.
inline Config short_config(const Case& c) {
  Config config;
  const Axes& a = c.axes;
  if (!a.quick_n.empty() || !a.n.empty()) config.n = a.quick_n.empty() ? a.n.front() : a.quick_n.front();
  if (!a.shapes.empty()) config.shape = a.shapes.front();
  if (!a.r.empty()) config.r = a.r.back();
  if (!a.k.empty()) config.k = a.k.back();
  return config;
}

class CaseRuns : public testing::Test {
 protected:
  /// A row for each GPU.
  std::vector<Row> run(const std::string& kernel, const Config& config, std::vector<const char*> gpus,
                       bool sample = false) {
    std::vector<gpus::Gpu> found;
    for (const char* id : gpus) found.push_back(*gpus::find_gpu(id));
    RunOptions options;
    for (const auto& g : found) options.gpus.push_back(&g);
    options.sample = sample;
    return Runner(options).run_for_gpus(**find_case(kernel), config, device_.get());
  }
  static double number(const Row& row, const char* tag) {
    const Value* v = row.find(tag);
    EXPECT_TRUE(v) << row[Axis::Kernel] << " " << tag;
    return v ? v->number() : -1;
  }

  std::unique_ptr<device::Device> device_ = device::make_engine_device(engine::Settings{});
};

}  // namespace ww::kernels
