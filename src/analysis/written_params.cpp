#include "analysis/written_params.h"

#include <algorithm>

#include "analysis/uses.h"
#include "ir/accesses.h"

namespace ww::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using isa::Op;
using Kind = Operand::Kind;
using Mask = uint64_t;  ///< a bit for each place that went into a value

constexpr Mask kUnknown = Mask{1} << 63;  ///< an address that is not followed
constexpr Mask kOwn = Mask{1} << 62;      ///< of shared or local memory
constexpr size_t kMostPlaces = 62;
constexpr int kAddressBytes = 8;

class Flow {
 public:
  Flow(const ir::Module& module, const ir::Function& f) : module_(module), f_(f), mask_(f.registers.size()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const ir::Block& block : f.blocks)
        for (const Instruction& in : block.instructions) {
          size_t element = 0;
          each_definition(f, in, [&](ir::RegId r) {
            const Mask m = mask_[r] | made(in, isa::bytes(f.registers[r].type), element++);
            changed |= m != mask_[r];
            mask_[r] = m;
          });
        }
    }
  }

  AccessParams accesses() const {
    AccessParams all{places_, {}};
    for (const ir::Block& block : f_.blocks)
      for (const Instruction& in : block.instructions)
        for (const ir::Access& a : ir::accesses_of(in)) {
          if (a.space != ir::Space::Global && a.space != ir::Space::None) continue;
          const Operand& o = in.operands[static_cast<size_t>(a.operand)];
          if (a.asynchronous || a.range != isa::Range::Lane || o.kind != Kind::Memory || o.reg == ir::kNone)
            continue;
          if (const Mask m = mask_[o.reg]; m && !(m & (kUnknown | kOwn))) all.of.emplace_back(&in, m);
        }
    return all;
  }

  WrittenParams written() const {
    Mask all = 0;
    for (const ir::Block& block : f_.blocks)
      for (const Instruction& in : block.instructions) {
        if (in.call >= 0) return {};
        for (const ir::Access& a : ir::accesses_of(in)) {
          if (a.direction == isa::Direction::Read) continue;
          if (a.space != ir::Space::Global && a.space != ir::Space::None) continue;
          const Operand& o = in.operands[static_cast<size_t>(a.operand)];
          if (a.asynchronous || a.range != isa::Range::Lane || o.kind != Kind::Memory || o.reg == ir::kNone)
            return {};
          const Mask m = mask_[o.reg];
          if (m == 0 || (m & kUnknown)) return {};
          all |= m;
        }
      }
    WrittenParams w;
    w.known = true;
    for (size_t k = 0; k < places_.size(); ++k)
      if (all >> k & 1) w.places.push_back(places_[k]);
    return w;
  }

 private:
  Mask place(ir::SymbolId symbol, uint64_t offset) {
    size_t param = 0;
    while (param < f_.params.size() && f_.params[param].symbol != symbol) ++param;
    if (param == f_.params.size()) return kUnknown;
    const auto at = std::find_if(places_.begin(), places_.end(),
                                 [&](const ParamPlace& p) { return p.param == param && p.offset == offset; });
    const auto k = static_cast<size_t>(at - places_.begin());
    if (at == places_.end()) {
      if (k >= kMostPlaces) return kUnknown;
      places_.push_back({param, offset});
    }
    return Mask{1} << k;
  }

  Mask of(const Operand& o) const {
    if (o.kind == Kind::Register) return mask_[o.reg];
    if (o.kind == Kind::Vector) return kUnknown;  // made of halves
    if (o.kind != Kind::Address) return 0;
    if (module_.is_function(o.symbol)) return 0;
    const ir::Space space = module_.variable(o.symbol).space;
    return space == ir::Space::Shared || space == ir::Space::Local ? kOwn : kUnknown;
  }

  /// What goes into a register of so many bytes, the `element`-th that the instruction writes.
  Mask made(const Instruction& in, int bytes, size_t element) {
    if (bytes < kAddressBytes) return 0;  // a number, or half an address: who joins halves is not followed
    if (in.op == Op::ld && ir::space_of(in) == ir::Space::Param) {
      const Operand& from = in.operands[1];
      if (from.kind != Kind::Memory || from.reg != ir::kNone) return kUnknown;
      return place(from.symbol, static_cast<uint64_t>(from.offset) + element * kAddressBytes);
    }
    const bool copies = in.op == Op::mov || in.op == Op::cvta || in.op == Op::cvta_to;
    if (!copies && in.form().kind != isa::RowKind::Lane) return kUnknown;
    Mask m = 0;
    for (size_t k = 0; k < in.operands.size(); ++k)
      if (!in.form().operands[k].dest) m |= of(in.operands[k]);
    return m;
  }

  const ir::Module& module_;
  const ir::Function& f_;
  std::vector<Mask> mask_;
  std::vector<ParamPlace> places_;
};

}  // namespace

WrittenParams written_params(const ir::Module& module, const ir::Function& entry) {
  return Flow(module, entry).written();
}

AccessParams access_params(const ir::Module& module, const ir::Function& entry) {
  return Flow(module, entry).accesses();
}

}  // namespace ww::analysis
