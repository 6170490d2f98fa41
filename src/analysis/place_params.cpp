#include "analysis/place_params.h"

#include <map>

#include "analysis/uses.h"
#include "ir/accesses.h"

namespace ww::analysis {

namespace {

using Mask = uint64_t;

/// Which places an instruction reads from memory, as access_params has them.
Mask loaded_from(const ir::Instruction& in, const std::map<const ir::Instruction*, Mask>& through) {
  const auto it = through.find(&in);
  if (it == through.end()) return 0;
  for (const ir::Access& a : ir::accesses_of(in))
    if (a.direction == isa::Direction::Read) return it->second;
  return 0;
}

}  // namespace

std::set<size_t> params_of_places(const ir::Function& f, const AccessParams& accesses) {
  const std::map<const ir::Instruction*, Mask> through(accesses.of.begin(), accesses.of.end());
  std::vector<Mask> holds(f.registers.size());  // from which places a register's value was loaded
  for (bool changed = true; changed;) {
    changed = false;
    for (const ir::Block& block : f.blocks)
      for (const ir::Instruction& in : block.instructions) {
        Mask value = loaded_from(in, through);
        if (ir::accesses_of(in).empty())
          each_use(f, in, [&](ir::RegId r) { value |= r == in.guard ? 0 : holds[r]; });
        each_definition(f, in, [&](ir::RegId r) {
          if (f.registers[r].type == isa::Type::pred) return;  // that it was compared is no place
          changed |= (holds[r] | value) != holds[r];
          holds[r] |= value;
        });
      }
  }
  std::set<size_t> out;
  for (const auto& [in, places] : accesses.of)
    for (const ir::Operand& o : in->operands)
      if (o.kind == ir::Operand::Kind::Memory && o.reg != ir::kNone)
        for (size_t k = 0; k < accesses.places.size(); ++k)
          if ((places & holds[o.reg]) >> k & 1) out.insert(accesses.places[k].param);
  return out;
}

}  // namespace ww::analysis
