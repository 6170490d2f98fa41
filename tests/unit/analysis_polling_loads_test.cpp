// Loads that are repeated until their value changes.
#include "analysis/polling_loads.h"

#include "analysis_body.h"

namespace ww::analysis {
namespace {

/// Whether the volatile load, or the atomic, of a body polls.
bool load_polls(const std::string& body) {
  const ir::Module module = module_of_body(body);
  const ir::Function& f = module.functions[0];
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b)
    for (const ir::Instruction& in : f.blocks[b].instructions)
      if (in.op == isa::Op::atom_cas ||
          (in.op == ir::Op::ld && in.mod(isa::Slot::loadsem) == isa::Mod::volatile_))
        return is_polling_load(f, b, in);
  ADD_FAILURE() << "no volatile load";
  return false;
}

const std::string kLoad = "ld.volatile.global.u32 %r0, [%a];\n";

TEST(Polls, UntilTheValueIsAnother) {
  EXPECT_TRUE(load_polls("WAIT:\n" + kLoad + "setp.eq.u32 %p0, %r0, 0;\n@%p0 bra WAIT;"));
}

TEST(Polls, UntilALockIsTaken) {
  const auto take = [](const std::string& before) {
    return "TRY:\n" + before +
           "mov.u32 %r1, 0;\nmov.u32 %r2, 1;\natom.global.cas.b32 %r0, [%a], %r1, %r2;\n"
           "setp.ne.u32 %p0, %r0, 0;\n@%p0 bra TRY;";
  };
  EXPECT_TRUE(load_polls(take("")));
  EXPECT_FALSE(load_polls(take("add.u64 %a, %a, 4;\n")));  // the next slot of a hash table
}

TEST(Polls, UntilAllLanesHaveSeenIt) {
  EXPECT_TRUE(
      load_polls("WAIT:\n" + kLoad +
                 "setp.eq.u32 %p0, %r0, 99;\nvote.sync.any.pred %p1, %p0, 0xffffffff;\n@%p1 bra WAIT;"));
}

TEST(Polls, InsideOfALoopThatMovesOn) {
  EXPECT_TRUE(
      load_polls("NEXT:\nadd.u64 %a, %a, 4;\nWAIT:\n" + kLoad +
                 "setp.eq.u32 %p0, %r0, 0;\n@%p0 bra WAIT;\nsetp.ne.u32 %p1, %r0, 7;\n@%p1 bra NEXT;"));
}

TEST(Polls, NotASearchThroughAnArray) {
  EXPECT_FALSE(
      load_polls("NEXT:\nadd.u64 %a, %a, 4;\n" + kLoad + "setp.ne.u32 %p0, %r0, 7;\n@%p0 bra NEXT;"));
}

TEST(Polls, NotWhatIsOnlyAddedUp) {
  EXPECT_FALSE(
      load_polls("mov.u32 %r1, 0;\nNEXT:\n" + kLoad +
                 "add.u32 %r2, %r2, %r0;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 8;\n@%p0 bra NEXT;"));
}

TEST(Polls, NotOutsideOfALoop) {
  EXPECT_FALSE(load_polls(kLoad + "setp.eq.u32 %p0, %r0, 0;\n@%p0 bra END;\nEND:"));
}

}  // namespace
}  // namespace ww::analysis
