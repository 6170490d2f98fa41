// Whole-warp code: where accesses go, and whether all of each lies in one piece of memory.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdlib>

#include "engine/compile/llvm/processor.h"
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

/// Bytes of an access.
int64_t size_of(const AccessKey& key) { return int64_t{key.bytes} * key.elements; }

}  // namespace

/// The distance of the access's addresses from those in the space that it goes to.
int64_t Whole::window_of(u32 k) const {
  const bool generic = unit_.code[k].aux->access.where == AccessKey::Where::Generic;
  return unit_.steps[k].local && generic ? static_cast<int64_t>(kLocalWindow) : 0;
}

Value* Whole::further(Value* address, int64_t by) {
  return by ? b_.CreateAdd(address, b_.getInt64(static_cast<u64>(by))) : address;
}

/// Accesses of one size that follow in straight line with the same address register, which nothing changes in
/// between, and other constant offsets: one look finds the piece of memory for all of them. Null: there are
/// none.
Whole::Group* Whole::group_of(u32 k) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  const WholeSlot* address = slot_of(i.src[0]);
  if (!address || i.guarded ||
      (key.where != AccessKey::Where::Global && key.where != AccessKey::Where::Shared))
    return nullptr;
  if (const auto led = leaders_.find({parted_, k}); led != leaders_.end())
    return &groups_.at({parted_, led->second});
  const int64_t bytes = size_of(key);
  Group group;
  group.low = offset_of(i);
  group.high = group.low + bytes;
  std::vector<u32> members{k};
  for (u32 j = k;; ++j) {
    const CompileStep& s = unit_.steps[j];
    const Inst& other = unit_.code[j];
    if (j > k && s.kind == Kind::Access && !other.guarded && other.src[0] == i.src[0]) {
      const AccessKey& its = other.aux->access;
      const int64_t offset = offset_of(other);
      if (its.where == key.where && its.address_bytes == key.address_bytes && size_of(its) == bytes &&
          (offset - group.low) % bytes == 0) {
        members.push_back(j);
        group.low = std::min(group.low, offset);
        group.high = std::max(group.high, offset + bytes);
      }
    }
    if (s.ends || s.branches || s.kind == Kind::Other || s.kind == Kind::Pause || s.kind == Kind::End ||
        targets_.contains(j + 1) || j + 1 >= unit_.count)
      break;
    const SlotEffects effects = effects_of(other, s, unit_.operands, unit_.slots, unit_.slot_count);
    const auto number = static_cast<u32>(address - unit_.slots);
    if (std::find(effects.changed.begin(), effects.changed.end(), number) != effects.changed.end()) break;
  }
  if (members.size() == 1) return nullptr;
  for (u32 member : members) leaders_[{parted_, member}] = k;
  return &(groups_[{parted_, k}] = group);
}

/// The addresses of an access, or of the group that it begins: of the lanes in the mask where it is
/// `partial`.
Whole::Places Whole::find_places(u32 k, const Group* group, Value* mask, bool partial) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  const bool narrow = key.address_bytes == 4;
  const int64_t window = window_of(k);
  const int64_t offset = (group ? group->low : offset_of(i)) - window;
  Places out;
  out.window = static_cast<u64>(window);
  out.leave = k;
  out.bytes = static_cast<u64>(group ? group->high - group->low : size_of(key));
  const WholeSlot* s = even(i.src[0]);
  if (s && s->lane_bytes == 0) s = s->from == From::Constant ? s : nullptr;
  if (!s || (s->from != From::Constant && s->lane_bytes != key.address_bytes)) {
    find_lanes(k, offset, mask, partial, out);
    return out;
  }
  const bool one = s->from == From::Constant || lanes_of(*s) == Lanes::Same;
  out.kind = one                         ? Places::Kind::One
             : s->stride == 0            ? Places::Kind::Halves
             : s->stride == size_of(key) ? Places::Kind::Rows
                                         : Places::Kind::Lanes;
  out.stride = one ? 0 : s->stride;
  out.firsts = one ? 1 : firsts_of(*s);
  for (unsigned h = 0; h < 2; ++h) {
    if (h >= out.firsts) {
      out.first[h] = further(out.first[0], out.stride * kHalf);
      break;
    }
    Type* type = narrow ? b_.getInt32Ty() : b_.getInt64Ty();
    Value* first = s->from == From::Constant ? b_.CreateLoad(type, in_view(1, s->offset))
                                             : first_of(*s, static_cast<int>(h));
    // Constant offsets are added in the width of the address.
    first = b_.CreateAdd(first, ConstantInt::get(type, static_cast<u64>(offset), true));
    // Where lanes that are not active would be may lie below 0, as in `t >= step ? part[t - step] : 0`.
    out.first[h] = !narrow   ? first
                   : partial ? b_.CreateSExt(first, b_.getInt64Ty())
                             : b_.CreateZExt(first, b_.getInt64Ty());
    out.bits = out.bits ? b_.CreateOr(out.bits, out.first[h]) : out.first[h];
  }
  out.bits = b_.CreateOr(out.bits, b_.getInt64(static_cast<u64>(out.stride)));
  if (!partial) {
    const int64_t span = out.stride * (one ? 0 : kLanes / out.firsts - 1);
    for (unsigned h = 0; h < out.firsts; ++h)
      out.start[h] = further(out.first[h], std::min<int64_t>(span, 0));
    out.span = static_cast<u64>(std::abs(span));
    return out;
  }
  find_active(mask, out);
  // Lanes that wrap around are not where this reckons they are. (Those of 32 bits that do are found out of
  // bounds.)
  if (out.stride != 0 && !narrow)
    for (unsigned h = 0; h < 2; ++h) {
      Value* last = further(out.first[h], out.stride * (kHalf - 1));
      go_if(out.stride < 0 ? b_.CreateICmpULE(last, out.first[h]) : b_.CreateICmpULE(out.first[h], last), k);
    }
  return out;
}

/// Where the access is to happen; `host` is to be added to its addresses. Leaves if there is anything wrong.
Whole::Places Whole::locate(u32 k, Value* mask, bool partial, Value*& host) {
  const AccessKey& key = unit_.code[k].aux->access;
  Group* group = group_of(k);
  Places places;
  if (group && group->host) {
    places = group->places;
    host = group->host;
  } else {
    places = find_places(k, group, mask, partial);
    Value* wrong = b_.CreateAnd(places.bits, b_.getInt64(static_cast<u64>(size_of(key)) - 1));
    go_if(b_.CreateICmpEQ(wrong, b_.getInt64(0)), places.leave);
    host = find_memory(k, places);
    if (group && one_by_one()) store_near(places);
    if (group) group->places = places, group->host = host;
  }
  if (!group) return places;
  const int64_t by = offset_of(unit_.code[k]) - group->low;
  for (Value*& first : places.first)
    if (first) first = further(first, by);
  if (places.low) places.low = further(places.low, by), places.high = further(places.high, by);
  if (places.kind == Places::Kind::Lanes && places.stride > 0 && !places.distance[0]) {
    const int64_t before = by % places.stride;
    if (by - before + places.stride <= group->high - group->low) places.before = before;
  }
  return places;
}

/// Addresses in local memory are the same for what lies in other places for each lane.
void Whole::give_each_lane(Places& out) {
  Type* const word = b_.getInt32Ty();
  Value* low = out.low ? out.low : out.first[0];
  Value* bytes = b_.CreateLoad(word, at(warp_, offsetof(Warp, local_stride)));
  for (unsigned h = 0; h < 2; ++h) {
    Value* near = out.near[h];
    std::vector<Constant*> steps, lanes;
    for (unsigned l = 0; l < kHalf; ++l) {
      steps.push_back(b_.getInt32(static_cast<u32>(out.stride * l)));
      lanes.push_back(b_.getInt32(h * kHalf + l));
    }
    out.single = !near;
    if (!near) {
      near = b_.CreateTrunc(b_.CreateSub(out.first[h], low), word);
      near = b_.CreateAdd(b_.CreateVectorSplat(kHalf, near), ConstantVector::get(steps));
    }
    near = b_.CreateAdd(near, b_.CreateMul(b_.CreateVectorSplat(kHalf, bytes), ConstantVector::get(lanes)));
    out.distance[h] = b_.CreateSExt(near, FixedVectorType::get(b_.getInt64Ty(), kHalf));
    out.near[h] = nullptr;
  }
  out.kind = Places::Kind::Lanes;
  out.low = low;
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

/// The same for lanes without a pattern. Where they are is told by 32 bits each, as distances from the
/// lowest.
void Whole::find_lanes(u32 k, int64_t offset, Value* mask, bool partial, Places& out) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const wide = b_.getInt64Ty();
  const u32 sum = key.address_bytes == 8 ? sum_before(k) : 0;
  out.kind = Places::Kind::Lanes;
  if (sum) out.leave = sum;
  bool is_signed = false;
  Value* v[2];
  for (unsigned h = 0; h < 2; ++h) {
    if (sum)
      v[h] = half_of(unit_.code[sum].src[1], 4, h);
    else
      v[h] = half_of(i.src[0], key.address_bytes, h);
    if (!sum) v[h] = b_.CreateAdd(v[h], ConstantInt::get(v[h]->getType(), static_cast<u64>(offset), true));
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
  if (partial && key.kind == AccessKey::Kind::Store && key.where == AccessKey::Where::Shared && width == 32 &&
      !unit_.steps[k].noted) {
    // That each lane lies in shared memory takes less time than where the lowest and the highest lie.
    go_if(b_.CreateICmpUGE(shared_bytes_, b_.getInt64(out.bytes)), k);
    out.low = b_.getInt64(0);
    out.high = b_.CreateSub(shared_bytes_, b_.getInt64(out.bytes));
    Value* most = b_.CreateVectorSplat(kHalf, b_.CreateTrunc(out.high, b_.getInt32Ty()));
    Value* beyond = b_.CreateOr(b_.CreateICmpUGT(some[0], most), b_.CreateICmpUGT(some[1], most));
    go_if(b_.CreateICmpEQ(b_.CreateBitCast(beyond, b_.getInt16Ty()), b_.getInt16(0)), k);
    out.bits = b_.CreateZExt(b_.CreateOrReduce(b_.CreateOr(some[0], some[1])), wide);
    for (unsigned h = 0; h < 2; ++h) {
      out.near[h] = v[h];
      out.distance[h] = b_.CreateSExt(v[h], FixedVectorType::get(wide, kHalf));
    }
    return;
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
    Value* base = b_.CreateAdd(base_of(*terms), b_.getInt64(static_cast<u64>(offset)));
    out.low = b_.CreateAdd(base, b_.CreateMul(address(low), b_.getInt64(scale)));
    out.high = b_.CreateAdd(base, b_.CreateMul(address(high), b_.getInt64(scale)));
    out.bits = base;  // the scale is a multiple of what is read
  } else {
    out.low = address(low);
    out.high = address(high);
    out.bits = address(b_.CreateOrReduce(b_.CreateOr(some[0], some[1])));
  }
  // Loads of bytes are made of words, whose distance may be 3 more.
  go_if(b_.CreateICmpULT(b_.CreateSub(out.high, out.low), b_.getInt64((u64{1} << 31) - 4)), out.leave);
  auto* words = FixedVectorType::get(b_.getInt32Ty(), kHalf);
  for (unsigned h = 0; h < 2; ++h) {
    Value* distance = b_.CreateTrunc(b_.CreateSub(v[h], b_.CreateVectorSplat(kHalf, low)), words);
    if (scale != 1) distance = b_.CreateMul(distance, ConstantInt::get(words, scale));
    out.near[h] = distance;
    out.distance[h] = b_.CreateSExt(distance, FixedVectorType::get(wide, kHalf));
  }
}

Value* Whole::site_of(u32 k, SiteOf whose) {
  const u64 number = u64{static_cast<u32>(whose)} * unit_.count + k;
  return at(sites_, number * sizeof(Site));
}

/// Has the piece of memory found that holds all of an access (WholeState::find). What is called keeps all
/// registers: with a call as any other, LLVM would have vectors that are in use in memory on the way past it,
/// too.
Value* Whole::find_site(u32 k, Value* site, Value* low, Value* last, u64 span) {
  Type* const wide = b_.getInt64Ty();
  FunctionType* type = FunctionType::get(wide, {pointer_, pointer_, pointer_, wide, wide, wide}, false);
  InlineAsm* code = InlineAsm::get(type, processor::quiet_call(offsetof(WholeState, find)),
                                   processor::kFindArguments, true);
  CallInst* find = b_.CreateCall(type, code, {state_, place(k), site, low, last, b_.getInt64(span)});
  find->setDoesNotThrow();
  return b_.CreateICmpNE(find, b_.getInt64(0));
}

/// What is to be added to addresses for where they lie on the host, of the piece of memory that holds all of
/// an access. Leaves if there is no such piece.
Value* Whole::find_memory(u32 k, const Places& places) {
  const AccessKey& key = unit_.code[k].aux->access;
  Type* const wide = b_.getInt64Ty();
  const bool local = unit_.steps[k].local;
  if (local || key.where == AccessKey::Where::Shared) {
    // Addresses are distances from the beginning.
    Value* there =
        local ? b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), at(warp_, offsetof(Warp, local_bytes))), wide)
              : shared_bytes_;
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
    if (!local) return shared_;
    return b_.CreatePtrToInt(b_.CreateLoad(pointer_, at(warp_, offsetof(Warp, local))), wide);
  }
  Value* site = site_of(k, parted_ ? SiteOf::Parted : unit_.lacking ? SiteOf::Lacking : SiteOf::Together);
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
  likely(good, on, other);
  if (two_.wanted && places.distance[0]) {
    two_.begins = other;
    two_.one = on;
  } else {
    b_.SetInsertPoint(other);
    likely(find_site(k, site, low, last, span), on, leave_at(places.leave));
  }
  b_.SetInsertPoint(on);
  return field(offsetof(Site, shift));
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

}  // namespace ww::engine
