// Predictions of products that are continued from smaller sizes, beside those of whole runs.
#include <gtest/gtest.h>

#include "../long.h"
#include "device/engine_device.h"
#include "gpus/catalog.h"
#include "kernels/axes.h"
#include "study/contest.h"
#include "study/tune.h"
#include "study/tune_search.h"

namespace {

using namespace ww;
using namespace ww::study;

struct Products {
  Products(int64_t n, std::vector<std::string> kernels, std::vector<int> blocks = {})
      : study(*everything_of("matmul", n, 0)) {
    Selection selection;
    selection.kernels = std::move(kernels), selection.blocks = std::move(blocks);
    items = *select(study, selection);
    for (const gpus::Gpu& known : gpus::known_gpus())
      if (known.id == "h200") gpu = &known;
  }
  Found find(size_t engines) {
    std::vector<std::unique_ptr<device::Device>> devices;
    Search search;
    search.study = &study, search.gpu = gpu;
    for (size_t i = 0; i < engines; ++i) {
      engine::Settings settings;
      settings.threads = 1;
      devices.push_back(device::make_engine_device(settings));
      search.engines.push_back(devices.back().get());
    }
    return search_best(items, search);
  }
  Study study;
  std::vector<Item> items;
  const gpus::Gpu* gpu = nullptr;
};

double time_of(const Row& row) {
  const Value* time = figure(row, "time", Provenance::Modelled);
  return time ? time->number() : 0;
}

// 704 is no multiple of the smaller sizes, and half a tile of warp_tiles remains.
TEST(TuneSearch, ContinuedTimesAreThoseOfAWholeRun) {
  std::vector<std::string> kernels{"matmul/warp_tiles", "matmul/per_thread_2x2"};
  if (all_are_tried()) kernels.push_back("matmul/tensor_thirds");
  Products products(704, kernels);
  const Found found = products.find(1);
  EXPECT_TRUE(found.continued);
  ASSERT_EQ(found.items.size(), products.items.size());
  RunContext context;
  const auto engine = device::make_engine_device({});
  context.devices = {engine.get()};
  context.options.gpus = {products.gpu};
  context.options.sample = true;
  const Table whole = run(products.study, found.items, context);
  for (size_t i = 0; i < found.items.size(); ++i) {
    const Row& row = found.predictions.rows[i];
    ASSERT_EQ(row[Axis::Kernel], whole.rows[i][Axis::Kernel]);
    ASSERT_GT(time_of(whole.rows[i]), 0);
    EXPECT_NEAR(time_of(row) / time_of(whole.rows[i]), 1, 0.03) << row[Axis::Kernel] << " " << row[lab::K];
  }
}

TEST(TuneSearch, WhatIsFoundDoesNotDependOnTheThreads) {
  Products products(544, {"matmul/tiles"}, {16});
  const Found one = products.find(1), two = products.find(2);
  ASSERT_EQ(one.items, two.items);
  double best = 0;
  for (const Row& row : one.predictions.rows)
    if (const double ms = time_of(row); ms > 0 && (best == 0 || ms < best)) best = ms;
  size_t hopeless = 0;
  for (size_t i = 0; i < one.items.size(); ++i) {
    const Row &a = one.predictions.rows[i], &b = two.predictions.rows[i];
    EXPECT_EQ(time_of(a), time_of(b));
    EXPECT_EQ(a.refused, b.refused);
    ASSERT_EQ(is_hopeless(a), is_hopeless(b));
    if (!is_hopeless(a)) continue;
    ++hopeless;
    EXPECT_EQ(time_of(a), 0);
    EXPECT_GT(a.find("first_look")->number(), kHopeless * best);
  }
  EXPECT_GT(hopeless, 0u);
}

TEST(TuneSearch, SmallProductsAreRunWhole) {
  Products products(64, {"matmul/tiled"});
  const Found found = products.find(2);
  EXPECT_FALSE(found.continued);
  EXPECT_EQ(found.runs, products.items.size());
}

}  // namespace
