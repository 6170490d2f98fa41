// Studies from files.
#include <gtest/gtest.h>

#include "gpus/catalog.h"
#include "study/embedded.h"
#include "study/study.h"

namespace ww::study {
namespace {

using kernels::Shape;

Study read(const std::string& text) {
  auto study = read_study("folder/mine.json", text);
  EXPECT_TRUE(study) << kernels::one_line(study.error());
  return study ? *study : Study{};
}

TEST(ReadStudy, EveryBuiltInFileIsOne) {
  for (const Embedded& file : embedded_files()) {
    auto study = read_study(std::string(file.name), file.text);
    ASSERT_TRUE(study) << file.name << ": " << kernels::one_line(study.error());
    EXPECT_EQ(study->name + ".json", file.name);
    EXPECT_FALSE(study->text.empty()) << file.name;
    EXPECT_FALSE(study->plots.empty()) << file.name;
  }
}

TEST(ReadStudy, TakesNameAndQuickFromWhatIsThere) {
  const Study study = read(R"({"full": [{"kernel": "aat/plain", "block": 32, "n": 64}]})");
  EXPECT_EQ(study.name, "mine");
  ASSERT_EQ(study.quick.size(), 1u);
  EXPECT_EQ(study.quick[0].shapes, (std::vector<Shape>{{32}}));
}

TEST(ReadStudy, WhatIsLeftOutIsAllThatTheKernelHas) {
  const Study study = read(R"({"full": [{"kernel": "box_sum/direct", "n": 100},
                                        {"kernel": "matmul/tiles", "block": 32, "n": 64}]})");
  EXPECT_EQ(study.full[0].shapes, (std::vector<Shape>{{8}, {16}, {32}}));
  EXPECT_EQ(study.full[0].r, (std::vector<int>{4, 8, 16}));
  EXPECT_EQ(study.full[0].k, (std::vector<int>{1, 4, 16}));
  EXPECT_EQ(study.full[1].shapes.size(), 8u);  // kernels.md
}

TEST(ReadStudy, KeepsTheOrderOfTheFile) {
  const Study study =
      read(R"({"full": [{"kernel": "matmul/tiles", "block": [32, 16], "tile": ["2x2", "1x1"], "n": 64}]})");
  EXPECT_EQ(study.full[0].shapes, (std::vector<Shape>{{32, 2, 2}, {32, 1, 1}, {16, 2, 2}, {16, 1, 1}}));
}

TEST(ReadStudy, Plots) {
  const Study study = read(R"({"full": [{"kernel": "aat/plain", "n": 64}],
    "plots": [{"title": "T", "x": "rx*ry", "y": ["time", "gflops"], "series": "kernel",
               "filter": {"n": [64, "128"], "kernel": "aat/plain"}, "log_y": true}]})");
  ASSERT_EQ(study.plots.size(), 1u);
  const report::Plot& plot = study.plots[0];
  EXPECT_EQ(plot.x, "rx*ry");
  EXPECT_EQ(plot.y, (std::vector<std::string>{"time", "gflops"}));
  EXPECT_EQ(plot.series, (std::vector<std::string>{"kernel"}));
  ASSERT_EQ(plot.filter.size(), 2u);
  EXPECT_EQ(plot.filter[0].axis, "n");
  EXPECT_EQ(plot.filter[0].values, (std::vector<std::string>{"64", "128"}));
  EXPECT_FALSE(plot.log_x);
  EXPECT_TRUE(plot.log_y);
}

TEST(ReadStudy, ComplaintsHaveTheirPlace) {
  const auto where = [](const std::string& text) {
    auto study = read_study("f.json", text);
    if (study) return std::string("none");
    const Diagnostic& d = study.error()[0];
    return std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " " + d.message;
  };
  EXPECT_EQ(where("[]"), "1:1 a study file must be an object, not an array");
  EXPECT_EQ(where("{\n \"quick\": []}"), "1:1 'full' is missing");
  EXPECT_EQ(where("{\n \"full\": []}"), "2:10 'full' must be a list of what to run, not an empty one");
  EXPECT_EQ(where("{\n \"full\": [{\"kernel\": \"aat/plain\", \"n\": []}]}"), "2:40 'n' is an empty list");
  EXPECT_EQ(where("{\n \"full\": [{\"kernel\": \"aat/plain\"}]}"), "2:11 'n' is missing");
  EXPECT_EQ(where("{\n \"full\": [{\"n\": 4}]}"), "2:11 'kernel' is missing");
  EXPECT_EQ(where("{\"full\": [{\"kernel\": \"aat/plain\", \"n\": 1.5}]}"),
            "1:40 'n' holds whole numbers, not fractions");
  EXPECT_EQ(where("{\"full\": [{\"kernel\": \"aat/plain\", \"n\": 16}], \"sample\": 1}"),
            "1:56 'sample' must be true or false, not an integer");
}

}  // namespace
}  // namespace ww::study
