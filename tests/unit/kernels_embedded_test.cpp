#include "kernels/embedded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ww::kernels {
namespace {

TEST(Embedded, PtxOfEveryKernelNamesItsSource) {
  ASSERT_FALSE(embedded().empty());
  for (const Embedded& e : embedded()) {
    SCOPED_TRACE(e.name);
    EXPECT_TRUE(e.ptx.find(".version") != e.ptx.npos);
    const auto says = [&](const char* line) {
      return source_text(e.path).find(line) != std::string_view::npos;
    };
    const char* target = says("\n// For GPUs from cc 8.0.\n")    ? ".target sm_80"
                         : says("\n// For GPUs from cc 9.0.\n")  ? ".target sm_90"
                         : says("\n// For GPUs from cc 9.0a.\n") ? ".target sm_90a"
                                                                 : ".target sm_75";
    EXPECT_TRUE(e.ptx.find(target) != e.ptx.npos);
    EXPECT_EQ(says("For GPUs from"), std::string_view(target) != ".target sm_75") << "on a line of its own";
    // A .file line with the path relative to the root and without a time stamp, and .loc lines that use it.
    // Where the kernel's code lies in a header (tiles.h), the .cu still holds its entry.
    const size_t file = e.ptx.find(" \"" + std::string(e.path) + "\"\n");
    ASSERT_NE(file, e.ptx.npos);
    const std::string line(e.ptx.substr(e.ptx.rfind('\n', file) + 1, file - e.ptx.rfind('\n', file) - 1));
    const std::string number = line.substr(line.find_last_of(" \t") + 1);
    EXPECT_EQ(line, "\t.file\t" + number);
    EXPECT_NE(e.ptx.find("\t.loc\t" + number + " "), e.ptx.npos);
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
  const std::string_view name = cuda_compiler();
  const std::string_view version = name.substr(std::min(name.find(' ') + 1, name.size()));
  EXPECT_TRUE(name.starts_with("nvcc ") || name.starts_with("clang ")) << name;
  EXPECT_FALSE(version.empty());
  EXPECT_EQ(version.find_first_not_of("0123456789."), version.npos) << name;
}

}  // namespace
}  // namespace ww::kernels
