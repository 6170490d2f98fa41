// From which GPUs on instructions exist: PTX ISA, "Target ISA Notes" of each.
#include <gtest/gtest.h>

#include "isa/first_capability.h"

namespace {

using namespace ww::isa;

TEST(FirstCapability, AsTheManualSays) {
  EXPECT_EQ(first_capability(form(Op::wgmma_half)), 90);
  EXPECT_EQ(later_operation(form(Op::wgmma_half)), "wgmma");
  EXPECT_EQ(later_operation(form(Op::st_async)), "st.async");
  EXPECT_EQ(later_operation(form(Op::mma_sp_float)), "mma.sp");
  EXPECT_EQ(later_operation(form(Op::ld)), "");
  EXPECT_EQ(first_capability(form(Op::ldmatrix)), 75);
  EXPECT_EQ(first_capability(form(Op::mma_float)), 70);
  EXPECT_EQ(first_capability(form(Op::mma_sp_float)), 80);
  EXPECT_EQ(first_capability(form(Op::shfl_sync)), 30);
}

TEST(FirstCapability, WhatOldGpusDoOtherwiseIsNoHindrance) {
  for (const Op op : {Op::ld, Op::st, Op::bra, Op::xor_}) EXPECT_EQ(first_capability(form(op)), 0);
}

// They advise the caches: left out, the program does the same.
TEST(FirstCapability, AdviceIsNoHindrance) {
  int met = 0;
  for (const Form& row : forms())
    for (const char* name : {"discard", "applypriority", "createpolicy", "prefetch"})
      if (row.notation.starts_with(name)) {
        EXPECT_EQ(first_capability(row), 0) << row.notation;
        ++met;
      }
  EXPECT_GE(met, 3);
}

// Bulk copies came later than the other asynchronous ones, though their names begin alike.
TEST(FirstCapability, TheLongestNameCounts) {
  for (const Form& row : forms()) {
    if (row.notation.starts_with("cp.async.bulk")) {
      EXPECT_EQ(first_capability(row), 90) << row.notation;
    }
    if (row.notation.starts_with("cp.async.c") || row.notation.starts_with("cp.async.wait_group")) {
      EXPECT_EQ(first_capability(row), 80) << row.notation;
    }
  }
}

}  // namespace
