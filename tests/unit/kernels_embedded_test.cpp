#include "kernels/embedded.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace ww::kernels {
namespace {

TEST(Embedded, PtxOfEveryKernelNamesItsSource) {
  ASSERT_FALSE(embedded().empty());
  for (const Embedded& e : embedded()) {
    SCOPED_TRACE(e.name);
    EXPECT_TRUE(e.ptx.find(".version") != e.ptx.npos);
    EXPECT_TRUE(e.ptx.find(".target sm_75") != e.ptx.npos);
    const std::string ptx(e.ptx);
    // A .file line with the path relative to the root and without a time stamp, and .loc lines that use it.
    // Where the kernel's code lies in a header (tiles.h), the .cu still holds its entry.
    std::smatch file;
    ASSERT_TRUE(
        std::regex_search(ptx, file, std::regex(".file[ \t]+([0-9]+) \"" + std::string(e.path) + "\"\n")));
    EXPECT_TRUE(std::regex_search(ptx, std::regex("\\.loc[ \t]+" + file[1].str() + " [0-9]+")));
    EXPECT_FALSE(source_text(e.path).empty());
  }
}

TEST(Embedded, FindsByName) {
  EXPECT_EQ(embedded_ptx("matmul/tiled"), find_embedded("matmul/tiled")->ptx);
  EXPECT_EQ(find_embedded("matmul/nothing"), nullptr);
  EXPECT_EQ(embedded_ptx("matmul/nothing"), "");
}

TEST(Embedded, SourceLines) {
  EXPECT_EQ(source_line("src/kernels/matmul/tiles_large.cu", 2), "#include \"kernels/matmul/tiles.h\"");
  EXPECT_EQ(source_line("src/kernels/matmul/tiles_large.cu", 0), "");
  EXPECT_EQ(source_line("src/kernels/matmul/tiles_large.cu", 1000), "");
  EXPECT_EQ(source_line("no/such/file.cu", 1), "");
  EXPECT_NE(cuda_min_header().find("__syncwarp"), std::string_view::npos);
  EXPECT_NE(source_text("src/kernels/matmul/tiles.h"), "");
}

TEST(Embedded, CompilerIsNamedWithItsVersion) {
  EXPECT_TRUE(std::regex_match(std::string(cuda_compiler()), std::regex("(nvcc|clang) [0-9.]+")))
      << cuda_compiler();
}

}  // namespace
}  // namespace ww::kernels
