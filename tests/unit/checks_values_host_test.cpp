// Uninitialised values that the host reads from device memory.
#include "checks_values_lab.h"

namespace ww::checks::values_test {

namespace {

TEST(CheckValues, TheHostReadsACopyOfNothing) {
  const std::string body = R"(
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%rd3], %r4;)";
  Lab lab(kernel(body));
  const u64 out = lab.words(64);
  lab.run(1, 32, {out, 0});
  EXPECT_EQ(lab.said(), "");  // nobody has looked
  lab.host(out, 16, isa::Direction::Read);
  EXPECT_TRUE(says(lab.said(), {"the host reads an uninitialised value", "tile"}));
  Lab fixed(kernel("st.shared.u32 [%r3], 1;" + body));
  const u64 right = fixed.words(64);
  fixed.run(1, 32, {right, 0});
  fixed.host(right, 128, isa::Direction::Read);
  EXPECT_EQ(fixed.said(), "");
}

TEST(CheckValues, OneElementIsMissing) {
  // An array of which the host has set all elements but those that `set` leaves out, copied by a kernel.
  const std::string body = R"(
    add.u64 %rd5, %rd2, %rd4;
    ld.global.u32 %r4, [%rd5];
    st.global.u32 [%rd3], %r4;)";
  const auto copied = [&](const std::vector<u64>& missing) {
    Lab lab(kernel(body));
    const u64 out = lab.words(128), in = lab.lab.words(128);
    u64 from = 0;
    for (const u64 k : missing) {
      lab.host(in + 4 * from, 4 * (k - from), isa::Direction::Write);
      from = k + 1;
    }
    lab.host(in + 4 * from, 4 * (128 - from), isa::Direction::Write);
    lab.run(1, 128, {out, in});
    EXPECT_EQ(lab.said(), "");  // nobody has looked
    lab.host(out, 512, isa::Direction::Read);
    return lab.said();
  };
  EXPECT_TRUE(says(copied({70}), {"the host reads an element that was never set", "line 19"}));
  EXPECT_TRUE(says(copied({0, 5, 70}), {"the host reads an element that was never set"}));
  EXPECT_EQ(copied({}), "");
  // Structs of four and of 32 words, the last of which is padding.
  std::vector<u64> small, large;
  for (u64 k = 3; k < 128; k += 4) small.push_back(k);
  for (u64 k = 31; k < 128; k += 32) large.push_back(k);
  EXPECT_EQ(copied(small), "");
  EXPECT_EQ(copied(large), "");
}

TEST(CheckValues, TheGridDoesNotReachTheEndOfAnArray) {
  // Each thread stores the element of its number through the block, if there is one; q: how many there are.
  const std::string body = R"(
    mov.u32 %r5, %ctaid.x;
    mov.u32 %r6, %ntid.x;
    mad.lo.u32 %r7, %r5, %r6, %r1;
    cvt.u64.u32 %rd5, %r7;
    setp.ge.u64 %p1, %rd5, %rd2;
    @%p1 bra L;
    mul.wide.u32 %rd6, %r7, 4;
    add.u64 %rd7, %rd1, %rd6;
    st.global.u32 [%rd7], %r7;
    L:)";
  // Of an array of `size` elements, `blocks` of 32 threads store up to `n`, and the host reads `read`.
  const auto read = [&](u64 size, u32 blocks, u64 n, u64 read, bool set = false) {
    Lab lab(kernel(body));
    const u64 out = set ? lab.words(size) : lab.lab.words(size);
    lab.run(blocks, 32, {out, n});
    EXPECT_EQ(lab.said(), "");
    lab.host(out, 4 * read, isa::Direction::Read);
    return lab.said();
  };
  EXPECT_TRUE(says(read(100, 3, 100, 100), {"uninitialised: the host reads the end of an array that the grid",
                                            "stores the elements line 25",
                                            "96 of 100 elements were written, by 3 blocks of 32 threads"}));
  EXPECT_EQ(read(100, 4, 100, 100), "");
  EXPECT_EQ(read(100, 3, 100, 100, true), "");  // the host has set it before
  EXPECT_EQ(read(100, 3, 100, 96), "");         // it reads what is there
  EXPECT_EQ(read(128, 4, 100, 128), "");        // a larger array than is needed
  EXPECT_EQ(read(128, 3, 100, 128), "");        // likewise
  EXPECT_EQ(read(100, 2, 100, 100), "");        // more than a block is missing: perhaps the rest comes later
}

}  // namespace

}  // namespace ww::checks::values_test
