// Steps for listeners who want to hear of arithmetic that goes wrong.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"
#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

namespace {

using isa::Type;

/// imm: bytes of the divisor; dst_bytes: of a lane of its register.
const Inst* run_divisor(Warp& w, const Inst* i) {
  const u32 lanes = active(w, i);
  u32 zero = 0;
  for (u32 m = lanes; m; m &= m - 1) {
    u64 v = 0;
    std::memcpy(&v, w.regs + i->src[0] + __builtin_ctz(m) * i->dst_bytes, i->imm);
    zero |= u32{v == 0} << __builtin_ctz(m);
  }
  if (zero)
    w.launch->bus->tell(w.block->worker, events::ZeroDivisor{{i->index, w.block->number, w.id, zero}});
  return i + 1;
}

/// src[0] · src[1] + src[2]. What is widened with its sign must fit as a signed number; else it is enough
/// that it fits either way, for a number below 0 may be meant.
template <bool Signed>
const Inst* run_product(Warp& w, const Inst* i) {
  const int32_t* a = slot<int32_t>(w, i->src[0]);
  const int32_t* b = slot<int32_t>(w, i->src[1]);
  const int32_t* c = slot<int32_t>(w, i->src[2]);
  u32 too_large = 0;
  for (int l = 0; l < kLanes; ++l) {
    const int64_t whole = int64_t{a[l]} * b[l] + c[l];
    bool fits = whole == static_cast<int32_t>(whole);
    if constexpr (!Signed) {
      // At most 2^64 - 2^32, so that nothing is lost.
      const u64 plain = u64{static_cast<u32>(a[l])} * static_cast<u32>(b[l]) + static_cast<u32>(c[l]);
      fits |= plain <= UINT32_MAX;
    }
    too_large |= u32{!fits} << l;
  }
  too_large &= active(w, i);
  if (too_large)
    w.launch->bus->tell(w.block->worker, events::Overflow{{i->index, w.block->number, w.id, too_large}});
  return i + 1;
}

/// The significant bits that a + b, or a · b + c, keeps of the larger of what is added; 64: enough, or none
/// were to keep. The operands' own rounding is up to half of their last bit each. 0: a fused product differs
/// from what is added by less than a last bit of that.
template <class T>
u32 bits_left(double a, double b, double c, bool fused) {
  constexpr u32 kEnough = 64;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  const double product = fused ? a * b : a, added = fused ? c : b;
  const double sum = fused ? std::fma(a, b, c) : a + b;
  const double larger = std::max(std::fabs(product), std::fabs(added));
  if (sum == 0 || !(larger >= std::numeric_limits<T>::min()) || std::isinf(larger)) return kEnough;
  const int exponent = std::ilogb(larger);
  const int left = std::ilogb(sum) - (exponent - kDigits);
  return left > 2 ? kEnough : static_cast<u32>(std::max(left, 0));
}

/// src[0] + src[1] (imm & 1: minus), or src[0] · src[1] + src[2] (imm & 2).
template <class T>
const Inst* run_difference(Warp& w, const Inst* i) {
  const T *a = slot<T>(w, i->src[0]), *b = slot<T>(w, i->src[1]), *c = slot<T>(w, i->src[2]);
  u32 lanes = 0, left = 0;
  for (u32 m = active(w, i); m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    const u32 bits = bits_left<T>(a[l], i->imm & 1 ? -b[l] : b[l], c[l], i->imm & 2);
    if (bits > std::numeric_limits<T>::digits) continue;
    if (!lanes) left = bits;
    lanes |= u32{1} << l;
  }
  if (lanes)
    w.launch->bus->tell(
        w.block->worker,
        events::LostBits{{i->index, w.block->number, w.id, lanes}, left, std::numeric_limits<T>::digits});
  return i + 1;
}

enum class Number : u8 { Finite, Infinite, Nan };

Number finite_kind(double v) {
  return v != v ? Number::Nan : std::isinf(v) ? Number::Infinite : Number::Finite;
}
Number finite_kind(Type type, const u8* lane) {
  const auto half = [&](u32 at) {
    u16 bits;
    std::memcpy(&bits, lane + at, 2);
    const bool brain = type == Type::bf16 || type == Type::bf16x2;
    return finite_kind(brain ? to_float(bf16{bits}) : to_float(f16{bits}));
  };
  switch (type) {
    case Type::f32: {
      float v;
      std::memcpy(&v, lane, 4);
      return finite_kind(v);
    }
    case Type::f64: {
      double v;
      std::memcpy(&v, lane, 8);
      return finite_kind(v);
    }
    case Type::f16x2:
    case Type::bf16x2:
      return std::max(half(0), half(2));
    default:
      return half(0);
  }
}
bool floating(Type type) {
  switch (type) {
    case Type::f16:
    case Type::bf16:
    case Type::f16x2:
    case Type::bf16x2:
    case Type::f32:
    case Type::f64:
      return true;
    default:
      return false;
  }
}

struct FloatOperand {
  Type type;
  u32 slot, stride;
};
/// What the steps before and behind an instruction share: the lanes whose operands were finite lie in a slot.
struct FloatStep {
  std::vector<FloatOperand> sources;
  FloatOperand result;
};

const Inst* run_sources(Warp& w, const Inst* i) {
  const auto& p = *static_cast<const FloatStep*>(i->aux->more);
  u32 finite = active(w, i);
  for (const FloatOperand& o : p.sources)
    for (u32 m = finite; m; m &= m - 1) {
      const int l = __builtin_ctz(m);
      if (finite_kind(o.type, w.regs + o.slot + static_cast<u32>(l) * o.stride) != Number::Finite)
        finite &= ~(u32{1} << l);
    }
  *slot<u32>(w, i->dst) = finite;
  return i + 1;
}

const Inst* run_result(Warp& w, const Inst* i) {
  const auto& p = *static_cast<const FloatStep*>(i->aux->more);
  u32 lanes = 0, nan = 0;
  for (u32 m = *slot<u32>(w, i->dst) & w.mask; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    const Number n =
        finite_kind(p.result.type, w.regs + p.result.slot + static_cast<u32>(l) * p.result.stride);
    lanes |= u32{n != Number::Finite} << l;
    nan |= u32{n == Number::Nan} << l;
  }
  if (lanes)
    w.launch->bus->tell(w.block->worker, events::NotFinite{{i->index, w.block->number, w.id, lanes}, nan});
  return i + 1;
}

/// Instructions that calculate with floating numbers; copies and choices make nothing new.
bool calculates(const ir::Instruction& in) {
  if (in.form().kind != isa::RowKind::Lane || in.operands.empty()) return false;
  const isa::Pipe pipe = in.form().pipe;
  return pipe == isa::Pipe::Fp32 || pipe == isa::Pipe::Fp64 || pipe == isa::Pipe::Half ||
         pipe == isa::Pipe::Special || pipe == isa::Pipe::Convert;
}

}  // namespace

void FunctionDecoder::divisor_step(const ir::Instruction& in) {
  if (in.op != isa::Op::div_int && in.op != isa::Op::rem_int) return;
  const ir::Operand& o = in.operands[2];
  if (o.kind == ir::Operand::Kind::Immediate && o.bits != 0) return;
  Inst i = special(run_divisor);
  const Type type = in.operand_type(2);
  i.src[0] = source(o, type);
  i.imm = static_cast<u64>(isa::bytes(type));
  i.dst_bytes =
      static_cast<u8>(lane_bytes(o.kind == ir::Operand::Kind::Register ? register_type(o.reg) : type));
  emit(i);
}

Handler overflow_handler(analysis::Widened by) {
  return by == analysis::Widened::Signed ? run_product<true> : run_product<false>;
}

Inst FunctionDecoder::product_step(const ir::Instruction& product, analysis::Widened by) {
  Inst i = special(overflow_handler(by));
  const Type type = Type::s32;
  i.src[0] = source(product.operands[1], type);
  i.src[1] = source(product.operands[2], type);
  i.src[2] = product.operands.size() > 3 ? source(product.operands[3], type) : constant(0, 4);
  return i;
}

void FunctionDecoder::overflow_step(const ir::Instruction& in) {
  if (const auto at = index_products_.always.find(&in); at != index_products_.always.end())
    emit(product_step(in, at->second));
  if (in.op == isa::Op::mul_lo || in.op == isa::Op::mad_lo) products_[&in] = index_;
  const auto choice = index_products_.chosen.find(&in);
  if (choice == index_products_.chosen.end()) return;
  for (const analysis::ChosenProduct& chosen : choice->second) {
    Inst i = product_step(*chosen.product, chosen.by);
    i.index = products_.at(chosen.product);
    i.guarded = 1;
    i.guard = slots_[in.operands[3].reg];
    i.guard_negated = !chosen.where_true;
    append(i);
  }
}

void FunctionDecoder::difference_step(const ir::Instruction& in) {
  const bool narrow = in.operand_type(0) == Type::f32, fused = in.operands.size() > 3;
  Inst i = special(narrow ? run_difference<float> : run_difference<double>);
  const bool minus = in.op == isa::Op::sub_f32 || in.op == isa::Op::sub_f64;
  i.imm = (minus ? 1u : 0u) | (fused ? 2u : 0u);
  for (size_t k = 0; k < 3; ++k)
    i.src[k] = source(in.operands[std::min(k + 1, in.operands.size() - 1)], in.operand_type(0));
  emit(i);
}

void FunctionDecoder::finite_step(const ir::Instruction& in, bool behind) {
  if (!calculates(in) || in.operands[0].kind != ir::Operand::Kind::Register || !floating(in.operand_type(0)))
    return;
  const auto operand = [&](size_t k) {
    const ir::Operand& o = in.operands[k];
    const Type type = in.operand_type(k);
    const Type held = o.kind == ir::Operand::Kind::Register ? register_type(o.reg) : type;
    const u32 slot = k == 0 ? destination(o) : source(o, type);
    return FloatOperand{type, slot, static_cast<u32>(lane_bytes(held))};
  };
  if (!behind) {
    auto p = std::make_shared<FloatStep>();
    for (size_t k = 1; k < in.operands.size(); ++k)
      if (floating(in.operand_type(k)) && in.operands[k].kind != ir::Operand::Kind::None)
        p->sources.push_back(operand(k));
    p->result = operand(0);
    finite_aux_ = &aux_for(p);
    finite_slot_ = temporary(0);
  }
  Inst i = special(behind ? run_result : run_sources);
  i.aux = finite_aux_;
  i.dst = finite_slot_;
  if (behind)
    emit_step(i);  // the guard may have been changed
  else
    emit(i);
}

}  // namespace ww::engine
