#include "engine/decode/invariants.h"

#include <algorithm>
#include <string_view>

#include "analysis/uses.h"

namespace ww::engine {

namespace {

using ir::Instruction;
using ir::Operand;
using isa::Op;
using Kind = Operand::Kind;

constexpr int kDeepest = 16;  // a chain of additions that is longer stays as it is
constexpr size_t kMostBases = 4;

bool carries(const Instruction& in) { return analysis::sets_carry(in) || analysis::reads_carry(in); }

bool lane_register(std::string_view name) {
  return name.starts_with("tid.") || name == "laneid" || name.starts_with("lanemask_");
}
/// Special registers that a warp finds the same in every block of a launch.
bool invariant_special(const Operand& o) {
  const std::string_view name = ir::special_registers()[o.special].name;
  return lane_register(name) || name.starts_with("ntid.") || name.starts_with("nctaid.") ||
         name == "warpid" || name == "nwarpid";
}

bool wide(const Instruction& in) { return isa::bits(in.type()) == 64; }
bool immediate(const Operand& o) { return o.kind == Kind::Immediate; }

bool loads_parameter(const ir::Module& module, const ir::Function& f, const Instruction& in) {
  if (in.op != Op::ld || ir::space_of(in) != ir::Space::Param || in.operands[0].kind != Kind::Register)
    return false;
  const Operand& m = in.operands[1];
  if (m.reg != ir::kNone || m.symbol == ir::kNone || m.offset < 0) return false;
  const bool own =
      std::any_of(f.params.begin(), f.params.end(), [&](const auto& p) { return p.symbol == m.symbol; });
  const auto bytes = static_cast<uint64_t>(isa::bytes(in.type()));
  const auto offset = static_cast<uint64_t>(m.offset);
  return own && offset % bytes == 0 && offset + bytes <= module.variable(m.symbol).bytes;
}

bool is_copy(const Instruction& in) {
  return (in.op == Op::mov ||
          ((in.op == Op::cvta || in.op == Op::cvta_to) && ir::space_of(in) == ir::Space::Global)) &&
         wide(in);
}

}  // namespace

Invariants::Invariants(const ir::Module& module, const ir::Function& function, bool loads)
    : module_(module), function_(function), loads_(loads) {
  definitions_.resize(function.registers.size());
  invariant_.resize(function.registers.size());
  uniform_.resize(function.registers.size());
  for (ir::BlockId b = 0; b < function.blocks.size(); ++b) {
    const auto& instructions = function.blocks[b].instructions;
    once_.emplace_back(instructions.size());
    dropped_.emplace_back(instructions.size());
    for (uint32_t k = 0; k < instructions.size(); ++k)
      analysis::each_definition(function, instructions[k], [&](ir::RegId r) {
        Definition& d = definitions_[r];
        ++d.count;
        d.guarded |= instructions[k].guard != ir::kNone;
        d.at = {b, k};
      });
  }
  for (const auto* list : {&function.params, &function.results})
    for (const ir::Param& p : *list)
      if (p.reg != ir::kNone) definitions_[p.reg].count += 2;
  if (!function.entry) return;
  find_once();
  if (loads) find_terms();
}

bool Invariants::is_once(const Instruction& in) const {
  if (in.guard != ir::kNone || in.operands.empty() || in.call >= 0) return false;
  if (loads_parameter(module_, function_, in)) {
    if (!loads_) return false;
  } else if (in.form().kind != isa::RowKind::Lane && in.op != Op::cvta && in.op != Op::cvta_to) {
    return false;
  }
  if (carries(in)) return false;
  bool good = true;
  analysis::each_definition(function_, in, [&](ir::RegId r) { good &= definitions_[r].count == 1; });
  analysis::each_use(function_, in, [&](ir::RegId r) { good &= invariant_[r]; });
  const auto& specs = in.form().operands;
  for (size_t k = 0; k < in.operands.size() && k < specs.size(); ++k) {
    const Operand& o = in.operands[k];
    if (o.kind == Kind::Vector || o.kind == Kind::Label) return false;
    if (o.kind == Kind::Special && !invariant_special(o)) return false;
  }
  return good;
}

bool Invariants::same_everywhere(const Instruction& in) const {
  bool same = true;
  analysis::each_use(function_, in, [&](ir::RegId r) { same &= uniform_[r]; });
  for (const Operand& o : in.operands)
    if (o.kind == Kind::Special) same &= !lane_register(ir::special_registers()[o.special].name);
  return same;
}

void Invariants::find_once() {
  for (ir::BlockId b = 0; b < function_.blocks.size(); ++b)
    for (uint32_t k = 0; k < function_.blocks[b].instructions.size(); ++k) {
      const Instruction& in = function_.blocks[b].instructions[k];
      if (!is_once(in)) continue;
      once_[b][k] = true;
      const bool uniform = same_everywhere(in);
      analysis::each_definition(function_, in,
                                [&](ir::RegId r) { invariant_[r] = true, uniform_[r] = uniform; });
    }
}

/// Whether `reg` holds at `later` what the last execution of `reader` before that found in it.
bool Invariants::unchanged(ir::RegId reg, Position reader, Position later) const {
  if (invariant_[reg]) return true;
  const auto between = [&](Position from, Position to) {
    for (uint32_t k = from.index; k < to.index; ++k) {
      bool defines = false;
      analysis::each_definition(function_, function_.blocks[from.block].instructions[k],
                                [&](ir::RegId r) { defines |= r == reg; });
      if (defines) return true;
    }
    return false;
  };
  if (reader.block == later.block && reader.index <= later.index) return !between(reader, later);
  // It is written just before the reader reads it, so nobody comes by with a new value that the reader has
  // not seen.
  const Definition& d = definitions_[reg];
  return d.count == 1 && !d.guarded && d.at.block == reader.block && d.at.index < reader.index &&
         later.block != reader.block;
}

bool Invariants::index_term(const Operand& o, bool is_signed, int64_t factor, Position reader, Position whole,
                            AddressTerms& into) const {
  if (o.kind != Kind::Register || into.index != ir::kNone) return false;
  if (isa::bits(function_.registers[o.reg].type) != 32 || !unchanged(o.reg, reader, whole)) return false;
  into.index = o.reg;
  into.index_signed = is_signed;
  into.scale = factor;
  return factor > 0 && factor <= 4096;
}

/// Adds factor · operand, which `reader` reads, to the terms of the address that `whole` computes.
bool Invariants::expand(const Operand& o, int64_t factor, Position reader, Position whole, AddressTerms& into,
                        int depth) const {
  if (immediate(o)) {
    into.constant += o.bits * static_cast<uint64_t>(factor);
    return true;
  }
  if (o.kind != Kind::Register || depth > kDeepest || isa::bits(function_.registers[o.reg].type) != 64)
    return false;
  if (uniform_[o.reg]) {
    into.bases.push_back(o.reg);
    return factor == 1 && into.bases.size() <= kMostBases;
  }
  const Definition& d = definitions_[o.reg];
  if (d.count != 1 || d.guarded || !unchanged(o.reg, reader, whole)) return false;
  const Instruction& in = at(d.at);
  const auto& ops = in.operands;
  const auto more = [&](const Operand& x, int64_t f) { return expand(x, f, d.at, whole, into, depth + 1); };
  const auto small = [](const Operand& x) { return immediate(x) && x.bits > 0 && x.bits <= 4096; };
  const bool is_signed = isa::is_signed(in.type());
  if (in.op == Op::add_int && wide(in)) return more(ops[1], factor) && more(ops[2], factor);
  if (is_copy(in)) return more(ops[1], factor);
  if (in.op == Op::shl && wide(in) && immediate(ops[2]) && ops[2].bits <= 12)
    return more(ops[1], factor << ops[2].bits);
  const bool from32 = isa::bits(in.type()) == 32;
  if (in.op == Op::mul_wide && from32 && small(ops[2]))
    return index_term(ops[1], is_signed, factor * static_cast<int64_t>(ops[2].bits), d.at, whole, into);
  if (in.op == Op::mad_wide && from32 && small(ops[2]))
    return index_term(ops[1], is_signed, factor * static_cast<int64_t>(ops[2].bits), d.at, whole, into) &&
           more(ops[3], factor);
  if (in.op == Op::cvt_int && isa::bits(in.type(isa::Slot::dtype)) == 64 &&
      isa::bits(in.type(isa::Slot::atype)) == 32)
    return index_term(ops[1], isa::is_signed(in.type(isa::Slot::atype)), factor, d.at, whole, into);
  return false;
}

void Invariants::find_terms() {
  // Registers read by anything but loads and stores as an address, and by whom.
  struct Uses {
    std::vector<std::pair<Position, int64_t>> as_address;  // and the constant offset
    std::vector<Position> else_where;
  };
  std::vector<Uses> uses(function_.registers.size());
  for (ir::BlockId b = 0; b < function_.blocks.size(); ++b)
    for (uint32_t k = 0; k < function_.blocks[b].instructions.size(); ++k) {
      const Instruction& in = function_.blocks[b].instructions[k];
      const Operand* address = nullptr;
      if ((in.op == Op::ld || in.op == Op::ld_nc || in.op == Op::ldu || in.op == Op::st) &&
          ir::space_of(in) == ir::Space::Global)
        for (const Operand& o : in.operands)
          if (o.kind == Kind::Memory && o.reg != ir::kNone) address = &o;
      int others = 0;  // times the address is read as a value too
      analysis::each_use(function_, in, [&](ir::RegId r) {
        if (address && r == address->reg && others++ == 0) return;
        uses[r].else_where.push_back({b, k});
      });
      if (address) uses[address->reg].as_address.push_back({{b, k}, address->offset});
    }
  for (ir::RegId r = 0; r < uses.size(); ++r) {
    const Definition& d = definitions_[r];
    if (uses[r].as_address.empty() || d.count != 1 || d.guarded || invariant_[r]) continue;
    Operand self;
    self.kind = Kind::Register;
    self.reg = r;
    AddressTerms terms;
    if (expand(self, 1, d.at, d.at, terms, 0) && terms.index != ir::kNone) {
      terms.offset = uses[r].as_address.front().second;
      terms_[d.at] = std::move(terms);
    }
  }
  // What is only read for the sake of such addresses need not be computed.
  std::vector<bool> unread(uses.size(), true);
  for (const auto& [position, terms] : terms_) unread[terms.index] = false;
  const auto defines_one = [&](Position p) {
    int written = 0;
    analysis::each_definition(function_, at(p), [&](ir::RegId) { ++written; });
    return written == 1;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (ir::RegId r = 0; r < uses.size(); ++r) {
      const Definition& d = definitions_[r];
      if (!unread[r]) continue;
      const bool termed = d.count == 1 && terms_.contains(d.at);
      // Reading it is harmless where the reader is an address with terms of its own, or not computed itself.
      const auto harmless = [&](Position p) {
        if (at(p).operands.empty()) return false;
        const Operand& to = at(p).operands[0];
        return to.kind == Kind::Register && definitions_[to.reg].count == 1 && definitions_[to.reg].at == p &&
               unread[to.reg];
      };
      const bool plain = d.count == 1 && !d.guarded && !invariant_[r] && defines_one(d.at) &&
                         !carries(at(d.at)) &&
                         (termed || (uses[r].as_address.empty() && !uses[r].else_where.empty()));
      if (plain && std::all_of(uses[r].else_where.begin(), uses[r].else_where.end(), harmless) &&
          (termed || at(d.at).form().kind == isa::RowKind::Lane || is_copy(at(d.at))))
        continue;
      unread[r] = false;
      changed = true;
    }
  }
  for (auto it = terms_.begin(); it != terms_.end();)
    it = unread[at(it->first).operands[0].reg] ? std::next(it) : terms_.erase(it);
  for (ir::RegId r = 0; r < uses.size(); ++r)
    if (unread[r]) dropped_[definitions_[r].at.block][definitions_[r].at.index] = true;
}

const AddressTerms* Invariants::terms(Position at) const {
  auto it = terms_.find(at);
  return it == terms_.end() ? nullptr : &it->second;
}

}  // namespace ww::engine
