// The two back ends compute the same, bit by bit: every lane row for every type, and control flow around
// accesses.
#include <fmt/format.h>

#include <random>

#include "../long.h"
#include "engine_kernels.h"
#include "isa/form.h"
#include "random_kernel.h"

namespace ww::engine {
namespace {

constexpr u32 kOperands = 4;
constexpr u32 kOperandBytes = 32 * 8;

/// What is compared is to be compiled here and now.
[[maybe_unused]] const bool kNothingKept = setenv("WARPWRIGHT_CODE_CACHE", "off", 1) == 0;

/// Bytes that are interesting as integers and as floats of all widths.
std::vector<u32> patterns(u64 seed, size_t words) {
  std::mt19937_64 random(seed);
  const u32 some[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff, 0x3f800000, 0xbf800000,
                      0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00000001, 0x007fffff, 0x00800000,
                      0x4f000000, 0xcf000000, 0x3c003c00, 0x7c007e01, 0x80008000, 31,         32,
                      0x3ff00000, 0x7ff00000, 0x7ff80000, 0x40490fdb, 0x00010001, 0x43000000, 0x4b800000};
  std::vector<u32> out(words);
  for (u32& w : out) w = random() % 3 ? some[random() % std::size(some)] : static_cast<u32>(random());
  return out;
}

const char* register_type(isa::Type type) {
  if (type == isa::Type::pred) return "pred";
  switch (isa::bytes(type)) {
    case 8:
      return "b64";
    case 4:
      return "b32";
    default:
      return "b16";
  }
}

/// One instruction of a row with chosen modifiers, with what brings its operands and takes its results away.
/// "" where the row has operands of other kinds.
std::string step(const isa::Form& form, std::mt19937_64& random, u32 number, bool guarded) {
  isa::Chosen chosen;
  std::string name = form.mnemonic;
  for (const isa::SlotSpec& s : form.slots) {
    if (s.allowed.empty()) return "";
    const isa::Mod mod = s.optional && random() % 2 ? isa::Mod::none : s.allowed[random() % s.allowed.size()];
    chosen.push_back(mod);
    if (mod != isa::Mod::none) name += fmt::format(".{}", isa::name(mod));
  }
  std::string before, operands, after, declared;
  u32 sources = 0, results = 0;
  for (size_t k = 0; k < form.operands.size(); ++k) {
    const isa::OperandSpec& spec = form.operands[k];
    if (spec.optional) {
      if (!spec.dest) return "";
      continue;
    }
    if (spec.kind == isa::OperandKind::Immediate) {
      operands += fmt::format(", {}", random() % 256);
      continue;
    }
    if (spec.kind != isa::OperandKind::Value) return "";
    const isa::Type type = isa::operand_type(form, chosen, spec);
    if (isa::bytes(type) > 8) return "";
    const std::string reg = fmt::format("%x{}_{}", number, k);
    const char* width = register_type(type);
    declared += fmt::format(".reg .{} {};", width, reg);
    operands += fmt::format("{}{}", operands.empty() ? " " : ", ", reg);
    if (spec.dest) {
      const u32 at = (number * 2 + results++) * kOperandBytes;
      if (type == isa::Type::pred) {
        before += fmt::format("setp.ne.u32 {}, %r0, 7; ", reg);
        after += fmt::format("selp.u32 %r1, 1, 0, {}; st.global.u32 [%out + {}], %r1; ", reg, at);
      } else {
        if (results == 1) before += fmt::format("ld.global.{} {}, [%in]; ", width, reg);
        after += fmt::format("st.global.{} [%out + {}], {}; ", width, at, reg);
      }
      continue;
    }
    const u32 at = (random() % kOperands) * kOperandBytes;
    ++sources;
    if (type == isa::Type::pred)
      before += fmt::format("ld.global.u32 %r1, [%in + {}]; setp.gt.s32 {}, %r1, 40; ", at, reg);
    else
      before += fmt::format("ld.global.{} {}, [%in + {}]; ", width, reg, at);
  }
  return fmt::format("{{ {} {} {}{}{}; {} }}\n", declared, before, guarded ? "@%odd " : "", name, operands,
                     after);
}

std::string kernel(const std::string& body) {
  return ".visible .entry k(.param .u64 in, .param .u64 out) {\n.reg .b32 %r<4>; .reg .b64 %in, %out, %d; "
         ".reg .pred %odd;\n"
         "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
         "mov.u32 %r0, %tid.x; mul.wide.u32 %d, %r0, 8; add.s64 %in, %in, %d; add.s64 %out, %out, %d;\n"
         "and.b32 %r1, %r0, 5; setp.ne.u32 %odd, %r1, 0;\n" +
         body + "ret;\n}\n";
}

bool accepted(const std::string& text) {
  auto parsed = ptx::parse("t.ptx", ".version 8.7\n.target sm_100a\n.address_size 64\n" + text);
  return parsed && ir::verify(*parsed).empty();
}

struct Outcome {
  std::vector<u32> memory;
  std::vector<Executions> executions;
  std::string fault;
};

Outcome outcome(const std::string& text, const char* back, u32 grid, u32 block, u32 results,
                u32 in_words = 1024) {
  Settings settings = Lab::small(1);
  settings.back = back;
  std::string full = ".version 8.7\n.target sm_100a\n.address_size 64\n" + text;
  Engine engine(settings);
  auto parsed = ptx::parse("t.ptx", full);
  EXPECT_TRUE(parsed) << render(parsed.error(), full);
  auto loaded = engine.load(std::make_shared<const ir::Module>(std::move(*parsed)));
  EXPECT_TRUE(loaded);
  const u64 in = *engine.memory().allocate(4 * in_words), out = *engine.memory().allocate(results);
  const auto data = patterns(5, in_words);
  std::memcpy(engine.memory().host(in), data.data(), 4 * in_words);
  std::memset(engine.memory().host(out), 0, results);
  LaunchRequest request;
  request.kernel = "k";
  request.grid = {grid, 1, 1};
  request.block = {block, 1, 1};
  request.counted = true;
  request.arguments = {argument(in), argument(out)};
  auto ran = engine.run(**loaded, request);
  Outcome o;
  EXPECT_TRUE(ran) << (ran ? "" : ran.error()[0].message);
  if (!ran) return o;
  if (!ran->faults.empty()) o.fault = ran->faults[0].message;
  o.executions = ran->executions;
  o.memory.resize(results / 4);
  std::memcpy(o.memory.data(), engine.memory().host(out), results);
  return o;
}

/// Whether the 8 bytes around that word are an f64 NaN that arithmetic made.
bool is_f64_nan(const std::vector<u32>& memory, size_t word) {
  return (memory[word | 1] & 0x7ff80000) == 0x7ff80000;
}

/// `open_payloads`: two f64 NaNs are the same.
void expect_same(const std::string& text, u32 grid, u32 block, u32 results, u32 in_words = 1024,
                 bool open_payloads = false) {
  const Outcome a = outcome(text, "interpreter", grid, block, results, in_words),
                b = outcome(text, "compiled", grid, block, results, in_words);
  EXPECT_EQ(a.fault, b.fault);
  ASSERT_EQ(a.executions.size(), b.executions.size());
  for (size_t k = 0; k < a.executions.size(); ++k) {
    EXPECT_EQ(a.executions[k].warps, b.executions[k].warps) << k << text;
    EXPECT_EQ(a.executions[k].threads, b.executions[k].threads) << k << text;
    EXPECT_EQ(a.executions[k].parted, b.executions[k].parted) << k << text;
  }
  for (size_t k = 0; k < a.memory.size(); ++k) {
    if (open_payloads && is_f64_nan(a.memory, k) && is_f64_nan(b.memory, k)) continue;
    ASSERT_EQ(a.memory[k], b.memory[k]) << "word " << k << " (step " << k * 4 / kOperandBytes / 2 << ")\n"
                                        << text;
  }
}

// Every third row (with WW_LONG each), every other one under a predicate; tests/run has all of them, too.
// WW_PROGRAMS: each row so many times, with other modifiers;
// f64 arithmetic then meets two NaNs now and then, whose payload is open (docs/engine-compiled.md).
TEST(Compiled, EveryLaneRow) {
  if (!compiler_there()) GTEST_SKIP() << "no compiler in this build";
  const char* count = std::getenv("WW_PROGRAMS");
  const u32 times = count ? static_cast<u32>(std::strtoul(count, nullptr, 10)) : 1;
  const char* seed = std::getenv("WW_SEED");
  std::mt19937_64 random(seed ? std::strtoull(seed, nullptr, 10) : 11);
  std::string body;
  u32 number = 0, rows = 0;
  size_t row = 0;
  const auto flush = [&] {
    if (number) expect_same(kernel(body), 1, 32, number * 2 * kOperandBytes, 1024, times > 1);
    body.clear();
    number = 0;
  };
  for (const isa::Form& form : isa::forms()) {
    if (form.kind != isa::RowKind::Lane || (!count && !is_tried(row++, 3))) continue;
    u32 made = 0;
    for (u32 tries = 0; tries < 6 * times + 6 && made < times; ++tries) {
      const std::string one = step(form, random, number, (rows + made) % 2 == 1);
      if (one.empty() || !accepted(kernel(one))) continue;
      body += one;
      ++number, ++made;
    }
    rows += made > 0;
    if (number >= 60) flush();
    if (HasFatalFailure()) return;
  }
  flush();
  EXPECT_GT(rows, count || all_are_tried() ? 150u : 50u);
}

TEST(Compiled, LoopsBranchesAndFaults) {
  if (!compiler_there()) GTEST_SKIP() << "no compiler in this build";
  // A loop that lanes leave one after another, accesses of all patterns, a barrier, whole and partial warps.
  const std::string text = R"(
.shared .align 4 .b8 tile[1024];
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<16>; .reg .b64 %rd<12>; .reg .pred %p<6>;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
mad.lo.s32 %r3, %r1, %r2, %r0;
mov.u32 %r4, 0; mov.u32 %r5, 0;
mul.wide.u32 %rd3, %r0, 4; add.s64 %rd4, %rd1, %rd3;
LOOP:
ld.global.u32 %r6, [%rd4];
add.s32 %r5, %r5, %r6;
and.b32 %r7, %r6, 63;
mul.wide.u32 %rd5, %r7, 4; add.s64 %rd6, %rd1, %rd5;
ld.global.u32 %r8, [%rd6];
xor.b32 %r5, %r5, %r8;
add.s64 %rd4, %rd4, 128;
add.s32 %r4, %r4, 1;
and.b32 %r9, %r0, 3; add.s32 %r9, %r9, 5;
setp.lt.u32 %p1, %r4, %r9;
@%p1 bra LOOP;
shl.b32 %r10, %r0, 2; mov.u32 %r11, tile; add.s32 %r11, %r11, %r10;
st.shared.u32 [%r11], %r5;
bar.sync 0;
mov.u32 %r12, 0;
SECOND:
xor.b32 %r13, %r10, 16; mov.u32 %r14, tile; add.s32 %r13, %r13, %r14;
ld.shared.u32 %r8, [%r13];
mad.lo.u32 %r5, %r5, 3, %r8;
bar.sync 0;
add.s32 %r12, %r12, 1; setp.lt.u32 %p2, %r12, 20;
@%p2 bra SECOND;
setp.eq.u32 %p3, %r4, 6;
@%p3 add.u32 %r5, %r5, 77;
mul.wide.u32 %rd7, %r3, 4; add.s64 %rd8, %rd2, %rd7;
st.global.u32 [%rd8], %r5;
ret;
})";
  for (u32 block : {32u, 64u, 40u, 200u}) expect_same(text, 7, block, 7 * block * 4, 4096);
  // The same, out of bounds in the last block.
  const Outcome a = outcome(text, "interpreter", 3, 64, 2 * 64 * 4, 4096),
                b = outcome(text, "compiled", 3, 64, 2 * 64 * 4, 4096);
  EXPECT_NE(a.fault, "");
  EXPECT_EQ(a.fault, b.fault);
}

// Random programs: WW_PROGRAMS of them from WW_SEED on (scripts/fuzz_engines runs more).
// One instruction first for some lanes, then for all: what was in bounds for the former says nothing of the
// latter.
TEST(Compiled, AllLanesReachFurtherThanSomeDid) {
  if (!compiler_there()) GTEST_SKIP() << "no compiler in this build";
  const std::string text = R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<8>; .reg .b64 %rd<6>; .reg .pred %p<4>;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
mov.u32 %r2, 0; mov.u32 %r3, 0;
LOOP:
setp.lt.u32 %p1, %r1, 16; setp.ne.u32 %p2, %r2, 0; or.pred %p3, %p1, %p2;
@!%p3 bra SKIP;
ld.global.u32 %r4, [%rd4]; add.u32 %r3, %r3, %r4;
SKIP:
add.s64 %rd4, %rd4, 64; add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 2;
@%p1 bra LOOP;
st.global.u32 [%rd5], %r3;
ret;
})";
  expect_same(text, 1, 32, 128, 48);
  expect_same(text, 1, 32, 128, 40);
  EXPECT_NE(outcome(text, "compiled", 1, 32, 128, 40).fault, "");
}

// Sums over rows of different lengths, by a loop that lanes leave one after another and that holds nothing
// but loads and arithmetic.
TEST(Compiled, LoopsOfDifferentLengths) {
  if (!compiler_there()) GTEST_SKIP() << "no compiler in this build";
  // Each lane adds in[(7·l + 3·k) mod SIZE] for k below 1 + 5·l mod 11, and some lanes do not come at all.
  const auto text = [](int shift, const char* first) {
    return fmt::format(R"(
.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .pred %p<4>;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 8; add.s64 %rd5, %rd2, %rd3;
mul.lo.u32 %r2, %r1, 5; rem.u32 %r2, %r2, 11; add.u32 %r2, %r2, 1;
mul.lo.u32 %r3, %r1, 7; mov.u32 %r4, 0; mov.u32 %r9, 0;
{}
LOOP:
and.b32 %r5, %r3, 1023; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd7, %rd1, %rd6;
ld.global.u32 %r6, [%rd7+{}];
and.b32 %r7, %r6, 1023; mul.wide.u32 %rd6, %r7, 4; add.s64 %rd7, %rd1, %rd6;
ld.global.u32 %r8, [%rd7];
add.u32 %r4, %r4, %r8; add.u32 %r3, %r3, 3; add.u32 %r9, %r9, 1;
setp.lt.u32 %p1, %r9, %r2;
@%p1 bra LOOP;
END:
st.global.u32 [%rd5], %r4; st.global.u32 [%rd5+4], %r9;
ret;
}})",
                       first, shift);
  };
  const char* const some = "and.b32 %r5, %r1, 3; setp.eq.u32 %p2, %r5, 2; @%p2 bra END;";
  for (const char* first : {"", some}) {
    expect_same(text(0, first), 3, 96, 96 * 8);
    expect_same(text(4000, first), 3, 96, 96 * 8);  // behind the end for some
    expect_same(text(2, first), 3, 96, 96 * 8);     // not aligned
  }
  // Some lanes go round more often than there are bits in a word.
  expect_same(text(0, "mul.lo.u32 %r2, %r2, 17;"), 3, 96, 96 * 8);
  // All go round once: what grows evenly from lane to lane still does.
  expect_same(text(0, "mov.u32 %r2, 1;"), 3, 96, 96 * 8);
}

// Four lanes of a warp load and store anywhere, or somewhere wrong: then nothing of that access has happened.
TEST(Compiled, AccessesOfFewLanes) {
  if (!compiler_there()) GTEST_SKIP() << "no compiler in this build";
  const auto text = [](const char* space, const char* type, const char* to, int load, int store) {
    return fmt::format(R"(
.shared .align 16 .b8 tile[4096];
.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .b16 %h<4>; .reg .pred %p<4>; .reg .b32 %s;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x; mov.u32 %s, tile; mad.lo.u32 %s, %r1, 4, %s; st.shared.u32 [%s], %r1;
st.shared.u32 [%s+128], %r1; mov.u32 %s, tile;
and.b32 %r2, %r1, 7; setp.ne.u32 %p1, %r2, 5; @%p1 bra END;
mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u64 %rd5, 0; mov.u16 %h1, 0;
LOOP:
mad.lo.u32 %r5, %r1, 37, %r3; and.b32 %r5, %r5, 15; shl.b32 %r6, %r5, 4; add.u32 %s, %s, %r6;
mul.wide.u32 %rd3, %r5, 16; add.s64 %rd3, %rd3, %rd1;
ld.{}.{} {}, [{}+{}];
cvt.u32.u16 %r9, %h1; cvt.u32.u64 %r10, %rd5; add.u32 %r9, %r9, %r10; add.u32 %r4, %r4, %r7; add.u32 %r4, %r4, %r9;
mul.lo.u32 %r6, %r5, 29; and.b32 %r6, %r6, 63; mul.wide.u32 %rd4, %r6, 4; add.s64 %rd4, %rd4, %rd2;
st.global.u32 [%rd4+{}], %r4; st.global.u8 [%rd4+{}], %r1;
mov.u32 %s, tile; add.u32 %r3, %r3, 1; add.u32 %r8, %r2, %r1; and.b32 %r8, %r8, 3; setp.le.u32 %p2, %r3, %r8;
@%p2 bra LOOP;
shr.u32 %r5, %r1, 4; mul.wide.u32 %rd4, %r5, 4; add.s64 %rd4, %rd4, %rd2; st.global.u32 [%rd4+256], %r1;
END:
ret;
}})",
                       space, type, to, std::string_view(space) == "global" ? "%rd3" : "%s", load, store,
                       store + 256);
  };
  constexpr u32 kBytes = 1024;
  const std::pair<const char*, const char*> loaded[] = {
      {"u32", "%r7"}, {"u64", "%rd5"}, {"s8", "%h1"}, {"v4.u32", "{%r7, _, %r10, %r9}"}};
  const int places[] = {0, 2, 4000, -16};
  for (const char* space : {"global", "shared"}) {
    // Each type at two of the places, each place with two of the types.
    for (size_t place = 0; place < 4; ++place)
      for (size_t type : {place, (place + 1) % 4})
        expect_same(text(space, loaded[type].first, loaded[type].second, places[place], 0), 1, 32, kBytes);
    for (int store : {3, 700, 900}) expect_same(text(space, "u32", "%r7", 0, store), 1, 32, kBytes);
  }
  // Lanes 5 and 13 store to one word, 21 and 29 to the next: the last one wins.
  const Outcome o = outcome(text("global", "u32", "%r7", 0, 0), "compiled", 1, 32, kBytes);
  EXPECT_EQ(o.fault, "");
  EXPECT_EQ(o.memory[64], 13u);
  EXPECT_EQ(o.memory[65], 29u);
  for (int wrong : {2, 4000})
    EXPECT_NE(outcome(text("global", "u32", "%r7", wrong, 0), "compiled", 1, 32, kBytes).fault, "");
}

// Blocks that end plainly, one after another, and between them two whose lanes do not: in one some lanes end
// while others wait for them, in another one reads what nobody has.
TEST(Compiled, BlocksAmongWhichSomeAreNotPlain) {
  if (!compiler_there()) GTEST_SKIP() << "no compiler in this build";
  const auto text = [](int wrong) {
    return fmt::format(R"(
.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<8>; .reg .b64 %rd<6>; .reg .pred %p<4>;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd2, %rd3;
setp.ne.u32 %p1, %r2, 5; @%p1 bra ON;
setp.lt.u32 %p2, %r1, 70; @%p2 bra ON;
and.b32 %r5, %r1, 1; setp.eq.u32 %p3, %r5, 0; @%p3 ret;
ON:
setp.ne.u32 %p1, %r2, {}; mov.u64 %rd5, %rd1; @%p1 bra READ;
add.s64 %rd5, %rd5, 1000000;
READ:
ld.global.u32 %r6, [%rd5]; add.u32 %r7, %r4, 1; st.global.u32 [%rd4], %r7;
ret;
}})",
                       wrong);
  };
  constexpr u32 kBlocks = 12, kThreads = 128;
  expect_same(text(-1), kBlocks, kThreads, 4 * kBlocks * kThreads);
  expect_same(text(9), kBlocks, kThreads, 4 * kBlocks * kThreads);
  const Outcome o = outcome(text(-1), "compiled", kBlocks, kThreads, 4 * kBlocks * kThreads);
  for (u32 k = 0; k < kBlocks * kThreads; ++k)
    ASSERT_EQ(o.memory[k], k / kThreads == 5 && k % kThreads >= 70 && k % 2 == 0 ? 0 : k + 1) << k;
}

TEST(Compiled, RandomPrograms) {
  if (!compiler_there()) GTEST_SKIP() << "no compiler in this build";
  const char *programs = std::getenv("WW_PROGRAMS"), *seed = std::getenv("WW_SEED");
  const u64 count = programs ? std::strtoull(programs, nullptr, 10) : 4,
            first = seed ? std::strtoull(seed, nullptr, 10) : 1;
  for (u64 k = first; k < first + count; ++k) {
    SCOPED_TRACE(k);
    const std::vector<u32> blocks{32, 64, 40, 128, 7, 8, 16, 33, 100};
    const u32 block = blocks[k % blocks.size()];
    const std::string text = RandomKernel(k, block).text();
    expect_same(text, 3, block, 3 * block * kRandomOutWords * 4);
    if (HasFailure()) return;
  }
}

// Rows whose code is long are called where they stand in many places; some of these lanes go another way
// first.
TEST(Compiled, LongArithmeticInManyPlaces) {
  if (!compiler_there()) GTEST_SKIP() << "no compiler in this build";
  std::string text =
      ".visible .entry k(.param .u64 in, .param .u64 out) {\n.reg .b32 %r<5>; .reg .b64 %rd<4>; "
      ".reg .pred %p;\nld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;\n"
      "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;\n"
      "ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+512]; and.b32 %r4, %r1, 3;\n"
      "setp.eq.u32 %p, %r4, 1; @%p bra B;\nbar.warp.sync 0xdddddddd;\n";
  for (int k = 0; k < 90; ++k)
    text += fmt::format("fma.rn.f16x2 %r{}, %r2, %r3, %r{};\n", 2 + k % 2, 3 - k % 2);
  text += "B: bar.sync 0;\n";
  for (int k = 0; k < 90; ++k)
    text += fmt::format("{}fma.rn.f16x2 %r2, %r3, %r2, %r3;\n", k % 3 ? "" : "@%p ");
  expect_same(text + "st.global.u32 [%rd2], %r2; st.global.u32 [%rd2+512], %r3; ret; }", 1, 64, 1024);
}

}  // namespace
}  // namespace ww::engine
