// Loads whose value a compare-and-swap checks.
#include "analysis/swap_guess.h"

#include "analysis_body.h"
#include "ir/accesses.h"

namespace ww::analysis {
namespace {

/// Whether the first load of a body is such a guess.
bool guesses(const std::string& body) {
  const ir::Module module = module_of_body(".reg .b64 %b;\n" + body);
  const ir::Function& f = module.functions[0];
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b)
    for (const ir::Instruction& in : f.blocks[b].instructions)
      if (in.op == ir::Op::ld && ir::space_of(in) == ir::Space::Global) return is_swap_guess(f, b, in);
  ADD_FAILURE() << "no load";
  return false;
}

const std::string kGuess = "ld.global.u32 %r0, [%a];\n";
const std::string kLoopEnd = "setp.ne.u32 %p0, %r1, %r0;\nmov.u32 %r0, %r1;\n@%p0 bra AGAIN;\n";

TEST(SwapGuess, InTheLoopOfTheGuide) {
  EXPECT_TRUE(
      guesses(kGuess + "AGAIN:\nadd.u32 %r2, %r0, 1;\natom.global.cas.b32 %r1, [%a], %r0, %r2;\n" + kLoopEnd));
}

TEST(SwapGuess, ThroughCopiesAndOtherSpaces) {
  EXPECT_TRUE(
      guesses("cvta.to.global.u64 %b, %a;\nld.global.u32 %r0, [%b+4];\nmov.u32 %r3, %r0;\nAGAIN:\n"
              "add.u32 %r2, %r3, 1;\natom.cas.b32 %r1, [%a+4], %r3, %r2;\n"));
}

TEST(SwapGuess, NotOfAnotherWord) {
  EXPECT_FALSE(guesses(kGuess + "AGAIN:\natom.global.cas.b32 %r1, [%a+4], %r0, %r2;\n" + kLoopEnd));
}

TEST(SwapGuess, NotWhereItDecidesFirst) {
  EXPECT_FALSE(guesses(kGuess + "setp.eq.u32 %p0, %r0, 7;\n@%p0 bra END;\n"
                               "atom.global.cas.b32 %r1, [%a], %r0, %r2;\nEND:"));
}

TEST(SwapGuess, NotWhereItIsStoredFirst) {
  EXPECT_FALSE(guesses(kGuess + "st.global.u32 [%b], %r0;\natom.global.cas.b32 %r1, [%a], %r0, %r2;\n"));
}

TEST(SwapGuess, NotWhereSomethingElseIsExpected) {
  EXPECT_FALSE(guesses(kGuess + "add.u32 %r2, %r0, 1;\natom.global.cas.b32 %r1, [%a], %r2, %r0;\n"));
}

}  // namespace
}  // namespace ww::analysis
