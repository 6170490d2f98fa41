#include "ir/accesses.h"

#include <algorithm>
#include <cstdlib>

namespace ww::ir {

namespace {

constexpr uint32_t kWarp = 32;

/// Elements of a vector operand among the instruction's, else 1. The address, which for surfaces is a list of
/// coordinates, is no such operand.
uint32_t elements_of(const Instruction& in, std::string_view address) {
  const auto& specs = in.form().operands;
  for (size_t k = 0; k < in.operands.size(); ++k)
    if (in.operands[k].kind == Operand::Kind::Vector && (k >= specs.size() || specs[k].name != address))
      return static_cast<uint32_t>(in.operands[k].elements.size());
  return 1;
}

/// Elements of a whole matrix: "m16n8k16" and which of a (m x k), b (k x n), c and d (m x n).
uint32_t matrix_elements(Mod shape, Mod fragment) {
  const std::string name(isa::name(shape));
  const auto extent = [&](char letter) {
    return static_cast<uint32_t>(std::atoi(name.c_str() + name.find(letter) + 1));
  };
  switch (fragment) {
    case Mod::a:
      return extent('m') * extent('k');
    case Mod::b:
      return extent('k') * extent('n');
    default:
      return extent('m') * extent('n');
  }
}

uint32_t lane_bytes(const Instruction& in, const isa::MemoryEffect& effect) {
  const auto type_bits = static_cast<uint32_t>(isa::bits(in.type()));
  switch (effect.range) {
    case isa::Range::Copy: {
      const int size = isa::operand_index(in.form(), "size");
      return size < 0 ? 0 : static_cast<uint32_t>(in.operands[static_cast<size_t>(size)].bits);
    }
    case isa::Range::Rows: {
      const Mod count = in.mod(Slot::num);
      return 4 * (count == Mod::x1 ? 1 : count == Mod::x2 ? 2 : 4);  // 8 rows of 16 bytes by 32 lanes
    }
    case isa::Range::Fragment:
      return matrix_elements(in.mod(Slot::wshape), in.mod(Slot::fragment)) * type_bits / 8 / kWarp;
    case isa::Range::Bulk:
      return 0;  // only the launch knows
    case isa::Range::Mbarrier:
      return 8;
    default:
      return elements_of(in, effect.operand) * static_cast<uint32_t>(isa::bytes(in.type()));
  }
}

}  // namespace

std::vector<Access> accesses_of(const Instruction& in) {
  std::vector<Access> out;
  for (const isa::MemoryEffect& effect : effects_of(in).memory) {
    Access a;
    a.operand = isa::operand_index(in.form(), effect.operand);
    a.space = space_of(isa::space_of(effect, in.form(), in.chosen));
    a.direction = effect.direction;
    a.range = effect.range;
    a.path = effect.path;
    a.asynchronous = effect.asynchronous;
    a.bytes = lane_bytes(in, effect);
    if (effect.range == isa::Range::Bulk) a.bytes_vary = true;
    if (effect.range == isa::Range::Copy && effect.direction == isa::Direction::Read) {
      const int given = isa::operand_index(in.form(), "srcsize");
      a.bytes_vary = given >= 0 && in.operands[static_cast<size_t>(given)].kind != Operand::Kind::None;
    }
    out.push_back(a);
  }
  return out;
}

bool loads_registers(const Instruction& in) {
  const isa::Effects& effects = effects_of(in);
  if (!effects.reads() || effects.asynchronous()) return false;
  for (const isa::OperandSpec& operand : in.form().operands)
    if (operand.dest) return true;
  return false;
}

namespace {

/// Whether an atomic's operand is a constant that leaves the word as it was.
bool changes_nothing(const Instruction& in) {
  const Operand& value = in.operands[2];
  if (value.kind != Operand::Kind::Immediate) return false;
  const uint64_t all = ~uint64_t{0} >> (64 - 8 * std::min<size_t>(isa::bytes(in.type()), 8));
  switch (in.mod(Slot::aop)) {
    case Mod::add:
    case Mod::or_:
    case Mod::xor_:
      return (value.bits & all) == 0;
    case Mod::and_:
      return (value.bits & all) == all;
    default:
      return false;
  }
}

}  // namespace

bool asks_memory(const Instruction& in) {
  if (in.op == Op::atom_cas) return true;
  if (in.op == Op::atom) return in.mod(Slot::aop) == Mod::exch || changes_nothing(in);
  const Mod order = in.mod(Slot::loadsem);
  return in.op == Op::ld && order != Mod::none && order != Mod::weak;
}

Mod fence_scope(const Instruction& in) {
  if (effects_of(in).sync != isa::Sync::Fence) return Mod::none;
  if (const Mod scope = in.mod(Slot::scope); scope != Mod::none) return scope;
  const Mod old = in.mod(Slot::membarscope);
  return old == Mod::gl ? Mod::gpu : old;
}

}  // namespace ww::ir
