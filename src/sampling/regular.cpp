#include "sampling/regular.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "analysis/addresses.h"
#include "analysis/uses.h"

namespace ww::sampling {

namespace {

using Kind = ir::Operand::Kind;

/// How a value changes from block to block along the grid. Irregular stands for all else.
enum Way : uint8_t { Same, Rising, Falling, Irregular };

Way joined(Way a, Way b) { return a == b || b == Same ? a : a == Same ? b : Irregular; }
Way turned(Way a) { return a == Rising ? Falling : a == Falling ? Rising : a; }
bool moves(Way a) { return a == Rising || a == Falling; }

Way of_special(const ir::Operand& o) {
  const std::string_view name = ir::special_registers()[o.special].name;
  if (name.find("ctaid") != name.npos && name.find("nctaid") == name.npos) return Rising;
  for (const char* same : {"tid", "laneid", "warpid", "lanemask", "smem_size"})
    if (name.find(same) != name.npos) return Same;
  return Irregular;
}

bool negative(const ir::Operand& o) { return o.kind == Kind::Immediate && static_cast<int64_t>(o.bits) < 0; }
bool zero(const ir::Operand& o) { return o.kind == Kind::Immediate && o.bits == 0; }

class Function {
 public:
  Function(const ir::Module& module, const ir::Function& f)
      : f_(f), known_(module, f, false), of_(f.registers.size(), Same) {
    for (bool more = true; more;) {
      more = false;
      for (const auto& block : f.blocks)
        for (const auto& in : block.instructions) {
          const Way way = result(in);
          analysis::each_definition(f, in, [&](ir::RegId r) {
            const Way now = joined(of_[r], way);
            more |= now != of_[r];
            of_[r] = now;
          });
        }
    }
  }

  /// Of the blocks that ran.
  bool regular(const std::vector<bool>& ran) const {
    for (size_t b = 0; b < f_.blocks.size(); ++b)
      for (const auto& in : f_.blocks[b].instructions) {
        if (!ran[b]) break;
        if (in.guard != ir::kNone && of_[in.guard] == Irregular) return false;
        if (in.op == isa::Op::brx && source(in) != Same) return false;
      }
    return true;
  }

 private:
  Way of(const ir::Operand& o) const {
    if (o.kind == Kind::Special) return of_special(o);
    Way way = Same;
    analysis::each_register(o, [&](ir::RegId r) { way = joined(way, of_[r]); });
    return way;
  }
  Way source(const ir::Instruction& in) const {
    Way way = Same;
    const auto& specs = in.form().operands;
    for (size_t k = 0; k < in.operands.size() && k < specs.size(); ++k)
      if (!specs[k].dest) way = joined(way, of(in.operands[k]));
    return way;
  }
  Way product(const ir::Operand& a, const ir::Operand& b) const {
    const Way x = of(a), y = of(b);
    if (x != Same && y != Same) return Irregular;
    return negative(a) || negative(b) ? turned(joined(x, y)) : joined(x, y);
  }

  Way result(const ir::Instruction& in) const {
    // Arguments of the kernel are the same for all blocks; what else lies in memory may be anything.
    const isa::Pipe pipe = in.form().pipe;
    if (pipe == isa::Pipe::Memory || pipe == isa::Pipe::Texture)
      return f_.entry && f_.calls.empty() && ir::space_of(in) == ir::Space::Param ? Same : Irregular;
    if (pipe == isa::Pipe::Atomic || in.call >= 0) return Irregular;
    const Way way = source(in);
    if (way == Same) return Same;
    const std::string& m = in.form().mnemonic;
    const auto& o = in.operands;
    if (m == "setp" || m == "set") return compared(in);
    // Predicates that a threshold decides, in any combination.
    if (in.type() == isa::Type::pred) return source_has_irregular(in) ? Irregular : Rising;
    if (m == "mov" || m == "cvt" || m == "cvta" || m == "add" || m == "min" || m == "max") return way;
    if (m == "sub") return joined(of(o[1]), turned(of(o[2])));
    if (m == "neg" || m == "not") return turned(way);
    if (m == "mul") return product(o[1], o[2]);
    if (m == "mad" || m == "fma") return joined(product(o[1], o[2]), of(o[3]));
    if (m == "or") return o[2].kind == Kind::Immediate ? with_bits(o[1], o[2].bits) : Irregular;
    if (m == "shl" || m == "shr" || m == "div") return of(o[2]) == Same ? of(o[1]) : Irregular;
    return Irregular;
  }
  /// Setting bits keeps the order of values if it is an addition (none of them has these bits) or if it
  /// rounds up to the end of a power of two. Compilers write 2 * x + 1 so.
  Way with_bits(const ir::Operand& value, uint64_t bits) const {
    const bool added =
        value.kind == Kind::Register && static_cast<int>(std::bit_width(bits)) <= known_.zero_bits(value.reg);
    return added || (bits & (bits + 1)) == 0 ? of(value) : Irregular;
  }
  /// Equal to anything but 0 is what a block in the middle may be alone.
  Way compared(const ir::Instruction& in) const {
    std::vector<const ir::Operand*> values;
    const auto& specs = in.form().operands;
    for (size_t k = 0; k < in.operands.size() && k < specs.size(); ++k)
      if (!specs[k].dest) values.push_back(&in.operands[k]);
    // Two that rise (a loop from the block's first row to its last): trusted to keep their distance or to
    // cross once.
    const Way x = of(*values[0]), y = of(*values[1]);
    const Way difference = x == y ? x : joined(x, turned(y));
    for (isa::Slot slot : {isa::Slot::icmp, isa::Slot::fcmp})
      for (isa::Mod mod : {isa::Mod::eq, isa::Mod::ne, isa::Mod::equ, isa::Mod::neu})
        if (in.mod(slot) == mod && moves(difference) && !zero(*values[0]) && !zero(*values[1]))
          return Irregular;
    const bool with_predicate = values.size() > 2;
    if (difference == Irregular || (with_predicate && of(*values[2]) == Irregular)) return Irregular;
    return moves(difference) || (with_predicate && of(*values[2]) != Same) ? Rising : Same;
  }
  bool source_has_irregular(const ir::Instruction& in) const {
    const auto& specs = in.form().operands;
    for (size_t k = 0; k < in.operands.size() && k < specs.size(); ++k)
      if (!specs[k].dest && of(in.operands[k]) == Irregular) return true;
    return false;
  }

  const ir::Function& f_;
  analysis::Addresses known_;
  std::vector<Way> of_;  // by register
};

}  // namespace

bool regular_control(const engine::RunResult& run) {
  const engine::Program& program = *run.program;
  for (const auto& code : program.functions) {
    const ir::Function& f = *code->function;
    // A block that holds guarded instructions alone does not tell whether it ran.
    std::vector<bool> ran(f.blocks.size()), tells(f.blocks.size());
    for (size_t k = 0; k < program.infos.size(); ++k) {
      const auto& info = program.infos[k];
      if (info.function != &f) continue;
      if (info.instruction->guard == ir::kNone) tells[info.block] = true;
      if (run.executions[k].warps > 0) ran[info.block] = true;
    }
    for (size_t b = 0; b < ran.size(); ++b) ran[b] = ran[b] || !tells[b];
    if (!Function(*program.module, f).regular(ran)) return false;
  }
  return true;
}

}  // namespace ww::sampling
