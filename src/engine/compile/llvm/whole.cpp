#include "engine/compile/llvm/whole.h"

#include <llvm/IR/IntrinsicInst.h>

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using From = WholeSlot::From;
using Lanes = WholeSlot::Lanes;
using Kind = CompileStep::Kind;

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
  if (how == Extends::No || how == Extends::Verify || !s || lanes_of(*s) == Lanes::Any || s->stride == 0)
    return;
  const int64_t span = int64_t{s->stride} * (kLanes / firsts_of(*s) - 1);
  Type* const type = b_.getInt64Ty();
  for (unsigned h = 0; h < firsts_of(*s); ++h) {
    Value* first = first_of(*s, static_cast<int>(h));
    first = how == Extends::Signed ? b_.CreateSExt(first, type) : b_.CreateZExt(first, type);
    Value* last = b_.CreateAdd(first, ConstantInt::get(type, static_cast<u64>(span), true));
    Value* again = how == Extends::Signed ? b_.CreateSExt(b_.CreateTrunc(last, b_.getInt32Ty()), type)
                                          : b_.CreateZExt(b_.CreateTrunc(last, b_.getInt32Ty()), type);
    go_if(b_.CreateICmpEQ(last, again), k);
  }
}

Inst Whole::row_of(u32 k) const {
  Inst i = unit_.code[k];
  const WholeSlot* result = i.dst >= kFrameStart ? slot_of(i.dst) : nullptr;
  i.any_nan = result && result->any_nan;
  return i;
}

Value* Whole::inlined(u32 k, const Inst& i, Value* warp) {
  if (!warp && by_call(k, i)) return nullptr;
  return Pieces::inlined(k, i, warp);
}

void Whole::row(u32 k) {
  const Inst i = row_of(k);
  check_extends(k, i.src[0]);
  // (The carry flags of lanes that wait are theirs.)
  const bool carries = parted_ && unit_.steps[k].carries;
  if (way(k).blended || carries || kept(k, i.dst) || (i.dst2_used && kept(k, i.dst2))) {
    mask_ = active_mask();
    std::swap(frame_, view_[0]);  // it works on what handlers take for the frame
    guarded(k, i);
    std::swap(frame_, view_[0]);
  } else if (const WholeSlot* into = even(i.dst);
             into && unit_.steps[k].extends == CompileStep::Extends::Verify) {
    verified(k, *into);
  } else if (into) {
    for (unsigned h = 0; h < firsts_of(*into); ++h) inlined(k, i, piece_->getArg(4 + h));
    rebuild(*into);
  } else {
    inlined(k, i);
  }
  b_.CreateBr(to(k + 1));
}

/// As a row whose result is even, if it is.
void Whole::verified(u32 k, const WholeSlot& to) {
  Inst i = unit_.code[k];
  i.dst = kScratch;
  WholeSlot result = to;
  result.offset = kScratch;
  inlined(k, i);
  Value* first[2];
  for (unsigned h = 0; h < 2; ++h) {
    if (h < firsts_of(to)) inlined(k, i, piece_->getArg(4 + h));
    first[h] = first_of(result, static_cast<int>(h));
  }
  Value* wrong = nullptr;
  const unsigned lanes = lanes_in_part(to.lane_bytes);
  for (unsigned l = 0; l < kLanes; l += lanes) {
    Value* differs = b_.CreateXor(lanes_value(kScratch, to.lane_bytes, l, lanes),
                                  vector_of(to, first[l >= kHalf], lanes, l % kHalf));
    differs = of_present(differs, l);
    wrong = wrong ? b_.CreateOr(wrong, differs) : differs;
  }
  Value* any = b_.CreateOrReduce(wrong);
  go_if(b_.CreateICmpEQ(any, Constant::getNullValue(any->getType())), k);
  set_even(to, first[0], first[1]);
}

/// What all lanes' addresses have in common.
Value* Whole::base_of(const AddressSum& terms) {
  Value* base = b_.getInt64(terms.constant);
  for (u32 n = 0; n < terms.count; ++n) {
    const WholeSlot* s = even(terms.bases[n]);
    Value* one = s && lanes_of(*s) == Lanes::Same
                     ? first_of(*s, 0)
                     : b_.CreateExtractElement(lanes_value(terms.bases[n], 8, 0, 8), u64{0});
    base = b_.CreateAdd(base, one);
  }
  return base;
}

/// An address that is constant + Σ bases + scale · index.
void Whole::sum(u32 k) {
  const Inst& i = unit_.code[k];
  const AddressSum& terms = *static_cast<const AddressSum*>(i.aux->more);
  check_extends(k, i.src[1]);
  Type* const wide = b_.getInt64Ty();
  Value* base = base_of(terms);
  const auto extended = [&](Value* v, Type* to) {
    return terms.index_signed ? b_.CreateSExt(v, to) : b_.CreateZExt(v, to);
  };
  const u64 scale = static_cast<u64>(int64_t{terms.scale});
  const WholeSlot* into = slot_of(i.src[0]);
  if (into && lanes_of(*into) != Lanes::Any) {
    const auto first = [&](int half) {
      const WholeSlot& index = *slot_of(i.src[1]);
      return b_.CreateAdd(base, b_.CreateMul(extended(first_of(index, half), wide), b_.getInt64(scale)));
    };
    firsts_of(*into) == 1 ? set_from(*into, first(0)) : set_even(*into, first(0), first(1));
  } else {
    auto* type = FixedVectorType::get(wide, kHalf);
    for (unsigned l = 0; l < kLanes; l += kHalf) {
      Value* index = extended(lanes_value(i.src[1], 4, l, kHalf), type);
      Value* v = b_.CreateAdd(b_.CreateMul(index, b_.CreateVectorSplat(kHalf, b_.getInt64(scale))),
                              b_.CreateVectorSplat(kHalf, base));
      put_lanes(i.src[0], 8, l, v, kept(k, i.src[0]) ? active_mask() : nullptr);
    }
  }
  b_.CreateBr(to(k + 1));
}

/// Adds one warp execution and the active lanes to a counter.
void Whole::count(u32 k) {
  const Inst& i = unit_.code[k];
  Value* lanes = active_mask();
  if (i.guarded) {
    lanes = b_.CreateAnd(lanes, guard_of(i));
    BasicBlock* some = fresh();
    b_.CreateCondBr(b_.CreateICmpEQ(lanes, b_.getInt32(0)), to(k + 1), some);
    b_.SetInsertPoint(some);
  }
  Type* const wide = b_.getInt64Ty();
  if (const auto* known = dyn_cast<ConstantInt>(lanes)) {
    // Both numbers by one store: kernels whose threads do little would wait for two.
    auto* const pair = FixedVectorType::get(wide, 2);
    Constant* more = ConstantDataVector::get(
        b_.getContext(), ArrayRef<u64>{1, static_cast<u64>(std::popcount(known->getZExtValue()))});
    Value* place = at(executed_, 16 * i.imm);
    b_.CreateAlignedStore(b_.CreateAdd(b_.CreateAlignedLoad(pair, place, Align(8)), more), place, Align(8));
  } else {
    count_more(16 * i.imm, b_.getInt64(1));
    count_more(16 * i.imm + 8, b_.CreateZExt(b_.CreateUnaryIntrinsic(Intrinsic::ctpop, lanes), wide));
  }
  b_.CreateBr(to(k + 1));
}

/// Adds a u64 to one of the warp's counters, so many bytes from the first.
void Whole::count_more(u64 offset, Value* v) {
  Value* place = at(executed_, offset);
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), place), v), place);
}

void Whole::step(u32 k) {
  const Inst& i = unit_.code[k];
  switch (unit_.steps[k].kind) {
    case Kind::Nothing:
      b_.CreateBr(to(k + 1));
      return;
    case Kind::Row:
      if (unit_.steps[k].directed == CompileStep::Directed::No) return row(k);
      return unit_.steps[k].directed <= CompileStep::Directed::Fused ? directed(k) : directed_halves(k);
    case Kind::Native:
      if (unit_.steps[k].product != CompileStep::Product::No) return product(k);
      if (unit_.steps[k].landed_bytes) return landings(k);
      if (unit_.steps[k].collective == CompileStep::Collective::Pack) return pack(k);
      if (!parted_ && unit_.steps[k].collective != CompileStep::Collective::None &&
          !(unit_.asks && unit_.lacking))
        return collective(k);
      return native(k);  // (lanes that a mask names and that are not there are of interest to checks)
    case Kind::Sum:
      return sum(k);
    case Kind::Count:
      return count(k);
    case Kind::Branch:
      return branch(k);
    case Kind::Access:
      return access(k);
    case Kind::End:
      if (parted_) {
        if (i.guarded) {
          b_.CreateBr(leave_at(k));
          return;
        }
        BasicBlock* all = fresh();
        b_.CreateCondBr(none_has_parted(), all, leave_at(k));
        b_.SetInsertPoint(all);
        end_turn(0, ConstantPointerNull::get(pointer_));
        return;
      }
      if (i.guarded) {
        Value* mask = b_.CreateAnd(guard_of(i), present_);
        BasicBlock* some = fresh();
        b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(0)), to(k + 1), some);
        b_.SetInsertPoint(some);
        go_if(b_.CreateICmpEQ(mask, present_), k);
      }
      end_turn(0, ConstantPointerNull::get(pointer_));
      return;
    case Kind::Pause:
      if (!parted_ && !unit_.again) {
        block(k + 1);
        resumed_.push_back(k + 1);
      }
      if (parted_) {
        BasicBlock* all = fresh();
        b_.CreateCondBr(none_has_parted(), all, leave_at(k));
        b_.SetInsertPoint(all);
        go_on_together(k, leave_at(k));
        return;
      }
      [[fallthrough]];
    case Kind::Other:
      b_.CreateBr(leave_at(k));
      return;
  }
}

void Whole::make() {
  live_ = LiveSlots(unit_.code, unit_.steps, unit_.count, unit_.operands, unit_.slots, unit_.slot_count);
  newer_ = NewerSlots(unit_.code, unit_.steps, unit_.count, unit_.operands, unit_.slots, unit_.slot_count,
                      !unit_.again);
  written_.assign(unit_.slot_count, false);
  for (u32 k = 0; k < unit_.count; ++k)
    for (u32 n :
         effects_of(unit_.code[k], unit_.steps[k], unit_.operands, unit_.slots, unit_.slot_count).changed)
      written_[n] = unit_.slots[n].from == From::Code;
  find_kept();
  for (u32 k = 0; k < unit_.count; ++k) {
    if (unit_.steps[k].branches) targets_.insert(static_cast<u32>(unit_.code[k].aux->target - unit_.code));
    if (unit_.steps[k].join) targets_.insert(unit_.steps[k].join);
    if (unit_.steps[k].kind == Kind::Pause) targets_.insert(k + 1);
  }
  find_restarts();
  find_lane_loops();
  count_kinds();
  // Two arguments more than it has: what handlers take for a warp whose frame holds first lanes alone.
  std::vector<Type*> types(6, pointer_);
  piece_ = Function::Create(FunctionType::get(pointer_, types, false), GlobalValue::ExternalLinkage,
                            kEntryName + std::string("0"), module_);
  for_target(piece_);
  piece_->addFnAttr(Attribute::NoRedZone);  // what find_site() calls LLVM does not see
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
  present_ = b_.getInt32(kAllLanes);
  if (unit_.lacking) present_ = b_.CreateLoad(b_.getInt32Ty(), at(warp_, offsetof(Warp, live)));
  mask_place_ = b_.CreateAlloca(b_.getInt32Ty());
  view_[0] = b_.CreateCall(own, {warp_});
  for (unsigned v = 1; v < kViews; ++v) view_[v] = b_.CreateCall(own, {piece_->getArg(3 + v)});
  frame_ = piece_->getArg(1);
  begin_turns();
  begin_walks();
  SwitchInst* begin = b_.CreateSwitch(state_field(b_.getInt32Ty(), offsetof(WholeState, resume)), fresh());
  b_.SetInsertPoint(begin->getDefaultDest());
  if (unit_.again) {
    make_heads(*begin);
  } else {
    enter(0);
    b_.CreateBr(block(0));
  }
  while (!waiting_.empty() || !parted_waiting_.empty()) {
    parted_ = waiting_.empty();
    std::vector<u32>& waiting = parted_ ? parted_waiting_ : waiting_;
    const u32 k = waiting.back();
    waiting.pop_back();
    b_.SetInsertPoint(parted_ ? parted_blocks_[k] : blocks_[k]);
    partial_ = parted_;
    ++instructions;
    if (parted_) meet(k);
    if (lane_loops_.contains(k)) lane_loop(k);
    step(k);
  }
  parted_ = false;
  for (u32 k : resumed_) {
    BasicBlock* there = fresh();
    b_.SetInsertPoint(there);
    enter(k);
    b_.CreateBr(block(k));
    begin->addCase(b_.getInt32(k), there);
  }
  make_exits();
  make_next();
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
  if (!own) return;  // an empty kernel, which is counted: LLVM has dropped what nothing needed
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
        if (!cast<GEPOperator>(gep)->accumulateConstantOffset(layout, offset)) {
          // A loop over lanes, as divisions have. (All other places have a constant distance first.)
          static_assert(kScratch == 0);
          use.set(memory_of(view, kScratch, rest));
          continue;
        }
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
  forget_last_turn(slots);
}

}  // namespace ww::engine
