// Functions of CUDA's headers, one for each line of the user that calls them.
#include <gtest/gtest.h>

#include <map>

#include "ir/callers.h"
#include "ir/verify.h"
#include "ptx/parser.h"

namespace ww::ir {

namespace {

Module parsed(const std::string& functions) {
  auto module = ptx::parse("k.ptx", R"(.version 8.0
.target sm_80
.address_size 64
.file 1 "/usr/local/cuda/include/sm_99_functions.h"
.file 2 "/home/user/a.cu"
.func inner(.param .b32 p) {
  .loc 1 5 1
  bar.sync 0;
  ret;
}
.func outer(.param .b32 p) {
  .loc 1 50 1
  { .param .b32 q; st.param.b32 [q], 1; call inner, (q); }
  ret;
}
)" + functions);
  EXPECT_TRUE(module);
  return std::move(module).value();
}
std::string call(const char* name, int line) {
  return ".loc 2 " + std::to_string(line) + " 1\n{ .param .b32 q; st.param.b32 [q], 1; call " + name +
         ", (q); }\n";
}
std::string kernel(const std::string& body) { return ".visible .entry k() {\n" + body + "ret;\n}\n"; }

/// What each call of the function goes to, by the line of the call.
std::map<int, SymbolId> called_by(const Module& module, const Function& function) {
  std::map<int, SymbolId> all;
  for (const Block& b : function.blocks)
    for (const Instruction& in : b.instructions)
      if (in.call >= 0) all[in.place.line] = function.calls[static_cast<size_t>(in.call)].target;
  return all;
}
SymbolId only_callee(const Module& module, SymbolId function) {
  return called_by(module, module.function(function)).begin()->second;
}

TEST(Callers, EachLineHasItsOwnFunctions) {
  Module module = parsed(kernel(call("outer", 7) + call("outer", 8) + call("inner", 9) + call("outer", 7)));
  copy_for_callers(module);
  EXPECT_TRUE(verify(module).empty());
  EXPECT_EQ(module.functions.size(), 6u);  // the kernel, two outer ones, and three inner ones
  const auto calls = called_by(module, *module.find_function("k"));
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls.at(7), module.find_function("outer")->symbol);
  EXPECT_NE(calls.at(7), calls.at(8));
  const SymbolId inner[] = {only_callee(module, calls.at(7)), only_callee(module, calls.at(8)), calls.at(9)};
  EXPECT_NE(inner[0], inner[1]);
  EXPECT_NE(inner[0], inner[2]);
  EXPECT_NE(inner[1], inner[2]);
  for (size_t k = 0; k < module.symbols.size(); ++k)
    if (module.symbols[k].function >= 0)
      EXPECT_EQ(module.functions[static_cast<size_t>(module.symbols[k].function)].symbol, k);
}

TEST(Callers, FunctionsOfTheUserStayOne) {
  Module module = parsed(".func own(.param .b32 p) {\n" + call("outer", 3) + "ret;\n}\n" +
                         kernel(call("own", 7) + call("own", 8)));
  copy_for_callers(module);
  EXPECT_EQ(module.functions.size(), 4u);
}

TEST(Callers, RecursionEnds) {
  Module module = parsed(
      ".func again(.param .b32 p) {\n.loc 1 70 1\n{ .param .b32 q; st.param.b32 [q], 1; call again, (q); "
      "}\nret;\n}\n" +
      kernel(call("again", 7) + call("again", 8)));
  copy_for_callers(module);
  EXPECT_EQ(module.functions.size(), 5u);
  const auto calls = called_by(module, *module.find_function("k"));
  for (const auto& [line, target] : calls) EXPECT_EQ(only_callee(module, target), target) << line;
}

TEST(Callers, WithoutLinesNothingIsCopied) {
  auto module = ptx::parse("k.ptx", R"(.version 8.0
.target sm_80
.address_size 64
.func f(.param .b32 p) { ret; }
.visible .entry k() {
  { .param .b32 q; st.param.b32 [q], 1; call f, (q); }
  { .param .b32 q; st.param.b32 [q], 1; call f, (q); }
  ret;
}
)");
  ASSERT_TRUE(module);
  copy_for_callers(*module);
  EXPECT_EQ(module->functions.size(), 2u);
}

}  // namespace

}  // namespace ww::ir
