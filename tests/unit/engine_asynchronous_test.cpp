// libcu++'s barriers and pipelines as nvcc compiles them (tests/data/asynchronous.cu).
#include <numeric>

#include "run_ptx.h"

namespace {

using namespace ww;
using test::PtxProgram;

std::vector<int> numbers(size_t count) {
  std::vector<int> v(count);
  std::iota(v.begin(), v.end(), 100);
  return v;
}

TEST(Asynchronous, BulkCopiesBothWays) {
  PtxProgram p("asynchronous.ptx");
  auto want = numbers(256);
  auto in = p.upload(want), out = p.upload(std::vector<int>(256));
  p.run("bulk", {}, {256}, in, out);
  for (int& v : want) ++v;
  EXPECT_EQ(p.download<int>(out, 256), want);
}

TEST(Asynchronous, APipelineOfTwoStages) {
  PtxProgram p("asynchronous.ptx");
  auto some = numbers(512);
  auto in = p.upload(some), out = p.upload(std::vector<int>(128));
  p.run("pipeline", {}, {128}, in, out);
  std::vector<int> want(128);
  for (size_t k = 0; k < 512; ++k) want[k % 128] += some[k];
  EXPECT_EQ(p.download<int>(out, 128), want);
}

TEST(Asynchronous, ABarrierUsedManyTimes) {
  PtxProgram p("asynchronous.ptx");
  std::vector<int> want(96);
  std::iota(want.begin(), want.end(), 1);
  auto cells = p.upload(want);
  p.run("phases", {}, {96}, cells);
  for (int k = 0; k < 10; ++k) {
    auto before = want;
    for (size_t t = 0; t < 96; ++t) want[t] += before[(t + 1) % 96];
  }
  EXPECT_EQ(p.download<int>(cells, 96), want);
}

}  // namespace
