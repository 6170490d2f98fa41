#include "analysis/index_products.h"

#include <vector>

#include "analysis/uses.h"
#include "ir/accesses.h"

namespace ww::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using isa::Op;
using Kind = Operand::Kind;

/// What a register's value is used for.
enum Use : uint8_t { kWide = 1, kSigned = 2, kUnsigned = 4 };

class Trace {
 public:
  explicit Trace(const ir::Function& f) : made_by_(f.registers.size()), used_(f.registers.size()) {
    for (const ir::Block& block : f.blocks)
      for (const Instruction& in : block.instructions) {
        each_definition(f, in, [&](ir::RegId r) { made_by_[r].push_back(&in); });
        for (const ir::Access& a : ir::accesses_of(in)) {
          const Operand& o = in.operands[static_cast<size_t>(a.operand)];
          const bool far = a.space == ir::Space::Global || a.space == ir::Space::None;
          // Products that address shared or local memory are small, and 32 bits are what their addresses
          // have.
          if (far && o.kind == Kind::Memory && o.reg != ir::kNone) use(o.reg, kWide);
        }
      }
    while (!left_.empty()) {
      const ir::RegId r = left_.back();
      left_.pop_back();
      for (const Instruction* in : made_by_[r]) follow(*in, used_[r]);
    }
  }
  IndexProducts take() { return std::move(found_); }

 private:
  void use(ir::RegId r, uint8_t how) {
    if ((used_[r] | how) == used_[r]) return;
    used_[r] |= how;
    left_.push_back(r);
  }
  void use(const Operand& o, uint8_t how) {
    if (o.kind == Kind::Register) use(o.reg, how);
  }
  static uint8_t narrow(isa::Type from) { return isa::is_signed(from) ? kSigned : kUnsigned; }

  void follow(const Instruction& in, uint8_t how) {
    const auto& o = in.operands;
    const bool wide = isa::bytes(in.operand_type(0)) == 8;
    switch (in.op) {
      case Op::mov:
      case Op::cvta:
      case Op::cvta_to:
        if (o.size() > 1) use(o[1], how);
        break;
      case Op::cvt_int:
        use(o[1], wide && isa::bytes(in.operand_type(1)) == 4 ? narrow(in.operand_type(1)) : how);
        break;
      case Op::add_int:
      case Op::sub_int:
      case Op::selp:
        use(o[1], how), use(o[2], how);
        break;
      case Op::shl:
        use(o[1], how);
        break;
      case Op::mul_wide:
      case Op::mad_wide:
        use(o[1], narrow(in.operand_type(1))), use(o[2], narrow(in.operand_type(2)));
        if (in.op == Op::mad_wide) use(o[3], how);
        break;
      case Op::mul_lo:
      case Op::mad_lo:
        if (!wide && isa::bytes(in.operand_type(0)) == 4 && !(how & kWide)) {
          const auto [at, fresh] =
              found_.try_emplace(&in, how & kUnsigned ? Widened::Unsigned : Widened::Signed);
          if (how & kUnsigned) at->second = Widened::Unsigned;
        }
        for (size_t k = 1; k < o.size(); ++k) use(o[k], how);
        break;
      default:
        break;
    }
  }

  std::vector<std::vector<const Instruction*>> made_by_;
  std::vector<uint8_t> used_;  ///< by register
  std::vector<ir::RegId> left_;
  IndexProducts found_;
};

}  // namespace

IndexProducts index_products(const ir::Function& function) { return Trace(function).take(); }

}  // namespace ww::analysis
