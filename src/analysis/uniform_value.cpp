#include "analysis/uniform_value.h"

#include <string_view>

#include "analysis/uses.h"
#include "ir/accesses.h"

namespace ww::analysis {

namespace {

using Kind = ir::Operand::Kind;

constexpr int kDepth = 16;  // of computations that are followed

class Question {
 public:
  explicit Question(const ir::Function& f) : f_(f) {}

  /// An instruction that asks for a value: where in its block.
  struct Place {
    const ir::Block* block = nullptr;
    size_t instruction = 0;
  };

  bool uniform(const ir::Operand& o, Place at, int depth) const {
    switch (o.kind) {
      case Kind::None:
      case Kind::Immediate:
      case Kind::Address:
        return true;
      case Kind::Special: {
        const std::string_view name = ir::special_registers()[o.special].name;
        return name.starts_with("ntid") || name.starts_with("nctaid");
      }
      case Kind::Register:
        return uniform(o.reg, at, depth);
      case Kind::Vector:
        for (const ir::Operand& e : o.elements)
          if (!uniform(e, at, depth)) return false;
        return true;
      default:
        return false;
    }
  }

 private:
  bool sets(const ir::Instruction& in, ir::RegId r) const {
    bool found = false;
    each_definition(f_, in, [&](ir::RegId d) { found |= d == r; });
    return found;
  }

  bool uniform(ir::RegId r, Place at, int depth) const {
    if (depth == 0) return false;
    // What was set last in the block, or else the only definition.
    for (size_t k = at.instruction; at.block && k-- > 0;)
      if (const ir::Instruction& in = at.block->instructions[k]; sets(in, r))
        return uniform_result(in, {at.block, k}, depth);
    const ir::Instruction* only = nullptr;
    Place place;
    for (const ir::Block& b : f_.blocks)
      for (size_t k = 0; k < b.instructions.size(); ++k) {
        if (!sets(b.instructions[k], r)) continue;
        if (only) return false;
        only = &b.instructions[k];
        place = {&b, k};
      }
    return only && uniform_result(*only, place, depth);
  }

  bool uniform_result(const ir::Instruction& in, Place at, int depth) const {
    if (in.guard != ir::kNone || in.call >= 0) return false;
    if (in.op == ir::Op::ld)
      return ir::space_of(in) == ir::Space::Param && f_.entry && in.operands[1].reg == ir::kNone;
    if (in.form().kind != isa::RowKind::Lane && in.op != ir::Op::mov) return false;
    const auto& specs = in.form().operands;
    for (size_t k = 0; k < in.operands.size() && k < specs.size(); ++k)
      if (!writes(specs[k]) && !uniform(in.operands[k], at, depth - 1)) return false;
    return true;
  }

  const ir::Function& f_;
};

}  // namespace

bool is_uniform(const ir::Function& function, ir::BlockId block, const ir::Instruction& at,
                const ir::Operand& value) {
  const ir::Block& b = function.blocks[block];
  size_t k = 0;
  while (k < b.instructions.size() && &b.instructions[k] != &at) ++k;
  const bool here = k < b.instructions.size();
  return Question(function).uniform(value, here ? Question::Place{&b, k} : Question::Place{}, kDepth);
}

}  // namespace ww::analysis
