// Kernels that are run interpreted and compiled, which must compute and count the same.
#pragma once

#include <fmt/format.h>

#include <map>

#include "engine/compile/compile.h"
#include "engine_kernels.h"

namespace ww::engine {

/// Words that kernels read, and that each of their threads may write.
inline constexpr u32 kInWords = 8192, kOutWords = 16;

struct Form {
  u32 x, y, z;
  u32 threads() const { return x * y * z; }
};
/// What a listener is: one that takes notes, or one that needs registers for some accesses, perhaps with a
/// shadow of them.
enum class Listens { Not, ToNotes, Asked, AskedWithShadow };

/// Keeps all that it is told, one thing after another, so that two runs can be compared.
class Hears : public events::Listener {
 public:
  explicit Hears(Listens how) : how_(how) {}

  std::vector<std::string> heard;
  u64 wrong_serials = 0;  ///< of events whose offsets are not those of others with the same serial

  u32 wants() const override {
    constexpr u32 kMore =
        events::kWarpSyncs | events::kFences | events::kDivisors | events::kOverflows | events::kCopyGroups;
    return events::kMemory | events::kBarriers | (how_ == Listens::ToNotes ? 0 : kMore) |
           (how_ == Listens::AskedWithShadow ? u32{events::kValues} : 0);
  }
  bool takes_notes() const override { return how_ == Listens::ToNotes; }
  events::Registers registers() const override {
    return takes_notes() ? events::Registers::Never : events::Registers::Sometimes;
  }
  bool needs_registers(int, const events::Memory& e) override {
    return (e.instruction * 5 + e.warp * 3 + e.block + e.first / 4) % 13 == 0;
  }
  void block_begins(int, u64 block) override { heard.push_back("block " + std::to_string(block)); }
  void memory(int, const events::Memory& e) override {
    std::string line = fmt::format(
        "instruction {} block {} warp {} lanes {:08x} space {} direction {} bytes {} order {} at {:x}:",
        e.instruction, e.block, e.warp, e.mask, static_cast<int>(e.space), static_cast<int>(e.direction),
        e.bytes, static_cast<int>(e.order), e.first);
    std::vector<int64_t>* known = nullptr;
    if (e.serial != 0) known = &offsets_.try_emplace(e.serial, kLanes, kUnknown).first->second;
    for (size_t l = 0; l < kLanes; ++l) {
      if (!(e.mask >> l & 1)) continue;
      line += ' ' + std::to_string(e.offsets[l]);
      if (!known) continue;
      wrong_serials += (*known)[l] != kUnknown && (*known)[l] != e.offsets[l];
      (*known)[l] = e.offsets[l];
    }
    for (u32 n = 0; !takes_notes() && e.values && n < e.elements; ++n)
      for (size_t l = 0; e.values[n] && l < kLanes; ++l)
        for (u32 byte = 0; e.mask >> l & 1 && byte < e.bytes / e.elements; ++byte)
          line += fmt::format("{}{:02x}", byte ? "" : " ", e.values[n][l * e.value_bytes + byte]);
    heard.push_back(line);
  }
  void barrier_release(int, const events::BarrierRelease& e) override {
    heard.push_back(fmt::format("block {} barrier {}", e.block, e.barrier));
  }
  /// (Compiled code does not tell of shuffles and votes of all lanes.)
  void warp_sync(int, const events::WarpSync& e) override {
    if (e.named || e.mask != kAllLanes || e.members != kAllLanes) site("lanes meet", e);
  }
  void fence(int, const events::Fence& e) override { site("fence", e); }
  void zero_divisor(int, const events::ZeroDivisor& e) override { site("divisor", e); }
  void overflow(int, const events::Overflow& e) override { site("overflow", e); }
  void block_ends(int, u64 block) override { heard.push_back("end of block " + std::to_string(block)); }

 private:
  void site(const char* what, const events::Site& e) {
    heard.push_back(fmt::format("{}: instruction {} block {} warp {} lanes {:08x}", what, e.instruction,
                                e.block, e.warp, e.mask));
  }

  static constexpr int64_t kUnknown = INT64_MIN;
  const Listens how_;
  std::map<u64, std::vector<int64_t>> offsets_;
};

struct Outcome3 {
  std::vector<std::string> heard;
  Ran ran = Ran::Interpreter;
  std::vector<u32> memory;
  std::vector<Executions> executions;
  std::map<u32, Landings> landings;
  std::string fault;
  bool whole = false;  ///< there was whole-warp code
  bool again = false;  ///< and such that warps come back to
  u64 left = 0;        ///< warps that went on interpreted: a multiple of 16
  size_t parts = 0;    ///< functions that stand in the places of calls, with the kernel; 0: none does
};

inline Outcome3 run_with(const char* back, const std::string& text, Form grid, Form block,
                         bool counted = true, Listens listens = Listens::Not,
                         events::Listener* other = nullptr, u32 turn_budget = 0, const char* lanes = "") {
  Settings settings = Lab::small(1);
  settings.lanes = lanes;
  settings.turn_budget = turn_budget;
  settings.back = back;
  Lab lab(text, settings);
  const u32 words = grid.threads() * block.threads() * kOutWords;
  const u64 in = lab.words(kInWords), out = lab.words(words);
  for (u32 k = 0; k < kInWords; ++k) lab.host(in)[k] = k * 2654435761u >> (k % 29);
  LaunchRequest request;
  request.kernel = "k";
  request.grid = {grid.x, grid.y, grid.z};
  request.block = {block.x, block.y, block.z};
  request.counted = counted;
  request.arguments = {argument(in), argument(out)};
  Hears listener(listens);
  if (listens != Listens::Not) request.listeners = {&listener};
  if (other) request.listeners.push_back(other);
  auto ran = lab.engine.run(*lab.module, request);
  Outcome3 o;
  EXPECT_TRUE(ran) << text;
  if (!ran) return o;
  if (!ran->faults.empty()) o.fault = ran->faults[0].message;
  o.executions = ran->executions;
  o.landings = ran->landings;
  o.ran = ran->ran;
  o.heard = std::move(listener.heard);
  EXPECT_EQ(listener.wrong_serials, 0u) << text;
  o.memory.assign(lab.host(out), lab.host(out) + words);
  for (const auto& [name, program] : lab.module->programs) {
    const FunctionCode& entry = *program->functions[0];
    o.whole |= entry.whole || entry.whole_lacking;
    o.left += program->left;
    o.again |= entry.whole_again || entry.whole_lacking_again;
    if (entry.inlined) o.parts = entry.inlined->parts.size();
  }
  return o;
}

/// They computed and counted the same.
inline void expect_equal(const Outcome3& a, const Outcome3& b, const std::string& text) {
  EXPECT_EQ(a.fault, b.fault) << text;
  EXPECT_EQ(a.executions.size(), b.executions.size());
  if (a.executions.size() != b.executions.size()) return;
  for (size_t k = 0; k < a.executions.size(); ++k) {
    EXPECT_EQ(a.executions[k].warps, b.executions[k].warps) << k << text;
    EXPECT_EQ(a.executions[k].threads, b.executions[k].threads) << k << text;
    EXPECT_EQ(a.executions[k].parted, b.executions[k].parted) << k << text;
  }
  EXPECT_EQ(a.landings.size(), b.landings.size());
  for (const auto& [instruction, landed] : a.landings) {
    const auto same = b.landings.find(instruction);
    EXPECT_TRUE(same != b.landings.end() && same->second == landed) << instruction << text;
  }
  for (size_t k = 0; k < a.memory.size() && !testing::Test::HasFailure(); ++k)
    EXPECT_EQ(a.memory[k], b.memory[k]) << "word " << k % kOutWords << '\n' << text;
}

/// Returns what was so when it was compiled.
inline Outcome3 expect_the_same(const std::string& text, Form grid, Form block, bool counted, Listens listens,
                                u32 turn_budget = 0) {
  const auto run = [&](const char* back) {
    return run_with(back, text, grid, block, counted, listens, nullptr, turn_budget);
  };
  const Outcome3 a = run("interpreter"), b = run("compiled");
  if (listens == Listens::Not) {
    EXPECT_EQ(b.ran, Ran::Compiled) << text;
  }
  // Where several warps would fault, which of them does first depends on where turns end.
  if (turn_budget && !a.fault.empty()) {
    EXPECT_FALSE(b.fault.empty()) << text;
    return b;
  }
  for (size_t k = 0; k < std::max(a.heard.size(), b.heard.size()) && !testing::Test::HasFailure(); ++k) {
    const std::string nothing = "nothing";
    EXPECT_EQ(k < a.heard.size() ? a.heard[k] : nothing, k < b.heard.size() ? b.heard[k] : nothing)
        << "event " << k << '\n'
        << text;
  }
  expect_equal(a, b, text);
  return b;
}
/// `listened`: what is heard is the same, too, however listeners are told. (With a shadow there is no
/// whole-warp code where registers are read before they are written.)
inline Outcome3 expect_the_same(const std::string& text, Form grid, Form block, bool counted = true,
                                bool listened = false, u32 turn_budget = 0) {
  if (!listened) return expect_the_same(text, grid, block, counted, Listens::Not, turn_budget);
  const bool shadow = std::hash<std::string>()(text) % 2;
  expect_the_same(text, grid, block, counted, shadow ? Listens::AskedWithShadow : Listens::Asked,
                  turn_budget);
  return expect_the_same(text, grid, block, counted, Listens::ToNotes, turn_budget);
}

/// Each thread makes 200 times three words of its own, %r4 to %r6, and adds what `body` makes of them in %r7
/// to its result.
inline std::string kernel_on_words(const std::string& body) {
  return R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<24>; .reg .b64 %d<6>; .reg .pred %p<6>; .reg .b16 %h<10>; .reg .f32 %f<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2; mul.wide.u32 %d3, %r3, 4; add.s64 %d0, %d0, %d3;
ld.global.u32 %r8, [%d0]; mov.u32 %r9, 0; mov.u32 %r10, 0;
NEXT: mad.lo.u32 %r8, %r8, 1664525, 1013904223; xor.b32 %r8, %r8, %r9; prmt.b32 %r4, %r8, 0, 0x1032;
mad.lo.u32 %r8, %r8, 1664525, 1013904223; prmt.b32 %r5, %r8, 0, 0x2103;
mad.lo.u32 %r8, %r8, 1664525, 1013904223; prmt.b32 %r6, %r8, 0, 0x3210;
)" + body +
         R"(
mad.lo.u32 %r10, %r10, 31, %r7; add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 200; @%p0 bra NEXT;
st.global.u32 [%d1], %r10; st.global.u32 [%d1 + 4], %r7; ret;
})";
}

/// Compiled code makes the same words as the interpreter, of whole warps and of a block whose last one is
/// not.
inline void expect_equal_words(const std::string& body) {
  for (const Form block : {Form{64, 1, 1}, Form{50, 1, 1}}) {
    SCOPED_TRACE(body);
    const Outcome3 o = expect_the_same(kernel_on_words(body), {12, 1, 1}, block);
    EXPECT_TRUE(o.whole);
    EXPECT_EQ(o.left, 0u);
  }
}

}  // namespace ww::engine
