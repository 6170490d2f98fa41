#include <gtest/gtest.h>

#include <set>

#include "study/study.h"

namespace ww::study {
namespace {

using kernels::Shape;

const Study& named(const char* name) { return **find_study(name); }

std::set<std::string> kernels_of(const std::vector<Item>& items) {
  std::set<std::string> names;
  for (const Item& item : items) names.insert(item.kernel->name);
  return names;
}

std::vector<Item> selected(const char* study, const Selection& selection) {
  auto items = select(named(study), selection);
  EXPECT_TRUE(items) << kernels::one_line(items.error());
  return items ? *items : std::vector<Item>{};
}

std::string refusal(const char* study, const Selection& selection) {
  auto items = select(named(study), selection);
  return items ? "" : kernels::one_line(items.error());
}

TEST(Select, EveryOwnConfigurationIsAdmitted) {
  for (const Study& study : all_studies()) {
    for (bool quick : {false, true}) {
      const auto items = selected(study.name.c_str(), {.quick = quick});
      EXPECT_FALSE(items.empty());
      for (const Item& item : items) {
        auto plan = kernels::make_plan(*item.kernel, item.config);
        EXPECT_TRUE(plan) << study.name << " " << item.kernel->name << ": "
                          << kernels::one_line(plan.error());
      }
    }
  }
}

TEST(Select, QuickLadderIsTheSixKernelsAndTheSequentialOne) {
  EXPECT_EQ(
      kernels_of(selected("matmul-ladder", {.quick = true})),
      (std::set<std::string>{"matmul/sequential", "matmul/one_block", "matmul/grid", "matmul/tiled",
                             "matmul/prefetch_register", "matmul/prefetch_shared", "matmul/per_thread_2x2"}));
}

TEST(Select, TilesAreThePublishedOnes) {
  // kernels.md: 13 tiles at block 16, 8 at block 32; two sizes and one, and the sequential row.
  EXPECT_EQ(selected("matmul-tiles", {}).size(), 13u * 2 + 8 + 1);
}

TEST(Select, FiltersNarrow) {
  auto items = selected("matmul-ladder", {.kernels = {"tiled", "matmul/grid"}, .blocks = {22}});
  EXPECT_EQ(kernels_of(items), (std::set<std::string>{"matmul/grid", "matmul/tiled"}));
  EXPECT_EQ(items.size(), 4u);                      // n = 176, 528
  EXPECT_EQ(items[0].kernel->name, "matmul/grid");  // in the order of the study

  items = selected("matmul-tiles", {.kernels = {"tiles"}, .tiles = {{0, 2, 3}}, .n = {640}});
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].config.shape, (Shape{16, 2, 3}));
  EXPECT_EQ(items[1].config.shape, (Shape{32, 2, 3}));
  EXPECT_EQ(items[1].config.n, 640);

  items = selected("box-sum",
                   {.kernels = {"direct"}, .blocks = {8}, .n = {300}, .r = {5}, .k = {2, 3}, .seed = 7});
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].config, (kernels::Config{300, {8}, 5, 2, 7, {}}));
}

TEST(Select, ShapesBeyondTheStudysOwn) {
  // block 32 exists in grid, but not among the study's values.
  auto items = selected("matmul-ladder", {.kernels = {"grid"}, .blocks = {32}, .n = {64}});
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].config.shape, (Shape{32}));
  items =
      selected("matmul-tiles", {.quick = true, .kernels = {"tiles"}, .blocks = {16}, .tiles = {{0, 24, 24}}});
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].config.shape, (Shape{16, 24, 24}));
}

TEST(Select, FiltersOfOtherAxesLeaveAKernelAlone) {
  const auto items = selected("matmul-ladder", {.quick = true, .blocks = {8}});
  EXPECT_TRUE(kernels_of(items).count("matmul/sequential"));
}

TEST(Select, WhatMatchesNothingIsAnError) {
  EXPECT_EQ(refusal("matmul-ladder", {.kernels = {"tilde"}}),
            "this study has no kernel \"tilde\" (did you mean \"tiled\"?)");
  EXPECT_EQ(refusal("aat", {.kernels = {"matmul/tiled"}}),
            "this study has no kernel \"matmul/tiled\" (it has aat/sequential, aat/plain, aat/padded)");
  EXPECT_EQ(refusal("aat", {.blocks = {16, 17}}),
            "no kernel selected here exists with block 17 (there are blocks 16, 32)");
  EXPECT_EQ(refusal("aat", {.tiles = {{0, 2, 3}}}),
            "no kernel selected here exists with tile 2x3 (none of them has tiles)");
  EXPECT_EQ(refusal("matmul-tiles", {.blocks = {32}, .tiles = {{0, 8, 8}}}),
            "matmul/tiles does not exist with 8x8 results per thread and block 32 "
            "(with block 32 there are 1x1, 2x1, 2x2, 2x3, 2x4, 4x4, 5x6, 6x6)");
  EXPECT_EQ(refusal("aat", {.r = {3}}), "no kernel selected here has an axis r");
  EXPECT_EQ(refusal("sum", {.k = {3}}), "no kernel selected here has an axis k");
}

TEST(Select, ASizeThatNoKernelAdmitsIsAnErrorThatSomeAdmitIsNot) {
  EXPECT_EQ(refusal("matmul-ladder", {.kernels = {"tiled"}, .blocks = {16}, .n = {100}}),
            "n = 100 is not a multiple of 16, the block side (the nearest are 96 and 112)");
  EXPECT_EQ(refusal("matmul-ladder", {.kernels = {"tiled"}, .n = {24}}), "");
  EXPECT_NE(refusal("matmul-ladder", {.n = {-1}}), "");
}

TEST(Select, UnknownStudy) {
  EXPECT_EQ(find_study("matmul-lader").error()[0].hint, "did you mean \"matmul-ladder\"?");
}

}  // namespace
}  // namespace ww::study
