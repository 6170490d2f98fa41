// The merges of neighbouring shared accesses, against what ptxas was seen to do
// (tests/data/shared_accesses.ptx).
#include <gtest/gtest.h>

#include "base/file.h"
#include "ptx/parser.h"
#include "ptxas/merge_shared.h"
#include "ptxas_widths.h"

namespace ww::ptxas {

TEST(MergeShared, AsPtxasWasSeenToDo) {
  auto text = read_file(WW_TEST_DATA "/shared_accesses.ptx");
  ASSERT_TRUE(text.ok());
  auto module = ptx::parse("shared_accesses.ptx", *text);
  ASSERT_TRUE(module.ok()) << module.error()[0].message;
  for (int sm : {75, 80, 89, 90, 120}) {
    auto expected = expected_widths(*text, sm);
    ASSERT_GT(expected.size(), 80u);
    for (const auto& [name, widths] : expected) {
      const ir::Function* function = module->find_function(name);
      ASSERT_NE(function, nullptr) << name;
      EXPECT_EQ(predicted_widths(*module, *function, sm), widths) << name << " on " << sm;
    }
  }
}

const char* const kFourLoads = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .f32 %f<5>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
  .shared .align 4 .b8 S[1024];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, S;
  mad.lo.s32 %r3, %r1, 16, %r2;
  ld.shared.f32 %f1, [%r3+12];
  ld.shared.f32 %f2, [%r3];
  add.f32 %f1, %f1, %f2;
  ld.shared.f32 %f3, [%r3+4];
  ld.shared.f32 %f4, [%r3+8];
  ret;
}
)";

TEST(MergeShared, NamesTheInstructions) {
  auto module = ptx::parse("k.ptx", kFourLoads);
  ASSERT_TRUE(module.ok());
  Merges merges = merge_shared(*module, *module->find_function("k"), 75);
  ASSERT_EQ(merges.merges.size(), 1u);
  EXPECT_EQ(merges.merges[0].bytes, 16);
  EXPECT_FALSE(merges.merges[0].store);
  EXPECT_EQ(merges.merges[0].accesses, (std::vector<InstructionRef>{{0, 3}, {0, 4}, {0, 6}, {0, 7}}));
  EXPECT_EQ(merges.find({0, 4}), &merges.merges[0]);
  EXPECT_EQ(merges.find({0, 5}), nullptr);
}

TEST(MergeShared, NothingOn1x) {
  auto module = ptx::parse("k.ptx", kFourLoads);
  ASSERT_TRUE(module.ok());
  EXPECT_TRUE(merge_shared(*module, *module->find_function("k"), 13).merges.empty());
  EXPECT_EQ(merge_shared(*module, *module->find_function("k"), 61).merges.size(), 1u);
}

}  // namespace ww::ptxas
