#include "analysis/index_products.h"

#include <algorithm>
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
  explicit Trace(const ir::Function& f) : f_(f), made_by_(f.registers.size()) {
    for (const ir::Block& block : f.blocks)
      for (const Instruction& in : block.instructions) {
        block_of_[&in] = &block;
        each_definition(f, in, [&](ir::RegId r) { made_by_[r].push_back(&in); });
      }
    for (const ir::Block& block : f.blocks)
      for (const Instruction& in : block.instructions)
        for (const ir::Access& a : ir::accesses_of(in)) {
          const Operand& o = in.operands[static_cast<size_t>(a.operand)];
          const bool far = a.space == ir::Space::Global || a.space == ir::Space::None;
          // Products that address shared or local memory are small, and 32 bits are what their addresses
          // have.
          if (far && o.kind == Kind::Memory && o.reg != ir::kNone) use(in, o.reg, kWide);
        }
    while (!left_.empty()) {
      const Instruction* in = left_.back();
      left_.pop_back();
      follow(*in, wanted_[in]);
    }
    for (const ir::Block& block : f.blocks)
      for (size_t k = 0; k < block.instructions.size(); ++k)
        if (choices_.contains(&block.instructions[k])) choose(block, k);
  }
  IndexProducts take() { return std::move(found_); }

 private:
  /// What an instruction reads in r goes into an address.
  void use(const Instruction& in, ir::RegId r, uint8_t how) {
    if (!used_.empty()) {  // of one side of a choice
      used_[r] |= how;
      return;
    }
    // Compilers give a register to several values: what its block has made of it is the one.
    const std::vector<Instruction>& before = block_of_.at(&in)->instructions;
    for (auto k = static_cast<size_t>(&in - before.data()); k-- > 0;) {
      bool makes = false;
      each_definition(f_, before[k], [&](ir::RegId made) { makes |= made == r; });
      if (makes) want(before[k], how);
      if (makes && before[k].guard == ir::kNone) return;
    }
    for (const Instruction* made : made_by_[r]) want(*made, how);
  }
  void use(const Instruction& in, const Operand& o, uint8_t how) {
    if (o.kind == Kind::Register) use(in, o.reg, how);
  }
  void want(const Instruction& in, uint8_t how) {
    uint8_t& known = wanted_[&in];
    if ((known | how) == known) return;
    known |= how;
    left_.push_back(&in);
  }
  static uint8_t narrow(isa::Type from) { return isa::is_signed(from) ? kSigned : kUnsigned; }

  void follow(const Instruction& in, uint8_t how) {
    const auto& o = in.operands;
    const bool wide = isa::bytes(in.operand_type(0)) == 8;
    switch (in.op) {
      case Op::mov:
      case Op::cvta:
      case Op::cvta_to:
        if (o.size() > 1) use(in, o[1], how);
        break;
      case Op::cvt_int:
        use(in, o[1], wide && isa::bytes(in.operand_type(1)) == 4 ? narrow(in.operand_type(1)) : how);
        break;
      case Op::add_int:
      case Op::sub_int:
        use(in, o[1], how), use(in, o[2], how);
        break;
      case Op::selp:
        choices_[&in] |= how;
        break;
      case Op::shl:
        use(in, o[1], how);
        break;
      case Op::mul_wide:
      case Op::mad_wide:
        use(in, o[1], narrow(in.operand_type(1))), use(in, o[2], narrow(in.operand_type(2)));
        if (in.op == Op::mad_wide) use(in, o[3], how);
        break;
      case Op::mul_lo:
      case Op::mad_lo:
        if (!wide && isa::bytes(in.operand_type(0)) == 4 && !(how & kWide)) {
          const auto [at, fresh] =
              found_.always.try_emplace(&in, how & kUnsigned ? Widened::Unsigned : Widened::Signed);
          if (how & kUnsigned) at->second = Widened::Unsigned;
        }
        for (size_t k = 1; k < o.size(); ++k) use(in, o[k], how);
        break;
      default:
        break;
    }
  }

  /// The products that the choice block.instructions[at] takes or leaves. A trace of its own for each side,
  /// through what stands before it in its block.
  void choose(const ir::Block& block, size_t at) {
    const Instruction& choice = block.instructions[at];
    if (choice.guard != ir::kNone || choice.operands[3].kind != Kind::Register) return;
    for (const size_t side : {size_t{1}, size_t{2}}) {
      Trace inner(f_, choice.operands[side], choices_[&choice]);
      std::vector<bool> changed(f_.registers.size());  // between an instruction and the choice
      for (size_t k = at; k-- > 0;) {
        const Instruction& in = block.instructions[k];
        bool kept = in.guard == ir::kNone, wanted = false;
        uint8_t how = 0;
        each_definition(f_, in, [&](ir::RegId r) {
          kept = kept && !changed[r];
          wanted |= inner.used_[r] != 0;
          how |= inner.used_[r];
        });
        // As its operands were at the product, they must be at the choice.
        each_use(f_, in, [&](ir::RegId r) { kept = kept && !changed[r]; });
        each_definition(f_, in, [&](ir::RegId r) {
          kept = kept && made_by_[r].size() == 1;
          changed[r] = true;
        });
        if (kept && wanted) inner.follow(in, how);
      }
      for (const auto& [product, by] : inner.found_.always)
        found_.chosen[&choice].push_back({product, (side == 1) != choice.operands[3].negated, by});
    }
    if (const auto found = found_.chosen.find(&choice); found != found_.chosen.end())
      std::ranges::sort(found->second, {}, &ChosenProduct::product);  // as they stand in the block
  }
  Trace(const ir::Function& f, const Operand& from, uint8_t how) : f_(f), used_(f.registers.size()) {
    if (from.kind == Kind::Register) used_[from.reg] = how;
  }

  const ir::Function& f_;
  std::vector<std::vector<const Instruction*>> made_by_;
  std::unordered_map<const Instruction*, const ir::Block*> block_of_;
  std::unordered_map<const Instruction*, uint8_t> wanted_;  ///< what its result is used for
  std::vector<const Instruction*> left_;
  std::vector<uint8_t> used_;  ///< by register; of one side of a choice, else empty
  std::unordered_map<const Instruction*, uint8_t> choices_;  ///< and what their results are used for
  IndexProducts found_;
};

}  // namespace

IndexProducts index_products(const ir::Function& function) { return Trace(function).take(); }

}  // namespace ww::analysis
