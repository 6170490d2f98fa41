// Shapes of addresses: learnt where they are first used, kept until the register is written.
#include "engine/decode/decode.h"

#include "engine/interpret/handlers.h"

namespace ww::engine {

using Kind = ir::Operand::Kind;

u32 FunctionDecoder::shape_slot(u32 address_slot, AccessKey::Where where, bool store) {
  // What may be read may be written, except where constants are: only there the two are kept apart.
  if (where == AccessKey::Where::Global || where == AccessKey::Where::Shared ||
      where == AccessKey::Where::Local)
    store = false;
  auto [it, fresh] = shapes_[address_slot].try_emplace({where, store}, 0);
  if (fresh) {
    it->second = allot(sizeof(AddressShape), 64);
    code_.shapes.push_back(it->second);
  }
  return it->second;
}

/// Registers that hold addresses somewhere get their shapes before any code is made, so that every write to
/// them is seen.
void FunctionDecoder::find_address_registers() {
  for (block_ = 0; block_ < function().blocks.size(); ++block_)
    for (const ir::Instruction& in : function().blocks[block_].instructions)
      for (size_t k = 0; k < in.operands.size(); ++k)
        if (in.operands[k].kind == Kind::Memory && in.operands[k].reg != ir::kNone && is_access(in.op))
          shape_slot(slots_[in.operands[k].reg], access_where(*this, in, in.operands[k]),
                     in.op == isa::Op::st);
}

/// Makes the shape of an address that is a sum; the register's lanes are left alone.
void FunctionDecoder::address_sum(const ir::Instruction& in, const AddressTerms& terms) {
  auto sum = std::make_shared<AddressSum>();
  sum->constant = terms.constant;
  for (ir::RegId base : terms.bases) sum->bases[sum->count++] = slots_[base];
  sum->scale = static_cast<int32_t>(terms.scale);
  sum->index_signed = terms.index_signed;
  Aux& aux = aux_for(sum);
  aux.access.where = AccessKey::Where::Global;
  aux.lazy_address = true;
  const u32 address = slots_[in.operands[0].reg];
  emit_step(sum_shape(*options_.lanes, aux, shape_slot(address, AccessKey::Where::Global, false),
                      allot(sizeof(IndexPattern), 64), address, slots_[terms.index],
                      static_cast<u64>(terms.offset)));
}

void FunctionDecoder::update_shapes(const ir::Instruction& in) {
  auto written = [&](const ir::Operand& o) {
    if (o.kind != Kind::Register) return;
    auto it = shapes_.find(slots_[o.reg]);
    if (it == shapes_.end()) return;
    // A pointer that moves by a constant keeps its shape.
    bool moves = in.op == isa::Op::add_int && in.guard == ir::kNone && isa::bits(in.type()) == 64 &&
                 in.operands[1].kind == Kind::Register && in.operands[1].reg == o.reg;
    bool by_constant = moves && in.operands[2].kind == Kind::Immediate;
    bool by_register = moves && in.operands[2].kind == Kind::Register && in.operands[2].reg != o.reg;
    for (auto [use, shape] : it->second)
      emit_step(by_constant   ? shift_shape(*options_.lanes, shape, in.operands[2].bits)
                : by_register ? shift_shape_by(*options_.lanes, shape, slots_[in.operands[2].reg])
                              : forget_shape(*options_.lanes, shape));
  };
  const auto& specs = in.form().operands;
  for (size_t k = 0; k < in.operands.size() && k < specs.size(); ++k) {
    if (!specs[k].dest) continue;
    written(in.operands[k]);
    for (const auto& e : in.operands[k].elements) written(e);
  }
  if (in.call >= 0)
    for (const auto& r : function().calls[static_cast<size_t>(in.call)].results) written(r);
}

}  // namespace ww::engine
