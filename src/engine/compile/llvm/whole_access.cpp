// Whole-warp code: loads and stores.
#include <llvm/IR/IntrinsicsX86.h>

#include "engine/compile/llvm/whole.h"
#include "engine/memory/host_order.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

using From = WholeSlot::From;
using Lanes = WholeSlot::Lanes;
using Kind = CompileStep::Kind;

Value* Whole::widened(Value* v, unsigned lane_bytes, bool sign) {
  Type* type = b_.getIntNTy(8 * lane_bytes);
  if (auto* vector = dyn_cast<FixedVectorType>(v->getType()))
    type = FixedVectorType::get(type, vector->getNumElements());
  return sign ? b_.CreateSExtOrTrunc(v, type) : b_.CreateZExtOrTrunc(v, type);
}

namespace {

std::vector<int> numbers(unsigned count) {
  std::vector<int> all;
  for (unsigned n = 0; n < count; ++n) all.push_back(static_cast<int>(n));
  return all;
}

}  // namespace

/// Vectors of bytes and of 16 bits are moved as one word each.
AccessKey Whole::moved(const AccessKey& key) {
  AccessKey word = key;
  if (key.elements > 1 && key.bytes < 4) {
    word.bytes = static_cast<u8>(key.bytes * key.elements);
    word.elements = 1;
  }
  return word;
}

/// 16 lanes of a register from the `half`th on.
Value* Whole::half_of(u32 offset, unsigned lane_bytes, unsigned half) {
  const unsigned count = std::min(lanes_in_part(lane_bytes), kHalf);
  Value* v = lanes_value(offset, lane_bytes, half * kHalf, count);
  if (count == kHalf) return v;
  return b_.CreateShuffleVector(v, lanes_value(offset, lane_bytes, half * kHalf + count, count),
                                numbers(kHalf));
}

void Whole::access(u32 k) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  const bool partial = parted_ || i.guarded || unit_.lacking;  // not for all lanes
  Value* mask = active_mask();
  if (i.guarded) {
    mask = b_.CreateAnd(mask, guard_of(i));
    BasicBlock* some = fresh();
    b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(0)), to(k + 1), some);
    b_.SetInsertPoint(some);
  }
  // While lanes are parted nothing that was put aside is used, so that it does not matter how little is lost.
  const bool stores = key.kind == AccessKey::Kind::Store;
  if (unit_.steps[k].ordered || (stores && parted_)) forget_walks();
  if (may_be_few(k) && !unit_.steps[k].ordered) few(k, mask);
  Value* host = nullptr;
  two_ = {unit_.steps[k].two_pieces && !group_of(k)};
  Places places = locate(k, mask, partial, host);
  if (unit_.steps[k].noted) note(k, places, mask);
  if (unit_.steps[k].local) give_each_lane(places);
  if (!partial) mask = nullptr;
  if (two_.begins) load_from_two(k, places, mask);
  // Where the processor keeps the order, for LLVM alone: then it becomes no instruction.
  const auto keep_order = [&] {
    if (unit_.steps[k].ordered)
      b_.CreateFence(AtomicOrdering::SequentiallyConsistent,
                     kKeepsOrder ? SyncScope::SingleThread : SyncScope::System);
  };
  keep_order();
  if (!stores) {
    fetch_ahead(k, host, places);
    load(k, host, places, mask);
  } else {
    if (!parted_ && !unit_.steps[k].local && key.where != AccessKey::Where::Shared)
      store_beside_walks(k, host, places);
    store(k, host, places, mask);
  }
  keep_order();
  b_.CreateBr(to(k + 1));
}

/// Loads, in the lanes of the mask if there is one.
void Whole::load(u32 k, Value* host, const Places& places, Value* mask) {
  using Kind = Places::Kind;
  const Inst& i = unit_.code[k];
  const AccessKey &wanted = i.aux->access, key = moved(wanted);
  Type* const element = b_.getIntNTy(8 * key.bytes);
  if (key.elements > 1 && places.kind == Kind::Rows && !mask) return load_rows(k, host, places);
  std::vector<Value*> loaded;  // all of them, before any register is written
  for (u32 n = 0; n < key.elements; ++n) {
    const u64 offset = u64{n} * key.bytes;
    if (key.elements == wanted.elements && element_of(i, n) == kSink) {
      loaded.insert(loaded.end(), 2, nullptr);
    } else if (places.kind == Kind::One) {
      Value* v = b_.CreateAlignedLoad(element, on_host(host, places.first[0], offset), Align(key.bytes));
      loaded.insert(loaded.end(), 2, v);
    } else {
      Value* halves[2];
      if (const Walk* walk = walk_of(k, places))
        load_of_walk(k, *walk, host, places, halves);
      else
        load_lanes(key, host, places, mask, offset, halves);
      loaded.insert(loaded.end(), halves, halves + 2);
    }
  }
  put_loaded(k, std::move(loaded), places.kind == Kind::One, mask);
}

/// An element for each lane, `offset` behind where the lanes begin.
void Whole::load_lanes(const AccessKey& key, Value* host, const Places& places, Value* mask, u64 offset,
                       Value* loaded[2]) {
  if (near_loads(key, host, places, loaded, mask) || loads_row(key, host, places, loaded, mask)) return;
  for (unsigned h = 0; h < 2; ++h) loaded[h] = load_half(key, h, host, places, mask, offset);
}

/// Writes what was loaded (by element and half-warp; `one`: one for all lanes) into the registers, in the
/// lanes of the mask if there is one.
void Whole::put_loaded(u32 k, std::vector<Value*> loaded, bool one, Value* mask) {
  const Inst& i = unit_.code[k];
  const AccessKey &wanted = i.aux->access, key = moved(wanted);
  if (key.elements != wanted.elements) {
    const std::vector<Value*> words = std::move(loaded);
    loaded.clear();
    for (u32 n = 0; n < wanted.elements; ++n)
      for (Value* v : words) {
        Value* part = b_.CreateLShr(v, ConstantInt::get(v->getType(), u64{8} * wanted.bytes * n));
        loaded.push_back(widened(part, wanted.bytes, false));
      }
  }
  for (u32 n = 0; n < wanted.elements; ++n) {
    const u32 to = element_of(i, n);
    if (to == kSink) continue;
    Value* blend = i.guarded || kept(k, to) ? mask : nullptr;
    const WholeSlot* into = even(to);
    for (unsigned h = 0; h < 2; ++h) {
      Value* v = widened(loaded[2 * n + h], key.register_bytes, key.sign);
      if (one && into && !blend) {
        set_even(*into, v, v);
        break;
      }
      if (!v->getType()->isVectorTy()) v = b_.CreateVectorSplat(kHalf, v);
      put_lanes(to, key.register_bytes, h * kHalf, v, blend);
    }
  }
}

/// Words that lie near each other, as those of shared memory often do: rows of them are loaded and put in
/// order where all are within kNear words, which takes a third of the time of a gather. Only for AVX-512,
/// which can put words of two registers in any order; false for all else.
bool Whole::near_loads(const AccessKey& key, Value* host, const Places& places, Value* loaded[2],
                       Value* mask) {
  constexpr unsigned kNear = 64;
  if (!places.near[0] || key.bytes != 4 || key.elements != 1 || StringRef(unit_.target) != "avx512")
    return false;
  auto* row = FixedVectorType::get(b_.getInt32Ty(), kHalf);
  BasicBlock *near = fresh(), *far = fresh(), *both = fresh();
  Value* last = b_.CreateLShr(b_.CreateSub(places.high, places.low), b_.getInt64(2));
  b_.CreateCondBr(b_.CreateICmpULT(last, b_.getInt64(kNear)), near, far);
  b_.SetInsertPoint(near);
  // Nothing is read behind the last one.
  Value* there = b_.CreateLShr(b_.getInt64(~u64(0)), b_.CreateSub(b_.getInt64(kNear - 1), last));
  Value* rows[kNear / kHalf];
  for (unsigned r = 0; r < kNear / kHalf; ++r) {
    Value* some = b_.CreateTrunc(b_.CreateLShr(there, b_.getInt64(u64{r} * kHalf)), b_.getInt16Ty());
    some = b_.CreateBitCast(some, FixedVectorType::get(b_.getInt1Ty(), kHalf));
    rows[r] = b_.CreateMaskedLoad(row, on_host(host, places.low, u64{r} * kHalf * 4), Align(4), some,
                                  Constant::getNullValue(row));
  }
  Value* near_halves[2];
  for (unsigned h = 0; h < 2; ++h) {
    Value* index = b_.CreateLShr(places.near[h], ConstantInt::get(row, 2));
    const auto of_two = [&](unsigned r) {
      return b_.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_d_512, {}, {rows[r], index, rows[r + 1]});
    };
    Value* behind =
        b_.CreateICmpNE(b_.CreateAnd(index, ConstantInt::get(row, 2 * kHalf)), Constant::getNullValue(row));
    near_halves[h] = b_.CreateSelect(behind, of_two(2), of_two(0));
  }
  b_.CreateBr(both);
  b_.SetInsertPoint(far);
  Value* far_halves[2];
  for (unsigned h = 0; h < 2; ++h) far_halves[h] = load_half(key, h, host, places, mask, 0);
  b_.CreateBr(both);
  b_.SetInsertPoint(both);
  for (unsigned h = 0; h < 2; ++h) {
    PHINode* either = b_.CreatePHI(row, 2);
    either->addIncoming(near_halves[h], near);
    either->addIncoming(far_halves[h], far);
    loaded[h] = either;
  }
  return true;
}

/// Lanes without a pattern, all active: two rows if they lie in one after all. False for all else.
bool Whole::loads_row(const AccessKey& key, Value* host, const Places& places, Value* loaded[2],
                      Value* mask) {
  if (!places.near[0] || mask || key.elements != 1) return false;
  BasicBlock *row = fresh(), *apart = fresh(), *both = fresh();
  ask_for_row(key, places, row, apart);
  b_.SetInsertPoint(row);
  const Places together = in_row(key, places);
  Value *of_row[2], *each[2];
  for (unsigned h = 0; h < 2; ++h) of_row[h] = load_half(key, h, host, together, nullptr, 0);
  b_.CreateBr(both);
  b_.SetInsertPoint(apart);
  for (unsigned h = 0; h < 2; ++h) each[h] = load_half(key, h, host, places, nullptr, 0);
  b_.CreateBr(both);
  b_.SetInsertPoint(both);
  for (unsigned h = 0; h < 2; ++h) {
    PHINode* either = b_.CreatePHI(each[h]->getType(), 2);
    either->addIncoming(of_row[h], row);
    either->addIncoming(each[h], apart);
    loaded[h] = either;
  }
  return true;
}

/// An element for each lane of a half-warp (or one for all of them), `offset` behind where the lanes begin.
Value* Whole::load_half(const AccessKey& key, unsigned half, Value* host, const Places& places, Value* mask,
                        u64 offset) {
  using Kind = Places::Kind;
  Type* const element = b_.getIntNTy(8 * key.bytes);
  auto* row = FixedVectorType::get(element, kHalf);
  const Align align(key.bytes);
  Value* none = Constant::getNullValue(row);
  if (places.kind == Kind::Halves) {
    Value* address = places.first[half];
    if (mask) {  // a half-warp without active lanes reads what the other one does
      Value* these = b_.CreateTrunc(half ? b_.CreateLShr(mask, kHalf) : mask, b_.getInt16Ty());
      address = b_.CreateSelect(b_.CreateICmpEQ(these, b_.getInt16(0)), places.first[1 - half], address);
    }
    return b_.CreateAlignedLoad(element, on_host(host, address, offset), align);
  }
  if (places.kind == Kind::Rows && key.elements == 1) {
    if (mask && key.bytes < 4 && one_by_one()) return load_narrow_row(key, half, host, places, mask, offset);
    Value* there = on_host(host, places.first[half], offset);
    if (mask) return b_.CreateMaskedLoad(row, there, align, half_mask(mask, half), none);
    return b_.CreateAlignedLoad(row, there, align);
  }
  if (Value* v = mask ? nullptr : load_strided(key, half, host, places, offset)) return v;
  if (key.bytes < 4 && StringRef(unit_.target) == "avx512")
    return load_of_words(key, half, host, places, mask, offset);
  if (one_by_one()) return load_each(key, half, host, places, mask, offset);
  if (Value* v = gather_near(key, half, host, places, mask, offset)) return v;
  Value* these =
      mask ? half_mask(mask, half) : Constant::getAllOnesValue(FixedVectorType::get(b_.getInt1Ty(), kHalf));
  return b_.CreateMaskedGather(row, pointers(places, host, half, offset), align, these, none);
}

/// Vectors of elements that lie one behind another.
void Whole::load_rows(u32 k, Value* host, const Places& places) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  if (StringRef(unit_.target) == "avx512") {
    Places each = places;  // as if the elements were loaded one by one
    each.kind = Places::Kind::Lanes, each.before = 0;
    std::vector<Value*> loaded;
    for (u32 n = 0; n < key.elements; ++n)
      for (unsigned h = 0; h < 2; ++h) loaded.push_back(load_strided(key, h, host, each, u64{n} * key.bytes));
    return put_loaded(k, std::move(loaded), false, nullptr);
  }
  auto* whole = FixedVectorType::get(b_.getIntNTy(8 * key.bytes), kHalf * key.elements);
  Value* rows[2];
  for (unsigned h = 0; h < 2; ++h)
    rows[h] = b_.CreateAlignedLoad(whole, on_host(host, places.first[h], 0), Align(key.bytes * key.elements));
  for (u32 n = 0; n < key.elements; ++n) {
    const u32 to = element_of(i, n);
    if (to == kSink) continue;
    std::vector<int> which;
    for (unsigned l = 0; l < kHalf; ++l) which.push_back(static_cast<int>(l * key.elements + n));
    for (unsigned h = 0; h < 2; ++h)
      put_lanes(to, key.register_bytes, h * kHalf,
                widened(b_.CreateShuffleVector(rows[h], which), key.register_bytes, key.sign));
  }
}

/// What a half-warp stores, by element (of moved()).
std::vector<Value*> Whole::stored_values(u32 k, unsigned half) {
  const Inst& i = unit_.code[k];
  const AccessKey& key = i.aux->access;
  const AccessKey word = moved(key);
  auto* row = FixedVectorType::get(b_.getIntNTy(8 * key.bytes), kHalf);
  std::vector<Value*> values;
  for (u32 n = 0; n < key.elements; ++n) {
    const u32 from = element_of(i, n);
    values.push_back(half_of(from, key.register_bytes, half));
    if (const WholeSlot* slot = slot_of(from)) values.back() = canonical(*slot, values.back());
    if (key.register_bytes != key.bytes) values.back() = b_.CreateTrunc(values.back(), row);
  }
  if (word.elements == key.elements) return values;
  Value* all = widened(values[0], word.bytes, false);
  for (u32 n = 1; n < key.elements; ++n)
    all = b_.CreateOr(all, b_.CreateShl(widened(values[n], word.bytes, false),
                                        ConstantInt::get(all->getType(), u64{8} * key.bytes * n)));
  return {all};
}

/// Stores, in the lanes of the mask if there is one. Where lanes store to one place the last one wins.
void Whole::store(u32 k, Value* host, const Places& places, Value* mask) {
  using Kind = Places::Kind;
  const AccessKey key = moved(unit_.code[k].aux->access);
  if (places.near[0] && !mask && key.elements == 1) {
    Value* values[2] = {stored_values(k, 0)[0], stored_values(k, 1)[0]};
    BasicBlock *row = fresh(), *apart = fresh(), *both = fresh();
    ask_for_row(key, places, row, apart);
    for (const bool together : {true, false}) {
      b_.SetInsertPoint(together ? row : apart);
      for (unsigned h = 0; h < 2; ++h)
        store_half(values[h], key, h, host, together ? in_row(key, places) : places, nullptr, 0);
      b_.CreateBr(both);
    }
    b_.SetInsertPoint(both);
    return;
  }
  for (unsigned h = places.kind == Kind::One && !mask ? 1 : 0; h < 2; ++h) {
    const std::vector<Value*> values = stored_values(k, h);
    if (key.elements > 1 && places.kind == Kind::Rows && !mask) {
      b_.CreateAlignedStore(interleaved(values), on_host(host, places.first[h], 0),
                            Align(key.bytes * key.elements));
      continue;
    }
    for (u32 n = 0; n < key.elements; ++n)
      store_half(values[n], key, h, host, places, mask, u64{n} * key.bytes);
  }
}

/// a0 b0 c0 d0 a1 b1 … of two, four or eight vectors.
Value* Whole::interleaved(std::vector<Value*> parts) {
  // Pairs that are half the list apart first: what they make then stands in the right order.
  while (parts.size() > 1) {
    const size_t pairs = parts.size() / 2;
    std::vector<Value*> joined;
    for (size_t p = 0; p < pairs; ++p) {
      const unsigned count = cast<FixedVectorType>(parts[p]->getType())->getNumElements();
      std::vector<int> which;
      for (unsigned l = 0; l < count; ++l) {
        which.push_back(static_cast<int>(l));
        which.push_back(static_cast<int>(count + l));
      }
      joined.push_back(b_.CreateShuffleVector(parts[p], parts[p + pairs], which));
    }
    parts = std::move(joined);
  }
  return parts[0];
}

/// Stores an element for each lane of a half-warp, `offset` behind where the lanes begin.
void Whole::store_half(Value* v, const AccessKey& key, unsigned half, Value* host, const Places& places,
                       Value* mask, u64 offset) {
  using Kind = Places::Kind;
  const Align align(key.bytes);
  if (places.kind == Kind::Rows && key.elements == 1 && !(mask && key.bytes < 4 && one_by_one())) {
    Value* there = on_host(host, places.first[half], offset);
    mask ? static_cast<void>(b_.CreateMaskedStore(v, there, align, half_mask(mask, half)))
         : static_cast<void>(b_.CreateAlignedStore(v, there, align));
    return;
  }
  if (places.stride == 0 && !places.distance[half] && !mask) {
    b_.CreateAlignedStore(b_.CreateExtractElement(v, u64{kHalf - 1}),
                          on_host(host, places.first[half], offset), align);
    return;
  }
  if (!mask && store_strided(v, key, half, host, places, offset)) return;
  if (key.bytes < 4 || one_by_one()) return store_each(v, key, half, host, places, mask, offset);
  if (scatter_near(v, key, half, host, places, mask, offset)) return;
  Value* these =
      mask ? half_mask(mask, half) : Constant::getAllOnesValue(FixedVectorType::get(b_.getInt1Ty(), kHalf));
  b_.CreateMaskedScatter(v, pointers(places, host, half, offset), align, these);
}

}  // namespace ww::engine
