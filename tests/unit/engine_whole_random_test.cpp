// Whole-warp code computes and counts what the interpreter does, and tells listeners of the same accesses:
// random kernels in blocks of all forms. Few here, since each is compiled by LLVM up to four times, with
// WW_LONG twice as many; scripts/fuzz_engines tries more.
#include <cstdlib>

#include "../long.h"
#include "engine_random_kernel.h"

namespace ww::engine {
namespace {

u64 number_of(const char* variable, u64 otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void run_random_kernels(u64 first, bool listened, u32 rounds = 4, u64 programs = 16, u32 turn_budget = 0) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  first = number_of("WW_SEED", first);
  programs = number_of("WW_PROGRAMS", all_are_tried() ? 2 * programs : programs);
  u64 whole = 0, again = 0;
  for (u64 k = first; k < first + programs; ++k) {
    SCOPED_TRACE(k);
    const Form block = kForms[k % std::size(kForms)];
    const bool counted = k % 3 != 0;  // what is not counted can be computed once for all blocks
    const std::string text = RegularKernel(k, k % 8 == 0, rounds).text();
    const Outcome3 o = expect_the_same(text, rounds > 4 ? Form{1, 1, 1} : Form{2, 2, 1}, block, counted,
                                       listened, turn_budget);
    // What asks others again and again is compiled in pieces at most where it is listened to.
    EXPECT_TRUE(o.ran == Ran::Compiled || !o.whole) << text;
    const auto has = [&](const char* what) { return text.find(what) != std::string::npos; };
    EXPECT_TRUE(o.whole || (listened && (has("ld.volatile") || has("ld.relaxed") || has("ld.acquire"))));
    whole += o.whole;
    again += o.again;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(2 * whole, programs);
  if (turn_budget) {
    EXPECT_GT(6 * again, programs);
  }
}

TEST(WholeWarps, RandomKernels) { run_random_kernels(1, false, 4, 2); }
TEST(WholeWarps, RandomKernelsThatAreListenedTo) { run_random_kernels(1001, true, 4, 2); }
// Warps that give each other turns.
TEST(WholeWarps, LongKernelsThatAreListenedTo) { run_random_kernels(3001, true, 1024, 1); }
// Warps that give up their turn after few rounds, and come back to compiled code at the heads of loops.
TEST(WholeWarps, RandomKernelsOfShortTurns) { run_random_kernels(5001, false, 4, 2, 3); }
TEST(WholeWarps, ShortTurnsThatAreListenedTo) { run_random_kernels(6001, true, 16, 3, 5); }

}  // namespace
}  // namespace ww::engine
