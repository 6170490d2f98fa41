// Whole-warp code: loads and stores.
#include <llvm/IR/IntrinsicInst.h>

#include <cstdlib>

#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using From = WholeSlot::From;
using Lanes = WholeSlot::Lanes;
using Kind = CompileStep::Kind;

namespace {

/// The constant that is added to an access's address.
int64_t offset_of(const Inst& i) {
  return i.aux->access.address_bytes == 4 ? int64_t{static_cast<int32_t>(i.imm)}
                                          : static_cast<int64_t>(i.imm);
}

}  // namespace

/// Accesses that follow in straight line with the same address register, which nothing changes in between,
/// and other constant offsets: one look finds the piece of memory for all of them. Null: there are none.
Whole::Group* Whole::group_of(u32 k) {
  const auto bytes_of = [](const AccessKey& key) { return int64_t{key.bytes} * key.elements; };
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  if (parted_ || i.guarded ||
      (key.where != AccessKey::Where::Global && key.where != AccessKey::Where::Shared))
    return nullptr;
  if (const auto led = leaders_.find(k); led != leaders_.end()) return &groups_.at(led->second);
  Group group;
  group.low = offset_of(i);
  group.high = group.low + bytes_of(key);
  std::vector<u32> members{k};
  const WholeSlot* address = slot_of(i.src[0]);
  if (!address) return nullptr;
  for (u32 j = k;; ++j) {
    const CompileStep& s = unit_.steps[j];
    const Inst& other = unit_.code[j];
    if (j > k && s.kind == Kind::Access && !other.guarded && other.src[0] == i.src[0] &&
        other.aux->access.where == key.where && other.aux->access.address_bytes == key.address_bytes) {
      members.push_back(j);
      group.low = std::min(group.low, offset_of(other));
      group.high = std::max(group.high, offset_of(other) + bytes_of(other.aux->access));
    }
    if (s.ends || s.branches || s.kind == Kind::Other || s.kind == Kind::Pause || s.kind == Kind::End ||
        targets_.contains(j + 1) || j + 1 >= unit_.count)
      break;
    const SlotEffects effects = effects_of(other, s, unit_.operands, unit_.slots, unit_.slot_count);
    const auto number = static_cast<u32>(address - unit_.slots);
    if (std::find(effects.changed.begin(), effects.changed.end(), number) != effects.changed.end()) break;
  }
  if (members.size() == 1) return nullptr;
  for (u32 member : members) leaders_[member] = k;
  return &(groups_[k] = group);
}

/// What is to be added to an address for where it lies on the host, of the piece of memory that holds all of
/// an access. Leaves if there is no such piece, or the address is not aligned.
Value* Whole::located(u32 k, const Places& places) {
  const AccessKey& key = unit_.code[k].aux->access;
  Value* wrong = b_.CreateAnd(places.bits, b_.getInt64(u64{key.bytes} * key.elements - 1));
  go_if(b_.CreateICmpEQ(wrong, b_.getInt64(0)), places.leave);
  Group* group = places.start[0] ? group_of(k) : nullptr;
  if (group && group->host) return group->host;
  Value* host = found(k, places);
  if (group) group->host = host;
  return host;
}

/// The same, of the piece of memory alone.
Value* Whole::found(u32 k, const Places& places) {
  const AccessKey& key = unit_.code[k].aux->access;
  Type* const wide = b_.getInt64Ty();
  if (key.where == AccessKey::Where::Shared) {
    // Addresses are distances from the beginning.
    Value* there = state_field(wide, offsetof(WholeState, shared_bytes));
    const auto ends_inside = [&](Value* start, u64 length) {
      Value* inside = b_.CreateICmpULE(b_.CreateAdd(start, b_.getInt64(length)), there);
      // Below the smallest sum that could wrap around.
      if (key.address_bytes == 8 || !places.start[0] || places.stride < 0)
        inside = b_.CreateAnd(inside, b_.CreateICmpULT(start, b_.getInt64(u64{1} << 32)));
      return inside;
    };
    if (places.start[0]) {
      for (unsigned h = 0; h < places.firsts; ++h)
        go_if(ends_inside(places.start[h], places.span + places.bytes), places.leave);
    } else {
      go_if(b_.CreateAnd(ends_inside(places.high, places.bytes), b_.CreateICmpULE(places.low, places.high)),
            places.leave);
    }
    return b_.CreatePtrToInt(state_field(pointer_, offsetof(WholeState, shared)), wide);
  }
  Value* site = at(state_field(pointer_, offsetof(WholeState, sites)), u64{k} * sizeof(Site));
  const auto field = [&](u64 offset) { return b_.CreateLoad(wide, at(site, offset)); };
  Value *base = field(offsetof(Site, base)), *begins = field(offsetof(Site, begins));
  const auto inside = [&](Value* start) { return b_.CreateICmpULT(b_.CreateSub(start, base), begins); };
  Value *good = nullptr, *low = places.low, *last = nullptr;
  u64 span = places.bytes;
  if (places.start[0]) {
    span += places.span;
    good = inside(places.start[0]);
    low = places.start[0];
    Value* high = low;
    if (places.firsts == 2) {
      good = b_.CreateAnd(good, inside(places.start[1]));
      low = b_.CreateBinaryIntrinsic(Intrinsic::umin, places.start[0], places.start[1]);
      high = b_.CreateBinaryIntrinsic(Intrinsic::umax, places.start[0], places.start[1]);
    }
    last = b_.CreateAdd(high, b_.getInt64(span - 1));
  } else {
    good = b_.CreateAnd(inside(low), inside(places.high));
    good = b_.CreateAnd(good, b_.CreateICmpULE(low, places.high));
    last = b_.CreateAdd(places.high, b_.getInt64(span - 1));
  }
  BasicBlock *on = fresh(), *other = fresh();
  b_.CreateCondBr(good, on, other);
  b_.SetInsertPoint(other);
  FunctionType* type = FunctionType::get(b_.getInt1Ty(), {pointer_, pointer_, wide, wide, wide}, false);
  CallInst* find = b_.CreateCall(type, state_field(pointer_, offsetof(WholeState, find)),
                                 {state_, place(k), low, last, b_.getInt64(span)});
  find->addRetAttr(Attribute::ZExt);
  find->setDoesNotThrow();
  b_.CreateCondBr(find, on, leave_at(places.leave));
  b_.SetInsertPoint(on);
  return field(offsetof(Site, shift));
}

Value* Whole::widened(Value* v, unsigned lane_bytes, bool sign) {
  Type* type = b_.getIntNTy(8 * lane_bytes);
  if (auto* vector = dyn_cast<FixedVectorType>(v->getType()))
    type = FixedVectorType::get(type, vector->getNumElements());
  return sign ? b_.CreateSExtOrTrunc(v, type) : b_.CreateZExtOrTrunc(v, type);
}

namespace {

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
    return terms.scale > 0 && terms.scale % (i.aux->access.bytes * i.aux->access.elements) == 0 ? j : 0;
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
  out.leave = k;
  out.bytes = u64{key.bytes} * key.elements;
  const WholeSlot* s = even(i.src[0]);
  if (s && s->lane_bytes == 0) s = s->from == From::Constant ? s : nullptr;
  if (!s || (s->from != From::Constant && s->lane_bytes != key.address_bytes)) {
    find_lanes(k, mask, partial, out);
    return out;
  }
  const bool one = s->from == From::Constant || lanes_of(*s) == Lanes::Same;
  out.kind = one                                            ? Places::Kind::One
             : s->stride == 0                               ? Places::Kind::Halves
             : s->stride == static_cast<int64_t>(out.bytes) ? Places::Kind::Rows
                                                            : Places::Kind::Lanes;
  out.stride = one ? 0 : s->stride;
  out.firsts = one ? 1 : firsts_of(*s);
  Group* group = group_of(k);
  const int64_t own = offset_of(i), low = group ? group->low : own;
  const auto further = [&](Value* v, int64_t by) {
    return b_.CreateAdd(v, b_.getInt64(static_cast<u64>(by)));
  };
  Value* lowest[2];
  for (unsigned h = 0; h < 2; ++h) {
    if (group && group->host) {
      lowest[h] = group->first[h];
    } else if (h >= out.firsts) {
      lowest[h] = further(lowest[0], out.stride * kHalf);
    } else {
      Value* first = s->from == From::Constant
                         ? b_.CreateLoad(narrow ? b_.getInt32Ty() : wide, in_view(1, s->offset))
                         : first_of(*s, static_cast<int>(h));
      // Constant offsets are added in the width of the address.
      first = b_.CreateAdd(first, ConstantInt::get(first->getType(), static_cast<u64>(low), true));
      lowest[h] = narrow ? b_.CreateZExt(first, wide) : first;
    }
    if (group) group->first[h] = lowest[h];
    out.first[h] = further(lowest[h], own - low);
    if (h < out.firsts) out.bits = out.bits ? b_.CreateOr(out.bits, out.first[h]) : out.first[h];
  }
  out.bits = b_.CreateOr(out.bits, b_.getInt64(static_cast<u64>(out.stride)));
  if (!partial) {
    const int64_t span = out.stride * (one ? 0 : kLanes / out.firsts - 1);
    for (unsigned h = 0; h < out.firsts; ++h) out.start[h] = further(lowest[h], std::min<int64_t>(span, 0));
    out.span = static_cast<u64>(std::abs(span));
    if (group) out.bytes = static_cast<u64>(group->high - group->low);
    return out;
  }
  find_active(mask, out);
  // Lanes that wrap around are not where this reckons they are.
  if (out.stride != 0)
    for (unsigned h = 0; h < 2; ++h) {
      Value* last = further(out.first[h], out.stride * (kHalf - 1));
      go_if(out.stride < 0 ? b_.CreateICmpULE(last, out.first[h]) : b_.CreateICmpULE(out.first[h], last), k);
    }
  return out;
}

/// Where the lanes begin that are active, of addresses with a pattern.
void Whole::find_active(Value* mask, Places& out) {
  Type* const wide = b_.getInt64Ty();
  if (out.stride == 0 && out.firsts == 1) {
    out.low = out.high = out.first[0];
    return;
  }
  for (unsigned h = 0; h < 2; ++h) {
    const auto lane = [&](Value* number) {
      number = b_.CreateMul(b_.CreateZExt(number, wide), b_.getInt64(static_cast<u64>(out.stride)));
      return b_.CreateAdd(out.first[h], number);
    };
    // A half-warp may have none.
    Value* these = b_.CreateAnd(h ? b_.CreateLShr(mask, kHalf) : mask, b_.getInt32(0xffff));
    Value* none = b_.CreateICmpEQ(these, b_.getInt32(0));
    Value* leading = b_.CreateBinaryIntrinsic(Intrinsic::ctlz, these, b_.getInt1(false));
    Value* front = lane(b_.CreateBinaryIntrinsic(Intrinsic::cttz, these, b_.getInt1(false)));
    Value* back = lane(b_.CreateSub(b_.getInt32(31), leading));
    Value* low = b_.CreateSelect(none, b_.getInt64(~u64(0)), out.stride < 0 ? back : front);
    Value* high = b_.CreateSelect(none, b_.getInt64(0), out.stride < 0 ? front : back);
    out.low = out.low ? b_.CreateBinaryIntrinsic(Intrinsic::umin, out.low, low) : low;
    out.high = out.high ? b_.CreateBinaryIntrinsic(Intrinsic::umax, out.high, high) : high;
  }
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
  if (sum) out.leave = sum;
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

/// Where an address lies on the host.
Value* Whole::on_host(Value* host, Value* address, u64 offset) {
  Value* v = b_.CreateAdd(host, address);
  return b_.CreateIntToPtr(offset ? b_.CreateAdd(v, b_.getInt64(offset)) : v, pointer_);
}

/// Where the lanes of a half-warp lie on the host.
Value* Whole::pointers(const Places& places, Value* host, unsigned half, u64 offset) {
  Type* const byte = b_.getInt8Ty();
  if (places.distance[half])
    return b_.CreateGEP(byte, on_host(host, places.low, offset), places.distance[half]);
  std::vector<Constant*> steps;
  for (unsigned l = 0; l < kHalf; ++l) steps.push_back(b_.getInt64(static_cast<u64>(places.stride * l)));
  return b_.CreateGEP(byte, on_host(host, places.first[half], offset), ConstantVector::get(steps));
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
  const Places places = places_of(k, mask, partial);
  using Kind = Places::Kind;
  if (partial && key.bytes < 4 && places.kind != Kind::Rows &&
      (places.kind == Kind::Lanes || key.kind == AccessKey::Kind::Store)) {
    b_.CreateBr(leave_at(k));
    return;
  }
  Value* host = located(k, places);
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
  if (key.elements > 1 && places.kind == Kind::Rows && !mask) return load_rows(k, host, places);
  std::vector<Value*> loaded;  // all of them, before any register is written
  for (u32 n = 0; n < key.elements; ++n) {
    const u64 offset = u64{n} * key.bytes;
    if (element_of(i, n) == kSink) {
      loaded.insert(loaded.end(), 2, nullptr);
    } else if (places.kind == Kind::One) {
      Value* v = b_.CreateAlignedLoad(element, on_host(host, places.first[0], offset), Align(key.bytes));
      loaded.insert(loaded.end(), 2, v);
    } else {
      for (unsigned h = 0; h < 2; ++h) loaded.push_back(load_half(k, h, host, places, mask, offset));
    }
  }
  for (u32 n = 0; n < key.elements; ++n) {
    const u32 to = element_of(i, n);
    if (to == kSink) continue;
    Value* blend = i.guarded || kept(k, to) ? mask : nullptr;
    const WholeSlot* into = even(to);
    for (unsigned h = 0; h < 2; ++h) {
      Value* v = widened(loaded[2 * n + h], key.register_bytes, key.sign);
      if (places.kind == Kind::One && into && !blend) {
        set_even(*into, v, v);
        break;
      }
      if (!v->getType()->isVectorTy()) v = b_.CreateVectorSplat(kHalf, v);
      put_lanes(to, key.register_bytes, h * kHalf, v, blend);
    }
  }
}

/// An element for each lane of a half-warp (or one for all of them), `offset` behind where the lanes begin.
Value* Whole::load_half(u32 k, unsigned half, Value* host, const Places& places, Value* mask, u64 offset) {
  using Kind = Places::Kind;
  const AccessKey& key = unit_.code[k].aux->access;
  Type* const element = b_.getIntNTy(8 * key.bytes);
  auto* row = FixedVectorType::get(element, kHalf);
  const Align align(key.bytes);
  Value* none = Constant::getNullValue(row);
  if (places.kind == Kind::Halves) {
    Value* address = places.first[half];
    if (mask) {  // a half-warp without active lanes reads what the other one does
      Value* these = b_.CreateTrunc(half ? b_.CreateLShr(mask, kHalf) : mask, b_.getInt16Ty());
      address = b_.CreateSelect(b_.CreateICmpEQ(these, b_.getInt16(0)), places.first[1 - half], address);
    }
    return b_.CreateAlignedLoad(element, on_host(host, address, offset), align);
  }
  if (places.kind == Kind::Rows && key.elements == 1) {
    Value* there = on_host(host, places.first[half], offset);
    if (mask) return b_.CreateMaskedLoad(row, there, align, half_mask(mask, half), none);
    return b_.CreateAlignedLoad(row, there, align);
  }
  Value* at_lanes = pointers(places, host, half, offset);
  if (key.bytes >= 4) {
    Value* these =
        mask ? half_mask(mask, half) : Constant::getAllOnesValue(FixedVectorType::get(b_.getInt1Ty(), kHalf));
    return b_.CreateMaskedGather(row, at_lanes, align, these, none);
  }
  Value* v = PoisonValue::get(row);
  for (unsigned l = 0; l < kHalf; ++l)
    v = b_.CreateInsertElement(
        v, b_.CreateAlignedLoad(element, b_.CreateExtractElement(at_lanes, u64{l}), align), u64{l});
  return v;
}

/// Vectors of elements that lie one behind another.
void Whole::load_rows(u32 k, Value* host, const Places& places) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  auto* whole = FixedVectorType::get(b_.getIntNTy(8 * key.bytes), kHalf * key.elements);
  Value* rows[2];
  for (unsigned h = 0; h < 2; ++h)
    rows[h] = b_.CreateAlignedLoad(whole, on_host(host, places.first[h], 0), Align(key.bytes * key.elements));
  for (u32 n = 0; n < key.elements; ++n) {
    const u32 to = element_of(i, n);
    if (to == kSink) continue;
    std::vector<int> which;
    for (unsigned l = 0; l < kHalf; ++l) which.push_back(static_cast<int>(l * key.elements + n));
    for (unsigned h = 0; h < 2; ++h)
      put_lanes(to, key.register_bytes, h * kHalf,
                widened(b_.CreateShuffleVector(rows[h], which), key.register_bytes, key.sign));
  }
}

/// Stores, in the lanes of the mask if there is one. Where lanes store to one place the last one wins.
void Whole::store(u32 k, Value* host, const Places& places, Value* mask) {
  using Kind = Places::Kind;
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  auto* row = FixedVectorType::get(b_.getIntNTy(8 * key.bytes), kHalf);
  for (unsigned h = places.kind == Kind::One && !mask ? 1 : 0; h < 2; ++h) {
    std::vector<Value*> values;
    for (u32 n = 0; n < key.elements; ++n) {
      const u32 from = element_of(i, n);
      values.push_back(half_of(from, key.register_bytes, h));
      if (const WholeSlot* slot = slot_of(from)) values.back() = canonical(*slot, values.back());
      if (key.register_bytes != key.bytes) values.back() = b_.CreateTrunc(values.back(), row);
    }
    if (key.elements > 1 && places.kind == Kind::Rows && !mask) {
      b_.CreateAlignedStore(interleaved(values), on_host(host, places.first[h], 0),
                            Align(key.bytes * key.elements));
      continue;
    }
    for (u32 n = 0; n < key.elements; ++n)
      store_half(values[n], key, h, host, places, mask, u64{n} * key.bytes);
  }
}

/// a0 b0 c0 d0 a1 b1 … of two, four or eight vectors.
Value* Whole::interleaved(std::vector<Value*> parts) {
  // Pairs that are half the list apart first: what they make then stands in the right order.
  while (parts.size() > 1) {
    const size_t pairs = parts.size() / 2;
    std::vector<Value*> joined;
    for (size_t p = 0; p < pairs; ++p) {
      const unsigned count = cast<FixedVectorType>(parts[p]->getType())->getNumElements();
      std::vector<int> which;
      for (unsigned l = 0; l < count; ++l) {
        which.push_back(static_cast<int>(l));
        which.push_back(static_cast<int>(count + l));
      }
      joined.push_back(b_.CreateShuffleVector(parts[p], parts[p + pairs], which));
    }
    parts = std::move(joined);
  }
  return parts[0];
}

/// Stores an element for each lane of a half-warp, `offset` behind where the lanes begin.
void Whole::store_half(Value* v, const AccessKey& key, unsigned half, Value* host, const Places& places,
                       Value* mask, u64 offset) {
  using Kind = Places::Kind;
  const Align align(key.bytes);
  if (places.kind == Kind::Rows && key.elements == 1) {
    Value* there = on_host(host, places.first[half], offset);
    mask ? static_cast<void>(b_.CreateMaskedStore(v, there, align, half_mask(mask, half)))
         : static_cast<void>(b_.CreateAlignedStore(v, there, align));
    return;
  }
  if (places.stride == 0 && !places.distance[half] && !mask) {
    b_.CreateAlignedStore(b_.CreateExtractElement(v, u64{kHalf - 1}),
                          on_host(host, places.first[half], offset), align);
    return;
  }
  Value* at_lanes = pointers(places, host, half, offset);
  if (key.bytes >= 4) {
    Value* these =
        mask ? half_mask(mask, half) : Constant::getAllOnesValue(FixedVectorType::get(b_.getInt1Ty(), kHalf));
    b_.CreateMaskedScatter(v, at_lanes, align, these);
    return;
  }
  for (unsigned l = 0; l < kHalf; ++l)
    b_.CreateAlignedStore(b_.CreateExtractElement(v, u64{l}), b_.CreateExtractElement(at_lanes, u64{l}),
                          align);
}

}  // namespace ww::engine
