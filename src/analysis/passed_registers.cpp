// What functions pass each other, in registers.
#include <algorithm>
#include <map>
#include <set>

#include "analysis/inlined.h"

namespace ww::analysis {

namespace {

using ir::Instruction;
using ir::kNone;
using ir::Op;
using ir::Operand;
using ir::Type;
using Kind = Operand::Kind;

/// A `.param` variable that functions pass, in one of the places where its function stands.
struct Variable {
  uint32_t part = 0;
  ir::SymbolId symbol = kNone;
  auto operator<=>(const Variable&) const = default;
};
using Pieces = std::map<uint64_t, int>;  ///< bytes, by offset

Type unsigned_of(int bytes) {
  return bytes == 1 ? Type::u8 : bytes == 2 ? Type::u16 : bytes == 4 ? Type::u32 : Type::u64;
}
Type signed_of(int bytes) {
  return bytes == 1 ? Type::s8 : bytes == 2 ? Type::s16 : bytes == 4 ? Type::s32 : Type::s64;
}
Type raw_of(int bytes) { return bytes == 8 ? Type::b64 : bytes == 4 ? Type::b32 : Type::b16; }

/// With the types given, in order, and nothing that is optional.
Instruction made(Op op, std::initializer_list<Type> types, const Instruction& like,
                 std::vector<Operand> operands) {
  Instruction in;
  in.op = op;
  in.place = like.place;
  in.guard = like.guard, in.guard_negated = like.guard_negated;
  in.operands = std::move(operands);
  auto type = types.begin();
  for (const isa::SlotSpec& slot : in.form().slots)
    in.chosen.push_back(slot.optional ? ir::Mod::none : isa::mod_of(*type++));
  return in;
}

class Passing {
 public:
  Passing(const ir::Module& module, Inlined& inlined) : module_(module), in_(inlined), f_(inlined.function) {}

  void run() {
    find_kept();
    for (ir::BlockId b = 0; b < f_.blocks.size(); ++b)
      for (const Instruction& in : f_.blocks[b].instructions) see(in_.sources[b].part, in);
    while (shut_out()) {
    }
    for (ir::BlockId b = 0; b < f_.blocks.size(); ++b) rewrite(b);
  }

 private:
  /// The kernel's own parameters are in a buffer.
  void find_kept() {
    for (const ir::Param& p : f_.params) kept_.insert({0, p.symbol});
  }

  bool is_param(ir::SymbolId s) const {
    return s != kNone && !module_.is_function(s) && module_.variable(s).space == ir::Space::Param;
  }

  /// The elements that a load or store of a variable moves; empty: it is something else.
  std::vector<const Operand*> elements_of(const Instruction& in) const {
    if ((in.op != Op::ld && in.op != Op::st) || ir::space_of(in) != ir::Space::Param) return {};
    const Operand& memory = in.operands[in.op == Op::st ? 0 : 1];
    const Operand& value = in.operands[in.op == Op::st ? 1 : 0];
    if (memory.reg != kNone || !is_param(memory.symbol) || memory.offset < 0) return {};
    if (value.kind != Kind::Vector) return {&value};
    std::vector<const Operand*> all;
    for (const Operand& e : value.elements) all.push_back(&e);
    return all;
  }
  static const Operand& memory_of(const Instruction& in) { return in.operands[in.op == Op::st ? 0 : 1]; }
  static int bytes_of(const Instruction& in) { return isa::bytes(in.operand_type(in.op == Op::st ? 1 : 0)); }

  void keep(uint32_t part, const Operand& o) {
    if (is_param(o.symbol)) kept_.insert({part, o.symbol});
    for (const Operand& e : o.elements) keep(part, e);
  }

  void see(uint32_t part, const Instruction& in) {
    if (in.call >= 0 && in_.passes[static_cast<size_t>(in.call)].callee == kNone) {
      const ir::Call& call = f_.calls[static_cast<size_t>(in.call)];
      for (const auto* list : {&call.arguments, &call.results})
        for (const Operand& o : *list) keep(part, o);
    }
    const std::vector<const Operand*> elements = elements_of(in);
    if (elements.empty()) {
      for (const Operand& o : in.operands) keep(part, o);
      return;
    }
    const Operand& memory = memory_of(in);
    const int bytes = bytes_of(in);
    auto at = static_cast<uint64_t>(memory.offset);
    Pieces& pieces = pieces_[{part, memory.symbol}];
    for (const Operand* e : elements) {
      const bool moves = e->kind == Kind::Register || e->kind == Kind::None ||
                         (e->kind == Kind::Immediate && in.op == Op::st);
      if (!moves || bytes > 8 || !add(pieces, at, bytes)) kept_.insert({part, memory.symbol});
      at += static_cast<uint64_t>(bytes);
    }
    if (at > module_.variable(memory.symbol).bytes) kept_.insert({part, memory.symbol});
  }

  /// False: it lies across others.
  static bool add(Pieces& pieces, uint64_t at, int bytes) {
    const auto [it, fresh] = pieces.try_emplace(at, bytes);
    if (it->second != bytes) return false;
    const auto next = std::next(it);
    if (next != pieces.end() && at + static_cast<uint64_t>(bytes) > next->first) return false;
    return it == pieces.begin() || std::prev(it)->first + static_cast<uint64_t>(std::prev(it)->second) <= at;
  }

  template <class Visit>
  void each_pair(const Inlined::Pass& pass, Visit visit) {
    if (pass.callee == kNone) return;
    for (const auto& [outer, inner] : pass.pairs)
      visit(Variable{in_.parts[pass.callee].caller, outer}, Variable{pass.callee, inner});
  }

  bool fit(const Variable& a, const Variable& b) {
    Pieces both = pieces_[a];
    return std::all_of(pieces_[b].begin(), pieces_[b].end(),
                       [&](const auto& piece) { return add(both, piece.first, piece.second); });
  }

  /// Variables of which the other function has no registers, or other pieces. Whether there were any.
  bool shut_out() {
    const size_t before = kept_.size();
    for (const Inlined::Pass& pass : in_.passes)
      each_pair(pass, [&](const Variable& a, const Variable& b) {
        if (kept_.contains(a) || kept_.contains(b) || !fit(a, b)) kept_.insert(a), kept_.insert(b);
      });
    return kept_.size() != before;
  }

  Operand register_of(const Variable& v, uint64_t at, int bytes) {
    auto [it, fresh] = registers_.try_emplace({v, at}, 0);
    if (fresh) {
      it->second = static_cast<ir::RegId>(f_.registers.size());
      f_.registers.push_back({module_.symbols[v.symbol].name, raw_of(bytes)});
    }
    Operand o;
    o.kind = Kind::Register;
    o.reg = it->second;
    return o;
  }

  void rewrite(ir::BlockId b) {
    Inlined::Source& source = in_.sources[b];
    std::vector<Instruction> code;
    std::vector<uint32_t> positions;
    for (size_t k = 0; k < f_.blocks[b].instructions.size(); ++k) {
      Instruction& in = f_.blocks[b].instructions[k];
      const std::vector<const Operand*> elements = elements_of(in);
      if (in.call >= 0 && in_.passes[static_cast<size_t>(in.call)].callee != kNone) {
        move_passed(in, code);
      } else if (!elements.empty() && !kept_.contains({source.part, memory_of(in).symbol})) {
        move_elements(source.part, in, elements, code);
      } else {
        code.push_back(std::move(in));
      }
      positions.resize(code.size(), source.positions[k]);
    }
    f_.blocks[b].instructions = std::move(code);
    source.positions = std::move(positions);
  }

  void move_elements(uint32_t part, const Instruction& in, const std::vector<const Operand*>& elements,
                     std::vector<Instruction>& code) {
    const Operand& memory = memory_of(in);
    const int bytes = bytes_of(in);
    auto at = static_cast<uint64_t>(memory.offset);
    for (const Operand* e : elements) {
      if (e->kind != Kind::None) {
        const Operand piece = register_of({part, memory.symbol}, at, bytes);
        code.push_back(in.op == Op::st ? stored(in, bytes, piece, *e) : loaded(in, bytes, *e, piece));
      }
      at += static_cast<uint64_t>(bytes);
    }
  }

  int width(const Operand& o) const { return isa::bytes(f_.registers[o.reg].type); }

  Instruction stored(const Instruction& in, int bytes, const Operand& piece, const Operand& value) const {
    if (value.kind == Kind::Immediate || width(value) == std::max(2, bytes))
      return made(Op::mov, {raw_of(bytes)}, in, {piece, value});
    return made(Op::cvt_int, {unsigned_of(std::max(2, bytes)), unsigned_of(bytes)}, in, {piece, value});
  }
  Instruction loaded(const Instruction& in, int bytes, const Operand& to, const Operand& piece) const {
    if (bytes > 1 && width(to) == bytes) return made(Op::mov, {raw_of(bytes)}, in, {to, piece});
    const bool sign = isa::is_signed(in.operand_type(0));
    const int wide = width(to);
    return made(Op::cvt_int,
                {sign ? signed_of(wide) : unsigned_of(wide), sign ? signed_of(bytes) : unsigned_of(bytes)},
                in, {to, piece});
  }

  /// Moves what the one side of a call reads from where the other has it; what is in memory stays to be
  /// copied.
  void move_passed(Instruction& in, std::vector<Instruction>& code) {
    Inlined::Pass& pass = in_.passes[static_cast<size_t>(in.call)];
    std::vector<std::pair<ir::SymbolId, ir::SymbolId>> copied;
    size_t n = 0;
    each_pair(pass, [&](const Variable& outer, const Variable& inner) {
      const auto pair = pass.pairs[n++];
      if (kept_.contains(outer)) {
        copied.push_back(pair);
        return;
      }
      const Variable& to = pass.results ? outer : inner;
      const Variable& from = pass.results ? inner : outer;
      for (const auto& [at, bytes] : pieces_[to])
        code.push_back(
            made(Op::mov, {raw_of(bytes)}, in, {register_of(to, at, bytes), register_of(from, at, bytes)}));
    });
    pass.pairs = std::move(copied);
    if (!pass.pairs.empty()) code.push_back(std::move(in));
  }

  const ir::Module& module_;
  Inlined& in_;
  ir::Function& f_;
  std::set<Variable> kept_;  ///< in memory
  std::map<Variable, Pieces> pieces_;
  std::map<std::pair<Variable, uint64_t>, ir::RegId> registers_;
};

}  // namespace

void pass_in_registers(const ir::Module& module, Inlined& inlined) { Passing(module, inlined).run(); }

}  // namespace ww::analysis
