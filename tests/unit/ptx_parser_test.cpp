#include "ptx/parser.h"

#include <gtest/gtest.h>

#include <chrono>

#include "ir/verify.h"

namespace ww::ptx {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

ir::Module module_of(const std::string& text) {
  auto module = parse("test.ptx", kHead + text);
  EXPECT_TRUE(module.ok()) << render(module.error(), kHead + text);
  return module ? *module : ir::Module{};
}

std::string message_of(const std::string& text) {
  auto module = parse("test.ptx", kHead + text);
  return module ? "" : module.error()[0].message;
}

const ir::Instruction& first(const ir::Module& module) {
  return module.find_function("k")->blocks.at(0).instructions.at(0);
}

uint64_t immediate(const std::string& type, const std::string& text) {
  auto module = module_of(".entry k() { .reg ." + type + " r; mov." + type + " r, " + text + "; }");
  return module.functions.empty() ? 0 : first(module).operands[1].bits;
}

TEST(Constants, BecomeTheBitsOfTheOperandsType) {
  EXPECT_EQ(immediate("s32", "-1"), 0xffffffffffffffffu);
  EXPECT_EQ(immediate("u32", "-1"), 0xffffffffu);
  EXPECT_EQ(immediate("u32", "0x1FFFFFFFF"), 0xffffffffu);
  EXPECT_EQ(immediate("b16", "0x12345"), 0x2345u);
  EXPECT_EQ(immediate("f32", "0f3f800000"), 0x3f800000u);
  EXPECT_EQ(immediate("f32", "-0f3f800000"), 0xbf800000u);
  EXPECT_EQ(immediate("f32", "0f7fa00001"), 0x7fa00001u);  // a signalling NaN stays as it is
  EXPECT_EQ(immediate("f32", "0.1"), 0x3dcccccdu);
  EXPECT_EQ(immediate("f32", "0d3ff0000000000000"), 0x3f800000u);
  EXPECT_EQ(immediate("f64", "0f3f800000"), 0x3ff0000000000000u);
  EXPECT_EQ(immediate("f64", "1.0e-1"), 0x3fb999999999999au);
  EXPECT_EQ(immediate("b32", "0f3f800000"), 0x3f800000u);
  EXPECT_EQ(immediate("pred", "-1"), 1u);
}

TEST(Constants, ExpressionsFollowC) {
  EXPECT_EQ(immediate("s64", "1 + 2 * 3 - 4 / 2"), 5u);
  EXPECT_EQ(immediate("s64", "(1 + 2) * 3 % 5"), 4u);
  EXPECT_EQ(immediate("s64", "1 << 4 | 3 & 6 ^ 8"), uint64_t{1 << 4 | ((3 & 6) ^ 8)});
  EXPECT_EQ(immediate("s64", "-7 / 2"), static_cast<uint64_t>(-3));
  EXPECT_EQ(immediate("s64", "-7 >> 1"), static_cast<uint64_t>(-4));
  EXPECT_EQ(immediate("s64", "(.u64)-1 >> 60"), 15u);
  EXPECT_EQ(immediate("s64", "2 < 3 && !(4 >= 5) ? ~0 : 8"), ~uint64_t{0});
  EXPECT_EQ(immediate("s64", "0x8000000000000000 / -1"), 0u);  // unsigned: 2^63 / (2^64 - 1)
  EXPECT_EQ(immediate("s64", "(-0x7fffffffffffffff - 1) / -1"), uint64_t{1} << 63);
  EXPECT_EQ(immediate("s64", "WARP_SZ"), 32u);
}

TEST(Names, InnerScopesHideOuterOnes) {
  auto module = module_of(
      ".entry k() { .reg .b32 %r<3>; .reg .b32 a; { .reg .b64 %r<2>; .reg .b64 a; mov.b64 %r1, a; } mov.b32 "
      "%r1, a; "
      "mov.b32 %r2, 0; }");
  const auto& function = *module.find_function("k");
  const auto& code = function.blocks[0].instructions;
  auto type = [&](size_t i, size_t o) { return function.registers[code[i].operands[o].reg].type; };
  EXPECT_EQ(type(0, 0), ir::Type::b64);
  EXPECT_EQ(type(0, 1), ir::Type::b64);
  EXPECT_EQ(type(1, 0), ir::Type::b32);
  EXPECT_EQ(type(1, 1), ir::Type::b32);
}

TEST(Names, FilesHaveTheBytesThatTheCompilerEscaped) {
  // As nvcc 13 writes żółć.cu and C:\\a.cu; what is no escape stays.
  const auto module = module_of(R"(
.file 1 "/tmp/\305\274\303\263\305\202\304\207.cu"
.file 2 "C:\\a.cu", 1700000000, 12
.file 3 "\9\40"
.entry k() { ret; })");
  EXPECT_EQ(module.files.at(1), "/tmp/żółć.cu");
  EXPECT_EQ(module.files.at(2), "C:\\a.cu");
  EXPECT_EQ(module.files.at(3), "\\9\\40");
}

TEST(Names, NumbersOfRangesAreExact) {
  EXPECT_EQ(message_of(".entry k() { .reg .b32 %r<3>; mov.b32 %r3, 0; }"), "'%r3' is not declared");
  EXPECT_EQ(message_of(".entry k() { .reg .b32 %r<3>; mov.b32 %r01, 0; }"), "'%r01' is not declared");
  auto module =
      module_of(".entry k() { .reg .b32 %r<3>; .reg .b64 %r1<5>; mov.b64 %r12, 0; mov.b32 %r1, 0; }");
  const auto& function = *module.find_function("k");
  EXPECT_EQ(function.registers[first(module).operands[0].reg].name, "%r12");
  EXPECT_EQ(function.registers[first(module).operands[0].reg].type, ir::Type::b64);
}

TEST(Blocks, EndInATerminator) {
  auto module = module_of(".func f() { .reg .pred p; @p ret; } .entry k() { }");
  const auto& f = module.functions[0];
  ASSERT_EQ(f.blocks.size(), 2u);
  EXPECT_EQ(f.blocks[1].instructions[0].op, ir::Op::ret);
  EXPECT_EQ(first(module).op, ir::Op::exit_);
}

TEST(Operands, OptionalOnesInTheMiddle) {
  auto module =
      module_of(".entry k() { .reg .pred p; bar.red.or.pred p, 0, !p; bar.red.or.pred p, 0, 32, p; }");
  const auto& code = module.find_function("k")->blocks[0].instructions;
  EXPECT_EQ(code[0].operands[2].kind, ir::Operand::Kind::None);
  EXPECT_TRUE(code[0].operands[3].negated);
  EXPECT_EQ(code[1].operands[2].bits, 32u);
}

TEST(Locations, FollowInlining) {
  auto module = module_of(
      ".file 1 \"a.cu\"\n.entry k() {\n.loc 1 10 3\n.loc 1 20 5, function_name $info, inlined_at 1 10 3\n"
      ".loc 1 30 1, function_name $info + 4, inlined_at 1 20 5\nret;\n}");
  const auto& function = *module.find_function("k");
  const ir::Place& place = first(module).place;
  EXPECT_EQ(place.line, 30);
  ASSERT_GE(place.inlined_at, 0);
  const ir::Place& outer = function.inlined_at[static_cast<size_t>(place.inlined_at)];
  EXPECT_EQ(outer.line, 20);
  ASSERT_GE(outer.inlined_at, 0);
  EXPECT_EQ(function.inlined_at[static_cast<size_t>(outer.inlined_at)].line, 10);
}

TEST(Locations, LoopsOfTheCompilerBelongToTheirStatement) {
  // As nvcc writes memcpy: line 0 with the statement's column. A column that no statement has says nothing.
  auto module = module_of(
      ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n.entry k() {\n.loc 1 9 3\n.loc 1 12 5\n.loc 1 0 "
      "3\nmembar.gl;\n.loc 1 0 7\n"
      "membar.gl;\n.loc 2 0 3\nmembar.gl;\nret;\n}");
  const auto& code = module.find_function("k")->blocks[0].instructions;
  EXPECT_EQ(code[0].place.line, 9);
  EXPECT_EQ(code[1].place.line, 0);
  EXPECT_EQ(code[2].place.line, 0);
}

TEST(Variables, BytesOfAnAddressBecomeOneRelocation) {
  auto module = module_of(
      ".global .b32 t; .global .b8 a[8] = {0xFF(generic(t)), 0xFF00(generic(t)), 0xFF0000(generic(t)), "
      "0xFF000000(generic(t)), 0xFF00000000(generic(t)), 0xFF0000000000(generic(t)), "
      "0xFF000000000000(generic(t)), "
      "0xFF00000000000000(generic(t))};");
  const auto& variable = module.variables[1];
  ASSERT_EQ(variable.relocations.size(), 1u);
  EXPECT_EQ(variable.relocations[0].bytes, 8);
  EXPECT_TRUE(variable.relocations[0].generic);
}

TEST(Variables, DeclarationAndDefinitionAreOneSymbol) {
  auto module = module_of(".extern .global .b32 t; .func f() { ret; } .visible .global .b32 t = 7;");
  EXPECT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(module.variables[0].initial[0], 7);
}

TEST(Functions, AliasesAreOtherNamesOfOneFunction) {
  auto module = module_of(".func a(); .func b() { ret; } .alias a, b;");
  EXPECT_EQ(module.symbols[0].function, module.symbols[1].function);
}

std::string repeat(const std::string& what, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i) text += what;
  return text;
}

TEST(Hostile, IsRefusedInTime) {
  size_t n = 200'000;
#ifdef WW_SANITIZED
  const double seconds = 60;
#else
  const double seconds = 5;
#endif
  const std::vector<std::string> texts = {
      ".entry k() " + repeat("{", n),
      ".entry k() { mov.u32 r, " + repeat("(", n),
      ".global .u32 x = " + repeat("-", n) + "1;",
      ".global .u32 x[] = " + repeat("{", n),
      ".entry k() { ld.u32 " + repeat("[", n),
      repeat("}", n),
      repeat("{", n),
      ".entry k() { add.u32 " + repeat("a,", n),
      ".entry k" + repeat("()", n),
      ".entry k(" + repeat(".param .u64 p,", n),
      repeat(".entry k() { .reg .b32 %r<4000000>; }", 100),
      ".entry k() { add" + repeat(".rn", n),
      ".global .b8 x[] = {" + repeat("{},", n) + "};",
      ".entry k() { " + std::string(n, 'x') + "; }",
      ".global .b8 x[1099511627776] = {1};",
      ".global .u32 x = " + repeat("1?1:", n) + "1;",
      ".global .b8 x[][1000000000000][1000000000000][1000000000000] = {" + repeat("{},", n) + "};",
      ".entry k() { .reg .b32 r; " + repeat("{ add ; ", n),
      ".entry k() {" + repeat(" \"", n),
      ".section " + repeat("{", n)};
  for (const std::string& text : texts) {
    auto start = std::chrono::steady_clock::now();
    auto module = parse("test.ptx", kHead + text);
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), seconds) << text.substr(0, 60);
    // An instruction that nobody knows refuses its kernel, everything else the whole module.
    const Diagnostics& wrong = module.ok() ? module->functions.at(0).refused : module.error();
    EXPECT_FALSE(wrong.empty()) << text.substr(0, 60);
    EXPECT_LE(wrong.size(), static_cast<size_t>(kMaxErrors) + 1);
  }
}

TEST(Hostile, EveryPrefixOfAModuleIsReadWithoutHarm) {
  std::string text =
      kHead +
      ".file 1 \"a.cu\"\n.global .align 8 .u64 t[2] = {1, generic(t)+8};\n.func (.param .b32 r) f(.param "
      ".b32 a);\n"
      ".entry k(.param .u64 p) .maxntid 3 { .reg .b32 %r<9>; .reg .pred p1; L: { .param .b32 x; "
      "call (x), f, (x); } @!p1 bra L; T: .branchtargets L, L; brx.idx %r1, T; mov.b32 %r1, {%r2, _}; "
      "shfl.sync.up.b32 %r1|p1, 1, 2, 3, -4; st.v2.u32 [t+4], {1, 0x2}; /* c */ }";
  for (size_t n = 0; n < text.size(); ++n) {
    auto module = parse("test.ptx", text.substr(0, n));
    if (module) ir::verify(*module);
  }
}

TEST(Speed, TenThousandLinesTakeWellBelowATenthOfASecond) {
  std::string text = kHead +
                     ".entry k(.param .u64 p) {\n.reg .b32 %r<100>; .reg .f32 %f<100>; .reg .b64 %rd<9>;\n" +
                     repeat(
                         "mad.lo.s32 %r1, %r22, %r3, 7;\nfma.rn.f32 %f1, %f2, %f3, 0f3F800000;\n"
                         "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];\nst.shared.u32 [%r7], %r1;\n",
                         2500) +
                     "}";
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    auto start = std::chrono::steady_clock::now();
    auto module = parse("test.ptx", text);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    ASSERT_TRUE(module.ok());
  }
#if !defined(WW_SANITIZED)
  EXPECT_LT(best, 0.1);
#endif
  RecordProperty("milliseconds", std::to_string(best * 1e3));
}

}  // namespace ww::ptx
