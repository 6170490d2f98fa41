// Whole-warp code: the memory that holds a slot's lanes, and what follows from one or two of them.
#include <algorithm>
#include <cstring>

#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using From = WholeSlot::From;
using Lanes = WholeSlot::Lanes;

const WholeSlot* Whole::slot_of(u32 offset) const {
  const WholeSlot* end = unit_.slots + unit_.slot_count;
  const WholeSlot* after =
      std::upper_bound(unit_.slots, end, offset, [](u32 at, const WholeSlot& s) { return at < s.offset; });
  if (after == unit_.slots) return nullptr;
  const WholeSlot* s = after - 1;
  return offset - s->offset < s->bytes ? s : nullptr;
}
/// What is known of the slot's lanes here.
Lanes Whole::lanes_of(const WholeSlot& s) const { return parted_ && s.uneven ? Lanes::Any : s.lanes; }

/// The slot, if its lanes follow from one or two of them.
const WholeSlot* Whole::even(u32 offset) const {
  const WholeSlot* s = slot_of(offset);
  return s && lanes_of(*s) != Lanes::Any ? s : nullptr;
}

/// Memory of the code's own.
Value* Whole::own(Type* type) {
  IRBuilder<> front(&piece_->getEntryBlock(), piece_->getEntryBlock().begin());
  return front.CreateAlloca(type);
}

Value* Whole::in_view(int view, u32 offset) { return at(view_[view], offset); }

/// How many lanes say what is in all of them: lane 0, or that of each half-warp.
unsigned Whole::firsts_of(const WholeSlot& s) const { return lanes_of(s) == Lanes::Even ? 2 : 1; }

/// Lane 16, of a slot whose lane 0 says what it is.
Value* Whole::behind(const WholeSlot& s, Value* first) {
  if (s.stride == 0) return first;
  return b_.CreateAdd(first,
                      ConstantInt::get(first->getType(), static_cast<u64>(int64_t{s.stride} * kHalf), true));
}

/// Lane 0 of a half-warp, of a slot with a pattern.
Value* Whole::first_of(const WholeSlot& s, int half) {
  if (half && firsts_of(s) == 1) return behind(s, first_of(s, 0));
  const int view = 1 + half;
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

/// The slot's lanes all follow from lane 0.
void Whole::set_from(const WholeSlot& s, Value* first) { set_even(s, first, behind(s, first)); }

/// After handlers computed the first lanes.
void Whole::rebuild(const WholeSlot& s) {
  Value* low = first_of(s, 0);
  if (s.lane_bytes == 0) {
    low = b_.CreateSExt(b_.CreateTrunc(low, b_.getInt1Ty()), b_.getInt32Ty());
    set_even(s, low, low);
    return;
  }
  set_even(s, low, first_of(s, 1));
}

/// Goes to `fails` unless the slot's lanes have the pattern that is expected of them now.
void Whole::even_again(const WholeSlot& s, BasicBlock* fails) {
  const auto go_if = [&](Value* good) {
    BasicBlock* on = fresh();
    likely(good, on, fails);
    b_.SetInsertPoint(on);
  };
  if (s.lane_bytes == 0) {
    Value* lanes = b_.CreateLoad(b_.getInt32Ty(), in_view(0, s.offset));
    Value* first = b_.CreateAShr(b_.CreateShl(lanes, 31), 31);
    Value* differs = b_.CreateAnd(b_.CreateXor(first, lanes), present_);
    go_if(b_.CreateICmpEQ(differs, b_.getInt32(0)));
    set_even(s, first, first);
    return;
  }
  const unsigned lanes = lanes_in_part(s.lane_bytes);
  Value* first[2];
  for (unsigned h = 0; h < 2; ++h)
    first[h] = h && s.lanes != Lanes::Even
                   ? behind(s, first[0])
                   : b_.CreateExtractElement(
                         lanes_value(s.offset, s.lane_bytes, h * kHalf, std::min(lanes, kHalf)), u64{0});
  Value* differs = nullptr;
  for (unsigned l = 0; l < kLanes; l += std::min(lanes, kHalf)) {
    const unsigned some = std::min(lanes, kHalf);
    Value* d = b_.CreateXor(lanes_value(s.offset, s.lane_bytes, l, some),
                            vector_of(s, first[l >= kHalf], some, l % kHalf));
    d = of_present(d, l);
    differs = differs ? b_.CreateOr(differs, d) : d;
  }
  Value* any = b_.CreateOrReduce(differs);
  go_if(b_.CreateICmpEQ(any, Constant::getNullValue(any->getType())));
  set_even(s, first[0], first[1]);
}

Value* Whole::lanes_value(u32 offset, unsigned lane_bytes, unsigned from, unsigned count) {
  auto* type = FixedVectorType::get(b_.getIntNTy(8 * lane_bytes), count);
  return b_.CreateAlignedLoad(type, in_view(0, offset + from * lane_bytes), Align(4));
}
/// Lanes of the slot as others may see them (WholeSlot::any_nan).
Value* Whole::canonical(const WholeSlot& s, Value* v) {
  if (!s.any_nan) return v;
  auto* numbers =
      FixedVectorType::get(b_.getFloatTy(), cast<FixedVectorType>(v->getType())->getNumElements());
  Value* number = b_.CreateBitCast(v, numbers);
  Value* is_nan = b_.CreateFCmpUNO(number, number);
  return b_.CreateSelect(is_nan, ConstantInt::get(v->getType(), 0x7fffffff), v);
}
/// With a mask: in these lanes alone, the others keep what they have.
void Whole::put_lanes(u32 offset, unsigned lane_bytes, unsigned from, Value* v, Value* mask) {
  if (mask) {
    auto* type = cast<FixedVectorType>(v->getType());
    Value* before = PoisonValue::get(type);
    const unsigned part = std::min(lanes_in_part(lane_bytes), kHalf);
    for (unsigned l = 0; l < kHalf; l += part) {
      Value* some = lanes_value(offset, lane_bytes, from + l, part);
      std::vector<int> grown, merged;
      for (unsigned n = 0; n < kHalf; ++n) {
        grown.push_back(n < part ? static_cast<int>(n) : -1);
        merged.push_back(static_cast<int>(n >= l && n < l + part ? kHalf + n - l : n));
      }
      before = b_.CreateShuffleVector(before, b_.CreateShuffleVector(some, grown), merged);
    }
    v = b_.CreateSelect(half_mask(mask, from / kHalf), v, before);
  }
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
  for (u32 n = 0; n < unit_.slot_count; ++n) {
    const WholeSlot& s = unit_.slots[n];
    if (!live_[k][n] || is_common(n)) continue;
    if (k != 0 || s.from != From::Code)
      enter_slot(s);
    else if (s.unset)
      clear_slot(s);
  }
}

void Whole::clear_slot(const WholeSlot& s) {
  if (lanes_of(s) != Lanes::Any) {
    Value* zero = b_.getIntN(s.lane_bytes ? 8 * s.lane_bytes : 32, 0);
    return set_even(s, zero, zero);
  }
  for (u32 from = 0; from < (s.lane_bytes ? s.lane_bytes * kLanes : 4); from += 4)
    b_.CreateAlignedStore(b_.getInt32(0), in_view(0, s.offset + from), Align(4));
}

/// Vectors of 64 bytes where there are so many, then words.
void Whole::parts(unsigned bytes, const std::function<void(unsigned from, unsigned some)>& each) {
  for (unsigned from = 0; from < bytes;) {
    const unsigned some = bytes - from >= kPartBytes ? kPartBytes : 4;
    each(from, some);
    from += some;
  }
}

/// All lanes of the slot as they are in the frame, whatever pattern they have.
void Whole::enter_lanes(const WholeSlot& s) {
  parts(s.lane_bytes ? s.lane_bytes * kLanes : 4, [&](unsigned from, unsigned some) {
    Type* const word = b_.getInt32Ty();
    Type* type = some == 4 ? word : FixedVectorType::get(word, some / 4);
    b_.CreateAlignedStore(b_.CreateAlignedLoad(type, at(frame_, s.offset + from), Align(4)),
                          in_view(0, s.offset + from), Align(4));
  });
}

void Whole::enter_slot(const WholeSlot& s) {
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
  } else if (lanes_of(s) == Lanes::Any) {
    enter_lanes(s);
  } else {
    Type* lane = s.lane_bytes ? b_.getIntNTy(8 * s.lane_bytes) : word;
    Value* low = b_.CreateLoad(lane, at(frame_, s.offset));
    if (firsts_of(s) == 1) return set_from(s, low);
    set_even(s, low, s.alike ? low : b_.CreateLoad(lane, at(frame_, s.offset + kHalf * s.lane_bytes)));
  }
}

}  // namespace ww::engine
