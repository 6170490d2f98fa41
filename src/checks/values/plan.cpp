#include "checks/values/plan.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "analysis/uses.h"
#include "checks/values/matrices.h"
#include "engine/decode/decode.h"
#include "engine/lanes/shuffle.h"
#include "engine/texture/texture_access.h"
#include "ir/accesses.h"

namespace ww::checks {

namespace {

using isa::Mod;
using isa::Op;
using isa::Slot;
using isa::Type;
using Kind = ir::Operand::Kind;

bool pairs(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2 || type == Type::u16x2 || type == Type::s16x2;
}
bool floating(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

Rule rule_of_lane_row(const ir::Instruction& in) {
  switch (in.op) {
    case Op::mov:
      return Rule::Copy;
    case Op::and_:
    case Op::or_:
    case Op::xor_:
    case Op::not_:
    case Op::lop3:
    case Op::lop3_bool:
      return Rule::Lookup;
    case Op::cnot:
      return Rule::IsZero;
    case Op::shl:
      return Rule::ShiftLeft;
    case Op::shr:
      return Rule::ShiftRight;
    case Op::shf_l:
      return Rule::FunnelLeft;
    case Op::shf_r:
      return Rule::FunnelRight;
    case Op::bfe:
      return Rule::Extract;
    case Op::bfi:
      return Rule::Insert;
    case Op::prmt:
      return Rule::Permute;
    case Op::brev:
      return Rule::Reverse;
    case Op::cvt_int:
      return Rule::Convert;
    case Op::cvt_f16x2:
    case Op::cvt_bf16x2:
    case Op::cvt_pack:
      return Rule::JoinHalves;
    case Op::setp_int:
    case Op::setp_int_bool:
    case Op::set_int:
    case Op::set_int_bool:
      return Rule::Compare;
    case Op::selp:
      return Rule::Select;
    case Op::slct_s32:
      return Rule::SelectBySign;
    case Op::mul24_lo:
    case Op::mul24_hi:
      return Rule::Low24;
    case Op::add_int:
    case Op::sub_int:
    case Op::mul_lo:
    case Op::mul_wide:
    case Op::mad_lo:
    case Op::mad_wide:
    case Op::neg_int:
      return Rule::Smear;
    default:
      break;
  }
  const std::string_view name = in.form().mnemonic;
  if (name == "setp" || name == "set") return Rule::CompareAny;
  if (pairs(in.type())) return Rule::Halves;
  return Rule::Any;
}

Rule rule_of_special(const ir::Instruction& in) {
  switch (in.op) {
    case Op::mov_pack:
      return Rule::Pieces;
    case Op::cvta:
    case Op::cvta_to:
      return Rule::Copy;
    case Op::shfl:
    case Op::shfl_sync:
      return Rule::Shuffle;
    case Op::vote:
    case Op::vote_sync:
      return Rule::Vote;
    case Op::vote_ballot:
    case Op::vote_ballot_sync:
      return Rule::Ballot;
    case Op::match_any:
    case Op::match_all:
    case Op::redux:
    case Op::redux_f32:
      return Rule::AcrossLanes;
    case Op::bra:
    case Op::brx:
    case Op::call:
      return Rule::Branch;
    default:
      break;
  }
  if (in.op == Op::ldmatrix || in.op == Op::stmatrix) return Rule::Rows;
  if (in.op == Op::wmma_load || in.op == Op::wmma_store) return Rule::Fragment;
  if (in.form().pipe == isa::Pipe::Tensor) {
    const std::string_view name = in.form().mnemonic;
    if (name == "mma" || name == "wmma") return Rule::Product;
    if (in.mod(Slot::wgshape) != Mod::none) return Rule::GroupProduct;
  }
  if (in.op == Op::movmatrix) return Rule::Transpose;
  if (in.op == Op::suld) return Rule::Load;
  if (in.op == Op::sust || in.op == Op::sust_formatted) return Rule::Store;
  if (in.op == Op::st_async || in.op == Op::red_async) return Rule::Store;
  const isa::Effects& effects = ir::effects_of(in);
  if (effects.accesses_memory() && effects.memory[0].range == isa::Range::Texels) return Rule::Texels;
  if (effects.updates() && !effects.asynchronous() && effects.memory.size() == 1 &&
      effects.memory[0].range == isa::Range::Lane)
    return Rule::Atomic;
  if (engine::is_access(in.op)) return in.op == Op::st ? Rule::Store : Rule::Load;
  return Rule::Defined;
}

}  // namespace

Rule rule_of(const ir::Instruction& in) {
  return in.form().kind == isa::RowKind::Lane ? rule_of_lane_row(in) : rule_of_special(in);
}

namespace {

class Planner {
 public:
  Planner(const engine::FunctionCode& code, const ir::Instruction& in) : code_(code), in_(in) {}

  Plan run() {
    Plan& p = plan_;
    p.code = &code_;
    p.rule = rule_of(in_);
    // x ^ x and x - x are 0 whatever x is.
    if ((in_.op == Op::xor_ || in_.op == Op::sub_int) && in_.operands[1].kind == Kind::Register &&
        in_.operands[2].kind == Kind::Register && in_.operands[1].reg == in_.operands[2].reg)
      p.rule = Rule::Defined;
    if (in_.guard != ir::kNone) {
      p.guard = reg(in_.guard, 0);
      p.guard.negated = in_.guard_negated;
    }
    p.gathers = in_.op == Op::tld4;
    p.converts = in_.op == Op::sust_formatted;
    if (of_matrices()) return matrices(), std::move(p);
    operands();
    carry();
    modes();
    return std::move(p);
  }

 private:
  Value reg(ir::RegId r, int bytes) const {
    Value v;
    v.kind = Value::Kind::Register;
    v.stride = static_cast<u8>(engine::lane_bytes(code_.function->registers[r].type));
    v.bytes = static_cast<u8>(bytes ? bytes : v.stride);
    v.in_frame = {code_.slots[r], code_.origin(r)};
    return v;
  }

  Value value(const ir::Operand& o, Type type) const {
    Value v;
    const int bytes = type == Type::pred ? 0 : isa::bytes(type);
    if (o.kind == Kind::Register) {
      v = reg(o.reg, bytes);
    } else if (o.kind != Kind::None) {
      v.kind = Value::Kind::Constant;
      v.bytes = static_cast<u8>(bytes);
      v.stride = static_cast<u8>(type == Type::pred ? 0 : std::max(2, bytes));
      v.bits = o.kind == Kind::Immediate ? o.bits : 0;
    }
    v.negated = o.negated;
    return v;
  }

  bool of_matrices() const {
    return plan_.rule == Rule::Rows || plan_.rule == Rule::Fragment || plan_.rule == Rule::Product ||
           plan_.rule == Rule::GroupProduct;
  }

  void matrices() {
    auto all = std::make_shared<Matrices>();
    plan_.transposed = in_.has(Mod::trans);
    if (plan_.rule == Rule::Fragment) {
      all->moved = engine::fragment_of(in_);
      all->by_columns = in_.mod(Slot::layout) == Mod::col;
    } else if (plan_.rule != Rule::Rows) {
      all->of = engine::fragments_of(in_);
    }
    const auto& specs = in_.form().operands;
    for (size_t k = 0; k < in_.operands.size() && k < specs.size(); ++k) {
      const ir::Operand& o = in_.operands[k];
      const std::string& name = specs[k].name;
      const auto each = [&](std::vector<Value>& to) {
        for (const ir::Operand& element : o.elements) to.push_back(value(element, Type::none));
        if (o.elements.empty()) to.push_back(value(o, Type::none));
      };
      if (specs[k].kind == isa::OperandKind::Memory) {
        if (o.reg != ir::kNone) plan_.address = reg(o.reg, 0);
        all->offset = static_cast<u64>(o.offset);
      } else if (specs[k].dest || name == "acc" || !multiplies()) {
        if (name == "stride")
          all->stride = value(o, Type::b32);
        else
          each(plan_.list);
        if (name == "acc") each(all->factors[2]);
      } else if (name == "a" || name == "b" || name == "c") {
        const bool descriptor = plan_.rule == Rule::GroupProduct && o.kind != Kind::Vector;
        if (descriptor)
          (name == "a" ? all->a : all->b) = value(o, Type::b64);
        else
          each(all->factors[name[0] - 'a']);
      } else if (name == "scale") {
        plan_.source[0] = value(o, Type::pred);
      } else if (name == "e") {
        all->metadata = value(o, Type::b32);
      } else if (name == "atrans" || name == "btrans") {
        (name == "atrans" ? all->a_by_rows : all->b_by_rows) = o.kind != Kind::None && o.bits != 0;
      }
    }
    plan_.matrices = std::move(all);
  }
  bool multiplies() const { return plan_.rule == Rule::Product || plan_.rule == Rule::GroupProduct; }

  void operands() {
    const auto& specs = in_.form().operands;
    int sources = 0;
    bool first = true;
    for (size_t k = 0; k < in_.operands.size() && k < specs.size(); ++k) {
      const ir::Operand& o = in_.operands[k];
      const Type type = in_.operand_type(k);
      if (specs[k].kind == isa::OperandKind::Memory) {
        if (o.reg != ir::kNone && plan_.address.kind == Value::Kind::None) plan_.address = reg(o.reg, 0);
      } else if (specs[k].kind == isa::OperandKind::Object) {
        object(o);
      } else if (plan_.rule == Rule::Texels && !specs[k].dest && specs[k].name != "b") {
        coordinates(o, ~size_t{0});
      } else if (o.kind == Kind::Vector || plan_.rule == Rule::Load || plan_.rule == Rule::Store) {
        const bool list = o.kind == Kind::Vector;
        if (plan_.rule == Rule::Pieces) plan_.wide_list = specs[k].dest;
        if (specs[k].name == "policy") continue;
        const bool all = plan_.rule == Rule::Pieces || plan_.rule == Rule::Load || plan_.rule == Rule::Store;
        if (!all && !specs[k].dest) continue;  // of other lists only the results count
        for (size_t n = 0; n < (list ? o.elements.size() : 1); ++n)
          plan_.list.push_back(value(list ? o.elements[n] : o, type));
      } else if (specs[k].dest) {
        (first ? plan_.result : plan_.second) = value(o, type);
        first = false;
      } else if (specs[k].kind == isa::OperandKind::Value && sources < 4) {
        plan_.source[sources++] = value(o, type);
      }
    }
  }

  /// The object and the coordinates that its geometry has; further ones are read, but do not count.
  void object(const ir::Operand& o) {
    Mod geometry = in_.mod(Slot::geom);
    if (geometry == Mod::none) geometry = in_.mod(Slot::sgeom);
    if (geometry == Mod::none) geometry = Mod::tex_2d;  // tld4
    if (o.elements.size() == 2)
      coordinates(o.elements[1], static_cast<size_t>(engine::coordinates_of(geometry)));
  }
  void coordinates(const ir::Operand& o, size_t most) {
    if (o.kind != Kind::Vector) return plan_.coordinates.push_back(value(o, Type::b32));
    for (size_t n = 0; n < std::min(most, o.elements.size()); ++n)
      plan_.coordinates.push_back(value(o.elements[n], Type::b32));
  }

  void carry() {
    Value flags;
    flags.kind = Value::Kind::Register;
    flags.in_frame = {code_.carry_flags, code_.carry_origin()};
    plan_.reads_carry = analysis::reads_carry(in_);
    plan_.sets_carry = analysis::sets_carry(in_);
    if (plan_.reads_carry) plan_.source[3] = flags;
    if (plan_.sets_carry) plan_.second = flags;
    const std::string_view name = in_.form().mnemonic;
    plan_.subtracts = name == "sub" || name == "subc";
    if ((plan_.reads_carry || plan_.sets_carry) && (plan_.subtracts || name == "add" || name == "addc"))
      plan_.rule = Rule::Smear;
  }

  void modes() {
    Plan& p = plan_;
    const auto& slots = in_.form().slots;
    Type types[2] = {Type::none, Type::none};  // the result's, the sources'
    int found = 0;
    for (size_t s = 0; s < slots.size(); ++s) {
      const Slot slot = slots[s].slot;
      const bool is_type = slot == Slot::type || slot == Slot::dtype || slot == Slot::atype;
      if (is_type && found < 2) types[found++] = isa::type_of(in_.chosen[s]);
      if (slot == Slot::icmp || slot == Slot::fcmp || slot == Slot::shfl || slot == Slot::vote ||
          slot == Slot::aop)
        p.mode = in_.chosen[s];
      if (slot == Slot::logic || slot == Slot::boolop) p.logic = in_.chosen[s];
    }
    if (found < 2) types[1] = types[0];
    p.clamp = in_.mod(Slot::edge) == Mod::clamp;
    p.sign = isa::is_signed(types[1]);
    p.sign_result = isa::is_signed(types[0]);
    if (types[1] != Type::none && types[1] != Type::pred)
      p.source_bits = static_cast<u8>(isa::bits(types[1]));
    p.result_bits = p.result.bytes ? static_cast<u8>(8 * p.result.bytes) : p.source_bits;
    if (in_.op == Op::and_) p.table = 0xc0, p.table_of_two = true;  // by 4 a + 2 b + c
    if (in_.op == Op::or_) p.table = 0xfc, p.table_of_two = true;
    if (in_.op == Op::xor_) p.table = 0x3c, p.table_of_two = true;
    if (in_.op == Op::not_) p.table = 0x0f, p.table_of_two = true;
    if (in_.op == Op::lop3 || in_.op == Op::lop3_bool)
      for (size_t k = 0; k < in_.operands.size(); ++k)
        if (in_.form().operands[k].kind == isa::OperandKind::Immediate)
          p.table = static_cast<u8>(in_.operands[k].bits);
    switch (p.rule) {
      case Rule::Any:
      case Rule::Halves:
      case Rule::Low24:
      case Rule::Smear:
      case Rule::JoinHalves:
      case Rule::AcrossLanes:
        p.computes = true;
        break;
      case Rule::Shuffle:
        p.odd_width = p.source[2].kind != Value::Kind::Constant ||
                      !engine::is_width(engine::shuffle_width(static_cast<u32>(p.source[2].bits)));
        break;
      case Rule::ShiftLeft:  // by whole bytes: members of a structure are packed; else a product
        p.computes = p.source[1].kind == Value::Kind::Constant && p.source[1].bits % 8 != 0;
        break;
      default:
        break;
    }
    if (p.rule == Rule::Any && floating(types[0]) && in_.form().pipe == isa::Pipe::Move) p.computes = false;
  }

  const engine::FunctionCode& code_;
  const ir::Instruction& in_;
  Plan plan_;
};

/// By register: whether all that is ever written there is a sum or product of integers.
std::vector<bool> sums_of(const ir::Function& f) {
  std::vector<bool> sums(f.registers.size()), others(f.registers.size());
  for (const ir::Block& block : f.blocks)
    for (const ir::Instruction& in : block.instructions)
      analysis::each_definition(f, in,
                                [&](ir::RegId r) { (rule_of(in) == Rule::Smear ? sums : others)[r] = true; });
  for (size_t r = 0; r < sums.size(); ++r) sums[r] = sums[r] && !others[r];
  return sums;
}

bool stores_numbers(const ir::Instruction& in, const std::vector<bool>& sums) {
  if (rule_of(in) != Rule::Store || in.operands.size() < 2) return false;
  const ir::Operand& value = in.operands[1];
  return value.kind == Kind::Register && value.elements.empty() && sums[value.reg];
}

}  // namespace

std::vector<Plan> plans_of(const engine::Program& program) {
  std::map<const ir::Function*, std::vector<bool>> sums;
  std::vector<Plan> plans;
  plans.reserve(program.infos.size());
  for (const engine::InstInfo& info : program.infos) {
    const int number = program.module->symbols[info.function->symbol].function;
    const engine::FunctionCode* code = program.by_number[static_cast<size_t>(number)];
    plans.push_back(Planner(*code, *info.instruction).run());
    const auto [at, fresh] = sums.try_emplace(info.function);
    if (fresh) at->second = sums_of(*info.function);
    plans.back().numbers = stores_numbers(*info.instruction, at->second);
  }
  return plans;
}

}  // namespace ww::checks
