// Whole-warp code: counts where generic addresses land, as the interpreter's step for it does
// (interpret/tell.h).
#include "engine/compile/llvm/whole.h"
#include "engine/decode/program.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using From = WholeSlot::From;

namespace {

constexpr unsigned kWindowBits = 32, kStepBits = 8;  // of an address within a window; windows lie 2^40 apart
static_assert(u64{1} << kWindowBits == kWindowBytes && kSharedWindow == u64{1} << (kWindowBits + kStepBits) &&
              kLocalWindow == 2 * kSharedWindow && kConstWindow == 3 * kSharedWindow);
static_assert(kLandings[0] == ir::Space::Global && kLandings[1] == ir::Space::Shared &&
              kLandings[2] == ir::Space::Local && kLandings[3] == ir::Space::Const && kLandingCount == 4);

}  // namespace

void Whole::landings(u32 k) {
  const Inst& i = unit_.code[k];
  Type* const wide = b_.getInt64Ty();
  Value* mask = active_mask();
  if (i.guarded) {
    mask = b_.CreateAnd(mask, guard_of(i));
    BasicBlock* some = fresh();
    b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(0)), to(k + 1), some);
    b_.SetInsertPoint(some);
  }
  // The bits that any of the addresses has, and those that all of them have.
  Value *any = nullptr, *all = nullptr;
  const auto with = [&](Value* a, Value* b) {
    any = any ? b_.CreateOr(any, a) : a;
    all = all ? b_.CreateAnd(all, b) : b;
  };
  const WholeSlot* s = even(i.src[0]);
  if (s && s->from == From::Constant) {
    Value* address = further(b_.CreateLoad(wide, in_view(1, s->offset)), static_cast<int64_t>(i.imm));
    with(address, address);
  } else if (s && s->lane_bytes == 8) {
    // What lies between the first and the last of a row is where they are, if they are in one window.
    const unsigned firsts = firsts_of(*s);
    const u64 last = firsts == 1 ? kLanes - 1 : kHalf - 1;
    for (unsigned h = 0; h < firsts; ++h) {
      Value* first = further(first_of(*s, static_cast<int>(h)), static_cast<int64_t>(i.imm));
      with(first, first);
      if (s->stride == 0) continue;
      Value* end = further(first, int64_t{s->stride} * static_cast<int64_t>(last));
      with(end, end);
    }
  } else {
    const unsigned some = lanes_in_part(8);
    const bool whole = llvm::isa<ConstantInt>(mask);
    for (unsigned l = 0; l < kLanes; l += some) {
      Value* part = lanes_value(i.src[0], 8, l, some);
      part = b_.CreateAdd(part, ConstantInt::get(part->getType(), i.imm));
      if (whole) {
        with(part, part);
        continue;
      }
      Value* bits = b_.CreateTrunc(b_.CreateLShr(mask, l), b_.getIntNTy(some));
      bits = b_.CreateBitCast(bits, FixedVectorType::get(b_.getInt1Ty(), some));
      with(b_.CreateSelect(bits, part, Constant::getNullValue(part->getType())),
           b_.CreateSelect(bits, part, Constant::getAllOnesValue(part->getType())));
    }
    any = b_.CreateOrReduce(any), all = b_.CreateAndReduce(all);
  }
  Value *window = b_.CreateLShr(any, kWindowBits), *number = b_.CreateLShr(window, kStepBits);
  // Lanes that land in several, and parameters, are left to the interpreter.
  go_if(b_.CreateAnd(b_.CreateICmpEQ(window, b_.CreateLShr(all, kWindowBits)),
                     b_.CreateICmpNE(window, b_.getInt64(kParamWindow >> kWindowBits))),
        k);
  Value* counted =
      b_.CreateAnd(b_.CreateICmpEQ(b_.CreateAnd(window, (u64{1} << kStepBits) - 1), b_.getInt64(0)),
                   b_.CreateICmpULT(number, b_.getInt64(kLandingCount)));
  Value* which = b_.CreateSelect(counted, number, b_.getInt64(0));
  Value* lanes = b_.CreateZExt(b_.CreateUnaryIntrinsic(Intrinsic::ctpop, mask), wide);
  auto* const pair = FixedVectorType::get(wide, 2);
  Value* more = b_.CreateInsertElement(ConstantVector::getSplat(ElementCount::getFixed(2), b_.getInt64(1)),
                                       b_.CreateMul(lanes, b_.getInt64(unit_.steps[k].landed_bytes)), u64{1});
  Value* place = b_.CreateGEP(pair, at(executed_, u64{16} * unit_.steps[k].landed), which);
  b_.CreateAlignedStore(b_.CreateAdd(b_.CreateAlignedLoad(pair, place, Align(8)), more), place, Align(8));
  b_.CreateBr(to(k + 1));
}

}  // namespace ww::engine
