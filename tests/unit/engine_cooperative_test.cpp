// Cooperative groups as nvcc compiles them (tests/data/cooperative.cu): grid barrier, large tiles, clusters.
#include <numeric>

#include "run_ptx.h"

namespace {

using namespace ww;
using engine::u32;
using test::PtxProgram;

TEST(Cooperative, TheGridMeetsAtItsBarrier) {
  PtxProgram p("cooperative.ptx");
  constexpr u32 kBlocks = 24;
  auto cells = p.upload(std::vector<int>(kBlocks, -1)), out = p.upload(std::vector<int>(kBlocks, -1));
  p.cooperative = true;
  p.run("grid_sync", {kBlocks}, {64}, cells, out);
  EXPECT_EQ(p.download<int>(out, kBlocks), std::vector<int>(kBlocks, kBlocks * (kBlocks - 1) / 2));
  EXPECT_EQ(p.download<int>(cells, 1), std::vector<int>{1}) << "is_valid()";
}

TEST(Cooperative, WithoutACooperativeLaunchThereIsNoGridBarrier) {
  PtxProgram p("cooperative.ptx");
  auto cells = p.upload(std::vector<int>(4)), out = p.upload(std::vector<int>(4));
  EXPECT_NE(p.fault("grid_sync", {64}, cells, out).first, "no fault");
}

TEST(Cooperative, TilesOfMoreThanAWarp) {
  PtxProgram p("cooperative.ptx");
  std::vector<int> in(256), want64(256), want128(256);
  std::iota(in.begin(), in.end(), 5);
  for (size_t t = 0; t < 256; ++t) {
    want64[t] = std::accumulate(in.begin() + static_cast<long>(t / 64 * 64),
                                in.begin() + static_cast<long>(t / 64 * 64 + 64), 0);
    want128[t] = std::accumulate(in.begin() + static_cast<long>(t / 128 * 128),
                                 in.begin() + static_cast<long>(t / 128 * 128 + 128), 0);
  }
  auto from = p.upload(in), out64 = p.upload(std::vector<int>(256)), out128 = p.upload(std::vector<int>(256));
  p.run("tiles", {}, {256}, from, out64, out128);
  EXPECT_EQ(p.download<int>(out64, 256), want64);
  EXPECT_EQ(p.download<int>(out128, 256), want128);
}

TEST(Cooperative, ClustersReadEachOther) {
  PtxProgram p("cooperative.ptx");
  std::vector<int> in(8 * 32), want(8 * 32);
  std::iota(in.begin(), in.end(), 7);
  for (size_t b = 0; b < 8; ++b)
    for (size_t t = 0; t < 32; ++t) want[b * 32 + t] = in[(b / 4 * 4 + (b + 1) % 4) * 32 + t] + 1000 * 4 * 32;
  auto from = p.upload(in), out = p.upload(std::vector<int>(8 * 32));
  p.run("cluster", {8}, {32}, from, out);
  EXPECT_EQ(p.download<int>(out, 8 * 32), want);
}

TEST(Cooperative, ClustersMustFitTheGrid) {
  PtxProgram p("cooperative.ptx");
  auto out = p.upload(std::vector<int>(1));
  EXPECT_THROW(p.run("cluster", {6}, {32}, out, out), std::runtime_error);
}

}  // namespace
