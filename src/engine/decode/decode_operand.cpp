// Operands: slots that hold their values, and what must be emitted to put them there.
#include "engine/decode/decode.h"

#include <fmt/format.h>

#include <cassert>
#include <cstring>

#include "engine/interpret/handlers.h"

namespace ww::engine {

using isa::Slot;
using isa::Type;
using Kind = ir::Operand::Kind;

u32 FunctionDecoder::constant(u64 bits, int bytes) {
  auto [it, fresh] = constants_.try_emplace({bits, bytes}, 0);
  if (!fresh) return it->second;
  it->second = temporary(bytes);
  std::vector<u8> lanes(static_cast<size_t>(bytes) * kLanes);
  u64 words[2] = {bits, 0};
  for (int l = 0; l < kLanes; ++l) std::memcpy(lanes.data() + l * bytes, words, bytes);
  constant_values_.emplace_back(it->second, std::move(lanes));
  return it->second;
}

u32 FunctionDecoder::constant_predicate(bool value) {
  auto [it, fresh] = constants_.try_emplace({value, 0}, 0);
  if (!fresh) return it->second;
  it->second = temporary(0);
  constant_values_.emplace_back(it->second, std::vector<u8>(4, value ? 0xff : 0));
  return it->second;
}

u32 FunctionDecoder::special_slot(const ir::Operand& operand, Type type) {
  static const std::map<std::string, Special> kByName = {
      {"tid.x", Special::TidX},
      {"tid.y", Special::TidY},
      {"tid.z", Special::TidZ},
      {"ntid.x", Special::NtidX},
      {"ntid.y", Special::NtidY},
      {"ntid.z", Special::NtidZ},
      {"ctaid.x", Special::CtaidX},
      {"ctaid.y", Special::CtaidY},
      {"ctaid.z", Special::CtaidZ},
      {"nctaid.x", Special::NctaidX},
      {"nctaid.y", Special::NctaidY},
      {"nctaid.z", Special::NctaidZ},
      {"laneid", Special::LaneId},
      {"warpid", Special::WarpId},
      {"nwarpid", Special::NwarpId},
      {"smid", Special::SmId},
      {"nsmid", Special::NsmId},
      {"gridid", Special::GridId},
      {"lanemask_eq", Special::LanemaskEq},
      {"lanemask_le", Special::LanemaskLe},
      {"lanemask_lt", Special::LanemaskLt},
      {"lanemask_ge", Special::LanemaskGe},
      {"lanemask_gt", Special::LanemaskGt},
      {"total_smem_size", Special::TotalSharedBytes},
      {"dynamic_smem_size", Special::DynamicSharedBytes},
      {"aggr_smem_size", Special::TotalSharedBytes},
      {"clusterid.x", Special::ClusterIdX},
      {"clusterid.y", Special::ClusterIdY},
      {"clusterid.z", Special::ClusterIdZ},
      {"nclusterid.x", Special::NclusterIdX},
      {"nclusterid.y", Special::NclusterIdY},
      {"nclusterid.z", Special::NclusterIdZ},
      {"cluster_ctaid.x", Special::ClusterCtaidX},
      {"cluster_ctaid.y", Special::ClusterCtaidY},
      {"cluster_ctaid.z", Special::ClusterCtaidZ},
      {"cluster_nctaid.x", Special::ClusterNctaidX},
      {"cluster_nctaid.y", Special::ClusterNctaidY},
      {"cluster_nctaid.z", Special::ClusterNctaidZ},
      {"cluster_ctarank", Special::ClusterCtarank},
      {"cluster_nctarank", Special::ClusterNctarank},
      {"is_explicit_cluster", Special::IsExplicitCluster},
      {"envreg1", Special::WorkspaceHigh},
      {"envreg2", Special::WorkspaceLow},
      {"reserved_smem_offset_begin", Special::ReservedBegin},
      {"reserved_smem_offset_end", Special::ReservedEnd},
      {"reserved_smem_offset_cap", Special::ReservedEnd},
      {"reserved_smem_offset_0", Special::ReservedBegin},
      {"reserved_smem_offset_1", Special::ReservedBegin},
      {"clock", Special::Clock},
      {"clock_hi", Special::Clock64},
      {"clock64", Special::Clock64},
      {"globaltimer", Special::GlobalTimer},
      {"globaltimer_lo", Special::GlobalTimer},
      {"globaltimer_hi", Special::GlobalTimer},
      {"tid.w", Special::Zero},
      {"ntid.w", Special::Zero},
      {"ctaid.w", Special::Zero},
      {"nctaid.w", Special::Zero},
  };
  const auto& name = ir::special_registers()[operand.special].name;
  auto it = kByName.find(name);
  int bytes = lane_bytes(type);
  if (it == kByName.end() && name.starts_with("envreg")) return constant(0, bytes);
  if (it == kByName.end()) {
    refuse(*current_, fmt::format("special register %{} is not implemented", name));
    return constant(0, bytes);
  }
  Special what = it->second;
  if (what == Special::Clock || what == Special::Clock64 || what == Special::GlobalTimer) {
    u32 to = temporary(bytes);
    emit_step(read_clock(to, bytes, what, name.ends_with("_hi")));
    return to;
  }
  if (what == Special::ReservedBegin || what == Special::ReservedEnd) program_.reserved_shared = true;
  auto [slot, fresh] = specials_.try_emplace({static_cast<int>(what), bytes}, 0);
  if (fresh) {
    slot->second = temporary(bytes);
    code_.specials.push_back({slot->second, what, static_cast<u8>(bytes)});
  }
  return slot->second;
}

u64 FunctionDecoder::symbol_address(ir::SymbolId symbol) const {
  if (module().is_function(symbol)) return code_address(module(), symbol);
  auto it = layout_.find(symbol);
  return it == layout_.end() ? 0 : it->second;
}

u32 FunctionDecoder::local_offset(ir::SymbolId symbol) const {
  return bases_[part()] + frames_[part()].variables.at(symbol);
}

u32 FunctionDecoder::source(const ir::Operand& operand, Type type) {
  switch (operand.kind) {
    case Kind::Register:
      return slots_[operand.reg];
    case Kind::Immediate:
      if (type == Type::pred) return constant_predicate(operand.bits != 0);
      return constant(operand.bits, lane_bytes(type));
    case Kind::Special:
      return special_slot(operand, type);
    case Kind::Address:
      if (is_local(operand.symbol)) {
        u32 to = temporary(lane_bytes(type));
        emit_step(local_address(to, lane_bytes(type),
                                local_offset(operand.symbol) + static_cast<u64>(operand.offset)));
        return to;
      }
      return constant(symbol_address(operand.symbol) + static_cast<u64>(operand.offset), lane_bytes(type));
    default:
      assert(false && "an operand that has no value");
      return 0;
  }
}

u32 FunctionDecoder::destination(const ir::Operand& operand) const {
  return operand.kind == Kind::Register ? slots_[operand.reg] : kSink;
}

u32 FunctionDecoder::address(const ir::Operand& operand, u64& offset, u8& address_bytes) {
  offset = static_cast<u64>(operand.offset);
  address_bytes = 8;
  if (operand.reg != ir::kNone) {
    address_bytes = static_cast<u8>(isa::bytes(register_type(operand.reg)));
    return slots_[operand.reg];
  }
  if (operand.symbol == ir::kNone) return constant(0, 8);
  if (is_local(operand.symbol)) {
    u32 to = temporary(8);
    emit_step(local_address(to, 8, local_offset(operand.symbol)));
    return to;
  }
  offset += symbol_address(operand.symbol);
  return constant(0, 8);
}

}  // namespace ww::engine
