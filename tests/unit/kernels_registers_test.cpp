// The estimate of registers against what ptxas 13.0 says (tests/data/ptxas_registers.csv), and the published
// ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/csv.h"
#include "base/file.h"
#include "forecast/registers.h"
#include "gpus/catalog.h"
#include "kernels/embedded.h"
#include "kernels/published_registers.h"
#include "ptx/parser.h"
#include "ptxas/pressure.h"

namespace ww::kernels {
namespace {

TEST(Registers, EstimateIsNearPtxas) {
  if (!cuda_compiler().starts_with("nvcc")) GTEST_SKIP() << "the counts are those of nvcc's PTX";
  auto text = read_file(WW_TEST_DATA "ptxas_registers.csv");
  ASSERT_TRUE(text.ok());
  const auto csv = *parse_csv("ptxas_registers.csv", *text);
  const std::map<int, const char*> gpus = {{75, "t4"}, {89, "rtx4090"}, {90, "h100"}};
  std::map<std::string, ir::Module> modules;
  for (const Embedded& e : embedded())
    modules.emplace(e.name, *ptx::parse(std::string(e.name), std::string(e.ptx)));
  std::vector<double> errors;
  for (size_t i = 0; i < csv.rows.size(); ++i) {
    const int sm = std::atoi(csv.at(i, "sm").c_str());
    const auto gpu = *gpus::find_gpu(gpus.at(sm));
    for (const auto& [name, module] : modules) {
      const ir::Function* f = module.find_function(csv.at(i, "kernel"));
      if (!f) continue;
      const auto free = static_cast<int>(gpu.regs_per_sm / gpu.max_warps_per_sm / gpu.reg_alloc_unit *
                                         gpu.reg_alloc_unit / 32);
      const int ours = ptxas::estimate_registers(module, *f, sm, {255, free, 8});
      const double theirs = std::atof(csv.at(i, "registers").c_str());
      errors.push_back(std::abs(ours / theirs - 1));
    }
  }
  ASSERT_GT(errors.size(), 150u);
  double mean = 0;
  for (double e : errors) mean += e / static_cast<double>(errors.size());
  std::nth_element(errors.begin(), errors.begin() + static_cast<ptrdiff_t>(errors.size() / 2), errors.end());
  std::printf("%zu kernels: mean error %.1f %%, median %.1f %%\n", errors.size(), 100 * mean,
              100 * errors[errors.size() / 2]);
  EXPECT_LE(mean, 0.13);  // where the estimate stands
  EXPECT_LE(errors[errors.size() / 2], 0.065);
}

TEST(Registers, PublishedOnes) {
  const auto of = [](const char* kernel, const Shape& shape) -> int64_t {
    const auto known = published_registers(kernel, shape);
    return known.size() == 1 ? known[0].per_thread : -1;
  };
  EXPECT_EQ(of("matmul/one_block", {8, 0, 0}), 16);
  EXPECT_EQ(of("matmul/tiled", {22, 0, 0}), 13);
  EXPECT_EQ(of("matmul/per_thread_2x2", {16, 0, 0}), 34);
  EXPECT_EQ(of("matmul/tiles", {32, 5, 6}), 95);
  EXPECT_EQ(of("matmul/tiles", {16, 5, 6}), -1);
}

TEST(Registers, WhoIsBelievedFirst) {
  const std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\nret;\n}\n";
  const auto module = *ptx::parse("k.ptx", text);
  const ir::Function& f = module.functions.at(0);
  const auto gpu = *gpus::find_gpu("gtx1080");
  const device::KnownRegisters given{"", 40, Provenance::Input, "given"},
      published{"gtx1080", 30, Provenance::Published, "a book"},
      others{"gt240", 20, Provenance::Published, "another"};
  EXPECT_EQ(forecast::registers_of(text, module, f, gpu, {published, given}).per_thread, 40);
  EXPECT_EQ(forecast::registers_of(text, module, f, gpu, {others, published}).source, "a book");
  EXPECT_EQ(forecast::registers_of(text, module, f, gpu, {others}).from, Provenance::Modelled);
}

// Two blocks of 1,024 threads share the 65,536 registers of a GTX 1080's SM, which leaves 32 for a thread. No
// SM of a GT 240 holds 2,048 threads, so that ptxas ignores .minnctapersm: one block then has its 16,384
// registers.
TEST(Registers, AreAsFewAsTheBlocksOfLaunchBoundsAsk) {
  std::string loads, sum;
  for (int i = 0; i < 48; ++i) {
    loads += fmt::format("ld.global.f32 %f{}, [%rd1+{}];\n", i, 4 * i);
    sum += fmt::format("add.f32 %f48, %f48, %f{};\n", i);
  }
  const auto estimate = [&](const char* bounds, const char* gpu) {
    const std::string text = fmt::format(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a)\n{} {{\n"
        ".reg .f32 %f<50>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [a];\n{}mov.f32 %f48, 0f00000000;\n{}"
        "st.global.f32 [%rd1], %f48;\nret;\n}}\n",
        bounds, loads, sum);
    const auto module = ptx::parse("k.ptx", text);
    EXPECT_TRUE(module.ok());
    const auto r = forecast::registers_of(text, *module, module->functions.at(0), *gpus::find_gpu(gpu), {});
    EXPECT_EQ(r.from, Provenance::Modelled);
    return r.per_thread;
  };
  EXPECT_GT(estimate(".maxntid 1024, 1, 1", "gtx1080"), 40);
  EXPECT_EQ(estimate(".maxntid 1024, 1, 1 .minnctapersm 2", "gtx1080"), 32);
  EXPECT_EQ(estimate(".maxntid 1024, 1, 1 .minnctapersm 2", "gt240"), 16);
}

}  // namespace
}  // namespace ww::kernels
