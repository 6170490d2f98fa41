// The merges of shared accesses against ptxas itself, where a CUDA toolkit is installed: what the pass says
// for the small kernels of tests/data/shared_accesses.ptx and for the laboratory, and what stands in the
// machine code.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/process.h"
#include "kernels/embedded.h"
#include "ptx/parser.h"
#include "ptxas/assembler.h"
#include "sass_widths.h"

namespace ww::passes {

// The kernels with the widths in ptxas' code; empty with a message when it fails.
std::map<std::string, Widths> compiled(const std::string& ptx, int sm) {
  std::string folder = (std::filesystem::temp_directory_path() / "ww-sass-XXXXXX").string();
  if (!mkdtemp(folder.data())) return {};
  std::ofstream(folder + "/k.ptx") << ptx;
  auto said = run_process({ptxas::find_ptxas()->path, "-arch=sm_" + std::to_string(sm), "-o",
                           folder + "/k.cubin", folder + "/k.ptx"},
                          300);
  auto cubin = read_file(folder + "/k.cubin");
  std::filesystem::remove_all(folder);
  if (!said.ok() || said->exit_code != 0 || !cubin.ok()) {
    ADD_FAILURE() << (said.ok() ? said->errors : said.error()[0].message);
    return {};
  }
  return sass_widths(*cubin);
}

class PtxasMerge : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (auto found = ptxas::find_ptxas(); !found.ok()) GTEST_SKIP() << found.error()[0].message;
  }
};

TEST_P(PtxasMerge, SmallKernels) {
  auto text = read_file(WW_TEST_DATA "/shared_accesses.ptx");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(compiled(*text, GetParam()), expected_widths(*text, GetParam()));
}

// ptxas may copy the body of an outer loop: then its code has every access the same number of times.
void expect_multiple(const Widths& predicted, const Widths& found, const std::string& name) {
  int copies = 1;
  if (!predicted.empty()) {
    auto it = found.find(predicted.begin()->first);
    if (it != found.end()) copies = std::max(1, it->second / predicted.begin()->second);
  }
  Widths scaled = predicted;
  for (auto& [width, count] : scaled) count *= copies;
  EXPECT_EQ(scaled, found) << name << ", " << copies << " copies";
}

TEST_P(PtxasMerge, Laboratory) {
  for (const auto& kernel : kernels::embedded()) {
    std::string name(kernel.name);
    // Block-wide sums: ptxas unrolls their loop over warps; nothing there has neighbours.
    bool only_narrow = name.compare(0, 4, "sum/") == 0;
    auto module = ptx::parse(name, kernel.ptx);
    ASSERT_TRUE(module.ok()) << name;
    for (auto& [entry, widths] : compiled(std::string(kernel.ptx), GetParam())) {
      const ir::Function* function = module->find_function(entry);
      ASSERT_NE(function, nullptr) << entry;
      Widths predicted = predicted_widths(*module, *function, GetParam());
      if (!only_narrow) {
        expect_multiple(predicted, widths, entry);
        continue;
      }
      for (const char* wide : {"LDS.64", "LDS.128", "STS.64", "STS.128"})
        EXPECT_EQ(predicted.count(wide), widths.count(wide)) << entry << " " << wide;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, PtxasMerge, testing::Values(75, 86, 89, 90));

}  // namespace ww::passes
