// Whole-warp code: the loops of whole_lanes.cpp, one lane after another.
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using From = WholeSlot::From;
using Lanes = WholeSlot::Lanes;
using Kind = CompileStep::Kind;

namespace {

constexpr u32 kMostRounds = 1u << 20;  // of a lane: others want a turn
constexpr u64 kSmallRounds = 64;       // numbers of rounds below it are bits of one word

}  // namespace

/// What holds one lane of a slot. (What only f32 arithmetic reads is a float: otherwise LLVM would keep it in
/// a general register from round to round, and move it to a vector register and back in each.)
Type* Whole::lane_type(const WholeSlot& s) {
  if (s.any_nan) return b_.getFloatTy();
  return s.lane_bytes ? b_.getIntNTy(8 * s.lane_bytes) : b_.getInt32Ty();
}

/// One lane's value of a slot: a number of so many bytes, or a truth value (0).
Value* Whole::lane_value(u32 offset, unsigned bytes) {
  const WholeSlot& s = *slot_of(offset);
  const auto own = lane_places_.find(s.offset);
  Type* type = s.any_nan ? lane_type(s) : bytes ? b_.getIntNTy(8 * bytes) : b_.getInt32Ty();
  if (own != lane_places_.end()) return b_.CreateLoad(type, own->second);
  return b_.CreateLoad(type, in_view(1, s.offset));  // a constant
}

void Whole::put_lane(u32 offset, Value* v) {
  const WholeSlot& s = *slot_of(offset);
  v = b_.CreateBitCast(v, lane_type(s));
  b_.CreateStore(v, lane_places_.at(s.offset));
  store_view(s, 0, v);
}

/// Loads of the loop that one look finds memory for, by that of the first one (see group_of()).
Whole::LaneSpan Whole::lane_span(u32 k) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  const Group* group = key.address_bytes == 8 ? group_of(k) : nullptr;
  if (!group || key.where == AccessKey::Where::Shared) return {k, static_cast<int64_t>(i.imm), key.bytes};
  return {leaders_.at({parted_, k}), group->low, static_cast<u64>(group->high - group->low)};
}

/// The site of a load of the loop. Loads from the same bases, such as those of a loop that was unrolled,
/// share one.
Value* Whole::lane_site(u32 k) {
  const auto sum_of = [&](u32 load) -> const AddressSum* {
    for (u32 j = load; j-- > 0 && !targets_.contains(j + 1);)
      if (unit_.steps[j].kind == Kind::Sum && unit_.code[j].src[0] == unit_.code[load].src[0])
        return static_cast<const AddressSum*>(unit_.code[j].aux->more);
    return nullptr;
  };
  const AddressSum* mine = sum_of(k);
  if (!mine || lane_span(k).leader != k || group_of(k)) return site_of(k, SiteOf::Lane);
  u32 first = k;
  for (u32 j = k; j-- > 0 && !targets_.contains(j + 1);) {
    const AccessKey& its = unit_.steps[j].kind == Kind::Access ? unit_.code[j].aux->access : AccessKey{};
    if (unit_.steps[j].kind != Kind::Access || its.where != unit_.code[k].aux->access.where ||
        its.bytes != unit_.code[k].aux->access.bytes || group_of(j))
      continue;
    const AddressSum* sum = sum_of(j);
    if (sum && sum->count == mine->count && std::equal(sum->bases, sum->bases + sum->count, mine->bases))
      first = j;
  }
  return site_of(first, SiteOf::Lane);
}

/// Loads for one lane; goes to `fails` where that is not plain.
void Whole::load_lane(u32 k, BasicBlock* fails) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  Type* const wide = b_.getInt64Ty();
  const auto go_if_good = [&](Value* good) {
    BasicBlock* on = fresh();
    likely(good, on, fails);
    b_.SetInsertPoint(on);
  };
  const LaneSpan span = lane_span(k);
  Value*& first = lane_hosts_[span.leader];  // where the lowest of those loads lies on the host
  if (span.leader == k) {
    Value* address = lane_value(i.src[0], key.address_bytes);
    address = b_.CreateAdd(address, ConstantInt::get(address->getType(), static_cast<u64>(span.low), true));
    address = b_.CreateZExt(address, wide);
    if (key.bytes > 1)
      go_if_good(b_.CreateICmpEQ(b_.CreateAnd(address, b_.getInt64(key.bytes - 1u)), b_.getInt64(0)));
    Value* host = nullptr;
    if (key.where == AccessKey::Where::Shared) {
      go_if_good(
          b_.CreateAnd(b_.CreateICmpULT(address, shared_bytes_),
                       b_.CreateICmpULE(b_.CreateAdd(address, b_.getInt64(key.bytes)), shared_bytes_)));
      host = shared_;
    } else {
      Value* site = lane_site(k);
      const auto field = [&](u64 offset) { return b_.CreateLoad(wide, at(site, offset)); };
      Value* inside =
          b_.CreateICmpULT(b_.CreateSub(address, field(offsetof(Site, base))), field(offsetof(Site, begins)));
      // A call within the loop would keep its values out of registers: it is made outside, and then all lanes
      // begin again.
      BasicBlock *on = fresh(), *other = fresh();
      likely(inside, on, other);
      b_.SetInsertPoint(other);
      b_.CreateStore(address, missing_.address);
      b_.CreateStore(b_.getInt32(k), missing_.instruction);
      b_.CreateBr(missing_.block);
      b_.SetInsertPoint(on);
      host = field(offsetof(Site, shift));
    }
    first = b_.CreateAdd(host, address);
  }
  Value* there = b_.CreateIntToPtr(further(first, static_cast<int64_t>(i.imm) - span.low), pointer_);
  Value* v = b_.CreateAlignedLoad(b_.getIntNTy(8 * key.bytes), there, Align(key.bytes));
  if (i.dst != kSink) put_lane(element_of(i, 0), widened(v, key.register_bytes, key.sign));
}

/// One instruction for one lane.
void Whole::step_lane(u32 k, BasicBlock* fails) {
  const Inst& i = unit_.code[k];
  switch (unit_.steps[k].kind) {
    case Kind::Access:
      return load_lane(k, fails);
    case Kind::Sum: {
      const AddressSum& terms = *static_cast<const AddressSum*>(i.aux->more);
      Type* const wide = b_.getInt64Ty();
      Value* index = lane_value(i.src[1], 4);
      index = terms.index_signed ? b_.CreateSExtOrTrunc(index, wide) : b_.CreateZExtOrTrunc(index, wide);
      Value* v = b_.CreateAdd(b_.CreateMul(index, b_.getInt64(static_cast<u64>(int64_t{terms.scale}))),
                              b_.getInt64(terms.constant));
      for (u32 n = 0; n < terms.count; ++n) v = b_.CreateAdd(v, lane_value(terms.bases[n], 8));
      return put_lane(i.src[0], v);
    }
    case Kind::Row: {
      Inst row = i;
      const WholeSlot* result = i.dst >= kFrameStart ? slot_of(i.dst) : nullptr;
      row.any_nan = result && result->any_nan;
      inlined(k, row, piece_->getArg(4));
      for (u32 offset : {i.dst, i.dst2_used ? i.dst2 : kSink}) {
        const WholeSlot* s = offset >= kFrameStart && offset != kSink ? slot_of(offset) : nullptr;
        if (!s) continue;
        if (s->lane_bytes) {
          auto* type = FixedVectorType::get(lane_type(*s), lanes_in_part(s->lane_bytes));
          put_lane(offset, b_.CreateExtractElement(
                               b_.CreateAlignedLoad(type, in_view(1, s->offset), Align(4)), u64{0}));
        } else {
          put_lane(offset, b_.CreateAnd(b_.CreateLoad(b_.getInt32Ty(), in_view(1, s->offset)), 1));
        }
      }
      return;
    }
    default:
      return;  // Counts are made up for behind the loop
  }
}

/// Counts what the loop's instructions did: as often as the lane that stayed longest went round.
void Whole::count_rounds(u32 begin, u32 end, const RoundsOfLanes& counted, Value* mask) {
  Type* const wide = b_.getInt64Ty();
  for (u32 k = begin; k < end; ++k) {
    if (unit_.steps[k].kind != Kind::Count) continue;
    const bool again = unit_.code[k].guarded;  // those that go round again: all lanes but in their last round
    Value* lanes = b_.CreateZExt(b_.CreateUnaryIntrinsic(Intrinsic::ctpop, mask), wide);
    count_more(16 * unit_.code[k].imm, again ? b_.CreateSub(counted.most, b_.getInt64(1)) : counted.most);
    count_more(16 * unit_.code[k].imm + 8, again ? b_.CreateSub(counted.all, lanes) : counted.all);
  }
  if (!unit_.code[end].imm) return;
  // The branch parted lanes as often as some left and others stayed: one time less than there are different
  // numbers of rounds.
  BasicBlock *small = fresh(), *large = fresh(), *behind = fresh();
  likely(b_.CreateICmpULT(counted.most, b_.getInt64(kSmallRounds)), small, large);
  b_.SetInsertPoint(small);
  count_more(16 * unit_.code[end].imm,
             b_.CreateSub(b_.CreateUnaryIntrinsic(Intrinsic::ctpop, counted.different), b_.getInt64(1)));
  b_.CreateBr(behind);
  b_.SetInsertPoint(large);
  FunctionType* type = FunctionType::get(b_.getInt32Ty(), {pointer_, b_.getInt32Ty()}, false);
  CallInst* parted =
      b_.CreateCall(type, state_field(pointer_, offsetof(WholeState, partings)), {counted.rounds, mask});
  parted->setDoesNotThrow();
  count_more(16 * unit_.code[end].imm, b_.CreateZExt(parted, wide));
  b_.CreateBr(behind);
  b_.SetInsertPoint(behind);
}

/// Finds the piece of memory that an access of the loop is missing, and begins the loop again; not without
/// end.
void Whole::find_missing(u32 begin, u32 end, BasicBlock* again, BasicBlock* fails) {
  constexpr u32 kTries = 4;  // of each load
  Type *const word = b_.getInt32Ty(), *const wide = b_.getInt64Ty();
  b_.SetInsertPoint(missing_.block);
  Value* tries = b_.CreateAdd(b_.CreateLoad(word, missing_.tries), b_.getInt32(1));
  b_.CreateStore(tries, missing_.tries);
  BasicBlock* some = fresh();
  b_.CreateCondBr(b_.CreateICmpULT(tries, b_.getInt32(kTries * (end - begin))), some, fails);
  b_.SetInsertPoint(some);
  Value* address = b_.CreateLoad(wide, missing_.address);
  SwitchInst* which = b_.CreateSwitch(b_.CreateLoad(word, missing_.instruction), fails);
  for (u32 k = begin; k < end; ++k) {
    if (unit_.steps[k].kind != Kind::Access || unit_.code[k].aux->access.where == AccessKey::Where::Shared)
      continue;
    const LaneSpan span = lane_span(k);
    if (span.leader != k) continue;
    BasicBlock* there = fresh();
    which->addCase(b_.getInt32(k), there);
    b_.SetInsertPoint(there);
    Value* last = b_.CreateAdd(address, b_.getInt64(span.bytes - 1));
    b_.CreateCondBr(find_site(k, lane_site(k), address, last, span.bytes), again, fails);
  }
}

/// The loop that begins here, lane by lane; then goes on behind it, with all lanes that came.
void Whole::lane_loop(u32 begin) {
  const u32 end = lane_loops_.at(begin);
  Type *const word = b_.getInt32Ty(), *const wide = b_.getInt64Ty();
  leave_rows_side_by_side(begin, end);
  Value* mask = active_mask();
  BasicBlock* const fails = fresh();
  // The slots of the loop, and which of them are read before they are written, or read behind it.
  std::vector<u32> slots;
  std::vector<bool> in(unit_.slot_count), changed(unit_.slot_count);
  for (u32 k = begin; k <= end; ++k) {
    if (unit_.steps[k].kind == Kind::Nothing || unit_.steps[k].kind == Kind::Count) continue;
    const SlotEffects e =
        effects_of(unit_.code[k], unit_.steps[k], unit_.operands, unit_.slots, unit_.slot_count);
    for (u32 n : e.read) in[n] = true;
    for (u32 n : e.changed) in[n] = changed[n] = true;
  }
  for (u32 n = 0; n < unit_.slot_count; ++n)
    if (in[n] && (changed[n] || unit_.slots[n].from != From::Constant)) slots.push_back(n);
  const auto is_out = [&](u32 n) { return changed[n] && live_[end + 1][n]; };

  // Before: all lanes' values where one can be read; `after` is where results are put.
  std::map<u32, Value*> before, after, views;
  lane_places_.clear();
  for (u32 n : slots) {
    const WholeSlot& s = unit_.slots[n];
    lane_places_[s.offset] = own(lane_type(s));
    if (live_[begin][n] && s.lane_bytes == 0) {
      before[n] = b_.CreateLoad(word, in_view(0, s.offset));
    } else if (live_[begin][n]) {
      before[n] = own(ArrayType::get(lane_type(s), kLanes));
      const unsigned lanes = lanes_in_part(s.lane_bytes);
      for (unsigned l = 0; l < kLanes; l += lanes)
        b_.CreateAlignedStore(lanes_value(s.offset, s.lane_bytes, l, lanes),
                              at(before[n], u64{l} * s.lane_bytes), Align(s.lane_bytes));
    }
    if (is_out(n)) {
      after[n] = own(s.lane_bytes ? static_cast<Type*>(ArrayType::get(lane_type(s), kLanes)) : word);
      if (s.lane_bytes == 0) {
        b_.CreateStore(b_.CreateLoad(word, in_view(0, s.offset)), after[n]);
      } else {
        const unsigned lanes = lanes_in_part(s.lane_bytes);
        for (unsigned l = 0; l < kLanes; l += lanes)
          b_.CreateAlignedStore(lanes_value(s.offset, s.lane_bytes, l, lanes),
                                at(after[n], u64{l} * s.lane_bytes), Align(s.lane_bytes));
      }
    }
    // Handlers take the first view for the lane's frame: what it held comes back afterwards.
    Type* view = s.lane_bytes
                     ? static_cast<Type*>(FixedVectorType::get(lane_type(s), lanes_in_part(s.lane_bytes)))
                     : word;
    views[n] = b_.CreateAlignedLoad(view, in_view(1, s.offset), Align(4));
  }
  const auto put_views_back = [&] {
    for (u32 n : slots) b_.CreateAlignedStore(views[n], in_view(1, unit_.slots[n].offset), Align(4));
  };
  Value *rounds = own(ArrayType::get(word, kLanes)), *round = own(word), *rest_place = own(word),
        *most = own(wide), *all = own(wide), *different = own(wide);
  missing_ = {fresh(), own(wide), own(word), own(word)};
  b_.CreateStore(b_.getInt32(0), missing_.tries);
  BasicBlock* starts = fresh();
  b_.CreateBr(starts);
  b_.SetInsertPoint(starts);
  b_.CreateStore(mask, rest_place);
  b_.CreateStore(b_.getInt64(0), most);
  b_.CreateStore(b_.getInt64(0), all);
  b_.CreateStore(b_.getInt64(0), different);

  // Each lane.
  BasicBlock *lane_begins = fresh(), *body = fresh(), *lane_ends = fresh(), *ends = fresh();
  b_.CreateBr(lane_begins);
  b_.SetInsertPoint(lane_begins);
  Value* rest = b_.CreateLoad(word, rest_place);
  Value* lane = b_.CreateZExt(b_.CreateBinaryIntrinsic(Intrinsic::cttz, rest, b_.getInt1(true)), wide);
  const auto of_lane = [&](Value* array, const WholeSlot& s) {
    return b_.CreateGEP(b_.getInt8Ty(), array, b_.CreateMul(lane, b_.getInt64(s.lane_bytes)));
  };
  for (u32 n : slots) {
    const WholeSlot& s = unit_.slots[n];
    if (!live_[begin][n]) continue;
    Value* v = s.lane_bytes ? static_cast<Value*>(b_.CreateLoad(lane_type(s), of_lane(before[n], s)))
                            : b_.CreateAnd(b_.CreateLShr(before[n], b_.CreateTrunc(lane, word)), 1);
    b_.CreateStore(v, lane_places_[s.offset]);
  }
  b_.CreateStore(b_.getInt32(0), round);
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  for (u32 n : slots)
    if (live_[begin][n])
      store_view(unit_.slots[n], 0, lane_value(unit_.slots[n].offset, unit_.slots[n].lane_bytes));
  for (u32 k = begin; k < end; ++k) step_lane(k, fails);
  Value* now = b_.CreateAdd(b_.CreateLoad(word, round), b_.getInt32(1));
  b_.CreateStore(now, round);
  Value* again = b_.CreateTrunc(lane_value(unit_.code[end].guard, 0), b_.getInt1Ty());
  if (unit_.code[end].guard_negated) again = b_.CreateNot(again);
  BasicBlock* look = fresh();
  b_.CreateCondBr(again, look, lane_ends);
  b_.SetInsertPoint(look);
  LoadInst* epoch = b_.CreateLoad(word, state_field(pointer_, offsetof(WholeState, epoch)));
  epoch->setVolatile(true);
  Value* good = b_.CreateICmpEQ(epoch, state_field(word, offsetof(WholeState, epoch_seen)));
  likely(b_.CreateAnd(good, b_.CreateICmpULT(now, b_.getInt32(kMostRounds))), body, fails);
  b_.SetInsertPoint(lane_ends);
  for (u32 n : slots) {
    const WholeSlot& s = unit_.slots[n];
    if (!is_out(n)) continue;
    Value* v = lane_value(s.offset, s.lane_bytes);
    if (s.lane_bytes) {
      b_.CreateStore(v, of_lane(after[n], s));
    } else {
      Value* bit = b_.CreateTrunc(lane, word);
      Value* others =
          b_.CreateAnd(b_.CreateLoad(word, after[n]), b_.CreateNot(b_.CreateShl(b_.getInt32(1), bit)));
      b_.CreateStore(b_.CreateOr(others, b_.CreateShl(b_.CreateAnd(v, 1), bit)), after[n]);
    }
  }
  Value *took = b_.CreateLoad(word, round), *took_wide = b_.CreateZExt(took, wide);
  b_.CreateStore(took, b_.CreateGEP(word, rounds, lane));
  b_.CreateStore(b_.CreateBinaryIntrinsic(Intrinsic::umax, b_.CreateLoad(wide, most), took_wide), most);
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(wide, all), took_wide), all);
  Value* bit_of_rounds = b_.CreateShl(b_.getInt64(1), b_.CreateAnd(took_wide, kSmallRounds - 1));
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(wide, different), bit_of_rounds), different);
  Value* left = b_.CreateAnd(rest, b_.CreateSub(rest, b_.getInt32(1)));
  b_.CreateStore(left, rest_place);
  b_.CreateCondBr(b_.CreateICmpEQ(left, b_.getInt32(0)), ends, lane_begins);

  // All lanes are through.
  b_.SetInsertPoint(ends);
  put_views_back();
  count_rounds(begin, end,
               {.most = b_.CreateLoad(wide, most),
                .all = b_.CreateLoad(wide, all),
                .different = b_.CreateLoad(wide, different),
                .rounds = rounds},
               mask);
  for (u32 n : slots) {
    const WholeSlot& s = unit_.slots[n];
    if (!is_out(n)) continue;
    if (s.lane_bytes == 0) {
      b_.CreateStore(b_.CreateLoad(word, after[n]), in_view(0, s.offset));
      continue;
    }
    const unsigned lanes = lanes_in_part(s.lane_bytes);
    auto* type = FixedVectorType::get(lane_type(s), lanes);
    for (unsigned l = 0; l < kLanes; l += lanes)
      b_.CreateAlignedStore(
          b_.CreateAlignedLoad(type, at(after[n], u64{l} * s.lane_bytes), Align(s.lane_bytes)),
          in_view(0, s.offset + l * s.lane_bytes), Align(4));
  }
  if (!parted_) {
    b_.CreateStore(present_, mask_place_);
    parted_ = true;
    for (u32 n : slots)
      if (const WholeSlot& s = unit_.slots[n]; is_out(n) && s.lanes != Lanes::Any)
        even_again(s, leave_at(end + 1));
    parted_ = false;
  }
  b_.CreateBr(to(end + 1));

  find_missing(begin, end, starts, fails);
  b_.SetInsertPoint(fails);
  put_views_back();
  b_.CreateBr(side_by_side(begin));
  b_.SetInsertPoint(side_by_side(begin));
}

}  // namespace ww::engine
