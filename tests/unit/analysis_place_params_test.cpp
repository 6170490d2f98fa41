// Which arrays hold places in themselves.
#include "analysis/place_params.h"

#include <gtest/gtest.h>

#include "ptx/parser.h"

namespace ww::analysis {
namespace {

/// The parameters of k(a, b, n) for a body; a's and b's elements at n are at %rd5 and %rd6.
std::set<size_t> of_places(const std::string& body) {
  const std::string head = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<20>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n];
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4;
)";
  auto module = ptx::parse("k.ptx", head + body + "\nret;\n}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : render(module.error()));
  const ir::Function& f = module->functions[0];
  return params_of_places(f, access_params(*module, f));
}

const std::string kBehind = " mad.wide.s32 %rd7, %r3, 4, %rd1; ";  // &a[r3]

TEST(PlaceParams, AParentIsAPlaceAmongTheParents) {
  EXPECT_EQ(of_places("ld.volatile.global.u32 %r2, [%rd5]; add.s32 %r3, %r2, 1;" + kBehind +
                      "ld.global.u32 %r4, [%rd7];"),
            std::set<size_t>{0});
}

TEST(PlaceParams, APlaceInAnotherArrayIsNone) {
  EXPECT_TRUE(of_places("ld.global.u32 %r3, [%rd6];" + kBehind + "ld.global.u32 %r4, [%rd7];").empty());
  // heads[b] goes into next, next into heads: neither into itself.
  EXPECT_TRUE(of_places("ld.global.u32 %r3, [%rd6];" + kBehind + "st.global.u32 [%rd7], %r3;").empty());
}

TEST(PlaceParams, WhatIsComparedOrGotByAnAtomicIsNone) {
  EXPECT_TRUE(of_places("ld.global.u32 %r2, [%rd5]; setp.eq.u32 %p1, %r2, 0; selp.b32 %r3, 1, 2, %p1;" +
                        kBehind + "ld.global.u32 %r4, [%rd7];")
                  .empty());
  EXPECT_TRUE(
      of_places("atom.global.add.u32 %r3, [%rd5], 1;" + kBehind + "st.global.u32 [%rd7], %r1;").empty());
}

}  // namespace
}  // namespace ww::analysis
