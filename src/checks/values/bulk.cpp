// Undefined bits in bulk copies. Their source is told, then each destination.
#include <algorithm>
#include <cstring>

#include "checks/values.h"
#include "checks/values/spaces.h"

namespace ww::checks {

/// The undefined bits of at most kChunk bytes of global or shared memory.
void Values::bits_of(Block& b, ir::Space space, u64 address, u32 count, u8* bytes) {
  if (space == ir::Space::Global) {
    const u64 missing = written_.missing(address, count);
    for (u32 n = 0; n < count; ++n) bytes[n] = missing >> n & 1 ? 0xff : 0;
  } else if (const u8* at = shared_bits(b, address, count, address % engine::kClusterStep + count)) {
    std::memcpy(bytes, at, count);
  }
}

/// Copies the undefined bits of a linear copy; false: there are none, or it is no linear copy. A reduction
/// adds them to those that are there.
bool Values::carry_bulk(Block& b, const events::BulkAccess& e) {
  const bool adds = e.direction == isa::Direction::Update;
  if (e.direction == isa::Direction::Read || b.bulk_instruction != e.instruction || e.pieces.size() != 1 ||
      e.pieces[0].bytes != b.bulk_source.bytes)
    return false;
  if (program_->infos[e.instruction].instruction->op == isa::Op::cp_bulk_store_mask) return false;
  const bool from_global = b.bulk_space == ir::Space::Global, to_global = e.space == ir::Space::Global;
  if (!(from_global || now_->shared) || !(to_global || now_->shared)) return false;
  const u64 from = within(b.bulk_space, b.bulk_source.address), to = within(e.space, e.pieces[0].address);
  const u32 all = e.pieces[0].bytes;
  if (from_global && written_.all_written(from, all)) return false;
  bool any = false;
  for (u32 k = 0; k < all; k += kChunk) {
    const u32 count = std::min(kChunk, all - k);
    u8 bytes[kChunk] = {};
    bits_of(b, b.bulk_space, from + k, count, bytes);
    if (adds) {
      u8 there[kChunk] = {};
      bits_of(b, e.space, to + k, count, there);
      for (u32 n = 0; n < count; ++n) bytes[n] |= there[n];
    }
    any |= std::any_of(bytes, bytes + count, [](u8 x) { return x != 0; });
    if (to_global)
      put_global(to + k, count, bytes);
    else if (u8* at = shared_bits(b, to + k, count, to % engine::kClusterStep + k + count))
      std::memcpy(at, bytes, count);
  }
  if (any && !to_global && to < engine::kClusterStep) {
    const Origin o{Origin::Kind::Memory, e.instruction, e.warp, __builtin_ctz(e.mask),
                   b.bulk_space,         from,          all};
    b.shared.set_origin(to, all, origin_at(b, e, o));
  }
  return true;
}

bool Values::wholly_undefined(Block& b, ir::Space space, const events::Piece& piece) {
  const u64 address = within(space, piece.address);
  if (space == ir::Space::Global) return written_.count_missing(address, piece.bytes).bytes == piece.bytes;
  const u8* at = shared_bits(b, address, piece.bytes, address % engine::kClusterStep + piece.bytes);
  return at && std::all_of(at, at + piece.bytes, [](u8 x) { return x == 0xff; });
}

/// Boxes of tensors are swizzled, and filled where they leave the tensor: undefined is only what comes whole
/// from a source of which nothing is defined.
bool Values::carry_tensor(Block& b, const events::BulkAccess& e) {
  if (e.direction != isa::Direction::Write || b.bulk_instruction != e.instruction || !b.bulk_undefined)
    return false;
  u64 all = 0;
  for (const events::Piece& piece : e.pieces) all += piece.bytes;
  if (all != b.bulk_source.bytes) return false;
  const Origin o{Origin::Kind::Memory,  e.instruction,      e.warp, __builtin_ctz(e.mask), b.bulk_space,
                 b.bulk_source.address, b.bulk_source.bytes};
  for (const events::Piece& piece : e.pieces) {
    const u64 to = within(e.space, piece.address);
    if (e.space == ir::Space::Global) {
      written_.unwritten(to, piece.bytes);
    } else if (u8* at = shared_bits(b, to, piece.bytes, to % engine::kClusterStep + piece.bytes)) {
      std::memset(at, 0xff, piece.bytes);
      if (to < engine::kClusterStep) b.shared.set_origin(to, piece.bytes, origin_at(b, e, o));
    }
  }
  return true;
}

static bool of_tensor(isa::Op op) {
  return op == isa::Op::cp_tensor_load || op == isa::Op::cp_tensor_multicast ||
         op == isa::Op::cp_tensor_store;
}

/// st.async, red.async: what arrives later is what the registers hold now.
void Values::store_later(Block& b, const events::BulkAccess& e) {
  const Plan& plan = now_->plans[e.instruction];
  if (e.pieces.empty() || plan.list.empty()) return;
  const events::Piece& piece = e.pieces[0];
  const u64 to = within(e.space, piece.address);
  u8* const at = shared_bits(b, to, piece.bytes, to % engine::kClusterStep + piece.bytes);
  const bool adds = e.direction == isa::Direction::Update;
  if (at && !adds) std::memset(at, 0, piece.bytes);
  if (!flag(plan, *e.state)) return;
  const Frame f = frame_of(plan, *e.state);
  const int lane = __builtin_ctz(e.mask);
  u32 unsure = 0;
  guarded(b, e, plan, f, e.mask, unsure);
  if (plan.address.kind == Value::Kind::Register && undefined_lanes(f, plan.address, e.mask)) {
    tell(b, e, lane, "an address depends on an uninitialised value", "stores to that address",
         f.origin(plan.address));
    define(f, plan.address, e.mask);
  }
  const auto part = piece.bytes / static_cast<u32>(plan.list.size());
  for (size_t n = 0; at && n < plan.list.size(); ++n) {
    const Value& v = plan.list[n];
    if (v.kind != Value::Kind::Register || !undefined_lanes(f, v, e.mask)) continue;
    u8* const element = at + n * part;
    if (adds)
      std::memset(element, 0xff, part);
    else
      std::memcpy(element, f.bits(v) + static_cast<size_t>(lane) * v.stride, std::min<u32>(part, v.stride));
    if (to < engine::kClusterStep) b.shared.set_origin(to + n * part, part, f.origin(v) | u32{adds});
  }
}

void Values::bulk_access(int worker, const events::BulkAccess& e) {
  Block& b = block(worker, e.block);
  if (e.state) return store_later(b, e);
  const bool tensor = of_tensor(program_->infos[e.instruction].instruction->op);
  if (e.direction == isa::Direction::Read && tensor) {
    b.bulk_instruction = e.instruction;
    b.bulk_space = e.space;
    b.bulk_source =
        e.pieces.empty() ? events::Piece{} : events::Piece{within(e.space, e.pieces[0].address), 0};
    for (const events::Piece& piece : e.pieces) b.bulk_source.bytes += piece.bytes;
    b.bulk_undefined = !e.pieces.empty() && std::all_of(e.pieces.begin(), e.pieces.end(), [&](const auto& p) {
      return wholly_undefined(b, e.space, p);
    });
    return;
  }
  if (e.direction == isa::Direction::Read) {
    const bool linear = e.group == events::Grouped::Bulk && e.pieces.size() == 1 && judged(e.space);
    b.bulk_instruction = linear ? e.instruction : ~u32{0};
    if (linear) b.bulk_space = e.space, b.bulk_source = e.pieces[0];
    return;
  }
  if (tensor ? carry_tensor(b, e) : carry_bulk(b, e)) return;
  if (e.direction == isa::Direction::Update) return;  // what is added to stays as it was
  for (const events::Piece& piece : e.pieces) {
    const u64 address = within(e.space, piece.address);
    if (e.space == ir::Space::Global) {
      written_.written(address, piece.bytes);
    } else if (u8* at = shared_bits(b, address, piece.bytes, address % engine::kClusterStep + piece.bytes)) {
      std::memset(at, 0, piece.bytes);
    }
  }
}

}  // namespace ww::checks
