// Packing registers into wider ones and back, and the clocks.
#include <cstring>

#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/pack.h"
#include "engine/schedule/clock.h"
#include "engine/schedule/launch_state.h"
#include "engine/schedule/standstill.h"

namespace ww::engine {

namespace {

/// Copies T from and to registers with so many bytes per lane. (With sizes that are known the compiler makes
/// moves of it, for all lanes vectors.)
template <class T, u32 kTo, u32 kFrom>
void copy_part(u8* to, const u8* from, u32 mask) {
  if (mask == kAllLanes) {
    for (u32 l = 0; l < kLanes; ++l) std::memcpy(to + l * kTo, from + l * kFrom, sizeof(T));
    return;
  }
  for (u32 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(m));
    std::memcpy(to + l * kTo, from + l * kFrom, sizeof(T));
  }
}

void copy_piece(const Piece& p, u8* to, const u8* from, u32 mask) {
  if (p.bytes == 4 && p.to_lane == 4 && p.from_lane == 8) return copy_part<u32, 4, 8>(to, from, mask);
  if (p.bytes == 4 && p.to_lane == 8 && p.from_lane == 4) return copy_part<u32, 8, 4>(to, from, mask);
  if (p.bytes == 2 && p.to_lane == 2 && p.from_lane == 4) return copy_part<u16, 2, 4>(to, from, mask);
  if (p.bytes == 2 && p.to_lane == 4 && p.from_lane == 2) return copy_part<u16, 4, 2>(to, from, mask);
  for (u32 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(m));
    std::memcpy(to + l * p.to_lane, from + l * p.from_lane, p.bytes);
  }
}

const Inst* run_pieces(Warp& w, const Inst* i) {
  const u32 mask = active(w, i);
  const auto& pieces = *static_cast<const std::vector<Piece>*>(i->aux->more);
  for (const Piece& p : pieces) copy_piece(p, w.regs + p.to + p.to_at, w.regs + p.from + p.from_at, mask);
  return i + 1;
}

/// mov between a register and a brace list. Elements of 8 bits live in 16-bit registers.
void decode_pack(FunctionDecoder& d, const ir::Instruction& in) {
  const ir::Operand& to = in.operands[0];
  const ir::Operand& from = in.operands[1];
  u32 whole = static_cast<u32>(isa::bytes(in.type()));
  std::vector<Piece> result;
  bool unpack = to.kind == ir::Operand::Kind::Vector;
  const auto& parts = unpack ? to.elements : from.elements;
  u32 part = whole / static_cast<u32>(parts.size());
  u32 lane = std::max<u32>(2, part);
  isa::Type part_type = part == 8 ? isa::Type::b64 : part == 4 ? isa::Type::b32 : isa::Type::b16;
  for (u32 n = 0; n < parts.size(); ++n) {
    if (unpack) {
      u32 slot = d.destination(parts[n]);
      if (slot != kSink) result.push_back({slot, lane, 0, d.source(from, in.type()), whole, n * part, part});
    } else {
      result.push_back({d.destination(to), whole, n * part, d.source(parts[n], part_type), lane, 0, part});
    }
  }
  auto kept = std::make_shared<const std::vector<Piece>>(std::move(result));
  d.emit(special(run_pieces), std::move(kept));
}

const Inst* run_clock(Warp& w, const Inst* i) {
  u64 now = timer_of(*w.launch);
  if (static_cast<Special>(i->mode) != Special::GlobalTimer) now = clocks_at(now);
  now >>= i->imm;
  for (int l = 0; l < kLanes; ++l) std::memcpy(w.regs + i->dst + l * i->dst_bytes, &now, i->dst_bytes);
  return i + 1;
}

}  // namespace

Inst read_clock(u32 dst, int bytes, Special what, bool high) {
  Inst i = special(run_clock);
  i.mode = static_cast<u16>(what);
  i.imm = high ? 32 : 0;
  i.dst = dst;
  i.dst_bytes = static_cast<u8>(bytes);
  return i;
}

SpecialDecoder move_decoder(isa::Op op) { return op == isa::Op::mov_pack ? decode_pack : nullptr; }

}  // namespace ww::engine
