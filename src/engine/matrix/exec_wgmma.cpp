// wgmma: matrix multiply_warpgroup-accumulate of four warps. Each warp makes its own 16 rows of the 64, so
// the four need not meet; it is done at once, where a GPU goes on meanwhile (docs/tensor.md).
#include <fmt/format.h>

#include <memory>

#include "engine/async/bulk.h"
#include "engine/interpret/handlers.h"
#include "engine/matrix/descriptor.h"
#include "engine/matrix/element.h"
#include "engine/matrix/fragment.h"

namespace ww::engine {

namespace {

using isa::Mod;
using isa::Op;
using isa::Type;
using Role = Fragment::Role;

constexpr int kRows = kWarpRows;

struct WgmmaPlan {
  Shape shape;
  Fragment a, d;
  bool a_in_registers = false, saturate = false;
  bool a_by_rows = false,
       b_by_rows = false;  ///< .imm-trans: consecutive elements lie along M or N instead of K
  Type a_type{}, b_type{};
  u32 a_slot = 0, b_slot = 0, scale = 0;
  bool scale_negated = false;
  double a_scale = 1, b_scale = 1;
};

/// Where the next row and the next column of a matrix go.
struct Layout {
  int row, column;
};

/// Reads rows × columns elements, as many chunks at once as `elements` takes. False after a fault.
bool read_matrix(Warp& w, const Inst* i, u64 bits, Type type, int rows, int first, int columns, bool by_rows,
                 double* out, Layout to) {
  constexpr int kTogether = kLanes * 4 / kChunkBytes;  // both sides of a matrix are multiples of it
  const int step = by_rows ? to.row : to.column, next_line = by_rows ? to.column : to.row;
  const int width = isa::bits(type), per_chunk = static_cast<int>(kChunkBytes) * 8 / width;
  const LaneCode& code = *w.launch->lanes;
  alignas(64) u8 bytes[kTogether * kChunkBytes];
  alignas(64) double values[kTogether * kChunkBytes * 8];  // at most: of single bits
  double* places[kTogether];
  int waiting = 0;
  const bool read =
      each_chunk(Descriptor(bits), width, rows, first, columns, by_rows, [&](int line, int begin, u64 at) {
        if (at + kChunkBytes > w.shared_bytes) {
          fault(w, i, -1, "out-of-bounds read",
                fmt::format(
                    "the matrix of this descriptor reaches to shared address 0x{:x}, the block has {} bytes",
                    at, w.shared_bytes));
          return false;
        }
        __builtin_memcpy(bytes + waiting * kChunkBytes, w.shared + at, kChunkBytes);
        places[waiting] = out + line * next_line + begin * step;
        if (++waiting < kTogether) return true;
        waiting = 0;
        code.elements(values, bytes, type);
        for (int c = 0; c < kTogether; ++c)
          for (int e = 0; e < per_chunk; ++e) places[c][e * step] = values[c * per_chunk + e];
        return true;
      });
  code.leave();
  return read;
}

/// Tells the listeners which bytes of shared memory a matrix is read from.
void tell_matrix(Warp& w, const Inst* i, u64 bits, Type type, int rows, int first, int columns,
                 bool by_rows) {
  const Descriptor m(bits);
  const int width = isa::bits(type);
  std::vector<events::Piece> pieces;
  each_chunk(m, width, rows, first, columns, by_rows, [&](int, int, u64 at) {
    if (pieces.empty() || at != pieces.back().address + pieces.back().bytes)
      pieces.push_back({at, kChunkBytes});
    else
      pieces.back().bytes += kChunkBytes;
    return true;
  });
  const events::Site site{i->index, w.block->number, w.id, w.mask};
  w.launch->bus->tell(w.block->worker, events::BulkAccess{site, ir::Space::Shared, isa::Direction::Read,
                                                          pieces, false, 0, events::Grouped::Matrix});
}

/// The matrices of an instruction, row-major.
struct Matrices {
  static constexpr int kMostN = 256, kMostK = 256;
  double a[kRows * kMostK], b[kMostN * kMostK], dots[kRows * kMostN], sum[kRows * kMostN];
};

void multiply_warpgroup(Warp& w, const Inst* i) {
  const WgmmaPlan& p = *static_cast<const WgmmaPlan*>(i->aux->more);
  // Not in the thread's own memory: every thread of the user's program would get 600 KB of it, out of its
  // stack.
  static thread_local const auto matrices = std::make_unique<Matrices>();
  auto& [a, b, dots, sum] = *matrices;
  const int n = p.shape.n, k = p.shape.k;
  if (hears(w, events::kBulk)) {
    const int first = static_cast<int>(w.id % 4) * kRows;
    if (!p.a_in_registers)
      tell_matrix(w, i, slot<u64>(w, p.a_slot)[0], p.a_type, kRows, first, k, p.a_by_rows);
    tell_matrix(w, i, slot<u64>(w, p.b_slot)[0], p.b_type, n, 0, k, p.b_by_rows);
  }
  if (p.a_in_registers) {
    gather(w, p.a, a);
  } else {
    int first = static_cast<int>(w.id % 4) * kRows;
    if (!read_matrix(w, i, slot<u64>(w, p.a_slot)[0], p.a_type, kRows, first, k, p.a_by_rows, a, {k, 1}))
      return;
  }
  if (!read_matrix(w, i, slot<u64>(w, p.b_slot)[0], p.b_type, n, 0, k, p.b_by_rows, b, {1, n})) return;
  const LaneCode& code = *w.launch->lanes;
  std::fill(dots, dots + kRows * n, 0.0);
  code.products(dots, a, b, kRows, n, k, true);
  code.leave();
  const bool adds = (*slot<u32>(w, p.scale) & 1) != p.scale_negated;
  if (adds)
    gather(w, p.d, sum);
  else
    std::fill(sum, sum + kRows * n, 0.0);
  const double scale = p.a_scale * p.b_scale;
  for (int at = 0; at < kRows * n; ++at) sum[at] += scale * dots[at];
  scatter(w, p.d, sum, p.saturate);
}

/// What is wrong with the shape for these types; "" if nothing.
std::string wrong_shape(const Shape& s, Type a, Type b) {
  constexpr int kBits = 256;
  if (s.k * isa::bits(a) != kBits) return fmt::format("K is {} for .{}", kBits / isa::bits(a), isa::name(a));
  bool eights = isa::bits(a) == 8 && a != b;
  if (a != b && !eights) return "A and B have one type";
  bool integer = a == Type::s8 || a == Type::u8 || a == Type::b1;
  if (integer && s.n > 32 && s.n % 16 != 0) return "N above 32 is a multiple of 16 for integers";
  return {};
}

void decode_wgmma(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<WgmmaPlan>();
  WgmmaPlan& p = *plan;
  p.shape = isa::matrix_shape(in.mod(isa::Slot::wgshape));
  const Fragments own = fragments_of(in);
  p.a_type = own.a.type, p.b_type = own.b.type;
  const Type result = own.d.type;
  if (std::string wrong = wrong_shape(p.shape, p.a_type, p.b_type); !wrong.empty())
    return d.refuse(in, wrong);
  if ((p.a_type == Type::bf16 || p.a_type == Type::tf32) && result != Type::f32)
    return d.refuse(in, fmt::format("the accumulators of .{} are .f32", isa::name(p.a_type)));
  p.d = own.d;
  p.saturate = in.has(Mod::satfinite);
  auto fragment = [&](Fragment& f, size_t k) {
    std::string wrong = read_fragment(d, in.operands[k], false, f);
    if (wrong.empty() && f.registers != f.needed())
      wrong = fmt::format("{} registers are wanted, there are {}", f.needed(), f.registers);
    if (!wrong.empty())
      d.refuse(in, fmt::format("operand '{}' of wgmma: {}", in.form().operands[k].name, wrong));
    f.make_index();
    return wrong.empty();
  };
  if (!fragment(p.d, 0)) return;
  p.a_in_registers = in.operands[1].kind == ir::Operand::Kind::Vector;
  if (p.a_in_registers) {
    p.a = own.a;
    if (!fragment(p.a, 1)) return;
  } else if (in.operands[1].kind == ir::Operand::Kind::Register &&
             isa::bits(d.register_type(in.operands[1].reg)) == 64) {
    p.a_slot = d.source(in.operands[1], Type::b64);
  } else {
    return d.refuse(in, "operand 'a' of wgmma: a list of registers or a 64-bit descriptor is wanted");
  }
  const auto& specs = in.form().operands;
  for (size_t k = 2; k < in.operands.size(); ++k) {
    const ir::Operand& o = in.operands[k];
    const std::string& name = specs[k].name;
    auto sign = [&] { return static_cast<int64_t>(o.bits) < 0 ? -1.0 : 1.0; };
    if (name == "b") p.b_slot = d.source(o, Type::b64);
    if (name == "scale") p.scale = d.source(o, Type::pred), p.scale_negated = o.negated;
    if (name == "ascale") p.a_scale = sign();
    if (name == "bscale") p.b_scale = sign();
    if (name == "atrans" && o.kind != ir::Operand::Kind::None) {
      if (p.a_in_registers) return d.refuse(in, "A in registers is not transposed");
      p.a_by_rows = o.bits != 0;
    }
    if (name == "btrans") p.b_by_rows = o.bits != 0;
  }
  d.emit(special(run_aligned<multiply_warpgroup>), plan);
}

const Inst* run_wgmma_fence(Warp&, const Inst* i) { return i + 1; }

const Inst* run_wgmma_commit(Warp& w, const Inst* i) {
  tell_bulk_groups(w, i, active(w, i), {{}, events::Grouped::Matrix, false, true});
  return i + 1;
}

/// imm: how many of the latest groups may still run.
const Inst* run_wgmma_wait(Warp& w, const Inst* i) {
  tell_bulk_groups(w, i, active(w, i),
                   {{}, events::Grouped::Matrix, false, false, false, static_cast<u32>(i->imm)});
  return i + 1;
}

}  // namespace

SpecialDecoder wgmma_decoder(Op op) {
  switch (op) {
    case Op::wgmma_half:
    case Op::wgmma_float:
    case Op::wgmma_int:
    case Op::wgmma_b1:
      return decode_wgmma;
    case Op::wgmma_fence:
      return [](FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_wgmma_fence)); };
    case Op::wgmma_commit:
      return [](FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_wgmma_commit)); };
    case Op::wgmma_wait:
      return [](FunctionDecoder& d, const ir::Instruction& in) {
        Inst i = special(run_wgmma_wait);
        i.imm = in.operands[0].bits;
        d.emit(i);
      };
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
