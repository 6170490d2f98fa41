#include "engine/compile/llvm/whole.h"

#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cstring>

#include "engine/lanes/lanes.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

constexpr unsigned kHalf = kLanes / 2;
constexpr unsigned kPartBytes = 64;  // slots are read and written in vectors of so many bytes

using From = WholeSlot::From;
using Lanes = WholeSlot::Lanes;
using Kind = CompileStep::Kind;

unsigned lanes_in_part(unsigned lane_bytes) { return std::min<unsigned>(kLanes, kPartBytes / lane_bytes); }

}  // namespace

// ---- slots ----

const WholeSlot* Whole::slot_of(u32 offset) const {
  const WholeSlot* end = unit_.slots + unit_.slot_count;
  const WholeSlot* after =
      std::upper_bound(unit_.slots, end, offset, [](u32 at, const WholeSlot& s) { return at < s.offset; });
  if (after == unit_.slots) return nullptr;
  const WholeSlot* s = after - 1;
  return offset - s->offset < s->bytes ? s : nullptr;
}
/// The slot, if its lanes follow from one or two of them.
const WholeSlot* Whole::even(u32 offset) const {
  const WholeSlot* s = slot_of(offset);
  return s && s->lanes != Lanes::Any ? s : nullptr;
}

Value* Whole::in_view(int view, u32 offset) { return at(view_[view], offset); }

/// Lane 0 of a half-warp, of a slot with a pattern.
Value* Whole::first_of(const WholeSlot& s, int half) {
  const int view = s.lanes == Lanes::Same ? 1 : 1 + half;
  if (s.lane_bytes == 0) return b_.CreateLoad(b_.getInt32Ty(), in_view(1, s.offset));
  auto* type = FixedVectorType::get(b_.getIntNTy(8 * s.lane_bytes), lanes_in_part(s.lane_bytes));
  return b_.CreateExtractElement(b_.CreateAlignedLoad(type, in_view(view, s.offset), Align(4)), u64{0});
}

/// Lanes [from, from + lanes) of a half-warp.
Value* Whole::vector_of(const WholeSlot& s, Value* first, u32 lanes, u32 from) {
  Value* all = b_.CreateVectorSplat(lanes, first);
  if (s.stride == 0) return all;
  std::vector<Constant*> steps;
  for (u32 l = 0; l < lanes; ++l)
    steps.push_back(
        ConstantInt::get(first->getType(), static_cast<u64>(int64_t{s.stride} * (from + l)), true));
  return b_.CreateAdd(all, ConstantVector::get(steps));
}

void Whole::store_view(const WholeSlot& s, int half, Value* first) {
  if (s.lane_bytes == 0) {
    b_.CreateStore(first, in_view(1 + half, s.offset));
    return;
  }
  auto* type = FixedVectorType::get(first->getType(), lanes_in_part(s.lane_bytes));
  b_.CreateAlignedStore(b_.CreateInsertElement(Constant::getNullValue(type), first, u64{0}),
                        in_view(1 + half, s.offset), Align(4));
}

/// The slot's lanes all follow from these two.
void Whole::set_even(const WholeSlot& s, Value* low, Value* high) {
  store_view(s, 0, low);
  store_view(s, 1, high);
  if (s.lane_bytes == 0) {
    b_.CreateStore(low, in_view(0, s.offset));
    return;
  }
  const unsigned lanes = lanes_in_part(s.lane_bytes);
  for (unsigned l = 0; l < kLanes; l += lanes) {
    Value* first = l < kHalf ? low : high;
    b_.CreateAlignedStore(vector_of(s, first, lanes, l % kHalf), in_view(0, s.offset + l * s.lane_bytes),
                          Align(4));
  }
}

/// After handlers computed the first lanes.
void Whole::rebuild(const WholeSlot& s) {
  Value* low = first_of(s, 0);
  if (s.lane_bytes == 0) {
    low = b_.CreateSExt(b_.CreateTrunc(low, b_.getInt1Ty()), b_.getInt32Ty());
    set_even(s, low, low);
    return;
  }
  set_even(s, low, s.lanes == Lanes::Same ? low : first_of(s, 1));
}

Value* Whole::lanes_value(u32 offset, unsigned lane_bytes, unsigned from, unsigned count) {
  auto* type = FixedVectorType::get(b_.getIntNTy(8 * lane_bytes), count);
  return b_.CreateAlignedLoad(type, in_view(0, offset + from * lane_bytes), Align(4));
}
void Whole::put_lanes(u32 offset, unsigned lane_bytes, unsigned from, Value* v) {
  const unsigned part = lanes_in_part(lane_bytes),
                 count = cast<FixedVectorType>(v->getType())->getNumElements();
  for (unsigned l = 0; l < count; l += part) {
    Value* some = v;
    if (part < count) {
      std::vector<int> which;
      for (unsigned n = 0; n < part; ++n) which.push_back(static_cast<int>(l + n));
      some = b_.CreateShuffleVector(v, which);
    }
    b_.CreateAlignedStore(some, in_view(0, offset + (from + l) * lane_bytes), Align(4));
  }
}

/// What the slots hold when a warp begins, or comes back, there.
void Whole::enter(u32 k) {
  for (u32 n = 0; n < unit_.slot_count; ++n)
    if (live_[k][n] && (k != 0 || unit_.slots[n].from != From::Code)) enter_slot(unit_.slots[n]);
}

void Whole::enter_slot(const WholeSlot& s) {
  // Vectors of 64 bytes where there are so many, then words.
  const auto parts = [&](unsigned bytes, auto&& each) {
    for (unsigned from = 0; from < bytes;) {
      const unsigned some = bytes - from >= kPartBytes ? kPartBytes : 4;
      each(from, some);
      from += some;
    }
  };
  Type* const word = b_.getInt32Ty();
  if (s.from == From::Constant) {
    parts(s.bytes, [&](unsigned from, unsigned some) {
      std::vector<u32> words(some / 4);
      std::memcpy(words.data(), unit_.image + (s.offset - kFrameStart) + from, some);
      Constant* c =
          some == 4 ? cast<Constant>(b_.getInt32(words[0])) : ConstantDataVector::get(context_, words);
      for (int v = 0; v < kViews; ++v) b_.CreateAlignedStore(c, in_view(v, s.offset + from), Align(4));
    });
  } else if (s.from >= From::BlockX) {
    const u64 axis = static_cast<u64>(s.from) - static_cast<u64>(From::BlockX);
    Value* block = state_field(word, offsetof(WholeState, block) + 4 * axis);
    block = b_.CreateZExtOrTrunc(block, b_.getIntNTy(8 * s.lane_bytes));
    set_even(s, block, block);
  } else if (s.lanes == Lanes::Any) {
    parts(s.lane_bytes ? s.lane_bytes * kLanes : 4, [&](unsigned from, unsigned some) {
      Type* type = some == 4 ? word : FixedVectorType::get(word, some / 4);
      b_.CreateAlignedStore(b_.CreateAlignedLoad(type, at(frame_, s.offset + from), Align(4)),
                            in_view(0, s.offset + from), Align(4));
    });
  } else {
    Type* lane = s.lane_bytes ? b_.getIntNTy(8 * s.lane_bytes) : word;
    Value* low = b_.CreateLoad(lane, at(frame_, s.offset));
    Value* high =
        s.lanes == Lanes::Same ? low : b_.CreateLoad(lane, at(frame_, s.offset + kHalf * s.lane_bytes));
    set_even(s, low, high);
  }
}

// ---- leaving ----

/// Which slots may still be read from each instruction on.
void Whole::find_live() {
  const u32 slots = unit_.slot_count;
  const auto number = [&](u32 offset) -> int {
    const WholeSlot* s = offset >= kFrameStart ? slot_of(offset) : nullptr;
    return s ? static_cast<int>(s - unit_.slots) : -1;
  };
  written_.assign(slots, false);
  live_.assign(unit_.count + 1, std::vector<bool>(slots));
  struct Effects {
    std::vector<u32> reads, writes;
  };
  std::vector<Effects> effects(unit_.count);
  for (u32 k = 0; k < unit_.count; ++k) {
    const Inst& i = unit_.code[k];
    const auto read = [&](u32 offset) {
      if (const int n = number(offset); n >= 0) effects[k].reads.push_back(static_cast<u32>(n));
    };
    const auto write = [&](u32 offset) {
      const int n = number(offset);
      if (n < 0) return;
      if (unit_.slots[n].from == From::Code) written_[static_cast<size_t>(n)] = true;
      (i.guarded ? effects[k].reads : effects[k].writes).push_back(static_cast<u32>(n));
    };
    if (i.guarded) read(i.guard);
    switch (unit_.steps[k].kind) {
      case Kind::Row:
        for (u32 s : i.src) read(s);
        write(i.dst);
        if (i.dst2_used) write(i.dst2);
        break;
      case Kind::Access:
        read(i.src[0]);
        if (i.aux->access.kind == AccessKey::Kind::Store)
          read(i.src[1]);
        else
          write(i.dst);
        break;
      case Kind::Sum: {
        const AddressSum& sum = *static_cast<const AddressSum*>(i.aux->more);
        read(i.src[1]);
        for (u32 b = 0; b < sum.count; ++b) read(sum.bases[b]);
        write(i.src[0]);
        break;
      }
      case Kind::Nothing:
        read(i.src[0]);
        break;
      case Kind::Pause:
        for (u32 s : i.src) read(s);
        if (i.aux)
          for (u32 s : i.aux->vector) read(s);
        break;
      default:
        break;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 k = unit_.count; k-- > 0;) {
      const CompileStep& s = unit_.steps[k];
      std::vector<bool> now(slots);
      if (s.kind == Kind::Other) now = written_;
      const auto join = [&](const std::vector<bool>& behind) {
        for (u32 n = 0; n < slots; ++n)
          if (behind[n]) now[n] = true;
      };
      if (!s.ends) join(live_[k + 1]);
      if (s.branches) join(live_[static_cast<size_t>(unit_.code[k].aux->target - unit_.code)]);
      if (s.kind != Kind::Other)
        for (u32 n : effects[k].writes) now[n] = false;
      for (u32 n : effects[k].reads) now[n] = true;
      if (now != live_[k]) live_[k] = std::move(now), changed = true;
    }
  }
}

/// Brings the frame up to date; the interpreter goes on at the instruction.
BasicBlock* Whole::leave_at(u32 k) {
  BasicBlock*& there = leaving_[k];
  if (there) return there;
  there = fresh();
  IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(there);
  for (u32 n = 0; n < unit_.slot_count; ++n) {
    if (!written_[n] || !live_[k][n]) continue;
    const WholeSlot& s = unit_.slots[n];
    if (s.lane_bytes == 0) {
      b_.CreateStore(b_.CreateLoad(b_.getInt32Ty(), in_view(0, s.offset)), at(frame_, s.offset));
      continue;
    }
    const unsigned lanes = lanes_in_part(s.lane_bytes);
    Value* first[2] = {};
    if (s.lanes != Lanes::Any) first[0] = first_of(s, 0), first[1] = first_of(s, 1);
    for (unsigned l = 0; l < kLanes; l += lanes) {
      Value* v = nullptr;
      if (!first[0])
        v = lanes_value(s.offset, s.lane_bytes, l, lanes);
      else
        v = vector_of(s, first[l >= kHalf], lanes, l % kHalf);
      b_.CreateAlignedStore(v, at(frame_, s.offset + l * s.lane_bytes), Align(4));
    }
  }
  if (unit_.steps[k].kind == Kind::Pause)
    b_.CreateStore(b_.getInt32(k + 1), at(state_, offsetof(WholeState, pause)));
  b_.CreateRet(place(k));
  return there;
}

/// Goes on if it is good, otherwise leaves at the instruction.
void Whole::go_if(Value* good, u32 k) {
  BasicBlock* on = fresh();
  b_.CreateCondBr(good, on, leave_at(k));
  b_.SetInsertPoint(on);
}

Value* Whole::state_field(Type* type, u64 offset) { return b_.CreateLoad(type, at(state_, offset)); }

// ---- instructions ----

Value* Whole::guard_of(const Inst& i) {
  Value* mask = b_.CreateLoad(b_.getInt32Ty(), in_view(0, i.guard));
  return i.guard_negated ? b_.CreateNot(mask) : mask;
}

/// Numbers that are to be extended must not wrap around from lane to lane.
void Whole::check_extends(u32 k, u32 offset) {
  using Extends = CompileStep::Extends;
  const Extends how = unit_.steps[k].extends;
  const WholeSlot* s = even(offset);
  if (how == Extends::No || how == Extends::Verify || !s || s->lanes == Lanes::Any || s->stride == 0) return;
  const int64_t span = int64_t{s->stride} * (kHalf - 1);
  Type* const type = b_.getInt64Ty();
  for (int h = 0; h < (s->lanes == Lanes::Same ? 1 : 2); ++h) {
    Value* first = first_of(*s, h);
    first = how == Extends::Signed ? b_.CreateSExt(first, type) : b_.CreateZExt(first, type);
    Value* last = b_.CreateAdd(first, ConstantInt::get(type, static_cast<u64>(span), true));
    Value* again = how == Extends::Signed ? b_.CreateSExt(b_.CreateTrunc(last, b_.getInt32Ty()), type)
                                          : b_.CreateZExt(b_.CreateTrunc(last, b_.getInt32Ty()), type);
    go_if(b_.CreateICmpEQ(last, again), k);
  }
}

void Whole::row(u32 k) {
  const Inst& i = unit_.code[k];
  check_extends(k, i.src[0]);
  if (way(k).blended) {
    std::swap(frame_, view_[0]);  // it works on what handlers take for the frame
    guarded(k);
    std::swap(frame_, view_[0]);
  } else if (const WholeSlot* to = even(i.dst);
             to && unit_.steps[k].extends == CompileStep::Extends::Verify) {
    verified(k, *to);
  } else if (to) {
    for (int h = 0; h < (to->lanes == Lanes::Same ? 1 : 2); ++h)
      inlined(k, i, piece_->getArg(static_cast<unsigned>(4 + h)));
    rebuild(*to);
  } else {
    inlined(k, i);
  }
  b_.CreateBr(block(k + 1));
}

/// As a row whose result is even, if it is.
void Whole::verified(u32 k, const WholeSlot& to) {
  Inst i = unit_.code[k];
  i.dst = kScratch;
  WholeSlot result = to;
  result.offset = kScratch;
  inlined(k, i);
  Value* first[2];
  for (int h = 0; h < 2; ++h) {
    inlined(k, i, piece_->getArg(static_cast<unsigned>(4 + h)));
    first[h] = first_of(result, h);
  }
  Value* wrong = nullptr;
  const unsigned lanes = lanes_in_part(to.lane_bytes);
  for (unsigned l = 0; l < kLanes; l += lanes) {
    Value* differs = b_.CreateXor(lanes_value(kScratch, to.lane_bytes, l, lanes),
                                  vector_of(to, first[l >= kHalf], lanes, l % kHalf));
    wrong = wrong ? b_.CreateOr(wrong, differs) : differs;
  }
  Value* any = b_.CreateOrReduce(wrong);
  go_if(b_.CreateICmpEQ(any, Constant::getNullValue(any->getType())), k);
  set_even(to, first[0], first[1]);
}

/// An address that is constant + Σ bases + scale · index.
void Whole::sum(u32 k) {
  const Inst& i = unit_.code[k];
  const AddressSum& terms = *static_cast<const AddressSum*>(i.aux->more);
  check_extends(k, i.src[1]);
  Type* const wide = b_.getInt64Ty();
  Value* base = b_.getInt64(terms.constant);
  for (u32 n = 0; n < terms.count; ++n) {
    const WholeSlot* s = even(terms.bases[n]);
    Value* one = s && s->lanes == Lanes::Same
                     ? first_of(*s, 0)
                     : b_.CreateExtractElement(lanes_value(terms.bases[n], 8, 0, 8), u64{0});
    base = b_.CreateAdd(base, one);
  }
  const auto extended = [&](Value* v, Type* to) {
    return terms.index_signed ? b_.CreateSExt(v, to) : b_.CreateZExt(v, to);
  };
  const u64 scale = static_cast<u64>(int64_t{terms.scale});
  const WholeSlot* to = slot_of(i.src[0]);
  if (to && to->lanes != Lanes::Any) {
    Value* first[2] = {};
    for (int h = 0; h < 2; ++h) {
      const WholeSlot& index = *slot_of(i.src[1]);
      first[h] = b_.CreateAdd(base, b_.CreateMul(extended(first_of(index, h), wide), b_.getInt64(scale)));
    }
    set_even(*to, first[0], to->lanes == Lanes::Same ? first[0] : first[1]);
  } else {
    auto* type = FixedVectorType::get(wide, kHalf);
    for (unsigned l = 0; l < kLanes; l += kHalf) {
      Value* index = extended(lanes_value(i.src[1], 4, l, kHalf), type);
      Value* v = b_.CreateAdd(b_.CreateMul(index, b_.CreateVectorSplat(kHalf, b_.getInt64(scale))),
                              b_.CreateVectorSplat(kHalf, base));
      put_lanes(i.src[0], 8, l, v);
    }
  }
  b_.CreateBr(block(k + 1));
}

void Whole::branch(u32 k) {
  const Inst& i = unit_.code[k];
  const CompileStep& s = unit_.steps[k];
  Value* how = b_.CreatePtrToInt(inlined(k, i), b_.getInt64Ty());
  SwitchInst* ways = b_.CreateSwitch(how, leave_at(k));
  const auto onward = [&](Onward o) { return b_.getInt64(static_cast<u64>(o)); };
  if (!s.ends && k + 1 < unit_.count) ways->addCase(onward(Onward::Next), block(k + 1));
  ways->addCase(onward(Onward::Target), block(static_cast<u32>(i.aux->target - unit_.code)));
}

// ---- accesses ----

/// Where address 0 would lie on the host, of the piece of memory that holds all of an access, from its lowest
/// address to its highest one. Leaves if there is no such piece or `wrong` is not 0.
Value* Whole::located(u32 k, Value* low, Value* high, Value* wrong) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const wide = b_.getInt64Ty();
  go_if(b_.CreateICmpEQ(wrong, b_.getInt64(0)), k);
  if (key.where == AccessKey::Where::Shared) {
    // Addresses are distances from the beginning.
    Value* bytes = state_field(wide, offsetof(WholeState, shared_bytes));
    Value* end = b_.CreateAdd(high, b_.getInt64(key.bytes));
    // Below the smallest sum that could wrap around.
    Value* good = b_.CreateAnd(b_.CreateICmpULE(end, bytes), b_.CreateICmpULE(low, high));
    good = b_.CreateAnd(good, b_.CreateICmpULT(high, b_.getInt64(u64{1} << 32)));
    go_if(good, k);
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
  b_.CreateCondBr(found, on, leave_at(k));
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

void Whole::access(u32 k) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const wide = b_.getInt64Ty();
  if (i.guarded) {
    Value* mask = guard_of(i);
    BasicBlock* some = fresh();
    b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(0)), block(k + 1), some);
    b_.SetInsertPoint(some);
    go_if(b_.CreateICmpEQ(mask, b_.getInt32(kAllLanes)), k);
  }
  const WholeSlot* s = even(i.src[0]);
  const bool narrow = key.address_bytes == 4;
  const auto from_register = [&](Value* a, Type* type64) {
    // Constant offsets are added in the width of the address.
    Value* moved =
        b_.CreateAdd(a, ConstantInt::get(a->getType(), narrow ? u64{static_cast<u32>(i.imm)} : i.imm));
    return narrow ? b_.CreateZExt(moved, type64) : moved;
  };
  const auto least = [&](Value* a, Value* b) { return b_.CreateBinaryIntrinsic(Intrinsic::umin, a, b); };
  const auto most = [&](Value* a, Value* b) { return b_.CreateBinaryIntrinsic(Intrinsic::umax, a, b); };
  std::vector<Value*> places;  // one: of all lanes; two: of the first lane of each half-warp; or vectors
  Value *low = nullptr, *high = nullptr, *bits = nullptr;
  if (s && s->lane_bytes == 0) s = s->from == From::Constant ? s : nullptr;
  if (s && s->from == From::Constant) {
    Type* type = narrow ? b_.getInt32Ty() : wide;
    places = {from_register(b_.CreateLoad(type, in_view(1, s->offset)), wide)};
    low = high = bits = places[0];
  } else if (s && s->lane_bytes == key.address_bytes) {
    for (int h = 0; h < (s->lanes == Lanes::Same ? 1 : 2); ++h) {
      Value* first = from_register(first_of(*s, h), wide);
      places.push_back(first);
      Value* last = b_.CreateAdd(first, b_.getInt64(static_cast<u64>(int64_t{s->stride} * (kHalf - 1))));
      Value *below = s->stride < 0 ? last : first, *above = s->stride < 0 ? first : last;
      low = low ? least(low, below) : below;
      high = high ? most(high, above) : above;
      bits = bits ? b_.CreateOr(bits, first) : first;
      // Lanes that wrap around are not where this reckons they are.
      if (s->stride != 0) go_if(b_.CreateICmpULE(below, above), k);
    }
    bits = b_.CreateOr(bits, b_.getInt64(static_cast<u64>(int64_t{s->stride})));
  } else {
    auto* type = FixedVectorType::get(wide, kHalf);
    for (unsigned l = 0; l < kLanes; l += kHalf) {
      Value* v = nullptr;
      if (narrow) {
        v = from_register(lanes_value(i.src[0], 4, l, kHalf), type);
      } else {
        Value* parts[2] = {lanes_value(i.src[0], 8, l, 8), lanes_value(i.src[0], 8, l + 8, 8)};
        std::vector<int> all;
        for (int n = 0; n < static_cast<int>(kHalf); ++n) all.push_back(n);
        v = from_register(b_.CreateShuffleVector(parts[0], parts[1], all), type);
      }
      places.push_back(v);
    }
    Value* both[3] = {least(places[0], places[1]), most(places[0], places[1]),
                      b_.CreateOr(places[0], places[1])};
    low = b_.CreateIntMinReduce(both[0]);
    high = b_.CreateIntMaxReduce(both[1]);
    bits = b_.CreateOrReduce(both[2]);
  }
  Value* wrong = b_.CreateAnd(bits, b_.getInt64(key.bytes - 1u));
  Value* host = located(k, low, high, wrong);
  if (key.kind == AccessKey::Kind::Load)
    load(k, host, places);
  else
    store(k, host, places);
  b_.CreateBr(block(k + 1));
}

void Whole::load(u32 k, Value* host, const std::vector<Value*>& places) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const element = b_.getIntNTy(8 * key.bytes);
  const WholeSlot* to = slot_of(i.dst);
  const auto there = [&](Value* at_place) { return b_.CreateGEP(b_.getInt8Ty(), host, at_place); };
  const auto one = [&](Value* at_place) {
    return widened(b_.CreateAlignedLoad(element, there(at_place), Align(key.bytes)), key.register_bytes,
                   key.sign);
  };
  if (places.size() == 1) {
    Value* v = one(places[0]);
    if (to && to->lanes != Lanes::Any) {
      set_even(*to, v, v);
    } else {
      for (unsigned l = 0; l < kLanes; l += kHalf)
        put_lanes(i.dst, key.register_bytes, l, b_.CreateVectorSplat(kHalf, v));
    }
    return;
  }
  const bool vectors = places[0]->getType()->isVectorTy();
  const int32_t stride = vectors ? 0 : even(i.src[0])->stride;
  auto* row = FixedVectorType::get(element, kHalf);
  for (unsigned h = 0; h < 2; ++h) {
    Value* v = nullptr;
    if (!vectors && stride == 0) {
      v = b_.CreateVectorSplat(kHalf, one(places[h]));
    } else if (!vectors && stride == key.bytes) {
      v = b_.CreateAlignedLoad(row, there(places[h]), Align(key.bytes));
    } else if (key.bytes >= 4) {
      Value* at_lanes = nullptr;
      if (vectors) {
        at_lanes = b_.CreateGEP(b_.getInt8Ty(), host, places[h]);
      } else {
        std::vector<Constant*> steps;
        for (unsigned l = 0; l < kHalf; ++l)
          steps.push_back(b_.getInt32(static_cast<u32>(stride * static_cast<int32_t>(l))));
        at_lanes = b_.CreateGEP(b_.getInt8Ty(), there(places[h]), ConstantVector::get(steps));
      }
      v = b_.CreateMaskedGather(row, at_lanes, Align(key.bytes));
    } else {
      v = PoisonValue::get(row);
      for (unsigned l = 0; l < kHalf; ++l) {
        Value* lane = vectors ? b_.CreateExtractElement(places[h], u64{l})
                              : b_.CreateAdd(places[h], b_.getInt64(static_cast<u64>(int64_t{stride} * l)));
        v = b_.CreateInsertElement(v, b_.CreateAlignedLoad(element, there(lane), Align(key.bytes)), u64{l});
      }
    }
    v = v->getType()->getScalarSizeInBits() == 8 * key.register_bytes
            ? v
            : widened(v, key.register_bytes, key.sign);
    put_lanes(i.dst, key.register_bytes, h * kHalf, v);
  }
}

/// Where lanes store to one place the last one wins.
void Whole::store(u32 k, Value* host, const std::vector<Value*>& places) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const element = b_.getIntNTy(8 * key.bytes);
  const auto there = [&](Value* at_place) { return b_.CreateGEP(b_.getInt8Ty(), host, at_place); };
  const unsigned part = lanes_in_part(key.register_bytes);
  const auto lane_value = [&](unsigned l) {
    Value* v = b_.CreateExtractElement(lanes_value(i.src[1], key.register_bytes, l / part * part, part),
                                       u64{l % part});
    return b_.CreateZExtOrTrunc(v, element);
  };
  if (places.size() == 1) {
    b_.CreateAlignedStore(lane_value(kLanes - 1), there(places[0]), Align(key.bytes));
    return;
  }
  const bool vectors = places[0]->getType()->isVectorTy();
  const int32_t stride = vectors ? 0 : even(i.src[0])->stride;
  auto* row = FixedVectorType::get(element, kHalf);
  for (unsigned h = 0; h < 2; ++h) {
    if (!vectors && stride == 0) {
      b_.CreateAlignedStore(lane_value(h * kHalf + kHalf - 1), there(places[h]), Align(key.bytes));
      continue;
    }
    Value* v = nullptr;
    const unsigned count = std::min(part, kHalf);
    std::vector<int> all;
    for (int n = 0; n < static_cast<int>(kHalf); ++n) all.push_back(n);
    v = lanes_value(i.src[1], key.register_bytes, h * kHalf, count);
    if (count < kHalf)
      v = b_.CreateShuffleVector(v, lanes_value(i.src[1], key.register_bytes, h * kHalf + count, count), all);
    if (key.register_bytes != key.bytes) v = b_.CreateTrunc(v, row);
    if (!vectors && stride == key.bytes) {
      b_.CreateAlignedStore(v, there(places[h]), Align(key.bytes));
    } else if (key.bytes >= 4) {
      Value* at_lanes = nullptr;
      if (vectors) {
        at_lanes = b_.CreateGEP(b_.getInt8Ty(), host, places[h]);
      } else {
        std::vector<Constant*> steps;
        for (unsigned l = 0; l < kHalf; ++l)
          steps.push_back(b_.getInt32(static_cast<u32>(stride * static_cast<int32_t>(l))));
        at_lanes = b_.CreateGEP(b_.getInt8Ty(), there(places[h]), ConstantVector::get(steps));
      }
      b_.CreateMaskedScatter(v, at_lanes, Align(key.bytes));
    } else {
      for (unsigned l = 0; l < kHalf; ++l) {
        Value* lane = vectors ? b_.CreateExtractElement(places[h], u64{l})
                              : b_.CreateAdd(places[h], b_.getInt64(static_cast<u64>(int64_t{stride} * l)));
        b_.CreateAlignedStore(b_.CreateExtractElement(v, u64{l}), there(lane), Align(key.bytes));
      }
    }
  }
}

void Whole::step(u32 k) {
  const Inst& i = unit_.code[k];
  switch (unit_.steps[k].kind) {
    case Kind::Nothing:
      b_.CreateBr(block(k + 1));
      return;
    case Kind::Row:
      return row(k);
    case Kind::Sum:
      return sum(k);
    case Kind::Count:
      inlined(k, i);
      b_.CreateBr(block(k + 1));
      return;
    case Kind::Branch:
      return branch(k);
    case Kind::Access:
      return access(k);
    case Kind::End:
      if (i.guarded) {
        Value* mask = guard_of(i);
        BasicBlock* some = fresh();
        b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(0)), block(k + 1), some);
        b_.SetInsertPoint(some);
        go_if(b_.CreateICmpEQ(mask, b_.getInt32(kAllLanes)), k);
      }
      b_.CreateRet(ConstantPointerNull::get(pointer_));
      return;
    case Kind::Pause:
      block(k + 1);
      resumed_.push_back(k + 1);
      [[fallthrough]];
    case Kind::Other:
      b_.CreateBr(leave_at(k));
      return;
  }
}

void Whole::make() {
  find_live();
  // Two arguments more than it has: what handlers take for a warp whose frame holds first lanes alone.
  std::vector<Type*> types(6, pointer_);
  piece_ = Function::Create(FunctionType::get(pointer_, types, false), GlobalValue::ExternalLinkage,
                            kEntryName + std::string("0"), module_);
  like_model(piece_);
  piece_->addParamAttr(0, Attribute::NonNull);
  piece_->addParamAttr(0, Attribute::NoAlias);
  piece_->addParamAttr(1, Attribute::NoAlias);
  piece_->addParamAttr(3, Attribute::NoAlias);
  warp_ = piece_->getArg(0);
  here_ = piece_->getArg(2);
  state_ = piece_->getArg(3);
  entry_ = 0;
  mask_ = b_.getInt32(kAllLanes);
  b_.SetInsertPoint(BasicBlock::Create(context_, "", piece_));
  Function* own = module_.getFunction("ww_frame");
  if (!own) {
    own = Function::Create(FunctionType::get(pointer_, {pointer_}, false), GlobalValue::ExternalLinkage,
                           "ww_frame", module_);
    own->setDoesNotAccessMemory();
    own->setDoesNotThrow();
  }
  view_[0] = b_.CreateCall(own, {warp_});
  for (unsigned v = 1; v < kViews; ++v) view_[v] = b_.CreateCall(own, {piece_->getArg(3 + v)});
  frame_ = piece_->getArg(1);
  SwitchInst* begin = b_.CreateSwitch(state_field(b_.getInt32Ty(), offsetof(WholeState, resume)), fresh());
  b_.SetInsertPoint(begin->getDefaultDest());
  enter(0);
  b_.CreateBr(block(0));
  while (!waiting_.empty()) {
    const u32 k = waiting_.back();
    waiting_.pop_back();
    b_.SetInsertPoint(blocks_[k]);
    ++instructions;
    step(k);
  }
  for (u32 k : resumed_) {
    BasicBlock* there = fresh();
    b_.SetInsertPoint(there);
    enter(k);
    b_.CreateBr(block(k));
    begin->addCase(b_.getInt32(k), there);
  }
  pieces = 1;
}

void Whole::know_mask() {
  Function* mask = module_.getFunction("ww_mask");
  if (!mask) return;
  for (User* user : make_early_inc_range(mask->users())) {
    auto* call = dyn_cast<CallInst>(user);
    if (!call) continue;
    call->replaceAllUsesWith(b_.getInt32(kAllLanes));
    call->eraseFromParent();
  }
}

void Whole::place_slots() {
  Function* own = module_.getFunction("ww_frame");
  BasicBlock& first = piece_->getEntryBlock();
  std::map<std::pair<int, u32>, AllocaInst*> slots;
  // Where handlers put results to be blended (kScratch, kScratch2), and the slots.
  const auto memory_of = [&](int view, u64 offset, u64& rest) -> AllocaInst* {
    u32 start = 0, bytes = 0;
    if (offset < kFrameStart) {
      start = offset < kScratch2 ? kScratch : kScratch2;
      bytes = start == kScratch ? kScratch2 - kScratch : kFrameStart - kScratch2;
    } else {
      const WholeSlot* s = slot_of(static_cast<u32>(offset));
      if (!s) throw Failure{"an operand lies in no slot"};
      start = s->offset, bytes = s->bytes;
    }
    rest = offset - start;
    AllocaInst*& there = slots[{view, start}];
    if (!there) {
      IRBuilder<> begin(&first, first.begin());
      there = begin.CreateAlloca(ArrayType::get(begin.getInt8Ty(), (bytes + 63) / 64 * 64));
      there->setAlignment(Align(64));
    }
    return there;
  };
  const DataLayout& layout = module_.getDataLayout();
  std::vector<Instruction*> dead;
  for (User* user : own->users()) {
    auto* call = dyn_cast<CallInst>(user);
    if (!call || call->getFunction() != piece_) throw Failure{"a handler was not inlined"};
    int view = 0;
    for (unsigned v = 1; v < kViews; ++v)
      if (call->getArgOperand(0) == piece_->getArg(3 + v)) view = static_cast<int>(v);
    for (Use& use : make_early_inc_range(call->uses())) {
      auto* by = cast<Instruction>(use.getUser());
      APInt offset(64, 0);
      u64 rest = 0;
      if (auto* gep = dyn_cast<GetElementPtrInst>(by)) {
        if (!cast<GEPOperator>(gep)->accumulateConstantOffset(layout, offset))
          throw Failure{"an operand's place is not known"};
        AllocaInst* there = memory_of(view, offset.getZExtValue(), rest);
        IRBuilder<> here(gep);
        gep->replaceAllUsesWith(here.CreateConstInBoundsGEP1_64(here.getInt8Ty(), there, rest));
        dead.push_back(gep);
      } else {
        use.set(memory_of(view, 0, rest));
      }
    }
    dead.push_back(call);
  }
  for (Instruction* i : dead) i->eraseFromParent();
}

}  // namespace ww::engine
