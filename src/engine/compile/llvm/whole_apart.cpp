// Whole-warp code: accesses of lanes that may lie anywhere. Often they lie in a row all the same, as in
// `a[x == 0 ? n - 1 : x - 1]`. And AVX2 has no scatter, and gathers no faster than lanes are loaded one by
// one.
#include <llvm/IR/InlineAsm.h>

#include "engine/compile/llvm/processor.h"
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

/// The same vector, of which LLVM and our own passes (scalars.h) do not see what it is made of or what
/// becomes of it: with elements that are put together or taken out one by one they would compute one by one.
Value* whole_again(IRBuilder<>& b, Value* v) {
  auto* type = cast<FixedVectorType>(v->getType());
  const unsigned count = type->getNumElements(), bits = count * type->getScalarSizeInBits();
  if (bits > processor::kVectorBits) {
    std::vector<int> low, high, both;
    for (unsigned l = 0; l < count; ++l) {
      (l < count / 2 ? low : high).push_back(static_cast<int>(l));
      both.push_back(static_cast<int>(l));
    }
    Value* first = whole_again(b, b.CreateShuffleVector(v, low));
    return b.CreateShuffleVector(first, whole_again(b, b.CreateShuffleVector(v, high)), both);
  }
  FunctionType* same = FunctionType::get(type, {type}, false);
  CallInst* call = b.CreateCall(same, InlineAsm::get(same, "", processor::kSameVector, false), {v});
  call->setDoesNotThrow();
  call->setDoesNotAccessMemory();
  return call;
}

}  // namespace

/// Whether gathers and scatters are to be made of accesses of single lanes.
bool Whole::one_by_one() const { return StringRef(unit_.target) != "avx512"; }

/// Goes to `row` if the lanes, all active, lie one element behind another, otherwise to `apart`.
void Whole::ask_for_row(const AccessKey& key, const Places& places, BasicBlock* row, BasicBlock* apart) {
  BasicBlock* maybe = fresh();
  Value* span = b_.CreateSub(places.high, places.low);
  b_.CreateCondBr(b_.CreateICmpEQ(span, b_.getInt64(u64{kLanes - 1} * key.bytes)), maybe, apart);
  b_.SetInsertPoint(maybe);
  Value* wrong = nullptr;
  for (unsigned h = 0; h < 2; ++h) {
    std::vector<Constant*> steps;
    for (unsigned l = 0; l < kHalf; ++l) steps.push_back(b_.getInt32((h * kHalf + l) * key.bytes));
    Value* other = b_.CreateXor(places.near[h], ConstantVector::get(steps));
    wrong = wrong ? b_.CreateOr(wrong, other) : other;
  }
  b_.CreateCondBr(b_.CreateICmpEQ(b_.CreateOrReduce(wrong), b_.getInt32(0)), row, apart);
}

/// The same places, of lanes that ask_for_row() found in a row.
Whole::Places Whole::in_row(const AccessKey& key, const Places& places) {
  Places out = places;
  out.kind = Places::Kind::Rows;
  out.stride = key.bytes;
  for (unsigned h = 0; h < 2; ++h) {
    out.first[h] = further(places.low, int64_t{h} * kHalf * key.bytes);
    out.distance[h] = out.near[h] = nullptr;
  }
  return out;
}

/// For several accesses by these distances.
void Whole::store_near(Places& places) {
  for (unsigned h = 0; h < 2 && places.near[h]; ++h) {
    places.stored[h] = own(places.near[h]->getType());
    b_.CreateAlignedStore(places.near[h], places.stored[h], Align(kPartBytes));
  }
}

/// Pointers to places so far behind `base` (null: to those addresses), of which LLVM does not see that they
/// come from a vector: to take 32 numbers out of vectors takes twice as long as to read them in memory, which
/// may hold them already.
std::vector<Value*> Whole::taken_out(Value* lanes, Value* base, Value* memory) {
  Type *const byte = b_.getInt8Ty(), *const wide = b_.getInt64Ty();
  Type* const own_type = cast<FixedVectorType>(lanes->getType())->getElementType();
  if (!memory) {
    if (!each_place_) each_place_ = own(FixedVectorType::get(wide, kHalf));
    b_.CreateAlignedStore(lanes, memory = each_place_, Align(kPartBytes));
  }
  std::vector<Value*> out;
  for (unsigned l = 0; l < kHalf; ++l) {
    Value* lane = b_.CreateLoad(own_type, at(memory, u64{l} * own_type->getIntegerBitWidth() / 8), true);
    out.push_back(base ? b_.CreateGEP(byte, base, b_.CreateZExt(lane, wide))
                       : b_.CreateIntToPtr(lane, pointer_));
  }
  return out;
}

/// Where each lane of a half-warp lies on the host, `offset` behind where the lanes begin. Lanes that are not
/// in the mask (null: all are) are at `nowhere`, or (null) where one does that is in it.
std::vector<Value*> Whole::each_place(const Places& places, Value* host, unsigned half, u64 offset,
                                      Value* mask, Value* nowhere) {
  Type* const byte = b_.getInt8Ty();
  const bool apart = places.distance[half] != nullptr;
  Value* base = b_.CreateAdd(host, apart ? places.low : places.first[half]);
  if (offset) base = b_.CreateAdd(base, b_.getInt64(offset));
  std::vector<Value*> out;
  if (!apart && !mask) {
    Value* first = b_.CreateIntToPtr(base, pointer_);
    for (unsigned l = 0; l < kHalf; ++l)
      out.push_back(b_.CreateGEP(byte, first, b_.getInt64(static_cast<u64>(places.stride * l))));
    return out;
  }
  if (places.single && !mask) {
    Value* all = pointers(places, host, half, offset);
    for (unsigned l = 0; l < kHalf; ++l) out.push_back(b_.CreateExtractElement(all, u64{l}));
    return out;
  }
  Value* lanes = nowhere || !places.near[half] ? places.distance[half] : places.near[half];
  if (!apart) {
    std::vector<Constant*> steps;
    for (unsigned l = 0; l < kHalf; ++l) steps.push_back(b_.getInt64(static_cast<u64>(places.stride * l)));
    lanes = ConstantVector::get(steps);
  }
  auto* type = cast<FixedVectorType>(lanes->getType());
  if (nowhere) lanes = b_.CreateAdd(lanes, b_.CreateVectorSplat(kHalf, base));
  if (mask) {
    Value* instead = nowhere ? nowhere
                     : apart ? ConstantInt::get(type->getElementType(), 0)
                             : b_.CreateSub(places.low, places.first[half]);
    lanes = b_.CreateSelect(half_mask(mask, half), lanes, b_.CreateVectorSplat(kHalf, instead));
  }
  if (nowhere) return taken_out(lanes, nullptr);
  return taken_out(lanes, b_.CreateIntToPtr(base, pointer_), mask ? nullptr : places.stored[half]);
}

/// An element for each lane of a half-warp; any value in lanes that are not in the mask.
Value* Whole::load_each(const AccessKey& key, unsigned half, Value* host, const Places& places, Value* mask,
                        u64 offset) {
  return load_from(each_place(places, host, half, offset, mask, nullptr), key.bytes);
}

Value* Whole::load_from(const std::vector<Value*>& there, unsigned bytes) {
  Type* const element = b_.getIntNTy(8 * bytes);
  Value* v = PoisonValue::get(FixedVectorType::get(element, kHalf));
  for (unsigned l = 0; l < kHalf; ++l)
    v = b_.CreateInsertElement(v, b_.CreateAlignedLoad(element, there[l], Align(bytes)), u64{l});
  return whole_again(b_, v);
}

/// An element from each address; any value in lanes that are not in the mask (null: all are).
Value* Whole::gather(Value* addresses, unsigned bytes, Value* mask, unsigned half) {
  if (one_by_one()) {
    if (mask) {
      Value* nowhere = b_.CreatePtrToInt(own(b_.getInt64Ty()), b_.getInt64Ty());
      addresses = b_.CreateSelect(half_mask(mask, half), addresses, b_.CreateVectorSplat(kHalf, nowhere));
    }
    return load_from(taken_out(addresses, nullptr), bytes);
  }
  auto* row = FixedVectorType::get(b_.getIntNTy(8 * bytes), kHalf);
  Value* these =
      mask ? half_mask(mask, half) : Constant::getAllOnesValue(FixedVectorType::get(b_.getInt1Ty(), kHalf));
  return b_.CreateMaskedGather(row, b_.CreateIntToPtr(addresses, FixedVectorType::get(pointer_, kHalf)),
                               Align(bytes), these, Constant::getNullValue(row));
}

/// A row of bytes or of 16 bits, in the lanes of the mask, which AVX2 cannot load by a mask. Bytes of lanes
/// that are not active are loaded, too, where they lie in one page with those of lanes that are.
Value* Whole::load_narrow_row(const AccessKey& key, unsigned half, Value* host, const Places& places,
                              Value* mask, u64 offset) {
  Type* const wide = b_.getInt64Ty();
  auto* row = FixedVectorType::get(b_.getIntNTy(8 * key.bytes), kHalf);
  constexpr u64 kPage = 4096;
  const Align align(key.bytes);
  BasicBlock *whole = fresh(), *each = fresh(), *both = fresh();
  Value* first = b_.CreateAdd(host, further(places.first[half], static_cast<int64_t>(offset)));
  Value* none = b_.CreateNot(b_.CreateOrReduce(half_mask(mask, half)));
  first = b_.CreateSelect(none, b_.CreatePtrToInt(own(row), wide), first);
  Value* in_page = b_.CreateAnd(first, b_.getInt64(kPage - 1));
  b_.CreateCondBr(b_.CreateICmpULE(in_page, b_.getInt64(kPage - u64{kHalf} * key.bytes)), whole, each);
  b_.SetInsertPoint(whole);
  Value* of_row = b_.CreateAlignedLoad(row, b_.CreateIntToPtr(first, pointer_), align);
  b_.CreateBr(both);
  b_.SetInsertPoint(each);
  Value* of_each = load_each(key, half, host, places, mask, offset);
  b_.CreateBr(both);
  b_.SetInsertPoint(both);
  PHINode* either = b_.CreatePHI(row, 2);
  either->addIncoming(of_row, whole);
  either->addIncoming(of_each, each);
  return either;
}

/// One lane behind another: where several store to one place the last one wins.
void Whole::store_each(Value* v, const AccessKey& key, unsigned half, Value* host, const Places& places,
                       Value* mask, u64 offset) {
  Value* nowhere = mask ? b_.CreatePtrToInt(own(b_.getInt64Ty()), b_.getInt64Ty()) : nullptr;
  const std::vector<Value*> there = each_place(places, host, half, offset, mask, nowhere);
  v = whole_again(b_, v);
  for (unsigned l = 0; l < kHalf; ++l)
    b_.CreateAlignedStore(b_.CreateExtractElement(v, u64{l}), there[l], Align(key.bytes));
}

}  // namespace ww::engine
