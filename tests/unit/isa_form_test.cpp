#include <gtest/gtest.h>

#include "isa/form.h"

namespace ww::isa {

std::vector<Mod> mods(std::initializer_list<const char*> names) {
  std::vector<Mod> out;
  for (auto* n : names) out.push_back(mod_of(n));
  return out;
}

TEST(Form, ReadsTheManualsNotation) {
  const Form& f = form(Op::setp_fp_bool);
  EXPECT_EQ(f.mnemonic, "setp");
  EXPECT_EQ(f.chapter, "Comparison and Selection Instructions");
  ASSERT_EQ(f.slots.size(), 4u);
  EXPECT_EQ(f.slots[0].slot, Slot::fcmp);
  EXPECT_TRUE(f.slots[2].optional);
  ASSERT_EQ(f.operands.size(), 5u);
  EXPECT_TRUE(f.operands[0].dest);
  EXPECT_TRUE(f.operands[1].optional);
  EXPECT_FALSE(f.operands[2].dest);
  EXPECT_TRUE(f.operands[4].negatable);
  EXPECT_EQ(f.operands[4].fixed, Type::pred);
}

TEST(Form, OptionalOperandsAndAddresses) {
  const Form& f = form(Op::ld);
  ASSERT_EQ(f.operands.size(), 3u);
  EXPECT_EQ(f.operands[0].kind, OperandKind::Vector);
  EXPECT_TRUE(f.operands[0].wider && f.operands[0].dest);
  EXPECT_EQ(f.operands[1].kind, OperandKind::Memory);
  EXPECT_TRUE(f.operands[2].optional);
}

TEST(Match, ChoosesSlotsInOrder) {
  Chosen chosen;
  const Form& f = form(Op::fma_f32);
  EXPECT_TRUE(match(f, mods({"rn", "ftz", "f32"}), chosen));
  EXPECT_EQ(ww::isa::chosen(f, chosen, Slot::rnd), Mod::rn);
  EXPECT_TRUE(has(f, chosen, Mod::ftz));
  EXPECT_FALSE(has(f, chosen, Mod::sat));
  int matched = 0;
  EXPECT_FALSE(match(f, mods({"rn", "f64"}), chosen, &matched));
  EXPECT_EQ(matched, 1);
}

TEST(Match, TypesOfOperandsFollowTheSlots) {
  Chosen chosen;
  const Form& f = form(Op::mad_wide);
  ASSERT_TRUE(match(f, mods({"wide", "s32"}), chosen));
  EXPECT_EQ(operand_type(f, chosen, f.operands[0]), Type::s64);
  EXPECT_EQ(operand_type(f, chosen, f.operands[1]), Type::s32);
  EXPECT_EQ(operand_type(f, chosen, f.operands[3]), Type::s64);
}

TEST(Table, EveryRowIsFoundByItsMnemonic) {
  for (const Form& f : forms()) {
    bool found = false;
    for (Op op : forms_of(f.mnemonic)) found |= op == f.op;
    EXPECT_TRUE(found) << f.notation;
  }
  EXPECT_TRUE(forms_of("nonsense").empty());
}

}  // namespace ww::isa
