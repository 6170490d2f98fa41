// cp.async: random copies, groups and waits of some lanes each, against a model of single threads: what a
// thread has waited for is there, what it has not is not (the engine copies as late as it may).
#include <fmt/format.h>

#include <random>

#include "engine/compile/compile.h"
#include "engine_kernels.h"

namespace ww::engine {
namespace {

constexpr u32 kCopyThreads = 48, kCopySlots = 12, kCopySlotBytes = kCopyThreads * 16, kCopyInWords = 2048;
constexpr u64 kAllGroups = ~u64{0};

/// The kernel's text, and what each thread finds in its element of each slot after each wait.
class RandomCopies {
 public:
  RandomCopies(u64 seed, u32 statements) : random_(seed) {
    for (u32 k = 0; k < kCopyInWords; ++k) in_[k] = k * 2654435761u;
    for (u32 k = 0; k < statements; ++k) statement();
    wait(kAllGroups, ~u32(0));
  }

  std::string text() const {
    return fmt::format(R"(.shared .align 16 .b8 tile[{}];
.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<12>; .reg .b64 %d<8>; .reg .pred %p<2>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, tile;
mul.wide.u32 %d2, %r0, 4; add.s64 %d1, %d1, %d2; and.b32 %r2, %r0, 31;
{}ret;
}})",
                       kCopySlots * kCopySlotBytes, text_);
  }
  u32 in(u32 k) const { return in_[k]; }
  /// By wait, slot, first and last word, and thread.
  const std::vector<u32>& found() const { return found_; }

 private:
  struct Copy {
    u32 slot, size, bytes, from;
    u32 group;  ///< 0: in none yet
  };
  u32 pick(u32 n) { return static_cast<u32>(random_() % n); }
  u32 some_lanes() { return pick(3) ? ~u32(0) : pick(2) ? 0x5555ffff << pick(9) : ~u32(0) >> pick(20); }
  static bool has(u32 lanes, u32 thread) { return lanes >> thread % 32 & 1; }
  void guard(u32 lanes) {
    text_ += fmt::format("shr.u32 %r3, {}, %r2; and.b32 %r3, %r3, 1; setp.eq.u32 %p0, %r3, 1;\n", lanes);
  }

  void statement() {
    switch (pick(5)) {
      case 0:
        return commit(some_lanes());
      case 1:
        return wait(pick(4) ? pick(3) : kAllGroups, some_lanes());
      default:
        if (used_ < kCopySlots) copy(some_lanes());
    }
  }

  void copy(u32 lanes) {
    const u32 slot = used_++, size = 4u << pick(3), short_by = pick(3) ? 0 : pick(size + 1);
    // Which element of the slot a thread writes: rows, rows in parts, or none.
    const u32 turn = pick(2) ? 0 : 1 + pick(kCopyThreads - 1), cross = pick(3) ? 0 : 1u << pick(4);
    const u32 first = 16 * pick(9), apart = pick(3) ? size : 3 * size;
    guard(lanes);
    place_[slot] = fmt::format(
        "add.u32 %r4, %r0, {}; rem.u32 %r4, %r4, {}; xor.b32 %r4, %r4, {}; mad.lo.u32 %r5, %r4, {}, %r1;\n",
        turn, kCopyThreads, cross, size);
    text_ += place_[slot];
    text_ += fmt::format(
        "mul.lo.u32 %r6, %r0, {}; cvt.u64.u32 %d3, %r6; add.s64 %d3, %d3, %d0;\n"
        "@%p0 cp.async.ca.shared.global [%r5 + {}], [%d3 + {}], {}{};\n",
        apart, slot * kCopySlotBytes, first, size, short_by ? fmt::format(", {}", size - short_by) : "");
    for (u32 t = 0; t < kCopyThreads; ++t) {
      element_[slot][t] = slot * kCopySlotBytes + (((t + turn) % kCopyThreads) ^ cross) * size;
      if (has(lanes, t)) pending_[t].push_back({slot, size, size - short_by, first + t * apart, 0});
    }
    size_[slot] = size;
  }

  void commit(u32 lanes) {
    guard(lanes);
    text_ += "@%p0 cp.async.commit_group;\n";
    for (u32 t = 0; t < kCopyThreads; ++t) {
      if (!has(lanes, t)) continue;
      ++groups_[t];
      for (Copy& c : pending_[t])
        if (!c.group) c.group = groups_[t];
    }
  }

  void wait(u64 open, u32 lanes) {
    guard(lanes);
    text_ += open == kAllGroups ? "@%p0 cp.async.wait_all;\n"
                                : fmt::format("@%p0 cp.async.wait_group {};\n", open);
    for (u32 t = 0; t < kCopyThreads; ++t) {
      if (!has(lanes, t)) continue;
      std::erase_if(pending_[t], [&](const Copy& c) {
        const bool due = open == kAllGroups || (c.group && c.group + open <= groups_[t]);
        const u8* from = reinterpret_cast<const u8*>(in_) + c.from;
        for (u32 b = 0; b < c.size && due; ++b)
          shared_[element_[c.slot][t] + b] = b < c.bytes ? from[b] : u8{0};
        return due;
      });
    }
    for (u32 slot = 0; slot < used_; ++slot)
      for (u32 word : {0u, size_[slot] / 4 - 1}) {
        text_ += place_[slot];
        text_ += fmt::format("ld.shared.u32 %r8, [%r5 + {}]; st.global.u32 [%d1 + {}], %r8;\n",
                             slot * kCopySlotBytes + 4 * word, 4 * found_.size());
        for (u32 t = 0; t < kCopyThreads; ++t) {
          u32 v = 0;
          std::memcpy(&v, &shared_[element_[slot][t] + 4 * word], 4);
          found_.push_back(v);
        }
      }
  }

  std::mt19937_64 random_;
  std::string text_;
  u32 in_[kCopyInWords];
  u32 used_ = 0, size_[kCopySlots] = {}, element_[kCopySlots][kCopyThreads] = {}, groups_[kCopyThreads] = {};
  std::string place_[kCopySlots];  ///< computes where a thread's element lies, but for the slot
  std::vector<Copy> pending_[kCopyThreads];
  std::vector<u8> shared_ = std::vector<u8>(kCopySlots * kCopySlotBytes, 0xff);
  std::vector<u32> found_;
};

TEST(Copies, ComeWhenTheyAreWaitedFor) {
  std::string why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const bool compiles = can_compile(*lane_code(), why);
  for (u64 seed = 1; seed <= 24; ++seed) {
    const bool compiled = compiles && seed % 8 == 0;  // long kernels take long to compile
    const RandomCopies kernel(seed, compiled ? 9 : 30);
    SCOPED_TRACE(kernel.text());
    Settings settings = Lab::small(1);
    settings.back = compiled ? "compiled" : "interpreter";
    Lab lab(kernel.text(), settings);
    const u64 in = lab.words(kCopyInWords), out = lab.words(kernel.found().size());
    for (u32 k = 0; k < kCopyInWords; ++k) lab.host(in)[k] = kernel.in(k);
    auto ran = lab.launch(1, kCopyThreads, {in, out});
    ASSERT_TRUE(ran);
    ASSERT_TRUE(ran->faults.empty()) << ran->faults[0].message;
    for (size_t k = 0; k < kernel.found().size(); ++k)
      ASSERT_EQ(lab.host(out)[k], kernel.found()[k]) << "seed " << seed << ", thread " << k % kCopyThreads;
  }
}

/// A run of lanes that leaves the array: the first lane that does is named.
TEST(Copies, FaultsNameTheLane) {
  Lab lab(R"(.shared .align 16 .b8 tile[1024];
.visible .entry k(.param .u64 in) {
.reg .b32 %r<4>; .reg .b64 %d<4>;
ld.param.u64 %d0, [in]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 16; add.s64 %d0, %d0, %d1;
mov.u32 %r1, tile; mad.lo.u32 %r1, %r0, 16, %r1; cp.async.cg.shared.global [%r1], [%d0], 16; cp.async.wait_all; ret;
})");
  EXPECT_TRUE(says(lab.fault(1, 32, {lab.words(4 * 19)}), {"thread (19,0,0)", "source"}));
}

}  // namespace
}  // namespace ww::engine
