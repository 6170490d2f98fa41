// Whole-warp code: loads and stores.
#include <llvm/IR/IntrinsicInst.h>

#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using From = WholeSlot::From;
using Lanes = WholeSlot::Lanes;
using Kind = CompileStep::Kind;

/// Where address 0 would lie on the host, of the piece of memory that holds all of an access, from its lowest
/// address to its highest one. Leaves if there is no such piece or `wrong` is not 0.
Value* Whole::located(u32 k, const Places& places, Value* wrong) {
  Value *low = places.low, *high = places.high;
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const wide = b_.getInt64Ty();
  go_if(b_.CreateICmpEQ(wrong, b_.getInt64(0)), places.leave);
  if (key.where == AccessKey::Where::Shared) {
    // Addresses are distances from the beginning.
    Value* bytes = state_field(wide, offsetof(WholeState, shared_bytes));
    Value* end = b_.CreateAdd(high, b_.getInt64(key.bytes));
    // Below the smallest sum that could wrap around.
    Value* good = b_.CreateAnd(b_.CreateICmpULE(end, bytes), b_.CreateICmpULE(low, high));
    good = b_.CreateAnd(good, b_.CreateICmpULT(high, b_.getInt64(u64{1} << 32)));
    go_if(good, places.leave);
    return state_field(pointer_, offsetof(WholeState, shared));
  }
  Value* site = at(state_field(pointer_, offsetof(WholeState, sites)), u64{k} * sizeof(Site));
  const auto field = [&](Type* type, u64 offset) { return b_.CreateLoad(type, at(site, offset)); };
  Value* base = field(wide, offsetof(Site, base));
  Value* last = field(wide, offsetof(Site, last));
  Value* epoch =
      b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), state_field(pointer_, offsetof(WholeState, epoch))), wide);
  Value* good = b_.CreateAnd(b_.CreateICmpULE(b_.CreateSub(low, base), last),
                             b_.CreateICmpULE(b_.CreateSub(high, base), last));
  good = b_.CreateAnd(good, b_.CreateICmpULE(low, high));
  good = b_.CreateAnd(good, b_.CreateICmpEQ(field(wide, offsetof(Site, epoch)), epoch));
  BasicBlock *on = fresh(), *other = fresh();
  b_.CreateCondBr(good, on, other);
  b_.SetInsertPoint(other);
  FunctionType* type = FunctionType::get(b_.getInt1Ty(), {pointer_, pointer_, wide, wide}, false);
  CallInst* found =
      b_.CreateCall(type, state_field(pointer_, offsetof(WholeState, find)), {state_, place(k), low, high});
  found->addRetAttr(Attribute::ZExt);
  found->setDoesNotThrow();
  b_.CreateCondBr(found, on, leave_at(places.leave));
  b_.SetInsertPoint(on);
  // What begins at `base`: places are reckoned from address 0.
  Value* host = b_.CreatePtrToInt(field(pointer_, offsetof(Site, host)), wide);
  return b_.CreateIntToPtr(b_.CreateSub(host, field(wide, offsetof(Site, base))), pointer_);
}

Value* Whole::widened(Value* v, unsigned lane_bytes, bool sign) {
  Type* type = b_.getIntNTy(8 * lane_bytes);
  if (auto* vector = dyn_cast<FixedVectorType>(v->getType()))
    type = FixedVectorType::get(type, vector->getNumElements());
  return sign ? b_.CreateSExtOrTrunc(v, type) : b_.CreateZExtOrTrunc(v, type);
}

namespace {

Value* least(IRBuilder<>& b, Value* x, Value* y) { return b.CreateBinaryIntrinsic(Intrinsic::umin, x, y); }
Value* most(IRBuilder<>& b, Value* x, Value* y) { return b.CreateBinaryIntrinsic(Intrinsic::umax, x, y); }

std::vector<int> numbers(unsigned count) {
  std::vector<int> all;
  for (unsigned n = 0; n < count; ++n) all.push_back(static_cast<int>(n));
  return all;
}

}  // namespace

/// 16 lanes of a register from the `half`th on.
Value* Whole::half_of(u32 offset, unsigned lane_bytes, unsigned half) {
  const unsigned count = std::min(lanes_in_part(lane_bytes), kHalf);
  Value* v = lanes_value(offset, lane_bytes, half * kHalf, count);
  if (count == kHalf) return v;
  return b_.CreateShuffleVector(v, lanes_value(offset, lane_bytes, half * kHalf + count, count),
                                numbers(kHalf));
}

/// The instruction just before an access that makes its addresses, as base + scale · index: then the 32-bit
/// index alone is needed. 0: there is none. (The first instruction is none, since something must count.)
u32 Whole::sum_before(u32 k) const {
  const Inst& i = unit_.code[k];
  for (u32 j = k; j-- > 0;) {
    if (targets_.contains(j + 1)) return 0;
    const Inst& before = unit_.code[j];
    if (unit_.steps[j].kind == Kind::Nothing) continue;
    if (unit_.steps[j].kind != Kind::Sum) return 0;
    const AddressSum& terms = *static_cast<const AddressSum*>(before.aux->more);
    for (u32 n = 0; n < terms.count; ++n)
      if (terms.bases[n] == before.src[0]) return 0;
    if (before.src[0] != i.src[0]) continue;
    return terms.scale > 0 && terms.scale % i.aux->access.bytes == 0 ? j : 0;
  }
  return 0;
}

/// The addresses, of the lanes in the mask where the access is `partial`.
Whole::Places Whole::places_of(u32 k, Value* mask, bool partial) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const wide = b_.getInt64Ty();
  const bool narrow = key.address_bytes == 4;
  Places out;
  const WholeSlot* s = even(i.src[0]);
  if (s && s->lane_bytes == 0) s = s->from == From::Constant ? s : nullptr;
  if (!s || (s->from != From::Constant && s->lane_bytes != key.address_bytes)) {
    find_lanes(k, mask, partial, out);
    return out;
  }
  const auto from_register = [&](Value* a) {
    // Constant offsets are added in the width of the address.
    a = b_.CreateAdd(a, ConstantInt::get(a->getType(), narrow ? u64{static_cast<u32>(i.imm)} : i.imm));
    return narrow ? b_.CreateZExt(a, wide) : a;
  };
  if (s->from == From::Constant || lanes_of(*s) == Lanes::Same) {
    Value* first = s->from == From::Constant
                       ? b_.CreateLoad(narrow ? b_.getInt32Ty() : wide, in_view(1, s->offset))
                       : first_of(*s, 0);
    out.low = out.high = out.bits = out.first[0] = out.first[1] = from_register(first);
    out.kind = Places::Kind::One;
    return out;
  }
  out.kind = s->stride == 0           ? Places::Kind::Halves
             : s->stride == key.bytes ? Places::Kind::Rows
                                      : Places::Kind::Lanes;
  out.stride = s->stride;
  for (unsigned h = 0; h < 2; ++h) {
    Value* first = out.first[h] = from_register(first_of(*s, static_cast<int>(h)));
    const auto lane = [&](Value* number) {
      return b_.CreateAdd(first, b_.CreateMul(number, b_.getInt64(static_cast<u64>(out.stride))));
    };
    Value* last = lane(b_.getInt64(kHalf - 1));
    Value *below = s->stride < 0 ? last : first, *above = s->stride < 0 ? first : last;
    Value *lowest = below, *highest = above;
    if (partial) {  // of the lanes that are active; a half-warp may have none
      Value* these = b_.CreateAnd(h ? b_.CreateLShr(mask, kHalf) : mask, b_.getInt32(0xffff));
      Value* none = b_.CreateICmpEQ(these, b_.getInt32(0));
      Value* leading = b_.CreateBinaryIntrinsic(Intrinsic::ctlz, these, b_.getInt1(false));
      Value* front =
          lane(b_.CreateZExt(b_.CreateBinaryIntrinsic(Intrinsic::cttz, these, b_.getInt1(false)), wide));
      Value* back = lane(b_.CreateZExt(b_.CreateSub(b_.getInt32(31), leading), wide));
      lowest = b_.CreateSelect(none, b_.getInt64(~u64(0)), s->stride < 0 ? back : front);
      highest = b_.CreateSelect(none, b_.getInt64(0), s->stride < 0 ? front : back);
    }
    out.low = out.low ? least(b_, out.low, lowest) : lowest;
    out.high = out.high ? most(b_, out.high, highest) : highest;
    out.bits = out.bits ? b_.CreateOr(out.bits, first) : first;
    // Lanes that wrap around are not where this reckons they are.
    if (s->stride != 0) go_if(b_.CreateICmpULE(below, above), k);
  }
  out.bits = b_.CreateOr(out.bits, b_.getInt64(static_cast<u64>(out.stride)));
  return out;
}

/// The same for lanes without a pattern. Where they are is told by 32 bits each, as distances from the
/// lowest.
void Whole::find_lanes(u32 k, Value* mask, bool partial, Places& out) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const wide = b_.getInt64Ty();
  const u32 sum = key.address_bytes == 8 ? sum_before(k) : 0;
  const bool narrow = key.address_bytes == 4;
  out.kind = Places::Kind::Lanes;
  out.leave = sum ? sum : k;
  bool is_signed = false;
  Value* v[2];
  for (unsigned h = 0; h < 2; ++h) {
    if (sum)
      v[h] = half_of(unit_.code[sum].src[1], 4, h);
    else
      v[h] = half_of(i.src[0], key.address_bytes, h);
    if (!sum)
      v[h] = b_.CreateAdd(v[h],
                          ConstantInt::get(v[h]->getType(), narrow ? u64{static_cast<u32>(i.imm)} : i.imm));
  }
  const AddressSum* terms = sum ? static_cast<const AddressSum*>(unit_.code[sum].aux->more) : nullptr;
  if (terms) is_signed = terms->index_signed;
  auto* type = cast<FixedVectorType>(v[0]->getType());
  const unsigned width = type->getScalarSizeInBits();
  Value *below[2], *above[2], *some[2];
  for (unsigned h = 0; h < 2; ++h) {
    below[h] = above[h] = some[h] = v[h];
    if (!partial) continue;
    Value* these = half_mask(mask, h);
    const auto all = [&](const APInt& n) { return ConstantInt::get(type, n); };
    below[h] = b_.CreateSelect(these, v[h],
                               all(is_signed ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width)));
    above[h] = b_.CreateSelect(these, v[h],
                               all(is_signed ? APInt::getSignedMinValue(width) : APInt::getMinValue(width)));
    some[h] = b_.CreateSelect(these, v[h], Constant::getNullValue(type));
  }
  Value* low = b_.CreateIntMinReduce(
      b_.CreateBinaryIntrinsic(is_signed ? Intrinsic::smin : Intrinsic::umin, below[0], below[1]), is_signed);
  Value* high = b_.CreateIntMaxReduce(
      b_.CreateBinaryIntrinsic(is_signed ? Intrinsic::smax : Intrinsic::umax, above[0], above[1]), is_signed);
  u64 scale = 1;
  const auto address = [&](Value* n) {
    return is_signed ? b_.CreateSExtOrTrunc(n, wide) : b_.CreateZExtOrTrunc(n, wide);
  };
  if (terms) {
    scale = static_cast<u64>(terms->scale);
    Value* base = b_.CreateAdd(base_of(*terms), b_.getInt64(i.imm));
    out.low = b_.CreateAdd(base, b_.CreateMul(address(low), b_.getInt64(scale)));
    out.high = b_.CreateAdd(base, b_.CreateMul(address(high), b_.getInt64(scale)));
    out.bits = base;  // the scale is a multiple of what is read
  } else {
    out.low = address(low);
    out.high = address(high);
    out.bits = address(b_.CreateOrReduce(b_.CreateOr(some[0], some[1])));
  }
  go_if(b_.CreateICmpULT(b_.CreateSub(out.high, out.low), b_.getInt64(u64{1} << 31)), out.leave);
  auto* words = FixedVectorType::get(b_.getInt32Ty(), kHalf);
  for (unsigned h = 0; h < 2; ++h) {
    Value* distance = b_.CreateTrunc(b_.CreateSub(v[h], b_.CreateVectorSplat(kHalf, low)), words);
    if (scale != 1) distance = b_.CreateMul(distance, ConstantInt::get(words, scale));
    out.distance[h] = b_.CreateSExt(distance, FixedVectorType::get(wide, kHalf));
  }
}

/// Where the lanes of a half-warp lie on the host.
Value* Whole::pointers(const Places& places, Value* host, unsigned half) {
  Type* const byte = b_.getInt8Ty();
  if (places.distance[half])
    return b_.CreateGEP(byte, b_.CreateGEP(byte, host, places.low), places.distance[half]);
  std::vector<Constant*> steps;
  for (unsigned l = 0; l < kHalf; ++l) steps.push_back(b_.getInt64(static_cast<u64>(places.stride * l)));
  return b_.CreateGEP(byte, b_.CreateGEP(byte, host, places.first[half]), ConstantVector::get(steps));
}

void Whole::access(u32 k) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  const bool partial = parted_ || i.guarded;  // not for all lanes
  Value* mask = active_mask();
  if (i.guarded) {
    mask = b_.CreateAnd(mask, guard_of(i));
    BasicBlock* some = fresh();
    b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(0)), to(k + 1), some);
    b_.SetInsertPoint(some);
  }
  Places places = places_of(k, mask, partial);
  using Kind = Places::Kind;
  if (partial && key.bytes < 4 && places.kind != Kind::Rows &&
      (places.kind == Kind::Lanes || key.kind == AccessKey::Kind::Store)) {
    b_.CreateBr(leave_at(k));
    return;
  }
  if (!places.leave) places.leave = k;
  Value* wrong = b_.CreateAnd(places.bits, b_.getInt64(key.bytes - 1u));
  Value* host = located(k, places, wrong);
  if (!partial) mask = nullptr;
  if (key.kind == AccessKey::Kind::Load)
    load(k, host, places, mask);
  else
    store(k, host, places, mask);
  b_.CreateBr(to(k + 1));
}

/// Loads, in the lanes of the mask if there is one.
void Whole::load(u32 k, Value* host, const Places& places, Value* mask) {
  using Kind = Places::Kind;
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const element = b_.getIntNTy(8 * key.bytes);
  auto* row = FixedVectorType::get(element, kHalf);
  const Align align(key.bytes);
  const auto there = [&](Value* address) { return b_.CreateGEP(b_.getInt8Ty(), host, address); };
  const auto one = [&](Value* address) {
    return widened(b_.CreateAlignedLoad(element, there(address), align), key.register_bytes, key.sign);
  };
  Value* blend = i.guarded || kept(k, i.dst) ? mask : nullptr;
  if (places.kind == Kind::One) {
    Value* v = one(places.first[0]);
    if (const WholeSlot* into = even(i.dst); into && !blend) return set_even(*into, v, v);
    for (unsigned l = 0; l < kLanes; l += kHalf)
      put_lanes(i.dst, key.register_bytes, l, b_.CreateVectorSplat(kHalf, v), blend);
    return;
  }
  for (unsigned h = 0; h < 2; ++h) {
    Value* v = nullptr;
    if (places.kind == Kind::Halves) {
      Value* address = places.first[h];
      if (mask) {  // a half-warp without active lanes reads what the other one does
        Value* none = b_.CreateICmpEQ(b_.CreateTrunc(h ? b_.CreateLShr(mask, kHalf) : mask, b_.getInt16Ty()),
                                      b_.getInt16(0));
        address = b_.CreateSelect(none, places.first[1 - h], address);
      }
      put_lanes(i.dst, key.register_bytes, h * kHalf, b_.CreateVectorSplat(kHalf, one(address)), blend);
      continue;
    }
    Value* none = Constant::getNullValue(row);
    if (places.kind == Kind::Rows && mask) {
      v = b_.CreateMaskedLoad(row, there(places.first[h]), align, half_mask(mask, h), none);
    } else if (places.kind == Kind::Rows) {
      v = b_.CreateAlignedLoad(row, there(places.first[h]), align);
    } else if (key.bytes >= 4) {
      Value* these =
          mask ? half_mask(mask, h) : Constant::getAllOnesValue(FixedVectorType::get(b_.getInt1Ty(), kHalf));
      v = b_.CreateMaskedGather(row, pointers(places, host, h), align, these, none);
    } else {
      Value* at_lanes = pointers(places, host, h);
      v = PoisonValue::get(row);
      for (unsigned l = 0; l < kHalf; ++l)
        v = b_.CreateInsertElement(
            v, b_.CreateAlignedLoad(element, b_.CreateExtractElement(at_lanes, u64{l}), align), u64{l});
    }
    if (key.register_bytes != key.bytes) v = widened(v, key.register_bytes, key.sign);
    put_lanes(i.dst, key.register_bytes, h * kHalf, v, blend);
  }
}

/// Stores, in the lanes of the mask if there is one. Where lanes store to one place the last one wins.
void Whole::store(u32 k, Value* host, const Places& places, Value* mask) {
  using Kind = Places::Kind;
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  auto* row = FixedVectorType::get(b_.getIntNTy(8 * key.bytes), kHalf);
  const Align align(key.bytes);
  const auto there = [&](Value* address) { return b_.CreateGEP(b_.getInt8Ty(), host, address); };
  for (unsigned h = places.kind == Kind::One && !mask ? 1 : 0; h < 2; ++h) {
    Value* v = half_of(i.src[1], key.register_bytes, h);
    if (key.register_bytes != key.bytes) v = b_.CreateTrunc(v, row);
    if (places.kind == Kind::Rows && mask) {
      b_.CreateMaskedStore(v, there(places.first[h]), align, half_mask(mask, h));
    } else if (places.kind == Kind::Rows) {
      b_.CreateAlignedStore(v, there(places.first[h]), align);
    } else if (places.kind != Kind::Lanes && !mask) {
      b_.CreateAlignedStore(b_.CreateExtractElement(v, u64{kHalf - 1}), there(places.first[h]), align);
    } else if (key.bytes >= 4) {
      Value* these =
          mask ? half_mask(mask, h) : Constant::getAllOnesValue(FixedVectorType::get(b_.getInt1Ty(), kHalf));
      b_.CreateMaskedScatter(v, pointers(places, host, h), align, these);
    } else {
      Value* at_lanes = pointers(places, host, h);
      for (unsigned l = 0; l < kHalf; ++l)
        b_.CreateAlignedStore(b_.CreateExtractElement(v, u64{l}), b_.CreateExtractElement(at_lanes, u64{l}),
                              align);
    }
  }
}

}  // namespace ww::engine
