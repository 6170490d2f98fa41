// Tensor copies (cp.async.bulk.tensor in tile mode): a box of an array whose shape a tensor map gives,
// between global and shared memory. What lies outside of the array is read as zero (or NaN) and not written.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/async/bulk.h"
#include "engine/async/tensor_map.h"
#include "engine/decode/decode.h"
#include "engine/interpret/atomic.h"
#include "engine/interpret/handlers.h"

namespace ww::engine {

namespace {

using isa::Mod;
using isa::Op;
using Where = AccessKey::Where;

struct TensorPlan {
  int rank = 1;
  u32 map = 0;  ///< slot of the map's address
  u32 coordinates[kMostDimensions] = {};
  AddressOperand shared, barrier;
  u32 blocks = kSink;  ///< multicast
  bool load = true, only_hint = false;
  Mod op = Mod::none;
};

/// A box at its place.
struct Box {
  TensorMap map;
  int64_t first[kMostDimensions] = {};
};

/// Where a byte of a box lies that is dense but for its swizzle (PTX ISA, "Swizzling modes"): bits 4 to 6 of
/// the address change with bits 7 to 9.
u64 swizzled(u64 address, TensorSwizzle swizzle) {
  const u64 kinds[] = {0, 1, 3, 7};
  return address ^ (address >> 7 & kinds[static_cast<int>(swizzle)]) << 4;
}

u64 nan_of(TensorType type) {
  switch (type) {
    case TensorType::F16:
    case TensorType::BF16:
      return 0x7fff;
    case TensorType::F64:
      return 0x7fffffffffffffff;
    default:
      return 0x7fffffff;
  }
}

/// What a swizzle moves as a whole; rows of a box are multiples of it.
constexpr u32 kChunk = 16;

/// Calls each(offset in the dense box, bytes from the array's start, bytes, inside) for every element, or for
/// chunks of elements that lie side by side and are all inside, or all outside.
template <class Each>
void for_elements(const Box& b, Each each) {
  const TensorMap& m = b.map;
  u32 at[kMostDimensions] = {};
  const u32 bytes = m.element_bytes(), together = m.step[0] == 1 ? kChunk / bytes : 1;
  const auto ends = static_cast<int64_t>(m.size[0]);
  for (u64 offset = 0, all = m.box_bytes(); offset < all;) {
    const int64_t first = b.first[0] + int64_t{at[0]} * m.step[0];
    u64 from = static_cast<u64>(first) * m.stride[0];
    bool row_inside = true;
    for (int d = 1; d < m.rank; ++d) {
      const int64_t index = b.first[d] + int64_t{at[d]} * m.step[d];
      row_inside &= index >= 0 && static_cast<u64>(index) < m.size[d];
      from += static_cast<u64>(index) * m.stride[d];
    }
    const u32 count = std::min(together, m.taken(0) - at[0]);
    const bool starts_inside = first >= 0 && first < ends, stays = first + count <= ends;
    if (!row_inside || (starts_inside && stays) || first >= ends || first + count <= 0) {
      each(offset, from, count * bytes, row_inside && starts_inside);
    } else {
      for (u32 n = 0; n < count; ++n)
        each(offset + u64{n} * bytes, from + u64{n} * bytes, bytes, first + n >= 0 && first + n < ends);
    }
    offset += u64{count} * bytes, at[0] += count - 1;
    for (int d = 0; d < m.rank && ++at[d] == m.taken(d); ++d) at[d] = 0;
  }
}

/// The pieces of the array that the box covers.
std::vector<events::Piece> pieces_of(const Box& b) {
  std::vector<events::Piece> pieces;
  for_elements(b, [&](u64, u64 from, u32 bytes, bool inside) {
    if (!inside) return;
    const u64 at = b.map.address + from;
    if (!pieces.empty() && pieces.back().address + pieces.back().bytes == at)
      pieces.back().bytes += bytes;
    else
      pieces.push_back({at, bytes});
  });
  return pieces;
}

isa::Type isa_type(TensorType type) {
  constexpr isa::Type kTypes[] = {isa::Type::u8,  isa::Type::u16,  isa::Type::u32, isa::Type::s32,
                                  isa::Type::u64, isa::Type::s64,  isa::Type::f16, isa::Type::f32,
                                  isa::Type::f64, isa::Type::bf16, isa::Type::f32, isa::Type::f32,
                                  isa::Type::f32};
  return kTypes[static_cast<int>(type)];
}

/// `shared`: the host address of the box in shared memory, which begins at `at` there.
void copy_box(const Box& b, const TensorPlan& p, u8* global, u8* shared, u64 at) {
  const u32 element = b.map.element_bytes();
  u64 fill[kChunk / sizeof(u64)] = {};
  if (b.map.nan_fill)
    for (u32 n = 0; n < kChunk; n += element) {
      const u64 nan = nan_of(b.map.type);
      std::memcpy(reinterpret_cast<u8*>(fill) + n, &nan, element);
    }
  for_elements(b, [&](u64 offset, u64 from, u32 bytes, bool inside) {
    u8* here = shared + (swizzled(at + offset, b.map.swizzle) - at);
    if (p.load)
      std::memcpy(here, inside ? global + from : reinterpret_cast<const u8*>(fill), bytes);
    else if (inside && p.op != Mod::none)
      for (u32 n = 0; n < bytes; n += element)
        reduce_into(isa_type(b.map.type), p.op, false, global + from + n, here + n);
    else if (inside)
      std::memcpy(global + from, here, bytes);
  });
}

/// The whole array in device memory; nullptr in .host when it is not there.
Resolved find_array(Warp& w, const TensorMap& m, int lane, bool store) {
  u64 last = 0;
  for (int d = 0; d < m.rank; ++d) last += (m.size[d] - 1) * m.stride[d];
  Resolved r = resolve(w, Where::Global, m.address, lane, m.element_bytes(), 1, store);
  if (!r.host) return r;
  Resolved end = resolve(w, Where::Global, m.address + last, lane, m.element_bytes(), 1, store);
  return end.host ? r : end;
}

const Inst* run_tensor(Warp& w, const Inst* i) {
  const TensorPlan& p = *static_cast<const TensorPlan*>(i->aux->more);
  for (u32 mask = active(w, i); mask; mask &= mask - 1) {
    int l = __builtin_ctz(mask);
    u64 map_at = slot<u64>(w, p.map)[l];
    Resolved r = resolve(w, Where::Generic, map_at, l, kTensorMapBytes, 64, false);
    // How many bytes an mbarrier is to be told of stands in the map: without one, the launch ends.
    if (!r.host) return fault(w, i, l, std::string(r.kind), r.problem());
    Box b;
    if (!TensorMap::decode(r.host, b.map))
      return fault(w, i, l, "no tensor map",
                   fmt::format("what lies at 0x{:x} is none that cuTensorMapEncodeTiled made", map_at));
    if (b.map.rank != p.rank)
      return fault(w, i, l, "tensor map of another rank",
                   fmt::format("the map has {} dimensions, the instruction {}", b.map.rank, p.rank));
    if (p.op != Mod::none && !has_atomic(isa_type(b.map.type), p.op)) {
      if (!goes_on_without(w, i, l, "reduction of a wrong type",
                           fmt::format(".{} does not exist for the map's elements", isa::name(p.op))))
        return nullptr;
      continue;
    }
    if (p.only_hint) continue;
    for (int d = 0; d < p.rank; ++d) b.first[d] = static_cast<int32_t>(slot<u32>(w, p.coordinates[d])[l]);
    // Says no manual, but an H200 and an H100 do, for loads and stores, whatever the elements and the
    // swizzle: illegal instruction.
    constexpr int64_t kUnit = 16;
    const int64_t into = b.first[0] * b.map.element_bytes();
    const bool misplaced = into % kUnit != 0;
    if (misplaced &&
        !goes_on_without(w, i, l, "tensor copy from a wrong column",
                         fmt::format("coordinate {} along the rows is {} bytes from their beginning, no "
                                     "multiple of 16",
                                     b.first[0], into)))
      return nullptr;
    // CUDA's Programming Guide: of what is written the top left corner cannot have negative indices. An H200
    // ends such a store as an illegal instruction, however far it reaches into the array.
    const int before =
        p.load ? p.rank
               : static_cast<int>(std::find_if(b.first, b.first + p.rank, [](int64_t c) { return c < 0; }) -
                                  b.first);
    const bool negative = before < p.rank;
    if (negative && !goes_on_without(
                        w, i, l, "tensor store to a negative coordinate",
                        fmt::format("the box begins at {} in dimension {}: loads may begin before the array, "
                                    "stores may not",
                                    b.first[before], before)))
      return nullptr;
    Resolved array = find_array(w, b.map, l, !p.load);
    const u32 bytes = static_cast<u32>(b.map.box_bytes());
    if (!array.host && !goes_on_without(w, i, l, array, bytes)) return nullptr;
    const auto outside = hears(w, events::kBulk) ? pieces_of(b) : std::vector<events::Piece>();
    u32 ranks = p.blocks == kSink ? 1 : slot<u16>(w, p.blocks)[l];
    for (; ranks; ranks &= ranks - 1) {
      u64 at = p.shared.of(w, l), barrier_at = p.load ? p.barrier.of(w, l) : 0;
      if (p.blocks != kSink) {
        u64 base = (static_cast<u64>(__builtin_ctz(ranks)) + 1) * kClusterStep;
        at = base + at % kClusterStep, barrier_at = base + barrier_at % kClusterStep;
      }
      // A swizzle moves bytes within the rows it repeats over, so the box may reach up to their end.
      constexpr u64 kShared = 128;
      Resolved box = resolve(w, Where::Shared, at, l, bytes, kShared, p.load);
      if (!box.host && !goes_on_without(w, i, l, box, bytes)) return nullptr;
      BulkMbarrier barrier;
      if (p.load) {
        Resolved found = resolve_mbarrier(w, Where::Shared, barrier_at, l);
        if (!found.host && !goes_on_without(w, i, l, found, kMbarrierBytes)) return nullptr;
        barrier = bulk_mbarrier(found.host, barrier_at);
      }
      if (misplaced || negative || !array.host || !box.host) {
        if (barrier.host)
          start_bulk(w, l, false, [&w, i, l, bytes, barrier] { complete_bytes(w, i, l, barrier, bytes); });
        continue;
      }
      const events::Piece inside{at, bytes};
      const auto stores = p.op == Mod::none ? isa::Direction::Write : isa::Direction::Update;
      if (p.load) {
        tell_bulk(w, i, l, ir::Space::Global, isa::Direction::Read, outside, barrier);
        tell_bulk(w, i, l, ir::Space::Shared, stores, {&inside, 1}, barrier);
      } else {
        tell_bulk(w, i, l, ir::Space::Shared, isa::Direction::Read, {&inside, 1}, {});
        tell_bulk(w, i, l, ir::Space::Global, stores, outside, {});
      }
      start_bulk(w, l, !p.load,
                 [&p, &w, i, l, b, global = array.host, shared = box.host, at = box.address, bytes, barrier] {
                   copy_box(b, p, global, shared, at);
                   if (barrier.host) complete_bytes(w, i, l, barrier, bytes);
                 });
    }
  }
  return i + 1;
}

void decode_tensor(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<TensorPlan>();
  TensorPlan& p = *plan;
  p.rank = isa::name(in.mod(isa::Slot::tdim))[0] - '0';
  p.load = in.op == Op::cp_tensor_load || in.op == Op::cp_tensor_multicast;
  p.only_hint = in.op == Op::cp_tensor_prefetch;
  p.op = in.mod(isa::Slot::bop);
  if (in.mod(isa::Slot::ctagroup) != Mod::none)
    return d.refuse(in, ".cta_group is for sm_100: not implemented");
  const auto& specs = in.form().operands;
  for (size_t k = 0; k < in.operands.size(); ++k) {
    const ir::Operand& o = in.operands[k];
    const std::string& name = specs[k].name;
    if (name == "d" || name == "a") p.shared = address_operand(d, o);
    if (name == "m") p.barrier = address_operand(d, o);
    if (name == "blocks") p.blocks = d.source(o, isa::Type::u16);
    if (name != "t") continue;
    p.map = d.source(o.elements[0], isa::Type::u64);
    const ir::Operand& at = o.elements[1];
    const std::vector<ir::Operand> one{at};
    const auto& list = at.kind == ir::Operand::Kind::Vector ? at.elements : one;
    if (list.size() != static_cast<size_t>(p.rank))
      return d.refuse(in, fmt::format("{} coordinates are wanted, there are {}", p.rank, list.size()));
    for (size_t c = 0; c < list.size(); ++c) p.coordinates[c] = d.source(list[c], isa::Type::s32);
  }
  d.emit(special(run_tensor), plan);
}

}  // namespace

SpecialDecoder tensor_copy_decoder(Op op) {
  switch (op) {
    case Op::cp_tensor_load:
    case Op::cp_tensor_multicast:
    case Op::cp_tensor_store:
    case Op::cp_tensor_reduce:
    case Op::cp_tensor_prefetch:
      return decode_tensor;
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
