#include "ir/verify.h"

#include <gtest/gtest.h>

#include <functional>

namespace ww::ir {

// The rules were tried out with ptxas 13.0 on one instruction each.
TEST(Fits, BitsGoWithEverythingOfTheirWidth) {
  EXPECT_TRUE(fits(Type::b32, Type::f32, false));
  EXPECT_TRUE(fits(Type::f32, Type::b32, false));
  EXPECT_TRUE(fits(Type::u32, Type::s32, false));
  EXPECT_FALSE(fits(Type::f32, Type::u32, false));
  EXPECT_FALSE(fits(Type::b64, Type::u32, false));
  EXPECT_FALSE(fits(Type::f16, Type::bf16, false));
  EXPECT_FALSE(fits(Type::b32, Type::pred, false));
  EXPECT_TRUE(fits(Type::pred, Type::pred, false));
}

TEST(Fits, WiderRegistersWhereTheFormAllowsThem) {
  EXPECT_TRUE(fits(Type::b32, Type::u8, true));
  EXPECT_TRUE(fits(Type::f64, Type::b32, true));
  EXPECT_TRUE(fits(Type::f32, Type::b16, true));
  EXPECT_FALSE(fits(Type::f64, Type::f32, true));
  EXPECT_FALSE(fits(Type::f32, Type::u16, true));
  EXPECT_FALSE(fits(Type::b32, Type::u64, true));
}

// A kernel "add.s32 r0, r1, 1; exit", spoilt by `spoil`. Modules need not come from the parser.
size_t errors_of(const std::function<void(Module&, Function&, Instruction&)>& spoil) {
  Module module;
  module.symbols.push_back({"k", Linkage::Visible, -1, 0});
  Function& function = module.functions.emplace_back();
  function.symbol = 0;
  function.entry = function.defined = true;
  function.registers = {{"r0", Type::b32}, {"r1", Type::b32}, {"p", Type::pred}};
  Instruction add, exit;
  add.op = Op::add_int;
  add.chosen = {Mod::type_s32};
  add.operands.resize(3);
  for (size_t i = 0; i < 2; ++i) {
    add.operands[i].kind = Operand::Kind::Register;
    add.operands[i].reg = static_cast<RegId>(i);
  }
  add.operands[2].kind = Operand::Kind::Immediate;
  exit.op = Op::exit_;
  function.blocks.push_back({"", {add, exit}});
  spoil(module, function, function.blocks[0].instructions[0]);
  return verify(module).size();
}

TEST(Verify, FindsWhatWouldBeUnsafeToRun) {
  EXPECT_EQ(errors_of([](Module&, Function&, Instruction&) {}), 0u);
  EXPECT_EQ(errors_of([](Module&, Function&, Instruction& add) { add.operands[0].reg = 99; }), 1u);
  EXPECT_EQ(errors_of([](Module&, Function&, Instruction& add) { add.operands.pop_back(); }), 1u);
  EXPECT_EQ(errors_of([](Module&, Function&, Instruction& add) { add.operands[1].reg = 2; }), 1u);
  EXPECT_EQ(errors_of([](Module&, Function&, Instruction& add) { add.guard = 0; }), 1u);
  EXPECT_EQ(errors_of([](Module&, Function&, Instruction& add) { add.guard = 99; }), 1u);
  EXPECT_EQ(
      errors_of([](Module&, Function&, Instruction& add) { add.operands[1].kind = Operand::Kind::Memory; }),
      1u);
  EXPECT_EQ(
      errors_of([](Module&, Function&, Instruction& add) { add.operands[1].kind = Operand::Kind::None; }),
      1u);
  EXPECT_EQ(
      errors_of([](Module&, Function&, Instruction& add) { add.operands[1].kind = Operand::Kind::Address; }),
      1u);
  EXPECT_EQ(errors_of([](Module&, Function&, Instruction& add) { add.operands[1].negated = true; }), 1u);
  EXPECT_EQ(errors_of([](Module&, Function& f, Instruction&) { f.blocks[0].instructions.pop_back(); }), 1u);
  EXPECT_EQ(errors_of([](Module&, Function& f, Instruction&) { f.blocks.clear(); }), 1u);
  EXPECT_EQ(errors_of([](Module&, Function&, Instruction& add) { add.targets = {7}; }), 1u);
}

}  // namespace ww::ir
