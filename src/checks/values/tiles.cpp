// Undefined bits in matrices that a warp moves or multiplies: ldmatrix, stmatrix, wmma, mma, wgmma.
#include <algorithm>
#include <cstring>

#include "checks/values.h"
#include "checks/values/matrices.h"
#include "checks/values/spaces.h"
#include "engine/matrix/descriptor.h"
#include "engine/schedule/launch_state.h"

namespace ww::checks {

namespace {

/// The value of a register that all lanes agree on.
u64 value_of(const Frame& f, const Value& v) { return read(f, v).value[0]; }

/// An access to memory as others tell it, by a warp that has met.
events::Memory access_of(const events::WarpSync& site, ir::Space space, u64 first, u32 bytes) {
  static constexpr int64_t kNoOffsets[engine::kLanes] = {};
  events::Memory e;
  static_cast<events::Site&>(e) = site;
  e.mask = 1;
  e.space = space, e.first = first, e.bytes = bytes, e.offsets = kNoOffsets, e.state = site.state;
  return e;
}

}  // namespace

/// ldmatrix and stmatrix: rows of 16 bytes.
void Values::matrix_rows(Worker& w, Block& b, const events::Memory& e, const Plan& plan) {
  const Frame f = frame_of(plan, *e.state);
  u32& alive = flag(plan, *e.state);
  u8 rows[engine::kLanes][16] = {};
  u32 origin = 0;
  const auto address = [&](u32 l) { return within(e.space, e.first) + static_cast<u64>(e.offsets[l]); };
  if (!e.load()) {
    if (alive) origin = carry_to_rows(plan, f, rows);
    if (!origin) return define_memory(w, b, e);
    for (u32 m = e.mask; m; m &= m - 1) {
      const auto l = static_cast<u32>(__builtin_ctz(m));
      put(b, e, address(l), l, 16, rows[l]);
      if (e.space == ir::Space::Shared) b.shared.set_origin(address(l), 16, origin);
    }
    return;
  }
  if (!any_undefined(w, b, e) && !alive) return;
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    if (!fetch(b, e, address(l), l, 16, rows[l]) || origin) continue;
    const auto bad = static_cast<u64>(std::find_if(rows[l], rows[l] + 16, [](u8 x) { return x; }) - rows[l]);
    origin = b.shared.origin(address(l) + bad);
    if (!origin)
      origin = origin_at(
          b, e,
          {Origin::Kind::Memory, e.instruction, e.warp, static_cast<int>(l), e.space, address(l) + bad, 16});
  }
  if (!carry_rows(plan, f, rows)) return;
  alive = 1;
  for (const Value& v : plan.list)
    if (v.kind == Value::Kind::Register) f.origin(v) = origin;
}

/// wmma.load and wmma.store, line by line of the matrix in memory.
void Values::fragment(Block& b, const events::WarpSync& site, const Plan& plan) {
  const Frame f = frame_of(plan, *site.state);
  const Matrices& m = *plan.matrices;
  const ir::Instruction& in = *program_->infos[site.instruction].instruction;
  const bool load = in.op == isa::Op::wmma_load;
  u32& alive = flag(plan, *site.state);
  if (load && alive)
    for (const Value& v : plan.list) define(f, v, engine::kAllLanes);
  const auto lines = static_cast<u32>(m.lines()), elements = static_cast<u32>(m.line_elements());
  const auto bits = static_cast<u32>(m.moved.element_bits());
  const u32 bytes = elements * bits / 8;
  if (site.mask != engine::kAllLanes || plan.address.kind != Value::Kind::Register || lines > kMostLines ||
      bytes > kLineBytes)
    return;
  const u64 base = value_of(f, plan.address) + m.offset;
  const u64 stride = m.stride.kind == Value::Kind::None ? elements : value_of(f, m.stride) & 0xffffffff;
  const bool shared =
      ir::space_of(in) == ir::Space::Shared ||
      (ir::space_of(in) == ir::Space::None && base - engine::kSharedWindow < engine::kWindowBytes);
  const ir::Space space = shared ? ir::Space::Shared : ir::Space::Global;
  MatrixLines undefined = {};
  u32 origin = !load && alive ? carry_to_lines(plan, f, undefined) : 0;
  for (u32 n = 0; n < lines; ++n) {
    const u64 at = within(space, base + n * stride * bits / 8);
    const events::Memory e = access_of(site, space, at, bytes);
    if (!load) {
      if (origin & 1 && space == ir::Space::Global) {
        tell(b, e, 0, "a matrix computed from an uninitialised one is stored to global memory",
             "stores the matrix", origin);
        std::memset(undefined, 0, sizeof undefined);  // it has been reported
        origin = 0;
      }
      put(b, e, at, 0, bytes, undefined[n]);
      if (origin && shared) b.shared.set_origin(at, bytes, origin);
      continue;
    }
    if (!fetch(b, e, at, 0, bytes, undefined[n]) || origin) continue;
    const auto bad = static_cast<u64>(
        std::find_if(undefined[n], undefined[n] + bytes, [](u8 x) { return x; }) - undefined[n]);
    if (shared) origin = b.shared.origin(at + bad);
    if (!origin)
      origin = origin_at(b, e, {Origin::Kind::Memory, e.instruction, e.warp, 0, space, at + bad, bytes});
  }
  if (!load || !origin) return;
  carry_from_lines(plan, f, undefined);
  alive = 1;
  for (const Value& v : plan.list)
    if (v.kind == Value::Kind::Register) f.origin(v) = origin;
}

/// Adds the rows or columns of a matrix in shared memory that wgmma reads.
void Values::see_shared(Block& b, const events::WarpSync& site, const SharedMatrix& m, u64 descriptor,
                        UndefinedLines& lines) {
  auto& set = m.of_a ? lines.rows : lines.columns;
  const int per_chunk = static_cast<int>(engine::kChunkBytes) * 8 / m.element_bits;
  engine::each_chunk(engine::Descriptor(descriptor), m.element_bits, m.rows, m.first, m.depth, m.by_rows,
                     [&](int line, int begin, u64 at) {
                       u8 bits[engine::kChunkBytes];
                       const events::Memory e = access_of(site, ir::Space::Shared, at, engine::kChunkBytes);
                       if (!fetch(b, e, at, 0, engine::kChunkBytes, bits)) return true;
                       const auto bad = static_cast<u64>(
                           std::find_if(bits, bits + sizeof bits, [](u8 x) { return x; }) - bits);
                       if (!lines.origin) lines.origin = b.shared.origin(at + bad) | 1;
                       if (lines.origin == 1)
                         lines.origin = 1 | origin_at(b, site,
                                                      {Origin::Kind::Memory, site.instruction, site.warp, 0,
                                                       ir::Space::Shared, at + bad, engine::kChunkBytes});
                       if (!m.by_rows) return set.set(static_cast<size_t>(line)), true;
                       for (int k = 0; k < per_chunk; ++k) {
                         const auto byte = static_cast<size_t>(k * m.element_bits / 8);
                         if (bits[byte] || bits[byte + static_cast<size_t>(m.element_bits > 8)])
                           set.set(static_cast<size_t>(begin + k));
                       }
                       return true;
                     });
}

void Values::product(Block& b, const events::WarpSync& site, const Plan& plan) {
  const Frame f = frame_of(plan, *site.state);
  const Matrices& m = *plan.matrices;
  u32& alive = flag(plan, *site.state);
  UndefinedLines lines;
  bool adds = true;
  if (plan.rule == Rule::GroupProduct) {
    const Value& reads = plan.source[0];
    const bool unsure = alive && undefined_lanes(f, reads, 1) != 0;
    adds = unsure || (value_of(f, reads) & 1) != 0;
    const int bits = m.of.b.element_bits(), depth = m.of.b.shape.k;
    const int first = static_cast<int>(site.warp % 4) * engine::kWarpRows;
    if (now_->shared && m.a.kind == Value::Kind::Register)
      see_shared(b, site, {bits, engine::kWarpRows, first, depth, m.a_by_rows, true}, value_of(f, m.a),
                 lines);
    if (now_->shared && m.b.kind == Value::Kind::Register)
      see_shared(b, site, {bits, m.of.b.shape.n, 0, depth, m.b_by_rows, false}, value_of(f, m.b), lines);
  }
  if (!alive && lines.rows.none() && lines.columns.none()) return;
  if (alive) see_factors(plan, f, lines);
  if (carry_product(plan, f, lines, alive && adds)) alive = 1;
}

}  // namespace ww::checks
