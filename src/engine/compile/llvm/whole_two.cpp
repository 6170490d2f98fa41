// Whole-warp code: loads whose lanes lie in two pieces of memory, such as `which ? a[i] : b[j]`.
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

/// Where not all lanes lie in the piece of memory that the load found last: takes those that do from there
/// and the others from a second one; pieces are looked for only if these two do not hold all lanes. Goes on
/// at `two_.one` with the first piece if that holds all lanes after all.
void Whole::load_from_two(u32 k, const Places& places, Value* mask) {
  IRBuilderBase::InsertPointGuard guard(b_);
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const wide = b_.getInt64Ty();
  auto* const addresses = FixedVectorType::get(wide, kHalf);
  b_.SetInsertPoint(two_.begins);
  Value* sites[2] = {site_of(k, parted_ ? SiteOf::Parted : SiteOf::Together), site_of(k, SiteOf::Second)};
  const auto find_one = [&](unsigned which, Value* low, Value* high, BasicBlock* found,
                            BasicBlock* not_found) {
    Value* last = b_.CreateAdd(high, b_.getInt64(places.bytes - 1));
    b_.CreateCondBr(find_site(k, sites[which], low, last, places.bytes), found, not_found);
  };
  Value* lanes[2];  // where each begins
  for (unsigned h = 0; h < 2; ++h)
    lanes[h] = b_.CreateAdd(b_.CreateVectorSplat(kHalf, places.low), places.distance[h]);
  BasicBlock *tries = fresh(), *both = fresh(), *neither = fresh(), *split = fresh(), *rest = fresh();
  b_.CreateBr(tries);

  b_.SetInsertPoint(tries);
  Value *in[2][2], *shift[2];  // by piece and half
  for (unsigned p = 0; p < 2; ++p) {
    const auto field = [&](u64 offset) { return b_.CreateLoad(wide, at(sites[p], offset)); };
    Value* base = b_.CreateVectorSplat(kHalf, field(offsetof(Site, base)));
    Value* begins = b_.CreateVectorSplat(kHalf, field(offsetof(Site, begins)));
    shift[p] = b_.CreateVectorSplat(kHalf, field(offsetof(Site, shift)));
    for (unsigned h = 0; h < 2; ++h) in[p][h] = b_.CreateICmpULT(b_.CreateSub(lanes[h], base), begins);
  }
  Value* missing = nullptr;
  for (unsigned h = 0; h < 2; ++h) {
    Value* none = b_.CreateNot(b_.CreateOr(in[0][h], in[1][h]));
    if (mask) none = b_.CreateAnd(none, half_mask(mask, h));
    missing = missing ? b_.CreateOr(missing, none) : none;
  }
  b_.CreateCondBr(b_.CreateOrReduce(missing), neither, both);

  b_.SetInsertPoint(both);
  Value* blend = i.guarded || kept(k, i.dst) ? mask : nullptr;
  for (unsigned h = 0; h < 2; ++h) {
    Value* on_host = b_.CreateAdd(lanes[h], b_.CreateSelect(in[0][h], shift[0], shift[1]));
    Value* v = gather(on_host, key.bytes, mask, h);
    if (i.dst != kSink)
      put_lanes(i.dst, key.register_bytes, h * kHalf, widened(v, key.register_bytes, key.sign), blend);
  }
  b_.CreateBr(to(k + 1));

  // All lanes in one piece, or the lowest one's, and one that holds all others.
  b_.SetInsertPoint(neither);
  find_one(0, places.low, places.high, two_.one, split);
  b_.SetInsertPoint(split);
  find_one(0, places.low, places.low, rest, leave_at(places.leave));
  b_.SetInsertPoint(rest);
  Value* base = b_.CreateVectorSplat(kHalf, b_.CreateLoad(wide, at(sites[0], offsetof(Site, base))));
  Value* begins = b_.CreateVectorSplat(kHalf, b_.CreateLoad(wide, at(sites[0], offsetof(Site, begins))));
  Value *low = nullptr, *high = nullptr;
  for (unsigned h = 0; h < 2; ++h) {
    Value* other = b_.CreateNot(b_.CreateICmpULT(b_.CreateSub(lanes[h], base), begins));
    if (mask) other = b_.CreateAnd(other, half_mask(mask, h));
    Value* lowest = b_.CreateSelect(other, lanes[h], Constant::getAllOnesValue(addresses));
    Value* highest = b_.CreateSelect(other, lanes[h], Constant::getNullValue(addresses));
    low = low ? b_.CreateBinaryIntrinsic(Intrinsic::umin, low, lowest) : lowest;
    high = high ? b_.CreateBinaryIntrinsic(Intrinsic::umax, high, highest) : highest;
  }
  find_one(1, b_.CreateIntMinReduce(low, false), b_.CreateIntMaxReduce(high, false), tries,
           leave_at(places.leave));
}

}  // namespace ww::engine
