// Several modules become one as IR (ir/link.h). What must come of which linkage: PTX ISA, "Linking
// Directives".
#include <gtest/gtest.h>

#include "ir/link.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "ptx/parser.h"

namespace {

using namespace ww;

Result<ir::Module> linked(const std::vector<std::string>& texts) {
  std::vector<ir::Module> modules;
  char name = 'a';
  for (const std::string& text : texts) {
    auto module =
        ptx::parse(std::string(1, name++) + ".ptx", ".version 8.0\n.target sm_80\n.address_size 64\n" + text);
    if (!module) return module.error();
    modules.push_back(std::move(*module));
  }
  auto module = ir::link(std::move(modules));
  if (module)
    for (const auto& wrong : ir::verify(*module)) ADD_FAILURE() << wrong.message;
  return module;
}

int count_of(const ir::Module& m, const std::string& name) {
  int n = 0;
  for (const auto& s : m.symbols) n += s.name == name;
  return n;
}
const ir::Variable& variable(const ir::Module& m, const std::string& name) {
  for (ir::SymbolId s = 0; s < m.symbols.size(); ++s)
    if (m.symbols[s].name == name) return m.variable(s);
  throw std::runtime_error("no variable " + name);
}

const char* const kUser = R"(
.extern .func (.param .b32 r) twice(.param .b32 a);
.extern .global .u32 seed;
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<3>; .reg .b64 %d<2>;
  ld.global.u32 %r1, [seed];
  { .param .b32 x; .param .b32 y;
    st.param.b32 [x], %r1;
    call (y), twice, (x);
    ld.param.b32 %r2, [y]; }
  ld.param.u64 %d1, [out];
  st.global.u32 [%d1], %r2;
  ret;
}
)";
const char* const kTwice = R"(
.visible .func (.param .b32 r) twice(.param .b32 a)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r1, [a];
  shl.b32 %r1, %r1, 1;
  st.param.b32 [r], %r1;
  ret;
}
.visible .global .u32 seed = 21;
)";

TEST(Link, ExternalNamesFindTheirDefinitions) {
  for (bool user_first : {true, false}) {
    auto m = user_first ? linked({kUser, kTwice}) : linked({kTwice, kUser});
    ASSERT_TRUE(m) << render(m.error());
    EXPECT_EQ(count_of(*m, "twice"), 1);
    EXPECT_EQ(count_of(*m, "seed"), 1);
    EXPECT_TRUE(m->find_function("twice")->defined);
    const ir::Function& k = *m->find_function("k");
    ASSERT_EQ(k.calls.size(), 1u);
    EXPECT_EQ(m->symbols[k.calls[0].target].name, "twice");
    EXPECT_EQ(variable(*m, "seed").initial, (std::vector<uint8_t>{21, 0, 0, 0}));
    EXPECT_TRUE(ir::undefined(*m).empty());
  }
}

TEST(Link, PlacesNameTheirOwnFile) {
  auto m = linked({kUser, kTwice});
  ASSERT_TRUE(m);
  auto where = [&](const char* name) {
    return ir::location(*m, m->find_function(name)->blocks[0].instructions[0].place);
  };
  EXPECT_EQ(where("k").file, "a.ptx");
  EXPECT_EQ(where("k").line, 10);
  EXPECT_EQ(where("twice").file, "b.ptx");
  EXPECT_EQ(where("twice").line, 8);
}

TEST(Link, SourceFilesKeepTheirNumbersApart) {
  const char* const text = ".file 1 \"%.cu\"\n.visible .entry k%() { .loc 1 7 3\n ret; }\n";
  auto of = [&](char name) {
    std::string t = text;
    for (char& c : t)
      if (c == '%') c = name;
    return t;
  };
  auto m = linked({of('x'), of('y')});
  ASSERT_TRUE(m);
  EXPECT_EQ(ir::location(*m, m->find_function("kx")->blocks[0].instructions[0].place).file, "x.cu");
  EXPECT_EQ(ir::location(*m, m->find_function("ky")->blocks[0].instructions[0].place).file, "y.cu");
}

TEST(Link, WhatNobodyDefinesStaysDeclared) {
  auto m = linked({kUser, ".visible .entry other() { ret; }"});
  ASSERT_TRUE(m) << render(m.error());
  std::vector<std::string> names;
  for (auto s : ir::undefined(*m)) names.push_back(m->symbols[s].name);
  EXPECT_EQ(names, (std::vector<std::string>{"twice", "seed"}));
}

TEST(Link, PrivateNamesStayApart) {
  auto m =
      linked({".global .u32 own = 1;\n.func f() { ret; }\n.visible .entry a() { .reg .b64 %d; mov.u64 %d, "
              "own; call f; ret; }",
              ".global .u32 own = 2;\n.func f() { ret; }\n.visible .entry b() { .reg .b64 %d; mov.u64 %d, "
              "own; call f; ret; }"});
  ASSERT_TRUE(m) << render(m.error());
  EXPECT_EQ(count_of(*m, "own"), 2);
  EXPECT_EQ(count_of(*m, "f"), 2);
  auto seen = [&](const char* kernel) {
    return m->variable(m->find_function(kernel)->blocks[0].instructions[0].operands[1].symbol).initial[0];
  };
  EXPECT_EQ(seen("a"), 1);
  EXPECT_EQ(seen("b"), 2);
}

TEST(Link, VisibleTakesThePlaceOfWeak) {
  const char *const weak = ".weak .global .u32 x = 1;\n", *const strong = ".visible .global .u32 x = 2;\n";
  for (bool strong_first : {true, false}) {
    auto m = strong_first ? linked({strong, weak}) : linked({weak, strong});
    ASSERT_TRUE(m);
    EXPECT_EQ(count_of(*m, "x"), 1);
    EXPECT_EQ(variable(*m, "x").initial[0], 2);
  }
  auto both = linked({".weak .global .u32 x = 3;\n", ".weak .global .u32 x = 4;\n"});
  ASSERT_TRUE(both);
  EXPECT_EQ(variable(*both, "x").initial[0], 3) << "of two weak ones the first stays";
  auto functions = linked({".weak .func f() { .local .b8 a[8]; ret; }\n.visible .entry k() { call f; ret; }",
                           ".weak .func f() { .local .b8 b[16]; ret; }\n"});
  ASSERT_TRUE(functions);
  EXPECT_EQ(count_of(*functions, "f"), 1);
  EXPECT_EQ(count_of(*functions, "b"), 0) << "what belonged to the function left out is gone";
}

TEST(Link, TheLargestOfCommonVariablesStays) {
  auto m =
      linked({".common .global .b8 x[4];\n", ".common .global .b8 x[64];\n", ".common .global .b8 x[8];\n"});
  ASSERT_TRUE(m) << render(m.error());
  EXPECT_EQ(count_of(*m, "x"), 1);
  EXPECT_EQ(variable(*m, "x").bytes, 64u);
}

TEST(Link, DynamicSharedMemoryIsOne) {
  auto m = linked(
      {".extern .shared .align 16 .b8 pool[];\n.visible .entry a() { .reg .b32 %r; mov.u32 %r, pool; ret; }",
       ".extern .shared .align 16 .b8 pool[];\n.visible .entry b() { .reg .b32 %r; mov.u32 %r, pool; ret; "
       "}"});
  ASSERT_TRUE(m) << render(m.error());
  EXPECT_EQ(count_of(*m, "pool"), 1);
  EXPECT_TRUE(ir::undefined(*m).empty());
}

void expect_error(const Result<ir::Module>& m, const std::string& message, const std::string& file,
                  int line) {
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error()[0].message, message);
  EXPECT_EQ(m.error()[0].where.file, file);
  EXPECT_EQ(m.error()[0].where.line, line);
}

TEST(Link, Errors) {
  expect_error(linked({".visible .global .u32 x;\n", "\n.visible .global .u32 x;\n"}),
               "'x' is defined twice, first in a.ptx:4", "b.ptx", 5);
  expect_error(linked({".visible .func f() { ret; }\n", ".visible .func f() { ret; }\n"}),
               "'f' is defined twice, first in a.ptx:4", "b.ptx", 4);
  expect_error(linked({".extern .func f(.param .b64 a);\n", ".visible .func f(.param .b32 a) { ret; }\n"}),
               "'f' has another declaration in a.ptx:4", "b.ptx", 4);
  expect_error(linked({".extern .global .u32 x;\n", ".visible .global .u64 x;\n"}),
               "'x' has another declaration in a.ptx:4", "b.ptx", 4);
  expect_error(linked({".extern .global .u32 x;\n", ".visible .func x() { ret; }\n"}),
               "'x' has another declaration in a.ptx:4", "b.ptx", 4);
  EXPECT_FALSE(ir::link({}));
}

TEST(Link, OneModuleStaysAsItIs) {
  auto parsed = ptx::parse("a.ptx", std::string(".version 8.0\n.target sm_80\n.address_size 64\n") + kTwice);
  ASSERT_TRUE(parsed);
  std::string before = ir::print(*parsed);
  auto m = ir::link({std::move(*parsed)});
  ASSERT_TRUE(m);
  EXPECT_EQ(ir::print(*m), before);
}

}  // namespace
