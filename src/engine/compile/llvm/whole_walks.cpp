// Whole-warp code: lanes that go along a row of memory each, as in `a[row * n + k]` with a row for each lane.
// Word by word such a load touches 32 lines of the cache, 16 times each, and rows that lie a power of two
// apart throw each other out of it. Here a line of each lane is read at once and put aside, word by word for
// all lanes; later rounds find their words there.
//
// What was put aside is what plain loads may have read early: nothing in it is used any more once the warp
// may have written there, or has met others (barriers, fences, atomics, calls).
#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using Kind = CompileStep::Kind;

namespace {

constexpr u64 kLine = kMostOfWalk;
constexpr u64 kSorted = 16;        ///< bytes that are sorted at once: a part of a vector that shuffles keep
constexpr u64 kNothing = ~u64(0);  ///< of Walk::begin: nothing is put aside
constexpr size_t kMostWalks = 8;   ///< of a function: each takes 2 or 4 KB of stack

}  // namespace

/// Whether the load begins a group of those, or is one by itself, whose lanes may each go along a row.
bool Whole::may_walk(u32 k) {
  if (!unit_.steps[k].walks || unit_.lacking || unit_.asks || unit_.undefined_flag) return false;
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  const WholeSlot* s = even(i.src[0]);
  // Lanes that lie near each other are loaded as rows.
  if (s &&
      (s->stride == 0 || std::abs(s->stride) < static_cast<int>(kLine) || s->lane_bytes != key.address_bytes))
    return false;
  const Group* group = group_of(k);
  if (!group) return true;
  return leaders_.at({false, k}) == k && static_cast<u64>(group->high - group->low) <= kLine;
}

/// Before any code is made but what begins a warp's turn, since stores have to know of all walks.
void Whole::begin_walks() {
  for (u32 k = 0; k < unit_.count; ++k) {
    if (unit_.steps[k].kind != Kind::Access) continue;
    (void)group_of(k);  // in the order in which the code is made: their first ones stay the same
    if (walks_.size() == kMostWalks || !may_walk(k)) continue;
    Type* const wide = b_.getInt64Ty();
    Walk& walk = walks_[k];
    for (Value** v : {&walk.begin, &walk.last, &walk.low, &walk.bytes, &walk.apart}) *v = own(wide);
    walk.near = own(FixedVectorType::get(b_.getInt32Ty(), kLanes));
    walk.words = own(ArrayType::get(b_.getInt64Ty(), kLanes * kLine / sizeof(u64)));
    for (Value* v : {walk.near, walk.words}) cast<AllocaInst>(v)->setAlignment(Align(kPartBytes));
    for (Value* v : {walk.low, walk.bytes, walk.apart}) b_.CreateStore(b_.getInt64(0), v);
  }
  forget_walks();
}

/// Nothing that was put aside is used any more.
void Whole::forget_walks() {
  for (const auto& [k, walk] : walks_) {
    b_.CreateStore(b_.getInt64(kNothing), walk.begin);
    b_.CreateStore(b_.getInt64(0), walk.last);
  }
}

/// A store of all lanes: what may lie in the same place is not used any more. (Nor put aside again in the
/// next round, which would store there as well.)
void Whole::store_beside_walks(u32 k, Value* host, const Places& places) {
  if (walks_.empty()) return;
  Value *low = places.low, *high = places.high;
  if (!low) {
    const int64_t span = places.stride * (kHalf - 1);
    Value* ends[2];
    for (unsigned h = 0; h < 2; ++h) ends[h] = further(places.first[h], std::min<int64_t>(span, 0));
    low = b_.CreateBinaryIntrinsic(Intrinsic::umin, ends[0], ends[1]);
    high = further(b_.CreateBinaryIntrinsic(Intrinsic::umax, ends[0], ends[1]), std::abs(span));
  }
  const AccessKey& key = unit_.code[k].aux->access;
  Value* bytes = b_.CreateAdd(b_.CreateSub(high, low), b_.getInt64(u64{key.bytes} * key.elements));
  low = b_.CreateAdd(host, low);
  for (const auto& [first, walk] : walks_) {
    Type* const wide = b_.getInt64Ty();
    const auto load = [&](Value* v) { return b_.CreateLoad(wide, v); };
    // They have a byte in common if the store's end lies in the sum of both lengths.
    Value* end = b_.CreateSub(b_.CreateAdd(low, bytes), load(walk.low));
    Value* apart = b_.CreateICmpUGE(b_.CreateSub(end, b_.getInt64(1)),
                                    b_.CreateSub(b_.CreateAdd(load(walk.bytes), bytes), b_.getInt64(1)));
    b_.CreateStore(b_.CreateSelect(apart, load(walk.begin), b_.getInt64(kNothing)), walk.begin);
    b_.CreateStore(b_.CreateSelect(apart, load(walk.last), b_.getInt64(0)), walk.last);
  }
}

/// Where the lanes of a half-warp have their lines: reads them, and puts them aside by words.
void Whole::put_aside(const Walk& walk, const AccessKey& key, Value* begin[2], const Places& places) {
  Type* const word = b_.getInt32Ty();
  const bool apart = places.distance[0] != nullptr;
  if (apart)
    for (unsigned h = 0; h < 2; ++h)
      b_.CreateAlignedStore(places.near[h], at(walk.near, u64{h} * kHalf * 4), Align(kPartBytes));
  BasicBlock *before = b_.GetInsertBlock(), *round = fresh(), *done = fresh();
  b_.CreateBr(round);
  b_.SetInsertPoint(round);
  PHINode* half = b_.CreatePHI(b_.getInt64Ty(), 2);
  half->addIncoming(b_.getInt64(0), before);
  PHINode* first = b_.CreatePHI(b_.getInt64Ty(), 2);
  first->addIncoming(begin[0], before);
  first->addIncoming(begin[1], round);
  Value* lanes = b_.CreateIntToPtr(first, pointer_);
  Type* const byte = b_.getInt8Ty();
  std::vector<Value*> rows;  // where they begin
  for (unsigned l = 0; l < kHalf; ++l) {
    Value* by = b_.getInt64(static_cast<u64>(places.stride * l));
    if (apart) {
      Value* there = b_.CreateGEP(byte, walk.near, b_.CreateMul(half, b_.getInt64(kHalf * 4)));
      by = b_.CreateZExt(b_.CreateLoad(word, at(there, u64{l} * 4), true), b_.getInt64Ty());
    }
    rows.push_back(b_.CreateGEP(byte, lanes, by));
  }
  const unsigned in_piece = kSorted / key.bytes, in_vector = kPartBytes / key.bytes;
  auto* piece = FixedVectorType::get(b_.getIntNTy(8 * key.bytes), in_piece);
  Value* column = b_.CreateGEP(byte, walk.words, b_.CreateMul(half, b_.getInt64(u64{kHalf} * key.bytes)));
  for (u64 at_row = 0; at_row < kLine; at_row += kSorted)
    for (unsigned from = 0; from < kHalf; from += in_vector) {
      // Of the lanes n, n + in_piece, …: one piece behind another.
      std::vector<Value*> some;
      for (unsigned n = 0; n < in_piece; ++n) {
        std::vector<Value*> joined;
        for (unsigned l = n; l < in_vector; l += in_piece)
          joined.push_back(b_.CreateAlignedLoad(piece, at(rows[from + l], at_row), Align(key.bytes)));
        while (joined.size() > 1) {
          std::vector<Value*> longer;
          for (size_t p = 0; p < joined.size(); p += 2) {
            const unsigned count = cast<FixedVectorType>(joined[p]->getType())->getNumElements();
            std::vector<int> all;
            for (unsigned l = 0; l < 2 * count; ++l) all.push_back(static_cast<int>(l));
            longer.push_back(b_.CreateShuffleVector(joined[p], joined[p + 1], all));
          }
          joined = std::move(longer);
        }
        some.push_back(joined[0]);
      }
      // Then the pieces are turned, each in its place: first those that are half the list apart.
      for (size_t width = in_piece / 2; width > 0; width /= 2) {
        std::vector<Value*> turned(some.size());
        for (size_t n = 0; n < in_piece / 2; ++n)
          for (unsigned high = 0; high < 2; ++high) {
            std::vector<int> which;
            for (unsigned p = 0; p < in_vector; p += in_piece)
              for (unsigned l = 0; l < in_piece / 2; ++l) {
                const auto lane = static_cast<int>(p + high * (in_piece / 2) + l);
                which.push_back(lane);
                which.push_back(lane + static_cast<int>(in_vector));
              }
            turned[2 * n + high] = b_.CreateShuffleVector(some[n], some[n + in_piece / 2], which);
          }
        some = std::move(turned);
      }
      for (unsigned n = 0; n < in_piece; ++n)
        b_.CreateAlignedStore(
            some[n], at(column, (at_row / key.bytes + n) * kLanes * key.bytes + u64{from} * key.bytes),
            Align(kPartBytes));
    }
  half->addIncoming(b_.getInt64(1), round);
  b_.CreateCondBr(b_.CreateICmpEQ(half, b_.getInt64(0)), round, done);
  b_.SetInsertPoint(done);
}

/// The words of such a load, from what was put aside if they are there. Null: this is none.
const Whole::Walk* Whole::walk_of(u32 k, const Places& places) {
  if (parted_ || places.kind != Places::Kind::Lanes || !unit_.steps[k].walks || unit_.code[k].guarded)
    return nullptr;
  const Group* group = group_of(k);
  const auto walk = walks_.find(group ? leaders_.at({false, k}) : k);
  return walk == walks_.end() ? nullptr : &walk->second;
}

/// Looks whether what was put aside is still of use for the load, which begins a group or is by itself, and
/// if it is not, whether a line of each lane is to be put aside now: if the lanes have come but little
/// further since the last time, and the lines lie in the same piece of memory.
void Whole::go_along(u32 k, const Walk& walk, Value* host, const Places& found) {
  const AccessKey& key = unit_.code[k].aux->access;
  Type* const wide = b_.getInt64Ty();
  const auto load = [&](Value* v) { return b_.CreateLoad(wide, v); };
  const Group* group = group_of(k);
  const u64 bytes = group ? static_cast<u64>(group->high - group->low) : u64{key.bytes};
  const Places& places = group ? group->places : found;  // of the lowest address of the group
  const bool apart = places.distance[0] != nullptr;
  Value* here[2];
  for (unsigned h = 0; h < 2; ++h) here[h] = b_.CreateAdd(host, apart ? places.low : places.first[h]);
  BasicBlock *there = fresh(), *miss = fresh(), *little = fresh(), *fill = fresh(), *on = fresh();
  Value* step = b_.CreateSub(here[0], load(walk.last));
  b_.CreateStore(here[0], walk.last);
  b_.CreateCondBr(b_.CreateICmpULE(b_.CreateSub(here[0], load(walk.begin)), b_.getInt64(kLine - bytes)),
                  there, miss);
  b_.SetInsertPoint(there);  // if the other lanes lie as far from the first as they did
  if (apart) {
    Value* differ = nullptr;
    for (unsigned h = 0; h < 2; ++h) {
      auto* type = cast<FixedVectorType>(places.near[h]->getType());
      Value* before = b_.CreateAlignedLoad(type, at(walk.near, u64{h} * kHalf * 4), Align(kPartBytes));
      Value* d = b_.CreateICmpNE(before, places.near[h]);
      differ = differ ? b_.CreateOr(differ, d) : d;
    }
    b_.CreateCondBr(b_.CreateICmpEQ(b_.CreateBitCast(differ, b_.getInt16Ty()), b_.getInt16(0)), on, miss);
  } else if (places.firsts == 2) {
    b_.CreateCondBr(b_.CreateICmpEQ(b_.CreateSub(here[1], here[0]), load(walk.apart)), on, miss);
  } else {
    b_.CreateBr(on);
  }
  b_.SetInsertPoint(miss);
  b_.CreateStore(b_.getInt64(kNothing), walk.begin);
  Value* along =
      b_.CreateICmpULT(b_.CreateSub(step, b_.getInt64(1)), b_.getInt64(bytes + kSorted - key.bytes));
  if (apart)  // lanes that lie near each other are in the same lines
    along = b_.CreateAnd(
        along, b_.CreateICmpUGE(b_.CreateSub(places.high, places.low), b_.getInt64(kLanes * kLine / 2)));
  b_.CreateCondBr(along, little, on);
  b_.SetInsertPoint(little);
  // Whole lines of the cache if the first lane's is one and holds all of the group.
  Value* in_line = b_.CreateAnd(here[0], b_.getInt64(kLine - 1));
  in_line = b_.CreateSelect(b_.CreateICmpULE(in_line, b_.getInt64(kLine - bytes)), in_line, b_.getInt64(0));
  Value* begin[2];
  for (unsigned h = 0; h < 2; ++h) begin[h] = b_.CreateSub(here[h], in_line);
  Value *low = begin[0], *high = begin[0];
  if (apart) {
    high = b_.CreateAdd(low, b_.CreateSub(places.high, places.low));
  } else {
    const int64_t span = places.stride * (kHalf - 1);
    low = b_.CreateBinaryIntrinsic(Intrinsic::umin, begin[0], begin[1]);
    high = b_.CreateBinaryIntrinsic(Intrinsic::umax, begin[0], begin[1]);
    low = further(low, std::min<int64_t>(span, 0));
    high = further(high, std::max<int64_t>(span, 0));
  }
  // A site says where what locate() looked for may begin: `span` bytes.
  const u64 span = places.start[0] ? places.span + places.bytes : places.bytes;
  Value* site = site_of(group ? leaders_.at({false, k}) : k, SiteOf::Together);
  Value *base = load(at(site, offsetof(Site, base))), *begins = load(at(site, offsetof(Site, begins)));
  base = b_.CreateAdd(base, host);
  Value* last = b_.CreateAdd(high, b_.getInt64(kLine - span));
  Value* good = b_.CreateAnd(b_.CreateICmpULT(b_.CreateSub(low, base), begins),
                             b_.CreateICmpULT(b_.CreateSub(last, base), begins));
  b_.CreateCondBr(good, fill, on);
  b_.SetInsertPoint(fill);
  put_aside(walk, key, begin, places);
  b_.CreateStore(b_.CreateSub(begin[1], begin[0]), walk.apart);
  b_.CreateStore(begin[0], walk.begin);
  b_.CreateStore(low, walk.low);
  b_.CreateStore(b_.CreateAdd(b_.CreateSub(high, low), b_.getInt64(kLine)), walk.bytes);
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

/// What the lanes load: from what was put aside if it is there.
void Whole::load_of_walk(u32 k, const Walk& walk, Value* host, const Places& places, Value* loaded[2]) {
  const AccessKey& key = unit_.code[k].aux->access;
  if (walks_.contains(k)) go_along(k, walk, host, places);
  BasicBlock *aside = fresh(), *otherwise = fresh(), *both = fresh();
  Value* here = b_.CreateAdd(host, places.distance[0] ? places.low : places.first[0]);
  Value* behind = b_.CreateSub(here, b_.CreateLoad(b_.getInt64Ty(), walk.begin));
  likely(b_.CreateICmpULT(behind, b_.getInt64(kLine)), aside, otherwise);
  b_.SetInsertPoint(aside);
  auto* row = FixedVectorType::get(b_.getIntNTy(8 * key.bytes), kHalf);
  Value* column = b_.CreateGEP(b_.getInt8Ty(), walk.words, b_.CreateMul(behind, b_.getInt64(kLanes)));
  Value *of_aside[2], *of_lanes[2];
  for (unsigned h = 0; h < 2; ++h)
    of_aside[h] = b_.CreateAlignedLoad(row, at(column, u64{h} * kHalf * key.bytes), Align(kPartBytes));
  b_.CreateBr(both);
  b_.SetInsertPoint(otherwise);
  load_lanes(key, host, places, nullptr, 0, of_lanes);
  BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(both);
  b_.SetInsertPoint(both);
  for (unsigned h = 0; h < 2; ++h) {
    PHINode* either = b_.CreatePHI(row, 2);
    either->addIncoming(of_aside[h], aside);
    either->addIncoming(of_lanes[h], end);
    loaded[h] = either;
  }
}

}  // namespace ww::engine
