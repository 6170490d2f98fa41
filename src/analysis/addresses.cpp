#include "analysis/addresses.h"

#include <algorithm>
#include <bit>
#include <set>

#include "analysis/uses.h"
#include "base/round.h"
#include "ir/flow.h"

namespace ww::analysis {

namespace {

using ir::Instruction;
using ir::Op;
using ir::Operand;
using Kind = Operand::Kind;

constexpr int kAll = 64;         // zero bits of zero
constexpr size_t kMaxTerms = 8;  // longer sums count as unknown

int trailing_zeros(uint64_t value) { return value == 0 ? kAll : std::countr_zero(value); }

int capped(int bits) { return std::min(bits, kAll); }

void add(Sum& into, const Sum& what, int64_t factor) {
  into.constant += what.constant * factor;
  for (const auto& [atom, its] : what.terms) {
    auto at = std::lower_bound(into.terms.begin(), into.terms.end(), atom,
                               [](const auto& term, const Atom& a) { return term.first < a; });
    if (at == into.terms.end() || at->first != atom) at = into.terms.insert(at, {atom, 0});
    at->second += its * factor;
    if (at->second == 0) into.terms.erase(at);
  }
}

bool is_immediate(const Operand& operand) { return operand.kind == Kind::Immediate; }

void collect_symbols(const Operand& operand, std::set<ir::SymbolId>& into) {
  if (operand.symbol != ir::kNone) into.insert(operand.symbol);
  for (const auto& element : operand.elements) collect_symbols(element, into);
}

}  // namespace

std::map<ir::SymbolId, uint64_t> shared_layout(const ir::Module& module, const ir::Function& function) {
  std::set<ir::SymbolId> named;
  for (const auto& block : function.blocks)
    for (const auto& instruction : block.instructions)
      for (const auto& operand : instruction.operands) collect_symbols(operand, named);
  std::map<ir::SymbolId, uint64_t> layout;
  std::vector<ir::SymbolId> dynamic;
  uint64_t end = 0;
  auto place = [&](ir::SymbolId id) {
    const ir::Variable& variable = module.variable(id);
    if (variable.space != ir::Space::Shared) return;
    if (variable.bytes == 0) return dynamic.push_back(id);
    uint64_t alignment = std::max(variable.alignment, 1u);
    end = round_up(end, alignment);
    layout[id] = end;
    end += variable.bytes;
  };
  for (ir::SymbolId id : named)
    if (!module.is_function(id) && module.variable(id).owner < 0) place(id);
  for (ir::SymbolId id : function.variables)
    if (named.count(id)) place(id);
  for (ir::SymbolId id : dynamic) {
    uint64_t alignment = std::max(module.variable(id).alignment, 16u);
    layout[id] = round_up(end, alignment);
  }
  return layout;
}

Addresses::Addresses(const ir::Module& module, const ir::Function& function, bool fold_shared)
    : module_(module),
      function_(function),
      fold_shared_(fold_shared),
      layout_(shared_layout(module, function)) {
  definitions_.resize(function.registers.size());
  for (const auto& param : function.params)
    if (param.reg != ir::kNone) definitions_[param.reg] = 1;
  for (const auto& block : function.blocks)
    for (const auto& instruction : block.instructions)
      each_definition(function, instruction, [&](ir::RegId reg) { ++definitions_[reg]; });
  find_zero_bits();
  for (ir::BlockId b : ir::flow_of(function).order) {
    enter();
    for (const auto& instruction : function.blocks[b].instructions) {
      step(instruction);
      each_definition(function, instruction, [&](ir::RegId reg) {
        auto it = here_.find(reg);
        if (definitions_[reg] == 1 && it != here_.end() && lasting(it->second)) lasting_[reg] = it->second;
      });
    }
  }
}

bool Addresses::lasting(const Sum& sum) const {
  return std::all_of(sum.terms.begin(), sum.terms.end(), [&](const auto& term) {
    return term.first.reg == ir::kNone || definitions_[term.first.reg] == 1;
  });
}

// The least fixed point from above: every register starts as a multiple of everything, and each write takes
// away what it cannot keep.
void Addresses::find_zero_bits() {
  zero_bits_.assign(function_.registers.size(), kAll);
  for (const auto& param : function_.params)
    if (param.reg != ir::kNone) zero_bits_[param.reg] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& block : function_.blocks)
      for (const auto& instruction : block.instructions) {
        int written = -1;
        each_definition(function_, instruction, [&](ir::RegId reg) {
          if (zero_bits_[reg] == 0) return;
          if (written < 0) written = zero_bits_written(instruction);
          if (written < zero_bits_[reg]) zero_bits_[reg] = written, changed = true;
        });
      }
  }
}

int Addresses::zero_bits(const Operand& operand) const {
  switch (operand.kind) {
    case Kind::Register:
      return operand.negated ? 0 : zero_bits_[operand.reg];
    case Kind::Immediate:
      return trailing_zeros(operand.bits);
    case Kind::Address: {
      if (module_.is_function(operand.symbol)) return 0;
      auto it = layout_.find(operand.symbol);
      uint64_t base = it != layout_.end() ? it->second : module_.variable(operand.symbol).alignment;
      return std::min(trailing_zeros(base), trailing_zeros(static_cast<uint64_t>(operand.offset)));
    }
    default:
      return 0;
  }
}

// Operations whose result is a sum of multiples of their operands.
std::optional<Addresses::Parts> Addresses::parts(const Instruction& in) const {
  const auto& o = in.operands;
  auto product = [&](size_t a, size_t b) -> std::optional<Addend> {
    if (is_immediate(o[b])) return Addend{&o[a], static_cast<int64_t>(o[b].bits)};
    if (is_immediate(o[a])) return Addend{&o[b], static_cast<int64_t>(o[a].bits)};
    return std::nullopt;
  };
  switch (in.op) {
    case Op::mov:
      return Parts{{&o[1], 1}};
    case Op::add_int:
      return Parts{{&o[1], 1}, {&o[2], 1}};
    case Op::sub_int:
      return Parts{{&o[1], 1}, {&o[2], -1}};
    case Op::shl:
      if (is_immediate(o[2]) && o[2].bits < 63) return Parts{{&o[1], int64_t{1} << o[2].bits}};
      return std::nullopt;
    case Op::mul_lo:
      if (auto p = product(1, 2)) return Parts{*p};
      return std::nullopt;
    case Op::mad_lo:
      if (auto p = product(1, 2)) return Parts{*p, {&o[3], 1}};
      return std::nullopt;
    case Op::or_:  // of bits that the other one has not
      if (const int zeros = zero_bits(o[1]);
          is_immediate(o[2]) && zeros < 63 && o[2].bits < uint64_t{1} << zeros)
        return Parts{{&o[1], 1}, {&o[2], 1}};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

int Addresses::zero_bits_written(const Instruction& in) const {
  const auto& o = in.operands;
  auto bits = [&](size_t i) { return zero_bits(o[i]); };
  if (auto sum = parts(in)) {
    int least = kAll;
    for (const Addend& part : *sum)
      least = std::min(least,
                       capped(zero_bits(*part.operand) + trailing_zeros(static_cast<uint64_t>(part.factor))));
    return least;
  }
  switch (in.op) {
    case Op::mul_lo:
    case Op::mul_wide:
      return capped(bits(1) + bits(2));
    case Op::mad_lo:
    case Op::mad_wide:
      return std::min(capped(bits(1) + bits(2)), bits(3));
    case Op::and_:
      return std::max(bits(1), bits(2));
    case Op::or_:
    case Op::xor_:
    case Op::selp:
      return std::min(bits(1), bits(2));
    case Op::neg_int:
    case Op::cvt_int:
    case Op::cvta:
    case Op::cvta_to:
      return bits(1);
    case Op::shl:
      return bits(1);
    case Op::shr:
      return is_immediate(o[2]) ? std::max(0, bits(1) - static_cast<int>(std::min<uint64_t>(o[2].bits, kAll)))
                                : 0;
    case Op::bfi:  // o[1] goes into o[2] from bit o[3] on
      return is_immediate(o[3])
                 ? std::min(bits(2), capped(bits(1) + static_cast<int>(std::min<uint64_t>(o[3].bits, kAll))))
                 : 0;
    default:
      return 0;
  }
}

void Addresses::enter() {
  here_.clear();
  entered_ = ++version_;
}

Sum Addresses::value(ir::RegId reg) const {
  if (auto it = here_.find(reg); it != here_.end()) return it->second;
  if (auto it = lasting_.find(reg); it != lasting_.end()) return it->second;
  return {{{Atom{reg, ir::kNone, definitions_[reg] == 1 ? 0 : entered_}, 1}}, 0};
}

Sum Addresses::symbol_address(ir::SymbolId symbol, int64_t offset) const {
  auto it = layout_.find(symbol);
  bool constant = it != layout_.end() && fold_shared_ && module_.variable(symbol).bytes > 0;
  if (constant) return {{}, static_cast<int64_t>(it->second) + offset};
  return {{{Atom{ir::kNone, symbol, 0}, 1}}, offset};
}

std::optional<Sum> Addresses::value(const Operand& operand) const {
  switch (operand.kind) {
    case Kind::Register:
      return value(operand.reg);
    case Kind::Immediate:
      return Sum{{}, static_cast<int64_t>(operand.bits)};
    case Kind::Address:
      if (module_.is_function(operand.symbol)) return std::nullopt;
      return symbol_address(operand.symbol, operand.offset);
    default:
      return std::nullopt;
  }
}

std::optional<Sum> Addresses::value(const Instruction& instruction) const {
  if (instruction.guard != ir::kNone) return std::nullopt;
  auto sum = parts(instruction);
  if (!sum) return std::nullopt;
  Sum total;
  for (const Addend& part : *sum) {
    auto its = value(*part.operand);
    if (!its) return std::nullopt;
    add(total, *its, part.factor);
  }
  if (total.terms.size() > kMaxTerms) return std::nullopt;
  return total;
}

void Addresses::step(const Instruction& instruction) {
  auto sum = value(instruction);
  each_definition(function_, instruction, [&](ir::RegId reg) {
    if (sum)
      here_[reg] = *sum;
    else if (definitions_[reg] > 1)
      here_[reg] = {{{Atom{reg, ir::kNone, ++version_}, 1}}, 0};
  });
}

Sum Addresses::of(const Operand& memory) const {
  if (memory.reg == ir::kNone)
    return memory.symbol == ir::kNone ? Sum{{}, memory.offset} : symbol_address(memory.symbol, memory.offset);
  Sum sum = value(memory.reg);
  sum.constant += memory.offset;
  return sum;
}

int Addresses::zero_bits(const Sum& sum) const {
  int least = kAll;
  for (const auto& [atom, factor] : sum.terms) {
    int its = 0;
    if (atom.reg != ir::kNone)
      its = zero_bits_[atom.reg];
    else if (auto it = layout_.find(atom.symbol); it != layout_.end())
      its = trailing_zeros(it->second);
    else
      its = trailing_zeros(module_.variable(atom.symbol).alignment);
    least = std::min(least, capped(its + trailing_zeros(static_cast<uint64_t>(factor))));
  }
  return least;
}

}  // namespace ww::analysis
