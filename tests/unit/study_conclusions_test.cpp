#include "study/conclusions.h"

#include <gtest/gtest.h>

#include <tuple>

#include "kernels/axes.h"
#include "study/contest.h"

namespace ww::study {
namespace {

using report::Conclusion;

Row row_of(const char* kernel, const char* gpu, int n, int tile) {
  Row row;
  row[Axis::Kernel] = kernel;
  row[Axis::Gpu] = gpu;
  row[Axis::Device] = "engine";
  row[lab::N] = std::to_string(n);
  row[Axis::Block] = "16";
  row[lab::Rx] = row[lab::Ry] = std::to_string(tile);
  return row;
}

void put(Row& row, const char* tag, double v, const char* unit, Provenance p) {
  row.values.push_back({tag, v, unit, p, ""});
}

/// Tiles 1, 2, 4, 8 at 100, 300, 400, 200 GFlop/s by the model; the document prints 100, 310, 200, 190.
Table tiles() {
  Table table;
  const double modelled[] = {100, 300, 400, 200}, published[] = {100, 310, 200, 190};
  const char* bound[] = {"time_shared", "time_shared", "time_fp32", "time_latency"};
  for (int i = 0; i < 4; ++i) {
    Row row = row_of("matmul/tiles", "gtx1080", 1600, 1 << i);
    put(row, "verified", 1, "", Provenance::Measured);
    put(row, "error_of_bound", 0.1 * (i == 2 ? 3 : 1), "", Provenance::Measured);
    put(row, "gflops", modelled[i], "GFlop/s", Provenance::Modelled);
    put(row, "gflops", published[i], "GFlop/s", Provenance::Published);
    put(row, "time", 10, "ms", Provenance::Modelled);
    put(row, bound[i], 8, "ms", Provenance::Modelled);
    put(row, "global_load_requests", 1000.0 / (i + 1), "request", Provenance::Counted);
    row.values.push_back({"binding", std::string(bound[i]), "", Provenance::Modelled, ""});
    table.rows.push_back(row);
  }
  return table;
}

const Conclusion* find(const std::vector<Conclusion>& all, const std::string& message, int which = 0) {
  for (const Conclusion& c : all)
    if (c.message == message && which-- == 0) return &c;
  return nullptr;
}

double number(const Conclusion& c, const std::string& name) {
  for (const auto& [key, argument] : c.arguments)
    if (key == name) {
      if (auto* value = std::get_if<Value>(&argument)) return value->number();
      if (auto* row = std::get_if<report::RowName>(&argument)) return static_cast<double>(row->index);
    }
  return -1;
}

TEST(Conclusions, BestNextAndLastWithTheirFigures) {
  const auto all = conclusions(tiles());
  const Conclusion* modelled = find(all, "best.of_many", 0);
  const Conclusion* published = find(all, "best.of_many", 1);
  ASSERT_TRUE(modelled && published);
  EXPECT_EQ(number(*modelled, "best"), 2);
  EXPECT_EQ(number(*modelled, "score"), 400);
  EXPECT_EQ(number(*modelled, "next"), 1);
  EXPECT_EQ(number(*modelled, "by"), 1.33);
  EXPECT_EQ(number(*modelled, "last"), 0);
  EXPECT_EQ(number(*modelled, "by_last"), 4);
  EXPECT_EQ(number(*published, "best"), 1);
  EXPECT_EQ(number(*published, "by"), 1.55);
}

TEST(Conclusions, WhoIsTheBestAtOtherSizes) {
  // Tile 1 is the best at 100 and 200, tile 2 from 300 on; the sentence about 500 is the main one.
  Table table;
  const double times[][3] = {{100, 1, 2}, {200, 2, 6}, {300, 9, 6}, {400, 16, 8}, {500, 25, 10}};
  for (const auto& [n, one, two] : times)
    for (int tile : {1, 2}) {
      Row row = row_of("matmul/tiles", "gtx1080", static_cast<int>(n), tile);
      put(row, "time", tile == 1 ? one : two, "ms", Provenance::Modelled);
      table.rows.push_back(row);
    }
  const auto all = conclusions(table);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].message, "best");
  EXPECT_EQ(number(all[0], "best"), 9);
  const auto sizes = [](const Conclusion& c) {
    for (const auto& [key, argument] : c.arguments)
      if (key == "n") return std::get<std::string>(argument);
    return std::string();
  };
  EXPECT_EQ(all[1].message, "sizes.several");
  EXPECT_TRUE(all[1].goes_on);
  EXPECT_EQ(sizes(all[1]), "100 – 200");
  EXPECT_EQ(number(all[1], "best"), 0);
  EXPECT_EQ(number(all[1], "score"), 1);
  EXPECT_EQ(number(all[1], "last_score"), 2);
  EXPECT_EQ(number(all[1], "by"), 2);
  EXPECT_EQ(number(all[1], "by_most"), 3);
  EXPECT_EQ(sizes(all[2]), "300 – 500");
  EXPECT_EQ(number(all[2], "by"), 1.5);
  EXPECT_EQ(number(all[2], "by_most"), 2.5);
  EXPECT_EQ(all[2].rows, (std::vector<size_t>{5, 7, 9}));

  table.rows.erase(table.rows.begin() + 2, table.rows.end());  // one size: nothing to add
  EXPECT_EQ(conclusions(table).size(), 1u);
}

TEST(Conclusions, EveryProblemHasItsBest) {
  Table table;
  for (auto [kernel, problem, time] : {std::tuple{"a/x", "first", 3.0},
                                       {"a/y", "first", 1.0},
                                       {"b/x", "second", 2.0},
                                       {"b/y", "second", 5.0},
                                       {"c/x", "third", 1.0}}) {
    Row row = row_of(kernel, "h200", 1024, 0);
    row.values.push_back({"problem", std::string(problem), "", Provenance::Input, ""});
    put(row, "time", time, "ms", Provenance::Modelled);
    table.rows.push_back(row);
  }
  const auto all = conclusions(table);
  ASSERT_TRUE(find(all, "best", 0) && find(all, "best", 1));
  EXPECT_EQ(find(all, "best", 2), nullptr);  // the third has nobody to compare with
  EXPECT_EQ(number(*find(all, "best", 0), "best") + number(*find(all, "best", 1), "best"), 1 + 2);
}

TEST(Conclusions, WhatBindsBeforeAtAndAfterTheBest) {
  const auto all = conclusions(tiles());
  const Conclusion *at = find(all, "binding.share"), *before = find(all, "binding.before"),
                   *after = find(all, "binding.after");
  ASSERT_TRUE(at && before && after);
  EXPECT_EQ(number(*at, "share"), 80);
  EXPECT_EQ(number(*before, "row"), 1);
  EXPECT_EQ(number(*after, "row"), 3);
  const auto part = [](const Conclusion& c) {
    for (const auto& [key, argument] : c.arguments)
      if (key == "part") return std::get<report::MetricName>(argument).tag;
    return std::string();
  };
  EXPECT_EQ(part(*before), "time_shared");
  EXPECT_EQ(part(*at), "time_fp32");
  EXPECT_EQ(part(*after), "time_latency");
}

TEST(Conclusions, WhereModelAndDocumentPartWays) {
  const auto all = conclusions(tiles());
  const Conclusion* apart = find(all, "agree.apart");
  ASSERT_TRUE(apart);
  EXPECT_EQ(number(*apart, "count"), 4);
  EXPECT_EQ(number(*apart, "apart"), 1);  // 400 against 200; 200 against 190 and 300 against 310 are near
  EXPECT_EQ(number(*apart, "row"), 2);
  EXPECT_EQ(number(*apart, "most"), 100);
  EXPECT_EQ(apart->rows, std::vector<size_t>{2});
}

TEST(Conclusions, WithoutTimesThoseWithTheFewest) {
  Table table;
  for (int tile : {1, 2}) {
    Row row = row_of("matmul/tiles", "gtx1080", 320, tile);
    put(row, "global_load_requests", 1000.0 / (tile * tile), "request", Provenance::Counted);
    put(row, "wall_time", tile, "s", Provenance::Measured);  // of the engine: says nothing
    table.rows.push_back(row);
  }
  const auto all = conclusions(table);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].message, "fewest");
  EXPECT_EQ(number(all[0], "best"), 1);
  EXPECT_EQ(number(all[0], "by"), 4);
}

TEST(Conclusions, TheEnginesTimeIsNoGpus) {
  Table table;
  for (int tile : {1, 2}) {
    Row row = row_of("matmul/tiles", "gtx1080", 320, tile);
    put(row, "time", tile, "ms", Provenance::Measured);
    table.rows.push_back(row);
  }
  EXPECT_TRUE(conclusions(table).empty());
  EXPECT_TRUE(conclusions({}).empty());
}

TEST(Conclusions, TheFastestGpuForOneProblem) {
  Table table;
  for (const char* gpu : {"gt240", "h200"})
    for (int tile : {1, 2}) {
      Row row = row_of("matmul/tiles", gpu, 320, tile);
      put(row, "gflops", (gpu[0] == 'h' ? 1000 : 10) * tile, "GFlop/s", Provenance::Modelled);
      table.rows.push_back(row);
    }
  const auto all = conclusions(table);
  const Conclusion* gpus = find(all, "gpus");
  ASSERT_TRUE(gpus);
  EXPECT_EQ(number(*gpus, "best"), 3);
  EXPECT_EQ(number(*gpus, "by"), 100);
}

TEST(Conclusions, OneConfigurationOnManyGpus) {
  // What a transaction is differs from generation to generation; a sector is one everywhere.
  Table table;
  for (const auto& [gpu, asked] :
       {std::pair("gtx980", 640.0), std::pair("c2070", 80.0), std::pair("h200", 64.0)}) {
    Row row = row_of("matmul/tiled", gpu, 256, 1);
    put(row, "global_load_transactions", asked, "transaction", Provenance::Counted);
    table.rows.push_back(row);
  }
  EXPECT_TRUE(conclusions(table).empty());
  for (Row& row : table.rows) row.values[0].tag = "global_load_sectors", row.values[0].unit = "sector";
  const auto all = conclusions(table);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].message, "gpus.fewest");
  EXPECT_EQ(number(all[0], "count"), 3);
  EXPECT_EQ(number(all[0], "best"), 2);
  EXPECT_EQ(number(all[0], "last"), 0);
  EXPECT_EQ(number(all[0], "by"), 10);
}

TEST(Conclusions, GpusWithOneRowEachAreComparedByTime) {
  Table table;
  for (const auto& [gpu, time] :
       {std::pair("gtx980", 6.0), std::pair("c2070", 9.0), std::pair("h200", 1.0)}) {
    Row row = row_of("matmul/tiled", gpu, 256, 1);
    put(row, "time", time, "ms", Provenance::Modelled);
    put(row, "global_load_transactions", 1 / time, "transaction", Provenance::Counted);
    table.rows.push_back(row);
  }
  const auto all = conclusions(table);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].message, "gpus");
  EXPECT_EQ(number(all[0], "best"), 2);
  EXPECT_EQ(number(all[0], "last"), 1);
  EXPECT_EQ(number(all[0], "by"), 9);
}

std::string text(const Conclusion& c, const std::string& name) {
  for (const auto& [key, argument] : c.arguments)
    if (key == name) {
      if (auto* words = std::get_if<std::string>(&argument)) return *words;
      if (auto* message = std::get_if<report::MessageName>(&argument)) return message->key;
    }
  return "";
}

/// A kernel for one problem, whose predicted time is this.
Row predicted(const char* kernel, const char* gpu, double time, const char* problem = "") {
  Row row = row_of(kernel, gpu, 1024, 0);
  row[lab::Rx] = row[lab::Ry] = "";
  if (*problem) row.values.push_back({"problem", std::string(problem), "", Provenance::Input, ""});
  put(row, "time", time, "ms", Provenance::Modelled);
  return row;
}

TEST(Conclusions, NothingRestsOnATimeThatIsNotModelledWhole) {
  Table table;
  table.rows = {predicted("simt/atomic_global", "rtx4070s", 1),
                predicted("simt/atomic_shared", "rtx4070s", 2), predicted("simt/other", "rtx4070s", 3)};
  table.rows[0].values.push_back(
      {"not_modelled", std::string("atomic_meetings, lock_attempts"), "", Provenance::Modelled, ""});
  const auto all = conclusions(table);
  const Conclusion* best = find(all, "best");
  ASSERT_TRUE(best);
  EXPECT_EQ(number(*best, "best"), 1);
  EXPECT_EQ(number(*best, "next"), 2);
  const Conclusion *first = find(all, "left_out", 0), *second = find(all, "left_out", 1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(text(*first, "what"), "unmodelled.atomic_meetings");
  EXPECT_EQ(text(*second, "what"), "unmodelled.lock_attempts");
  EXPECT_EQ(first->rows, std::vector<size_t>{0});
  // A measured time is one, whatever the model knows.
  table.rows[0].values.pop_back();
  put(table.rows[0], "time", 5, "ms", Provenance::Measured);
  table.rows[0][Axis::Device] = "gpu0";
  EXPECT_EQ(find(conclusions(table), "left_out"), nullptr);
}

TEST(Conclusions, SayWhatIsNotKnownOfAGpu) {
  Table table;
  table.rows = {predicted("a/x", "gtx980", 1), predicted("a/y", "gtx980", 2), predicted("a/x", "t4", 1),
                predicted("a/y", "t4", 2), predicted("a/x", "h200", 1)};
  for (size_t i : {0, 1, 2})
    table.rows[i].values.push_back({"missing_figures",
                                    std::string(i == 1 ? "dram_latency" : "launch_overhead"), "",
                                    Provenance::Modelled, ""});
  const auto all = conclusions(table);
  const Conclusion *both = find(all, "missing", 0), *one = find(all, "missing", 1);
  ASSERT_TRUE(both && one);
  EXPECT_EQ(find(all, "missing", 2), nullptr);
  const auto keys = [](const Conclusion& c) {
    return std::get<report::FigureNames>(c.arguments[1].second).keys;
  };
  EXPECT_EQ(text(*both, "gpu"), "gtx980");
  EXPECT_EQ(keys(*both), (std::vector<std::string>{"dram_latency", "launch_overhead"}));
  EXPECT_EQ(text(*one, "gpu"), "t4");
  EXPECT_EQ(keys(*one), std::vector<std::string>{"launch_overhead"});
}

void band(Row& row, double low, double high) {
  put(row, "time_low", low, "ms", Provenance::Modelled);
  put(row, "time_high", high, "ms", Provenance::Modelled);
}

TEST(Conclusions, WhatItsBandsHoldTogetherIsNotDistinguishable) {
  Table table;
  table.rows = {predicted("a/x", "h200", 1), predicted("a/y", "h200", 1.2), predicted("a/z", "h200", 3)};
  band(table.rows[0], 0.9, 1.3), band(table.rows[1], 1.08, 1.56), band(table.rows[2], 2.7, 3.9);
  const auto all = conclusions(table);
  const Conclusion* some = find(all, "best.level.some");
  ASSERT_TRUE(some);
  EXPECT_EQ(number(*some, "level"), 1);
  EXPECT_EQ(number(*some, "by_last"), 3);
  const Conclusion* its = find(all, "band");
  ASSERT_TRUE(its);
  EXPECT_EQ(number(*its, "low"), 0.9);
  EXPECT_EQ(number(*its, "high"), 1.3);
  // A rate goes the other way: 30 GFlop/s may be 23.1 to 33.3.
  for (size_t i = 0; i < 3; ++i)
    put(table.rows[i], "gflops", 30 / figure(table.rows[i], "time", Provenance::Modelled)->number(),
        "GFlop/s", Provenance::Modelled);
  EXPECT_TRUE(find(conclusions(table), "best.level.some"));
  table.rows.pop_back();
  EXPECT_TRUE(find(conclusions(table), "best.level"));
  for (Row& row : table.rows) std::erase_if(row.values, [](const Value& v) { return v.tag == "time_high"; });
  EXPECT_TRUE(find(conclusions(table), "best"));  // no bands: by the figures alone
}

TEST(Conclusions, WhatAFigureIsMissingInIsALowerBound) {
  // Without its launch, 1 on the t4 may be 0.9 to 4; the h200's 10 are 9 to 12: at least 9 / 4 times.
  Table table;
  table.rows = {predicted("a/x", "t4", 1), predicted("a/x", "h200", 10)};
  band(table.rows[0], 0.9, 4), band(table.rows[1], 9, 12);
  const auto by = [&] {
    return find(conclusions(table), "gpus") ? number(*find(conclusions(table), "gpus"), "by") : 0;
  };
  EXPECT_EQ(by(), 10);
  table.rows[0].values.push_back(
      {"missing_figures", std::string("launch_overhead"), "", Provenance::Modelled, ""});
  EXPECT_EQ(by(), 2.25);
  table.rows[0].values[2].value = 9.5;
  EXPECT_TRUE(find(conclusions(table), "gpus.level.all"));
}

TEST(Conclusions, AllThatIsLevelIsSaidOfSizesToo) {
  Table table;
  for (int n : {256, 512, 1024})
    for (int tile : {1, 2}) {
      Row row = row_of("matmul/tiles", "h200", n, tile);
      put(row, "time", n * (tile == 1 ? 1 : 1.1), "ms", Provenance::Modelled);
      band(row, 0.9 * n, 1.4 * n);
      table.rows.push_back(row);
    }
  const auto all = conclusions(table);
  EXPECT_EQ(all[0].message, "best.level");
  EXPECT_TRUE(find(all, "sizes.several.level"));
}

TEST(Conclusions, HardlyToTwiceAsFastIsUpToTwice) {
  Table table;
  const double times[][3] = {{100, 1, 1.001}, {200, 1, 2}, {300, 3, 2}};
  for (const auto& [n, one, two] : times)
    for (int tile : {1, 2}) {
      Row row = row_of("matmul/tiles", "gtx1080", static_cast<int>(n), tile);
      put(row, "time", tile == 1 ? one : two, "ms", Provenance::Modelled);
      table.rows.push_back(row);
    }
  const auto all = conclusions(table);
  const Conclusion* sizes = find(all, "sizes.several.up_to");
  ASSERT_TRUE(sizes);
  EXPECT_EQ(number(*sizes, "by_most"), 2);
}

TEST(Conclusions, EqualWorkIsNotLess) {
  // The best has four results for each thread, as 1x4 has; only 1x1 has less, and 4x4 more.
  Table table;
  const std::tuple<const char*, const char*, double, const char*> kRows[] = {{"2", "2", 1, "time_fp32"},
                                                                             {"1", "4", 2, "time_dram"},
                                                                             {"4", "1", 2, "time_l2"},
                                                                             {"1", "1", 4, "time_shared"},
                                                                             {"4", "4", 3, "time_latency"}};
  for (const auto& [rx, ry, time, bound] : kRows) {
    Row row = predicted("matmul/tiles", "h200", time);
    row[lab::Rx] = rx, row[lab::Ry] = ry;
    row.values.push_back({"binding", std::string(bound), "", Provenance::Modelled, ""});
    table.rows.push_back(row);
  }
  const auto all = conclusions(table);
  const Conclusion *before = find(all, "binding.before"), *after = find(all, "binding.after");
  ASSERT_TRUE(before && after);
  EXPECT_EQ(number(*before, "row"), 3);
  EXPECT_EQ(number(*after, "row"), 4);
  // Blocks are not work: where a kernel has only those, that is what is said.
  for (Row& row : table.rows) {
    row[Axis::Block] = row[lab::Rx] + row[lab::Ry];
    row[lab::Rx] = row[lab::Ry] = "";
  }
  EXPECT_TRUE(find(conclusions(table), "binding.before.block"));
  EXPECT_EQ(find(conclusions(table), "binding.before"), nullptr);
}

TEST(Conclusions, EveryGpuIsSpokenOf) {
  Table table;
  const char* kGpus[] = {"gtx980", "gtx1080", "t4", "a100", "h100", "h200"};
  for (const char* gpu : kGpus) {
    const bool swapped = std::string(gpu) == "t4";
    table.rows.push_back(predicted("a/x", gpu, swapped ? 2 : 1, "first"));
    table.rows.push_back(predicted("a/y", gpu, swapped ? 1 : 2, "first"));
    table.rows.push_back(predicted("a/w", gpu, 3, "first"));
    table.rows.push_back(predicted("b/x", gpu, 1, "second"));
    table.rows.push_back(predicted("b/y", gpu, 2, "second"));
  }
  const auto all = conclusions(table);
  const Conclusion *same = find(all, "winners.same", 0), *other = find(all, "winners.other", 0),
                   *second = find(all, "winners.same", 1);
  ASSERT_TRUE(same && other && second);
  EXPECT_EQ(text(*same, "gpu"), "gtx1080, a100, h100, h200");
  EXPECT_EQ(text(*other, "gpu"), "t4");
  EXPECT_EQ(number(*other, "best"), 11);  // a/y on the t4
  EXPECT_EQ(text(*second, "gpu"), "gtx1080, t4, a100, h100, h200");
}

TEST(Verification, CountsRightWrongRefusedAndUnverified) {
  Table table = tiles();
  put(table.rows.emplace_back(row_of("a", "", 8, 1)), "verified", 0, "", Provenance::Measured);
  table.rows.emplace_back(row_of("b", "", 8, 1)).refused = "no";
  table.rows.emplace_back(row_of("c", "", 8, 1));
  const auto all = verification(table);
  EXPECT_EQ(number(*find(all, "verified.wrong"), "count"), 1);
  EXPECT_EQ(number(*find(all, "verified.some"), "count"), 4);
  EXPECT_EQ(number(*find(all, "verified.refused"), "count"), 1);
  EXPECT_EQ(number(*find(all, "verified.not"), "count"), 1);
  EXPECT_EQ(number(*find(all, "verified.bound"), "part"), 30);
  EXPECT_EQ(number(*find(all, "verified.bound"), "row"), 2);
}

TEST(Verification, SaysThatNothingWasCompared) {
  Table table;
  table.rows = {row_of("a", "", 8, 1), row_of("b", "", 8, 1)};
  const auto all = verification(table);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(find(all, "verified.none"));
}

TEST(Contests, AreBetweenKernelsOfOneProblem) {
  Table table;
  for (auto [kernel, problem, time] : {std::tuple{"simt/vote", "votes", 3.0},
                                       {"simt/atomic_global", "atomics", 1.0},
                                       {"simt/vote_shared", "votes", 2.0}}) {
    Row row = row_of(kernel, "h200", 1024, 0);
    row.values.push_back({"problem", std::string(problem), "", Provenance::Input, ""});
    put(row, "time", time, "ms", Provenance::Modelled);
    put(row, "gflops", time, "GFlop/s", Provenance::Modelled);
    table.rows.push_back(row);
  }
  const auto all = conclusions(table);
  const Conclusion* best = find(all, "best");
  ASSERT_TRUE(best);
  EXPECT_EQ(number(*best, "best"), 2);  // by time
  const auto found = contests(table, "time", Provenance::Modelled, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rows, (std::vector<size_t>{2, 0}));
}

TEST(Contests, WhoComputesTwiceIsNotPraisedForItsRate) {
  Table table;
  // The second one does everything twice, at the same rate: it takes twice as long.
  for (auto [kernel, flop, time] : {std::tuple{"twice", 2e6, 2.0}, {"once", 1e6, 1.01}}) {
    Row row = row_of(kernel, "h200", 1024, 0);
    put(row, "flop", flop, "flop", Provenance::Counted);
    put(row, "time", time, "ms", Provenance::Modelled);
    put(row, "gflops", flop / time * 1e-6, "GFlop/s", Provenance::Modelled);
    table.rows.push_back(row);
  }
  const auto found = main_contests(table, Provenance::Modelled);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].tag, "time");
  EXPECT_EQ(found[0].rows, (std::vector<size_t>{1, 0}));
}

}  // namespace
}  // namespace ww::study
