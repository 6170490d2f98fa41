#include "analysis/swap_guess.h"

#include <algorithm>
#include <set>

#include "analysis/uses.h"
#include "ir/accesses.h"
#include "ir/flow.h"

namespace ww::analysis {

namespace {

using Kind = ir::Operand::Kind;

const ir::Operand* address_of(const ir::Instruction& in) {
  for (const ir::Operand& o : in.operands)
    if (o.kind == Kind::Memory) return &o;
  return nullptr;
}

/// The register that an address is a copy of, also as an address of another space.
ir::RegId origin(const ir::Function& f, ir::RegId r) {
  for (int depth = 0; depth < 8; ++depth) {
    const ir::Instruction* only = nullptr;
    bool several = false;
    for (const ir::Block& b : f.blocks)
      for (const ir::Instruction& in : b.instructions)
        each_definition(f, in, [&](ir::RegId d) {
          if (d != r) return;
          several |= only != nullptr;
          only = &in;
        });
    const bool copies =
        only && !several && only->guard == ir::kNone &&
        (only->op == ir::Op::mov || only->op == ir::Op::cvta || only->op == ir::Op::cvta_to) &&
        only->operands[1].kind == Kind::Register;
    if (!copies) return r;
    r = only->operands[1].reg;
  }
  return r;
}

bool has_swap(const ir::Function& f) {
  return std::any_of(f.blocks.begin(), f.blocks.end(), [](const ir::Block& b) {
    return std::any_of(b.instructions.begin(), b.instructions.end(),
                       [](const ir::Instruction& in) { return in.op == ir::Op::atom_cas; });
  });
}

bool same_place(const ir::Function& f, const ir::Operand& a, const ir::Operand& b) {
  if (a.symbol != b.symbol || a.offset != b.offset) return false;
  if (a.reg == ir::kNone || b.reg == ir::kNone) return a.reg == b.reg;
  return origin(f, a.reg) == origin(f, b.reg);
}

}  // namespace

bool is_swap_guess(const ir::Function& f, ir::BlockId block, const ir::Instruction& load) {
  const ir::Operand* from = address_of(load);
  if (!from || load.guard != ir::kNone || !has_swap(f)) return false;  // asked for each load of a launch
  std::set<ir::RegId> copies;
  each_definition(f, load, [&](ir::RegId r) { copies.insert(r); });
  const ir::Flow flow = ir::flow_of(f);
  bool behind = false;
  for (size_t passed = 0; passed < f.blocks.size(); ++passed) {
    for (const ir::Instruction& in : f.blocks[block].instructions) {
      if (!behind) {
        behind = &in == &load;
        continue;
      }
      if (in.op == ir::Op::atom_cas && in.guard == ir::kNone) {
        const ir::Operand& expected = in.operands[2];
        const ir::Operand* at = address_of(in);
        return at && same_place(f, *at, *from) && expected.kind == Kind::Register &&
               copies.contains(expected.reg);
      }
      if (in.call >= 0) return false;
      for (const ir::Access& a : ir::accesses_of(in))
        if (a.direction != isa::Direction::Read) return false;
      const bool copied = in.op == ir::Op::mov && in.guard == ir::kNone &&
                          in.operands[1].kind == Kind::Register && copies.contains(in.operands[1].reg);
      each_definition(f, in, [&](ir::RegId r) {
        if (copied)
          copies.insert(r);
        else
          copies.erase(r);
      });
    }
    if (!behind || flow.successors[block].size() != 1) return false;
    block = flow.successors[block][0];
  }
  return false;
}

}  // namespace ww::analysis
