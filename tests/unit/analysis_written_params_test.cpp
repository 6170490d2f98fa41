// Through which parameters a kernel writes.
#include "analysis/written_params.h"

#include <gtest/gtest.h>

#include "ptx/parser.h"

namespace ww::analysis {
namespace {

/// "" unknown, else "written: " and the places as "param+offset" each.
std::string written(const std::string& body) {
  const std::string head = R"(.version 7.0
.target sm_75
.address_size 64
.global .align 4 .b8 g[64];
.visible .entry k(.param .u64 a, .param .u64 b, .param .align 8 .b8 s[24], .param .u32 n) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<20>;
  .shared .align 4 .b8 t[64];
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n];
  cvta.to.global.u64 %rd3, %rd1;
  mul.wide.u32 %rd4, %r1, 4;
)";
  auto module = ptx::parse("k.ptx", head + body + "\nret;\n}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : render(module.error()));
  const WrittenParams w = written_params(*module, module->functions[0]);
  if (!w.known) return "";
  std::string text = "written:";
  for (const ParamPlace& p : w.places) text += " " + std::to_string(p.param) + "+" + std::to_string(p.offset);
  return text;
}

TEST(WrittenParams, ThroughSumsAndCopies) {
  EXPECT_EQ(written("add.s64 %rd5, %rd3, %rd4; st.global.u32 [%rd5+8], %r1; ld.global.u32 %r2, [%rd2];"),
            "written: 0+0");
  EXPECT_EQ(written("ld.param.v2.u64 {%rd6, %rd7}, [s+8]; red.global.add.u32 [%rd7], 1;"), "written: 2+16");
  EXPECT_EQ(written("setp.eq.u32 %p1, %r1, 0; selp.b64 %rd6, %rd1, %rd2, %p1; st.u32 [%rd6], 1;"),
            "written: 0+0 1+0");
}

TEST(WrittenParams, SharedMemoryAndNothing) {
  EXPECT_EQ(written("ld.global.u32 %r2, [%rd3];"), "written:");
  EXPECT_EQ(written("mov.u64 %rd6, t; cvta.shared.u64 %rd7, %rd6; st.u32 [%rd7], 1; st.shared.u32 [t], 1;"),
            "written:");
  // An index from memory is none of an address.
  EXPECT_EQ(written("ld.global.u32 %r2, [%rd2]; mul.wide.u32 %rd6, %r2, 4; add.s64 %rd7, %rd3, %rd6;"
                    "st.global.u32 [%rd7], 1;"),
            "written: 0+0");
}

TEST(WrittenParams, UnknownWhereItCannotBeTold) {
  EXPECT_EQ(written("ld.global.u64 %rd6, [%rd2]; st.global.u32 [%rd6], 1;"), "");
  EXPECT_EQ(written("mov.u64 %rd6, g; st.global.u32 [%rd6], 1;"), "");
  EXPECT_EQ(written("st.global.u32 [g], 1;"), "");
  EXPECT_EQ(written("mov.b64 {%r2, %r3}, %rd1; mov.b64 %rd6, {%r2, %r3}; st.global.u32 [%rd6], 1;"), "");
  EXPECT_EQ(written("shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; cvt.u64.u32 %rd6, %r2; st.global.u32 [%rd6], 1;"),
            "");
}

}  // namespace
}  // namespace ww::analysis
