// Whole-warp code: accesses of parted lanes that are few. Side by side their addresses are compared by
// reductions, and a gather or scatter takes about as long for one active lane as for all.
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

/// Up to so many lanes are done one by one: 1.6 ns and 0.7 for each lane, where two gathers of 16 words take
/// 10.6 (family 25, model 17, 2026-11-26), not counting the comparison of addresses.
constexpr u32 kFew = 8;

}  // namespace

/// Whether few lanes are to carry the access out one by one: they are parted, and nothing is known of their
/// addresses.
bool Whole::may_be_few(u32 k) {
  using Where = AccessKey::Where;
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  const CompileStep& step = unit_.steps[k];
  if (!parted_ || even(i.src[0]) || group_of(k) || step.two_pieces || step.noted) return false;
  if (key.where == Where::Shared && key.address_bytes != 4) return false;
  const WholeSlot* s = slot_of(i.src[0]);
  return s && s->lane_bytes == key.address_bytes;
}

/// The lanes' addresses, and how one becomes a place on the host.
Whole::FewPlaces Whole::few_places(u32 k) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const wide = b_.getInt64Ty();
  const u32 sum = key.address_bytes == 8 ? sum_before(k) : 0;
  FewPlaces out;
  out.bytes = u64{key.bytes} * key.elements;
  out.width = sum ? 4 : key.address_bytes;
  out.offset = b_.getIntN(8 * key.address_bytes, i.imm - static_cast<u64>(window_of(k)));
  if (sum) {
    out.terms = static_cast<const AddressSum*>(unit_.code[sum].aux->more);
    out.offset = b_.CreateAdd(base_of(*out.terms), out.offset);
  }
  if (!few_places_) few_places_ = own(FixedVectorType::get(wide, kLanes));
  const unsigned lanes = lanes_in_part(out.width);
  for (unsigned l = 0; l < kLanes; l += lanes)
    b_.CreateAlignedStore(lanes_value(sum ? unit_.code[sum].src[1] : i.src[0], out.width, l, lanes),
                          at(few_places_, u64{l} * out.width), Align(kPartBytes));
  if (unit_.steps[k].local) {
    const auto of_warp = [&](size_t member) {
      return b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), at(warp_, member)), wide);
    };
    out.lane_bytes = of_warp(offsetof(Warp, local_stride));
    out.end = of_warp(offsetof(Warp, local_bytes));
    out.host = b_.CreatePtrToInt(b_.CreateLoad(pointer_, at(warp_, offsetof(Warp, local))), wide);
    return out;
  }
  if (key.where == AccessKey::Where::Shared) {
    out.end = shared_bytes_;
    out.host = shared_;
    return out;
  }
  Value* site = site_of(k, SiteOf::Parted);
  const auto field = [&](u64 offset) { return b_.CreateLoad(wide, at(site, offset)); };
  out.base = field(offsetof(Site, base));
  out.begins = field(offsetof(Site, begins));
  out.host = field(offsetof(Site, shift));
  return out;
}

/// Where one lane's access happens; goes to `fails` unless that is known to be allowed (null: it is).
Value* Whole::few_place(const FewPlaces& places, Value* lane, BasicBlock* fails) {
  Type* const wide = b_.getInt64Ty();
  Type* const own = b_.getIntNTy(8 * places.width);
  Value* address = b_.CreateLoad(own, b_.CreateGEP(own, few_places_, lane));
  if (places.terms) {
    address = places.terms->index_signed ? b_.CreateSExt(address, wide) : b_.CreateZExt(address, wide);
    address = b_.CreateMul(address, b_.getInt64(static_cast<u64>(int64_t{places.terms->scale})));
  }
  address = b_.CreateZExt(b_.CreateAdd(address, places.offset), wide);
  if (fails) {
    Value* good = places.base
                      ? b_.CreateICmpULT(b_.CreateSub(address, places.base), places.begins)
                      : b_.CreateICmpULE(b_.CreateAdd(address, b_.getInt64(places.bytes)), places.end);
    if (places.lane_bytes)  // an address of 64 bits: the sum could wrap around
      good = b_.CreateAnd(good, b_.CreateICmpULT(address, places.end));
    if (places.bytes > 1)
      good = b_.CreateAnd(
          good, b_.CreateICmpEQ(b_.CreateAnd(address, b_.getInt64(places.bytes - 1)), b_.getInt64(0)));
    BasicBlock* on = fresh();
    likely(good, on, fails);
    b_.SetInsertPoint(on);
  }
  if (places.lane_bytes) address = b_.CreateAdd(address, b_.CreateMul(lane, places.lane_bytes));
  return b_.CreateAdd(address, places.host);
}

/// One lane of the mask after another: `each` is given its number and its bit. The values that go round begin
/// as `carried`, and `each` puts the next ones there.
void Whole::few_rounds(Value* mask, std::vector<Value*>& carried,
                       const std::function<void(Value* lane, Value* bit)>& each) {
  Type* const word = b_.getInt32Ty();
  BasicBlock *before = b_.GetInsertBlock(), *round = fresh(), *end = fresh();
  b_.CreateBr(round);
  b_.SetInsertPoint(round);
  PHINode* rest = b_.CreatePHI(word, 2);
  rest->addIncoming(mask, before);
  std::vector<PHINode*> phis;
  for (Value*& v : carried) {
    phis.push_back(b_.CreatePHI(v->getType(), 2));
    phis.back()->addIncoming(v, before);
    v = phis.back();
  }
  Value* lane = b_.CreateBinaryIntrinsic(Intrinsic::cttz, rest, b_.getInt1(true));
  each(b_.CreateZExt(lane, b_.getInt64Ty()), b_.CreateAnd(rest, b_.CreateNeg(rest)));
  Value* left = b_.CreateAnd(rest, b_.CreateSub(rest, b_.getInt32(1)));
  rest->addIncoming(left, b_.GetInsertBlock());
  for (size_t n = 0; n < phis.size(); ++n) phis[n]->addIncoming(carried[n], b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpEQ(left, b_.getInt32(0)), end, round);
  b_.SetInsertPoint(end);
}

/// The access if its lanes are few and plain; goes on where it is made for any.
void Whole::few(u32 k, Value* mask) {
  const Inst& i = unit_.code[k];
  const AccessKey key = moved(i.aux->access);
  const bool store = key.kind == AccessKey::Kind::Store;
  if (store && key.elements > 1) return;
  BasicBlock *some = fresh(), *many = fresh();
  b_.CreateCondBr(b_.CreateICmpULE(b_.CreateUnaryIntrinsic(Intrinsic::ctpop, mask), b_.getInt32(kFew)), some,
                  many);
  b_.SetInsertPoint(some);
  const FewPlaces places = few_places(k);
  Type* const element = b_.getIntNTy(8 * key.bytes);
  auto* row = FixedVectorType::get(element, kHalf);
  std::vector<Value*> carried;
  if (store) {
    if (!few_values_) few_values_ = own(FixedVectorType::get(b_.getInt64Ty(), kLanes));
    for (unsigned h = 0; h < 2; ++h)
      b_.CreateAlignedStore(stored_values(k, h)[0], at(few_values_, u64{h} * kHalf * key.bytes),
                            Align(kHalf * key.bytes));
    // Nothing is written unless all of it may be.
    few_rounds(mask, carried, [&](Value* lane, Value*) { (void)few_place(places, lane, many); });
    few_rounds(mask, carried, [&](Value* lane, Value*) {
      Value* v = b_.CreateLoad(element, b_.CreateGEP(element, few_values_, lane));
      Value* there = b_.CreateIntToPtr(few_place(places, lane, nullptr), pointer_);
      b_.CreateAlignedStore(v, there, Align(key.bytes));
    });
  } else {
    carried.assign(size_t{2} * key.elements, Constant::getNullValue(row));
    few_rounds(mask, carried, [&](Value* lane, Value* bit) {
      Value* there = few_place(places, lane, many);
      for (u32 n = 0; n < key.elements; ++n) {
        if (key.elements == i.aux->access.elements && element_of(i, n) == kSink) continue;
        Value* from = b_.CreateIntToPtr(further(there, int64_t{n} * key.bytes), pointer_);
        Value* v = b_.CreateVectorSplat(kHalf, b_.CreateAlignedLoad(element, from, Align(key.bytes)));
        for (unsigned h = 0; h < 2; ++h) {
          Value*& lanes = carried[2 * n + h];
          lanes = b_.CreateSelect(half_mask(bit, h), v, lanes);
        }
      }
    });
    put_loaded(k, carried, false, mask);
  }
  b_.CreateBr(to(k + 1));
  b_.SetInsertPoint(many);
}

}  // namespace ww::engine
