// Barriers of part of a block: one number for several groups of warps.
#include "checks_races_lab.h"

namespace ww::checks {

namespace {

using races_lab::clean, races_lab::kernel, races_lab::races_of, races_lab::text_of;

/// Warps 0 and 1 meet, and warps 2 and 3 do.
std::string two_groups(const std::string& first, const std::string& between, const std::string& second) {
  return kernel("  setp.ge.u32 %p1, %r1, 64;\n  @%p1 bra SECOND;\n" + first + between +
                "  bra END;\nSECOND:\n" + between + second + "END:\n");
}

TEST(RacesBarriers, OneNumberForTwoGroups) {
  for (const char* order : {"forward", "reverse", "random:5"}) {
    const auto found = races_of(two_groups("  bar.sync 1, 64;\n", "", "  bar.sync 1, 64;\n"), 1, 128, {256},
                                1, false, order);
    ASSERT_FALSE(found.empty()) << order;
    EXPECT_EQ(found[0].kind, "barrier");
    EXPECT_EQ(found[0].severity, Severity::Error);
    EXPECT_EQ(found[0].parties.size(), 2u);
    EXPECT_NE(text_of(found).find("two groups of warps use barrier 1"), std::string::npos) << text_of(found);
  }
}

TEST(RacesBarriers, ANumberForEachOrABarrierBetween) {
  clean(two_groups("  bar.sync 1, 64;\n", "", "  bar.sync 2, 64;\n"), 1, 128);
  clean(two_groups("  bar.sync 1, 64;\n", "  bar.sync 0;\n", "  bar.sync 1, 64;\n"), 1, 128);
  clean(two_groups("  bar.sync 1, 64;\n  bar.sync 1, 64;\n", "", "  bar.sync 2, 64;\n  bar.sync 2, 64;\n"), 1,
        128);
}

// The second group comes behind one of the first, whom another barrier lets it know of; but only one warp of
// it.
TEST(RacesBarriers, AllOfTheOtherGroupMustBeOrdered) {
  const auto found = races_of(two_groups("  bar.sync 1, 64;\n  setp.lt.u32 %p2, %r1, 32;\n  @%p2 bra END;\n"
                                         "  bar.sync 2, 64;\n",
                                         "",
                                         "  setp.ge.u32 %p2, %r1, 96;\n  @%p2 bra MEET;\n"
                                         "  bar.sync 2, 64;\nMEET:\n  bar.sync 1, 64;\n"),
                              1, 128);
  ASSERT_EQ(found.size(), 1u) << text_of(found);
  EXPECT_EQ(found[0].parties[0].by.thread[0], 96);
}

// A buffer that goes back and forth: who fills it arrives, who empties it waits, and the other way round.
TEST(RacesBarriers, OfAProducerAndAConsumer) {
  clean(kernel(R"(
  mov.u32 %r4, 0;
  setp.ge.u32 %p1, %r1, 32;
  setp.ge.u32 %p3, %r1, 64;
  @%p3 bra OTHERS;
AGAIN:
  @%p1 bra CONSUMES;
  bar.arrive 1, 64;
  bar.sync 2, 64;
  bra NEXT;
CONSUMES:
  bar.sync 1, 64;
  bar.arrive 2, 64;
NEXT:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p2, %r4, 3;
  @%p2 bra AGAIN;
OTHERS:
)"),
        1, 96);
}

}  // namespace

}  // namespace ww::checks
