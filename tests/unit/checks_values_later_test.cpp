// Uninitialised values that arrive later (st.async, red.async), that surfaces convert, and that the library
// is given. Each faulty kernel has a fixed twin, which must be clean.
#include <algorithm>
#include <map>

#include "checks/values.h"
#include "checks/values/plan.h"
#include "checks_lab.h"
#include "isa/effects.h"

namespace ww::checks::values_later_test {

namespace {

using Lab = CheckLab<Values>;
using engine::says;

std::string said(const std::string& body) {
  Lab lab(R"(
.extern .func (.param .b64 r) malloc (.param .b64 a);
.extern .func free (.param .b64 a);
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 d[3] = {37, 100, 0};
.global .align 1 .b8 dd[5] = {37, 100, 37, 100, 0};
.global .align 1 .b8 ddd[7] = {37, 100, 37, 100, 37, 100, 0};
.global .align 1 .b8 lld[5] = {37, 108, 108, 100, 0};
.visible .entry k(.param .u64 p, .param .u64 q) {
  .reg .u64 %rd<20>; .reg .b32 %r<40>; .reg .pred %p<10>;
  .shared .align 128 .b8 tile[2048];
  ld.param.u64 %rd1, [p];
  ld.param.u64 %rd2, [q];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd3, %rd1, %rd4;
  add.u64 %rd5, %rd2, %rd4;
)" + body +
          "\n  ret;\n}\n");
  const u64 out = lab.words(1024), in = lab.lab.words(1024);  // `in` is uninitialised
  auto r = lab.run(1, 32, {out, in});
  EXPECT_TRUE(r.faults.empty()) << r.faults[0].message;
  return lab.said();
}

/// Each thread sends a value to its word of the tile, and loads its word when all have arrived.
std::string sent(const std::string& from, const std::string& how, const std::string& first = "") {
  return said(R"(
  mov.u32 %r5, tile;
  mad.lo.u32 %r6, %r1, 4, %r5;
  mov.u32 %r7, %r5;
  add.u32 %r7, %r7, 1024;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 mbarrier.init.shared.b64 [%r7], 1;
)" + first + R"(
  bar.sync 0;
  @!%p1 mbarrier.arrive.expect_tx.shared.b64 %rd6, [%r7], 128;
  bar.sync 0;
  ld.global.u32 %r8, [)" +
              from + "];\n  " + how + R"(.shared::cluster.mbarrier::complete_tx::bytes)" +
              (how == "st.async" ? ".u32" : ".add.u32") + R"( [%r6], %r8, [%r7];
WAIT:
  mbarrier.test_wait.parity.shared.b64 %p2, [%r7], 0;
  @!%p2 bra WAIT;
  ld.shared.u32 %r9, [%r6];
  add.u32 %r9, %r9, 1;
  st.global.u32 [%rd3], %r9;)");
}

TEST(CheckValuesLater, AsynchronousStoresCarryBits) {
  EXPECT_EQ(sent("%rd3", "st.async"), "");
  EXPECT_TRUE(says(sent("%rd5", "st.async"), {"computed from", "loads 4 uninitialised bytes"}));
}

TEST(CheckValuesLater, AsynchronousReductionsTakeUndefinedBits) {
  const std::string set = "  st.shared.u32 [%r6], 0;\n";
  EXPECT_EQ(sent("%rd3", "red.async.relaxed.cluster", set), "");
  EXPECT_TRUE(says(sent("%rd5", "red.async.relaxed.cluster", set), {"computed from"}));
  EXPECT_TRUE(
      says(sent("%rd3", "red.async.relaxed.cluster"), {"computed from"}));  // added to what nobody set
}

TEST(CheckValuesLater, BulkReductionsAddBits) {
  // The tile is added to 32 words of global memory, which are loaded again.
  const auto body = [](const std::string& set, const std::string& to) {
    return R"(
  mov.u32 %r5, tile;
  mad.lo.u32 %r6, %r1, 4, %r5;
)" + set + R"(
  fence.proxy.async;
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [)" +
           to + R"(], [%r5], 128;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  bar.sync 0;
  add.u64 %rd6, )" +
           to + R"(, %rd4;
  ld.global.u32 %r7, [%rd6];
  add.u32 %r7, %r7, 1;
  st.global.u32 [%rd6], %r7;)";
  };
  const std::string set = "  st.shared.u32 [%r6], %r1;";
  EXPECT_EQ(said(body(set, "%rd1")), "");
  EXPECT_TRUE(says(said(body("", "%rd1")), {"computed from", "loads 4 uninitialised bytes"}));
  EXPECT_TRUE(says(said(body(set, "%rd2")), {"computed from", "loads 4 uninitialised bytes"}));
}

TEST(CheckValuesLater, TheLibraryIsToldASizeThatNobodySet) {
  const auto body = [](const std::string& from) {
    return "  ld.global.u64 %rd7, [" + from + R"(];
  and.b64 %rd7, %rd7, 255;
  { .param .b64 a; st.param.b64 [a], %rd7; .param .b64 r; call.uni (r), malloc, (a); ld.param.b64 %rd8, [r]; }
  { .param .b64 a; st.param.b64 [a], %rd8; call.uni free, (a); })";
  };
  EXPECT_EQ(said(body("%rd1")), "");
  EXPECT_TRUE(says(said(body("%rd2")), {"an argument of a library function", "calls malloc with it",
                                        "loads 8 uninitialised bytes"}));
}

// Arguments lie in a variable of 8 bytes, of which the first four are set, or all.
TEST(CheckValuesLater, PrintfFindsLessThanItsFormatSays) {
  const auto prints = [](const std::string& format, const std::string& set) {
    return said("  .local .align 8 .b8 buf[8];\n  mov.u64 %rd7, " + format + R"(;
  cvta.global.u64 %rd7, %rd7;
  mov.u64 %rd8, buf;
  cvta.local.u64 %rd8, %rd8;
  st.local.)" + set +
                R"( [buf], %rd4;
  {
  .param .b64 f; st.param.b64 [f], %rd7; .param .b64 a; st.param.b64 [a], %rd8;
  .param .b32 r; call.uni (r), vprintf, (f, a);
  })");
  };
  const char* missing = "printf prints an argument that is missing or uninitialised";
  EXPECT_EQ(prints("d", "u32"), "");
  EXPECT_EQ(prints("dd", "u64"), "");
  EXPECT_EQ(prints("lld", "u64"), "");
  EXPECT_TRUE(says(prints("dd", "u32"), {missing, "prints 4 bytes"}));
  EXPECT_TRUE(says(prints("ddd", "u64"), {missing, "prints 4 bytes"}));  // behind the variable
  EXPECT_TRUE(says(prints("lld", "u32"), {missing, "prints 8 bytes"}));  // half of it is there
}

// A pair whose upper half is not used may be stored with it; a number has no halves.
TEST(CheckValuesLater, HalfOfANumber) {
  const auto with = [](const std::string& computes) {
    return said(R"(
  mov.u32 %r5, tile;
  mad.lo.u32 %r6, %r1, 4, %r5;
  st.shared.u16 [%r6], %r1;
  ld.shared.u32 %r7, [%r6];
  )" + computes +
                R"(
  st.global.u32 [%rd3], %r8;)");
  };
  EXPECT_EQ(with("add.f16x2 %r8, %r7, %r7;"), "");
  EXPECT_TRUE(says(with("add.u32 %r8, %r7, 1;"), {"computed from"}));
}

// A row of the instruction table that moves memory and has no rule would silently define what it moves.
TEST(CheckValuesLater, EveryInstructionThatMovesMemoryHasARule) {
  const std::map<std::string_view, const char*> told_otherwise = {
      // bits move with the bytes (Values::copy)
      {"cp_async", "copy"},
      {"cp_async_cta", "copy"},
      {"cp_async_cg", "copy"},
      {"cp_async_cg_cta", "copy"},
      // their ends are told as bulk accesses (Values::bulk_access)
      {"cp_bulk_load", "bulk"},
      {"cp_bulk_multicast", "bulk"},
      {"cp_bulk_cluster", "bulk"},
      {"cp_bulk_store", "bulk"},
      {"cp_bulk_store_mask", "bulk"},
      {"cp_reduce_bulk_cluster", "bulk"},
      {"cp_reduce_bulk", "bulk"},
      {"cp_reduce_bulk_half", "bulk"},
      {"cp_tensor_load", "bulk"},
      {"cp_tensor_multicast", "bulk"},
      {"cp_tensor_store", "bulk"},
      {"cp_tensor_reduce", "bulk"},
      {"st_bulk", "stores zeros"},
  };
  for (const isa::Form& form : isa::forms()) {
    const auto& accesses = isa::effects(form.op).memory;
    const bool moves = std::any_of(accesses.begin(), accesses.end(),
                                   [](const auto& m) { return m.range != isa::Range::Mbarrier; });
    if (!moves) continue;
    ir::Instruction in;
    in.op = form.op;
    in.chosen.assign(form.slots.size(), isa::Mod::none);
    const bool known = rule_of(in) != Rule::Defined;
    EXPECT_NE(known, told_otherwise.count(form.id) == 1) << form.id << ": " << form.notation;
  }
}

}  // namespace

}  // namespace ww::checks::values_later_test
