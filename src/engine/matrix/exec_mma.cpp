// Matrix multiply-accumulate: mma, mma.sp and wmma.mma. docs/tensor.md says what is modelled.
#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <optional>
#include <span>

#include "engine/interpret/handlers.h"
#include "engine/matrix/fragment.h"
#include "engine/matrix/sparse.h"

namespace ww::engine {

namespace {

using isa::Mod;
using isa::Op;
using isa::Slot;
using isa::Type;
using Role = Fragment::Role;

struct MmaPlan {
  Shape shape;
  Fragment a, b, c, d;
  bool saturate = false;
  bool differ = false;  ///< b1: .xor instead of .and
  int rounding = FE_TONEAREST;
  std::optional<Sparsity> sparsity;  ///< mma.sp: `a` holds half of A
};

/// b1 with .xor: counts where the bits differ.
void count_different(double* sums, const double* a, const double* b, int rows, int columns, int depth) {
  for (int r = 0; r < rows; ++r)
    for (int at = 0; at < depth; ++at)
      for (int c = 0; c < columns; ++c)
        sums[r * columns + c] += a[r * depth + at] == b[at * columns + c] ? 0 : 1;
}

void multiply(Warp& w, const Inst* i) {
  const MmaPlan& p = *static_cast<const MmaPlan*>(i->aux->more);
  auto [m, n, k] = p.shape;
  constexpr int kLargestFactor = 16 * 256, kLargestSum = 4 * 8 * 32;  // m16n8k256; four m8n8k4, or m16n16
  double a[kLargestFactor], b[kLargestFactor], sum[kLargestSum];
  if (p.sparsity) {
    double stored[kLargestFactor / 2];
    gather(w, p.a, stored);
    spread(w, *p.sparsity, k, stored, a);
  } else {
    gather(w, p.a, a);
  }
  gather(w, p.b, b);
  gather(w, p.c, sum);
  const int before = std::fegetround();
  if (p.rounding != FE_TONEAREST) std::fesetround(p.rounding);
  const LaneCode& code = *w.launch->lanes;
  for (int quad = 0; quad < (p.a.quads ? 4 : 1); ++quad) {
    double* sums = sum + quad * m * n;
    const double *of_a = a + quad * m * k, *of_b = b + quad * k * n;
    if (p.differ)
      count_different(sums, of_a, of_b, m, n, k);
    else
      code.products(sums, of_a, of_b, m, n, k, p.a.type != Type::f64);
  }
  code.leave();
  if (p.rounding != FE_TONEAREST) std::fesetround(before);
  scatter(w, p.d, sum, p.saturate);
}

/// The shapes that exist for a type of A and B.
std::span<const Mod> shapes_of(bool wmma, Type type) {
  static constexpr Mod kWmma16[] = {Mod::m16n16k16, Mod::m8n32k16, Mod::m32n8k16};
  static constexpr Mod kWmmaTf32[] = {Mod::m16n16k8}, kF64First[] = {Mod::m8n8k4}, kWmmaS4[] = {Mod::m8n8k32},
                       kWmmaB1[] = {Mod::m8n8k128};
  static constexpr Mod kF16[] = {Mod::m8n8k4, Mod::m16n8k8, Mod::m16n8k16};
  static constexpr Mod kBf16[] = {Mod::m16n8k8, Mod::m16n8k16}, kTf32[] = {Mod::m16n8k4, Mod::m16n8k8},
                       kFp8[] = {Mod::m16n8k16, Mod::m16n8k32};
  static constexpr Mod kF64[] = {Mod::m8n8k4, Mod::m16n8k4, Mod::m16n8k8, Mod::m16n8k16};
  static constexpr Mod kInt8[] = {Mod::m8n8k16, Mod::m16n8k16, Mod::m16n8k32},
                       kInt4[] = {Mod::m8n8k32, Mod::m16n8k32, Mod::m16n8k64};
  static constexpr Mod kB1[] = {Mod::m8n8k128, Mod::m16n8k128, Mod::m16n8k256};
  switch (type) {
    case Type::f16:
      return wmma ? std::span<const Mod>(kWmma16) : kF16;
    case Type::bf16:
      return wmma ? std::span<const Mod>(kWmma16) : kBf16;
    case Type::s8:
    case Type::u8:
      return wmma ? std::span<const Mod>(kWmma16) : kInt8;
    case Type::tf32:
      return wmma ? std::span<const Mod>(kWmmaTf32) : kTf32;
    case Type::f64:
      return wmma ? std::span<const Mod>(kF64First) : kF64;
    case Type::s4:
    case Type::u4:
      return wmma ? std::span<const Mod>(kWmmaS4) : kInt4;
    case Type::b1:
      return wmma ? std::span<const Mod>(kWmmaB1) : kB1;
    default:
      return wmma ? std::span<const Mod>() : kFp8;
  }
}

/// Types of A and B may differ only in sign, or between the two 8-bit floating types.
bool go_together(Type a, Type b) { return a == b || (isa::bits(a) == isa::bits(b) && isa::bits(a) <= 8); }

int rounding_of(Mod mod) {
  switch (mod) {
    case Mod::rz:
      return FE_TOWARDZERO;
    case Mod::rm:
      return FE_DOWNWARD;
    case Mod::rp:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

/// The shape exists for these types; of mma.sp also `p`'s sparsity, with its operands read. Else what is
/// wrong.
std::string read_shape(FunctionDecoder& d, const ir::Instruction& in, Mod shape, Type a, Type b, MmaPlan& p) {
  p.shape = isa::matrix_shape(shape);
  const bool sparse = in.mod(Slot::spshape) != Mod::none;
  const std::string name = sparse ? "mma.sp" : in.form().mnemonic;
  if (sparse) p.sparsity = sparsity_of(a, p.shape.k);
  auto known = shapes_of(name == "wmma", a);
  const bool exists =
      sparse ? p.sparsity->chunk != 0 : std::find(known.begin(), known.end(), shape) != known.end();
  if (!exists || !go_together(a, b))
    return fmt::format("there is no {} of shape .{} for .{} and .{}", name, isa::name(shape), isa::name(a),
                       isa::name(b));
  if (!sparse) return "";
  const int64_t selector = static_cast<int32_t>(in.operands[5].bits), choices = 4 / p.sparsity->lanes;
  if (selector < 0 || selector >= choices)
    return fmt::format("the sparsity selector of .{} with .{} is 0 to {}, not {}", isa::name(shape),
                       isa::name(a), choices - 1, selector);
  p.sparsity->first = static_cast<int>(selector) * p.sparsity->lanes;
  p.sparsity->metadata = d.source(in.operands[4], Type::b32);
  return "";
}

void decode_mma(FunctionDecoder& d, const ir::Instruction& in) {
  bool wmma = in.form().mnemonic == "wmma", sparse = in.mod(Slot::spshape) != Mod::none;
  Mod shape = in.mod(wmma ? Slot::wshape : sparse ? Slot::spshape : Slot::mshape);
  const Fragments all = fragments_of(in);
  const Type a = all.a.type, b = all.b.type, c = all.c.type, r = all.d.type;
  auto plan = std::make_shared<MmaPlan>();
  MmaPlan& p = *plan;
  if (std::string wrong = read_shape(d, in, shape, a, b, p); !wrong.empty()) return d.refuse(in, wrong);
  if ((a == Type::bf16 || a == Type::tf32) && (c != Type::f32 || r != Type::f32))
    return d.refuse(in, fmt::format("the accumulators of .{} are .f32", isa::name(a)));
  const bool quads = all.a.quads;
  bool a_column = in.mod(Slot::alayout) == Mod::col, b_column = in.mod(Slot::blayout) == Mod::col;
  if (in.op == Op::mma_float && !quads && (a_column || !b_column))
    return d.refuse(in, fmt::format("mma of shape .{} wants .row.col", isa::name(shape)));
  p.a = all.a, p.b = all.b, p.c = all.c, p.d = all.d;
  p.saturate = in.has(Mod::satfinite);
  p.differ = in.mod(Slot::bitop) == Mod::xor_;
  p.rounding = rounding_of(in.mod(Slot::rnd));
  Fragment* fragments[] = {&p.d, &p.a, &p.b, &p.c};
  for (size_t k = 0; k < 4; ++k) {
    Fragment& f = *fragments[k];
    std::string wrong = read_fragment(d, in.operands[k], k == 0, f);
    int wanted = wmma && f.type == Type::f16 && f.role != Role::C ? 8 : f.needed();
    if (wrong.empty() && f.registers != wanted)
      wrong = fmt::format("{} registers are wanted, there are {}", wanted, f.registers);
    if (!wrong.empty())
      return d.refuse(
          in, fmt::format("operand '{}' of {}: {}", in.form().operands[k].name, in.form().mnemonic, wrong));
  }
  for (Fragment* f : fragments) f->make_index();
  d.emit(special(run_aligned<multiply>), plan);
}

}  // namespace

SpecialDecoder mma_decoder(Op op) {
  switch (op) {
    case Op::mma_float:
    case Op::mma_f64:
    case Op::mma_int:
    case Op::mma_b1:
    case Op::mma_sp_float:
    case Op::mma_sp_int:
    case Op::wmma_f16:
    case Op::wmma_float:
    case Op::wmma_f64:
    case Op::wmma_int:
    case Op::wmma_b1:
      return decode_mma;
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
