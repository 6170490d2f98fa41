// How far the modelled times are from published and measured ones, GPU by GPU. The floors are where the model
// stands: they may only be raised by making it better. (That of the GTX 1080 fell from 12 to 17.5 % when the
// fixtures were put right: a tile step has one round of loads, not one for each load, which had made up for
// what the model lacks. The GT 240's correlation fell from 0.90 to 0.89 when the first loads of a block
// became time of the block: two kernels that the document has 0.6 % apart changed places. The H200's error
// rose from 11.5 to 11.9 % when an empty launch was measured behind other work, as all launches are: 2.8
// instead of 4.2 us.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "gpus/catalog.h"
#include "model/time.h"
#include "model_activity_data.h"

namespace ww::model {
namespace {

struct Pair {
  double modelled, real;
  std::string label;
  double error() const { return modelled / real - 1; }
};

/// Rank correlation (tau-b: equal values count for neither side).
/// Pairs whose real times are closer than `clear` of the larger are left out.
double kendall(const std::vector<Pair>& pairs, double clear = 0) {
  double agree = 0, modelled = 0, real = 0;
  for (size_t i = 0; i < pairs.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const double a = pairs[i].modelled - pairs[j].modelled, b = pairs[i].real - pairs[j].real;
      if (std::abs(b) < clear * std::max(pairs[i].real, pairs[j].real)) continue;
      agree += (a * b > 0) - (a * b < 0);
      modelled += a != 0, real += b != 0;
    }
  return modelled * real > 0 ? agree / std::sqrt(modelled * real) : 1;
}

struct Accuracy {
  double error = 0;           ///< mean of |error|
  double tau = 0, clear = 0;  ///< means over the tables; clear: of pairs at least 10 % apart
};

/// A table: what a document compares, the kernels of one problem size.
Accuracy accuracy(const std::string& id) {
  auto gpu = gpus::find_gpu(id);
  if (!gpu) {
    ADD_FAILURE() << render(gpu.error());
    return {};
  }
  std::map<std::string, std::vector<Pair>> tables;
  std::vector<Pair> all;
  for (const auto& row : known_activities(id)) {
    auto time = predict_time(*gpu, row.activity);
    if (!time) {
      ADD_FAILURE() << row.label << render(time.error());
      continue;
    }
    all.push_back({time->total, row.time, row.label});
    tables[row.table + " " + std::to_string(row.n)].push_back(all.back());
    if (std::getenv("WW_SHOW")) {
      std::printf("%-9s %-44s %10.4f %10.4f %+5.0f%%  %s", id.c_str(), row.label.c_str(), row.time,
                  time->total, 100 * all.back().error(), std::string(time->binding).c_str());
      for (const auto& p : time->throughput)
        std::printf(" %s %.4f", std::string(p.tag.substr(5)).c_str(), p.ms);
      std::printf(" | tail %.4f lat %.4f bar %.4f occ %.1f\n", time->tail, time->latency, time->barriers,
                  time->achieved_occupancy);
    }
  }
  Accuracy out;
  for (const auto& pair : all) out.error += std::abs(pair.error()) / static_cast<double>(all.size());
  int counted = 0;
  for (const auto& [name, pairs] : tables) {
    if (pairs.size() < 4) continue;
    out.tau += kendall(pairs), out.clear += kendall(pairs, 0.1), ++counted;
    if (std::getenv("WW_SHOW"))
      std::printf("%s table %s tau %.3f (%zu)\n", id.c_str(), name.c_str(), kendall(pairs), pairs.size());
  }
  if (counted) out.tau /= counted, out.clear /= counted;
  std::printf(
      "%s: %zu times, mean error %.1f %%, Kendall tau %.3f, of pairs at least 10 %% apart %.3f, in %d "
      "tables\n",
      id.c_str(), all.size(), 100 * out.error, out.tau, out.clear, counted);
  return out;
}

struct Floor {
  const char* gpu;
  double error, tau, clear;
};
class AccuracyOf : public testing::TestWithParam<Floor> {};

TEST_P(AccuracyOf, IsNoWorseThanItWas) {
  const Floor& floor = GetParam();
  auto a = accuracy(floor.gpu);
  EXPECT_LE(a.error, floor.error);
  EXPECT_GE(a.tau, floor.tau);
  EXPECT_GE(a.clear, floor.clear);
}
INSTANTIATE_TEST_SUITE_P(All, AccuracyOf,
                         testing::Values(Floor{"h200", 0.12, 0.99, 0.99}, Floor{"gtx1080", 0.171, 0.97, 0.99},
                                         Floor{"gt240", 0.196, 0.89, 0.94},
                                         Floor{"rtx4070s", 0.18, 0.31, 0.31}, Floor{"c2070", 0.39, 0, 0}));

}  // namespace
}  // namespace ww::model
