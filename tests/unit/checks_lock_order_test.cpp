// Locks that threads take in a ring. No deadlock comes of it in these runs: one thread is over before the
// next begins.
#include <algorithm>

#include "checks_races_lab.h"

namespace ww::checks {

namespace {

using races_lab::clean, races_lab::kernel, races_lab::races_of, races_lab::text_of;

/// Code that takes and gives back locks; each lock is a word of array a.
class Code {
 public:
  explicit Code(bool shared = false, bool exchange = false) : shared_(shared), exchange_(exchange) {}

  Code& take(int lock) {
    const std::string label = fresh(), at = address(lock);
    text_ += label + ":\n  atom." + space() +
             (exchange_ ? ".exch.b32 %r3, " + at + ", 1;\n" : ".cas.b32 %r3, " + at + ", 0, 1;\n");
    text_ += "  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra " + label + ";\n  membar.gl;\n";
    return *this;
  }
  Code& give(int lock) {
    text_ += "  membar.gl;\n  atom." + space() + ".exch.b32 %r3, " + address(lock) + ", 0;\n";
    return *this;
  }
  Code& both(int first, int second) { return take(first).take(second).give(second).give(first); }
  /// Takes the second only if it is free, else gives the first back and begins again.
  Code& tries(int first, int second) {
    const std::string again = fresh(), got = fresh();
    text_ += again + ":\n";
    take(first);
    text_ += "  atom." + space() + ".cas.b32 %r3, " + address(second) +
             ", 0, 1;\n  setp.eq.u32 %p1, %r3, 0;\n  @%p1 bra " + got + ";\n";
    give(first);
    text_ += "  bra " + again + ";\n" + got + ":\n  membar.gl;\n";
    return give(second).give(first);
  }
  /// Only the threads for which %r1 (thread) or %r2 (block) is n.
  Code& only(const char* of, int n, const Code& code) {
    const std::string over = fresh();
    text_ +=
        std::string("  setp.ne.u32 %p2, ") + of + ", " + std::to_string(n) + ";\n  @%p2 bra " + over + ";\n";
    text_ += renamed(code.text_) + over + ":\n";
    return *this;
  }
  Code& text(const std::string& more) {
    text_ += more;
    return *this;
  }
  std::string ptx() const { return kernel(text_); }

 private:
  std::string fresh() { return "L" + std::to_string(labels_++) + "_"; }
  std::string space() const { return shared_ ? "shared" : "global"; }
  std::string address(int lock) const {
    return (shared_ ? "[tile+" : "[%rd1+") + std::to_string(64 * lock) + "]";
  }
  std::string renamed(std::string text) {
    const std::string own = "P" + std::to_string(labels_++);
    for (size_t at = 0; (at = text.find('L', at)) != std::string::npos; at += own.size() + 1)
      if (text[at + 1] >= '0' && text[at + 1] <= '9') text.insert(at, own);
    return text;
  }

  bool shared_, exchange_;
  std::string text_;
  int labels_ = 0;
};

std::vector<Finding> rings(const std::string& ptx, u32 grid, u32 block) {
  std::vector<Finding> all = races_of(ptx, grid, block);
  for (const Finding& f : all) EXPECT_EQ(f.kind, "lock order") << text_of(all) << ptx;
  return all;
}

TEST(LockOrder, TwoInOppositeOrder) {
  for (const bool exchange : {false, true}) {
    const auto code = [&](int one, int other) {
      return Code()
          .only("%r2", 0, Code(false, exchange).both(0, 1))
          .only("%r2", 1, Code(false, exchange).both(one, other))
          .ptx();
    };
    const auto found = rings(code(1, 0), 2, 1);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].severity, Severity::Warning);
    ASSERT_EQ(found[0].parties.size(), 4u);
    EXPECT_NE(found[0].message.find("two locks in opposite order"), std::string::npos);
    EXPECT_NE(found[0].parties[0].what.find("the lock at byte 0 of"), std::string::npos);
    EXPECT_NE(found[0].parties[1].what.find("the lock at byte 64 of"), std::string::npos);
    EXPECT_NE(found[0].parties[2].what.find("the lock at byte 64 of"), std::string::npos);
    EXPECT_NE(found[0].parties[3].what.find("the lock at byte 0 of"), std::string::npos);
    EXPECT_NE(found[0].parties[0].by.block[0], found[0].parties[2].by.block[0]);
    clean(code(0, 1), 2, 1);
  }
}

TEST(LockOrder, OfWarpsInSharedMemory) {
  const auto code = [&](int one, int other) {
    return Code()
        .text(
            "  setp.ne.u32 %p3, %r1, 0;\n  mov.u32 %r4, 0;\n  @%p3 bra SET;\n  st.shared.u32 [tile], %r4;\n"
            "  st.shared.u32 [tile+64], %r4;\nSET:\n  bar.sync 0;\n")
        .only("%r1", 0, Code(true).both(0, 1))
        .only("%r1", 32, Code(true).both(one, other))
        .ptx();
  };
  EXPECT_EQ(rings(code(1, 0), 1, 64).size(), 1u);
  clean(code(0, 1), 1, 64);
}

TEST(LockOrder, ThreeInARing) {
  const auto code = [](int last) {
    return Code()
        .only("%r2", 0, Code().both(0, 1))
        .only("%r2", 1, Code().both(1, 2))
        .only("%r2", 2, Code().both(2 - last, last))
        .ptx();
  };
  const auto found = rings(code(0), 3, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].parties.size(), 6u);
  EXPECT_NE(found[0].message.find("3 threads take 3 locks in a ring"), std::string::npos);
  clean(code(2), 3, 1);
}

TEST(LockOrder, NotOfOneThread) { clean(Code().both(0, 1).both(1, 0).ptx(), 1, 1); }

TEST(LockOrder, NotUnderOneLockAround) {
  const auto code = [](int around) {
    return Code()
        .only("%r2", 0, Code().take(2).both(0, 1).give(2))
        .only("%r2", 1, Code().take(around).both(1, 0).give(around))
        .ptx();
  };
  clean(code(2), 2, 1);
  EXPECT_EQ(rings(code(3), 2, 1).size(), 1u);
}

TEST(LockOrder, NotAcrossABarrier) {
  const auto code = [](const std::string& between) {
    return Code().only("%r1", 0, Code().both(0, 1)).text(between).only("%r1", 32, Code().both(1, 0)).ptx();
  };
  clean(code("  bar.sync 0;\n"), 1, 64);
  EXPECT_EQ(rings(code(""), 1, 64).size(), 1u);
}

TEST(LockOrder, NotBehindAMessage) {
  const auto code = [](const std::string& sends, const std::string& waits) {
    return Code()
        .only("%r2", 0, Code().both(0, 1).text(sends))
        .only("%r2", 1, Code().text(waits).both(1, 0))
        .ptx();
  };
  clean(
      code("  mov.u32 %r4, 1;\n  st.release.gpu.global.u32 [%rd1+512], %r4;\n",
           "L7:\n  ld.acquire.gpu.global.u32 %r4, [%rd1+512];\n  setp.eq.u32 %p1, %r4, 0;\n  @%p1 bra L7;\n"),
      2, 1);
  EXPECT_EQ(rings(code("", ""), 2, 1).size(), 1u);
}

TEST(LockOrder, NotWhereTheFirstIsGivenBackBeforeAnotherTry) {
  clean(Code().only("%r2", 0, Code().tries(0, 1)).only("%r2", 1, Code().tries(1, 0)).ptx(), 2, 1);
}

// Two stacks, to which one thread pushes in one order and another in the other.
TEST(LockOrder, NotOfWhatIsSwappedAndStays) {
  const auto push = [](int stack, int node) {
    const std::string at = "[%rd1+" + std::to_string(64 * stack) + "]", label = "L" + std::to_string(stack);
    return label + ":\n  ld.volatile.global.u32 %r4, " + at + ";\n  add.u32 %r5, %r4, " +
           std::to_string(node) + ";\n  atom.global.cas.b32 %r3, " + at +
           ", %r4, %r5;\n  setp.ne.u32 %p1, %r3, %r4;\n  @%p1 bra " + label + ";\n";
  };
  clean(Code()
            .only("%r2", 0, Code().text(push(0, 3) + push(1, 5)))
            .only("%r2", 1, Code().text(push(1, 7) + push(0, 9)))
            .ptx(),
        2, 1);
}

// Accounts: all threads execute the same lines.
TEST(LockOrder, OfLocksThatDataName) {
  const auto transfer = [](const std::string& choice) {
    return kernel(choice + R"(
  mul.wide.u32 %rd3, %r6, 64;
  add.u64 %rd3, %rd1, %rd3;
  mul.wide.u32 %rd4, %r7, 64;
  add.u64 %rd4, %rd1, %rd4;
L1:
  atom.global.cas.b32 %r3, [%rd3], 0, 1;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra L1;
L2:
  atom.global.cas.b32 %r3, [%rd4], 0, 1;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra L2;
  membar.gl;
  membar.gl;
  st.volatile.global.u32 [%rd4], 0;
  st.volatile.global.u32 [%rd3], 0;
)");
  };
  // From each block's account to the next of three; and the same, the lower one first.
  const std::string next = "  add.u32 %r6, %r2, 0;\n  add.u32 %r7, %r2, 1;\n  rem.u32 %r7, %r7, 3;\n";
  const std::string ordered =
      next + "  min.u32 %r8, %r6, %r7;\n  max.u32 %r7, %r6, %r7;\n  mov.u32 %r6, %r8;\n";
  EXPECT_EQ(rings(transfer(next), 3, 1).size(), 1u);
  clean(transfer(ordered), 3, 1);
}

}  // namespace

}  // namespace ww::checks
