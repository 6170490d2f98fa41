// What rows do to memory, order and other threads.
#include "isa/effects.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ww::isa {
namespace {

TEST(Effects, EveryOperandWithAnAddressIsAccountedFor) {
  // Hints move nothing that a program can see; the others only compute with the address.
  const std::string_view kNoAccess[] = {"prefetch", "prefetchu", "applypriority", "discard",
                                        "txq",      "suq",       "createpolicy",  "fence"};
  for (const Form& form : forms()) {
    if (form.kind != RowKind::Special) continue;
    if (form.id == "cp_bulk_prefetch" || form.id == "cp_tensor_prefetch") continue;
    if (std::find(std::begin(kNoAccess), std::end(kNoAccess), form.mnemonic) != std::end(kNoAccess)) continue;
    for (const OperandSpec& operand : form.operands) {
      if (operand.kind != OperandKind::Memory && operand.kind != OperandKind::Object) continue;
      bool told = false;
      for (const MemoryEffect& m : effects(form.op).memory) told |= m.operand == operand.name;
      EXPECT_TRUE(told) << form.notation << ", operand " << operand.name;
    }
  }
}

TEST(Effects, NameOperandsThatExist) {
  for (const Form& form : forms())
    for (const MemoryEffect& m : effects(form.op).memory)
      EXPECT_GE(operand_index(form, m.operand), 0) << form.notation << ": " << m.operand;
}

TEST(Effects, EveryRowOfTheSyncPipeSaysHow) {
  for (const Form& form : forms())
    if (form.kind == RowKind::Special && form.pipe == Pipe::Sync) {
      EXPECT_NE(effects(form.op).sync, Sync::None) << form.notation;
    }
}

TEST(Effects, AtomicsUpdate) {
  for (const Form& form : forms())
    if (form.kind == RowKind::Special && form.pipe == Pipe::Atomic) {
      EXPECT_TRUE(effects(form.op).updates()) << form.notation;
    }
}

TEST(Effects, AnAsynchronousCopyReadsOneSpaceAndWritesTheOther) {
  const Effects& copy = effects(Op::cp_async);
  ASSERT_EQ(copy.memory.size(), 2u);
  EXPECT_TRUE(copy.asynchronous());
  EXPECT_EQ(copy.memory[0].direction, Direction::Read);
  EXPECT_EQ(copy.memory[0].space, Mod::global);
  EXPECT_EQ(copy.memory[1].direction, Direction::Write);
  EXPECT_EQ(copy.memory[1].space, Mod::shared);
}

TEST(Effects, ComputingHasNone) {
  EXPECT_FALSE(effects(Op::add_int).accesses_memory());
  EXPECT_EQ(effects(Op::add_int).sync, Sync::None);
}

}  // namespace
}  // namespace ww::isa
