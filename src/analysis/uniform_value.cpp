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

  bool uniform(const ir::Operand& o, int depth) const {
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
        return uniform(o.reg, depth);
      case Kind::Vector:
        for (const ir::Operand& e : o.elements)
          if (!uniform(e, depth)) return false;
        return true;
      default:
        return false;
    }
  }

 private:
  bool uniform(ir::RegId r, int depth) const {
    if (depth == 0) return false;
    const ir::Instruction* only = nullptr;
    for (const ir::Block& b : f_.blocks)
      for (const ir::Instruction& in : b.instructions) {
        bool sets = false;
        each_definition(f_, in, [&](ir::RegId d) { sets |= d == r; });
        if (sets && only) return false;
        if (sets) only = &in;
      }
    if (!only || only->guard != ir::kNone || only->call >= 0) return false;
    if (only->op == ir::Op::ld)
      return ir::space_of(*only) == ir::Space::Param && f_.entry && only->operands[1].reg == ir::kNone;
    if (only->form().kind != isa::RowKind::Lane && only->op != ir::Op::mov) return false;
    const auto& specs = only->form().operands;
    for (size_t k = 0; k < only->operands.size() && k < specs.size(); ++k)
      if (!writes(specs[k]) && !uniform(only->operands[k], depth - 1)) return false;
    return true;
  }

  const ir::Function& f_;
};

}  // namespace

bool is_uniform(const ir::Function& function, const ir::Operand& value) {
  return Question(function).uniform(value, kDepth);
}

}  // namespace ww::analysis
