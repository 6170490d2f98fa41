#include "device/driver/ptx_header.h"

#include <gtest/gtest.h>

namespace ww::device::driver {

TEST(PtxHeader, FindsKernelsAndTheSizesOfTheirParameters) {
  PtxHeader header = read_ptx_header(R"(
// .entry not_this(.param .u64 x)
.version 9.0
.target sm_90a, debug  /* .entry nor_this() */
.address_size 64
.func (.param .b32 r) helper(.param .b32 a) { ret; }
.visible .entry all_types(
  .param .u64 .ptr .global .align 16 p,
  .param .align 8 .b8 s[24],
  .param .b16 h, .param .f16x2 h2, .param .bf16 b, .param .f64 d,
  .param .texref t, .param .u32 u[3]
)
.maxntid 128, 1, 1
{ .param .b32 local; ret; }
.entry none { ret; }
.weak .entry empty_list() { ret; }
)");
  EXPECT_EQ(header.version, "9.0");
  EXPECT_EQ(header.target, "sm_90a");
  ASSERT_EQ(header.entries.size(), 3u);
  EXPECT_EQ(header.entries[0].name, "all_types");
  EXPECT_EQ(header.entries[0].parameter_bytes, (std::vector<uint64_t>{8, 24, 2, 4, 2, 8, 8, 12}));
  ASSERT_NE(header.find("none"), nullptr);
  EXPECT_TRUE(header.find("none")->parameter_bytes.empty());
  EXPECT_TRUE(header.find("empty_list")->parameter_bytes.empty());
  EXPECT_EQ(header.find("helper"), nullptr);
}

TEST(PtxHeader, AnythingElseIsEmpty) {
  for (const char* text : {"", "hello", ".entry", ".entry k(", ".entry k(.param .u32", "/* open", "\"open"})
    EXPECT_LE(read_ptx_header(text).entries.size(), 1u) << text;
  EXPECT_TRUE(read_ptx_header("\x7f"
                              "ELF")
                  .version.empty());
}

}  // namespace ww::device::driver
