#include "ptx/debug_types.h"

#include <gtest/gtest.h>

namespace ww::ptx {
namespace {

// Written by hand after DWARF 2: k(const float* x, P p) with struct P { short a; struct { double b; } in; int
// v[2]; }.
const std::string kText = R"(
	.section	.debug_abbrev
	{
.b8 1,17,1,0,0                                  // compile unit, with children
.b8 2                                           // Abbreviation Code
.b8 46
.b8 1
.b8 135,64,8
.b8 0,0
.b8 3,5,0,3,8,73,19,0,0                         // parameter: name, type
.b8 4,15,0,73,19,0,0                            // pointer
.b8 5,38,0,73,19,0,0                            // const
.b8 6,36,0,3,8,11,11,0,0                        // base type: name, size
.b8 7,19,1,3,8,11,11,0,0                        // struct
.b8 8,13,0,3,8,73,19,56,10,0,0                  // member: name, type, location
.b8 9,1,1,73,19,0,0                             // array
.b8 10,33,0,47,11,0,0                           // subrange: upper bound
.b8 11,19,1,11,11,0,0                           // struct without a name
.b8 0
	}
	.section	.debug_info
	{
.b32 120                                        // length, patched below
.b8 2,0
.b32 .debug_abbrev
.b8 8
$L__label:
.b8 1                                           // 11
.b8 6,102,108,111,97,116,0,4                    // 12: float
.b8 5
.b32 12                                         // 20: const float
.b8 4
.b32 20                                         // 25: const float*
.b8 6,115,104,111,114,116,0,2                   // 30: short
.b8 6,100,111,117,98,108,101,0,8                // 38: double
.b8 6,105,110,116,0,4                           // 47: int
.b8 9                                           // 53: int[2]
.b32 47
.b8 10,1                                        // 58
.b8 0
.b8 11,8                                        // 61: struct { double b; }
.b8 8,98,0                                      // 63
.b32 38
.b8 2,35,0
.b8 0
.b8 7,80,0,24                                   // 74: P
.b8 8,97,0
.b32 30
.b8 2,35,0
.b8 8,105,110,0
.b32 61
.b8 2,35,8
.b8 8,118,0
.b32 53
.b8 2,35,16
.b8 0
.b8 2,95,90,49,107,0                            // 110: _Z1k
.b8 3,120,0
.b32 25
.b8 3,112,0
.b32 74
.b8 0
.b8 0
	}
)";

std::string patched() {
  std::string text = kText;
  text.replace(text.find(".b32 120"), 8, ".b32 " + std::to_string(132 - 4));
  return text;
}

TEST(DebugTypes, ParametersWithTheirMembers) {
  const auto all = debug_parameters(patched());
  ASSERT_EQ(all.count("_Z1k"), 1u);
  const auto& p = all.at("_Z1k");
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p[0].name, "x");
  EXPECT_EQ(p[0].type, "const float*");
  EXPECT_EQ(p[1].name, "p");
  EXPECT_EQ(p[1].type, "P");
  ASSERT_EQ(p[1].members.size(), 4u);
  const auto expect = [&](size_t i, const char* path, const char* type, uint64_t offset, uint64_t bytes) {
    EXPECT_EQ(p[1].members[i].path, path);
    EXPECT_EQ(p[1].members[i].type, type);
    EXPECT_EQ(p[1].members[i].offset, offset);
    EXPECT_EQ(p[1].members[i].bytes, bytes);
  };
  expect(0, "a", "short", 0, 2);
  expect(1, "in.b", "double", 8, 8);
  expect(2, "v[0]", "int", 16, 4);
  expect(3, "v[1]", "int", 20, 4);
}

TEST(DebugTypes, AHalfIsANumber) {
  std::string text = kText;  // P is called __half
  text.replace(text.find(".b32 120"), 8, ".b32 " + std::to_string(132 - 4 + 5));
  text.replace(text.find(".b8 7,80,0,24"), 13, ".b8 7,95,95,104,97,108,102,0,24");
  const auto all = debug_parameters(text);
  ASSERT_EQ(all.count("_Z1k"), 1u);
  const auto& p = all.at("_Z1k").at(1);
  ASSERT_EQ(p.members.size(), 1u);
  EXPECT_EQ(p.members[0].path, "");
  EXPECT_EQ(p.members[0].type, "__half");
}

TEST(DebugTypes, DamagedSectionsSayNothing) {
  EXPECT_TRUE(debug_parameters("").empty());
  EXPECT_TRUE(debug_parameters(".section .debug_info { .b32 5").empty());
  std::string text = kText;
  text.replace(text.find(".b32 120"), 8, ".b32 99999");
  EXPECT_TRUE(debug_parameters(text).empty());
  for (size_t cut = 0; cut < kText.size(); cut += 7) (void)debug_parameters(patched().substr(0, cut));
}

}  // namespace
}  // namespace ww::ptx
