// Which loops wait for other threads, and which only use atomics.
#include "analysis/spin_reads.h"

#include "analysis_body.h"

namespace ww::analysis {
namespace {

/// Instructions of the kernel that ask again, as source lines of the body (from 0).
std::vector<int> asking_lines(const std::string& body) {
  const ir::Module module = module_of_body(body);
  const ir::Function& f = module.functions[0];
  const auto spinning = spin_reads(f);
  std::vector<int> lines;
  for (size_t b = 0; b < f.blocks.size(); ++b)
    for (size_t i = 0; i < f.blocks[b].instructions.size(); ++i)
      if (spinning[b][i]) lines.push_back(f.blocks[b].instructions[i].place.ptx_line - kLinesBeforeBody);
  return lines;
}

TEST(Asking, ALockThatIsTriedUntilItIsTaken) {
  EXPECT_EQ(
      asking_lines("TAKE:\natom.global.cas.b32 %r0, [%a], 0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra TAKE;"),
      std::vector<int>{1});
}

TEST(Asking, AFlagThatIsRaisedElsewhere) {
  EXPECT_EQ(
      asking_lines("WAIT:\nld.volatile.global.u32 %r0, [%a];\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 bra WAIT;"),
      std::vector<int>{1});
}

TEST(Asking, AFlagThatIsReadByAnAtomicThatChangesNothing) {
  const auto loop = [](const std::string& atomic) {
    return asking_lines("WAIT:\natom.global." + atomic + ";\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 bra WAIT;");
  };
  for (const char* atomic : {"add.u32 %r0, [%a], 0", "or.b32 %r0, [%a], 0", "xor.b32 %r0, [%a], 0",
                             "and.b32 %r0, [%a], -1", "and.b32 %r0, [%a], 0xffffffff"})
    EXPECT_EQ(loop(atomic), std::vector<int>{1}) << atomic;
  // These take a number each, or change the word.
  for (const char* atomic : {"add.u32 %r0, [%a], 1", "add.u32 %r0, [%a], %r1", "and.b32 %r0, [%a], 0"})
    EXPECT_EQ(loop(atomic), std::vector<int>{}) << atomic;
}

TEST(Asking, DoneIsSetWhereTheLockWasTaken) {
  // The loop's end looks at %r1 alone, which is written only where the swap succeeded.
  EXPECT_EQ(asking_lines(R"(mov.u32 %r1, 0;
TRY:
atom.global.cas.b32 %r0, [%a], 0, 1;
setp.ne.u32 %p0, %r0, 0;
@%p0 bra AGAIN;
mov.u32 %r1, 1;
AGAIN:
setp.eq.u32 %p1, %r1, 0;
@%p1 bra TRY;)"),
            std::vector<int>{2});
}

TEST(Asking, ALoopOfKnownRoundsOnlyUsesTheAnswer) {
  // As in a search through a graph: who was first goes on with it, but the rounds are eight.
  EXPECT_EQ(asking_lines(R"(mov.u32 %r1, 0;
NEXT:
atom.global.cas.b32 %r0, [%a], 0, 1;
setp.ne.u32 %p0, %r0, 0;
@%p0 bra SEEN;
st.global.u32 [%a+4], %r1;
SEEN:
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 8;
@%p1 bra NEXT;)"),
            std::vector<int>{});
}

TEST(Asking, ASearchThatMovesOnWaitsForNobody) {
  // Linear probing: a taken slot sends the thread to the next one.
  EXPECT_EQ(asking_lines(R"(NEXT:
atom.global.cas.b32 %r0, [%a], 0, 1;
setp.eq.u32 %p0, %r0, 0;
@%p0 bra END;
add.u64 %a, %a, 4;
bra NEXT;
END:)"),
            std::vector<int>{});
  // By way of an index, as compilers write it. The base alone, computed anew each time, stays where it is.
  EXPECT_EQ(asking_lines(R"(.reg .b64 %d<3>;
NEXT:
mul.wide.u32 %d0, %r1, 4;
add.u64 %d1, %a, %d0;
atom.global.cas.b32 %r0, [%d1], 0, 1;
add.u32 %r2, %r1, 1;
mov.u32 %r1, %r2;
setp.ne.u32 %p0, %r0, 0;
@%p0 bra NEXT;)"),
            std::vector<int>{});
  EXPECT_EQ(asking_lines(R"(.reg .b64 %d<3>;
NEXT:
mul.wide.u32 %d0, %r1, 4;
add.u64 %d1, %a, %d0;
atom.global.cas.b32 %r0, [%d1], 0, 1;
setp.ne.u32 %p0, %r0, 0;
@%p0 bra NEXT;)"),
            std::vector<int>{4});
}

TEST(Asking, OutsideOfLoopsAndForSumsNobodyWaits) {
  EXPECT_EQ(asking_lines("atom.global.exch.b32 %r0, [%a], 1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra END;\nEND:"),
            std::vector<int>{});
  // Work is dealt by a counter: every round is one that somebody has to do.
  EXPECT_EQ(
      asking_lines("NEXT:\natom.global.add.u32 %r0, [%a], 1;\nsetp.lt.u32 %p0, %r0, 64;\n@%p0 bra NEXT;"),
      std::vector<int>{});
}

}  // namespace
}  // namespace ww::analysis
