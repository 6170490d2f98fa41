// Whole-warp code: accesses of elements that lie apart in memory, in another way than by gathering and
// scattering them. 16 words take some 6 ns then, three times as long as to load and sort rows (2026-11-24).
#include <llvm/IR/IntrinsicsX86.h>

#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

/// How many elements it is from each lane's to the next one's, where that is a small number known here. 0:
/// it is not.
unsigned Whole::elements_apart(const AccessKey& key, const Places& places) const {
  if (StringRef(unit_.target) != "avx512" || places.kind != Places::Kind::Lanes || places.distance[0] ||
      (key.bytes != 4 && key.bytes != 8) || places.stride <= 0 || places.stride % key.bytes)
    return 0;
  const int64_t apart = places.stride / key.bytes;
  return apart <= 8 ? static_cast<unsigned>(apart) : 0;
}

/// Of rows of elements, as many as elements lie from one lane's to the next one's (2, 4 or 8): what lies at
/// `which` for each lane. In steps that halve the rows, of which other elements need the same: four of them
/// take 8 instructions instead of 12.
Value* Whole::every_nth(std::vector<Value*> rows, unsigned which) {
  const unsigned lanes = cast<FixedVectorType>(rows[0]->getType())->getNumElements();
  unsigned kinds =
      static_cast<unsigned>(rows.size());  // of elements that a row still has, one after another …
  unsigned each = lanes / kinds;
  bool in_turns = true;  // … or in turns
  while (rows.size() > 1) {
    const unsigned first = which % kinds / (kinds / 2) * (kinds / 2);
    std::vector<int> taken;
    for (unsigned kind = first; kind < first + kinds / 2; ++kind)
      for (unsigned n = 0; n < 2 * each; ++n) {
        const unsigned at = n % each;
        taken.push_back(
            static_cast<int>(n / each * lanes + (in_turns ? at * kinds + kind : kind * each + at)));
      }
    std::vector<Value*> joined;
    for (size_t r = 0; r < rows.size(); r += 2)
      joined.push_back(b_.CreateShuffleVector(rows[r], rows[r + 1], taken));
    rows = std::move(joined);
    kinds /= 2, each *= 2, in_turns = false;
  }
  return rows[0];
}

/// All elements from the first lane's to the last one's are loaded, in rows, and those wanted picked. What
/// lies in between belongs to the same piece of memory. Where accesses one behind another read those, too,
/// all of them begin at the same place, so that LLVM sees that they load the same rows. Null: not here.
Value* Whole::load_strided(const AccessKey& key, unsigned half, Value* host, const Places& places,
                           u64 offset) {
  const unsigned apart = elements_apart(key, places);
  if (apart < 2) return nullptr;
  const unsigned in_row = kPartBytes / key.bytes;
  const int64_t behind = places.before + static_cast<int64_t>(offset);
  const bool whole = places.before >= 0 && behind % key.bytes == 0 && behind + key.bytes <= places.stride;
  const unsigned begin = whole ? static_cast<unsigned>(behind) / key.bytes : 0;
  const unsigned count = whole ? apart * kHalf : apart * (kHalf - 1) + 1;
  auto* row = FixedVectorType::get(b_.getIntNTy(8 * key.bytes), in_row);
  std::vector<Value*> rows;
  for (unsigned first = 0; first < count; first += in_row) {
    std::vector<Constant*> some;
    for (unsigned n = 0; n < in_row; ++n) some.push_back(b_.getInt1(first + n < count));
    Value* there =
        on_host(host, places.first[half], offset + u64{first} * key.bytes - u64{begin} * key.bytes);
    rows.push_back(first + in_row <= count
                       ? static_cast<Value*>(b_.CreateAlignedLoad(row, there, Align(key.bytes)))
                       : b_.CreateMaskedLoad(row, there, Align(key.bytes), ConstantVector::get(some),
                                             Constant::getNullValue(row)));
  }
  std::vector<Value*> picked;  // by the lanes that make a row of results
  for (unsigned r = 0; r < kHalf / in_row; ++r) {
    if (whole && isPowerOf2_32(apart)) {
      const auto from = rows.begin() + r * apart;
      picked.push_back(every_nth({from, from + apart}, begin));
      continue;
    }
    Value* found = PoisonValue::get(row);
    for (unsigned k = 0; k < rows.size(); ++k) {
      std::vector<int> which;
      bool any = false;
      for (unsigned l = 0; l < in_row; ++l) {
        const unsigned at = (r * in_row + l) * apart + begin;
        const bool here = at / in_row == k;
        any |= here;
        which.push_back(static_cast<int>(here ? in_row + at % in_row : l));
      }
      if (any) found = b_.CreateShuffleVector(found, rows[k], which);
    }
    picked.push_back(found);
  }
  if (picked.size() == 1) return picked[0];
  std::vector<int> all;
  for (unsigned l = 0; l < kHalf; ++l) all.push_back(static_cast<int>(l));
  return b_.CreateShuffleVector(picked[0], picked[1], all);
}

/// Rows are stored of which only the lanes' elements are written. False: not here.
bool Whole::store_strided(Value* v, const AccessKey& key, unsigned half, Value* host, const Places& places,
                          u64 offset) {
  const unsigned apart = elements_apart(key, places);
  if (apart < 2 || apart > 4) return false;
  const unsigned in_row = kPartBytes / key.bytes, count = apart * (kHalf - 1) + 1;
  for (unsigned first = 0; first < count; first += in_row) {
    std::vector<int> which;
    std::vector<Constant*> some;
    for (unsigned n = 0; n < in_row; ++n) {
      const bool one = (first + n) % apart == 0 && first + n < count;
      which.push_back(one ? static_cast<int>((first + n) / apart) : PoisonMaskElem);
      some.push_back(b_.getInt1(one));
    }
    b_.CreateMaskedStore(b_.CreateShuffleVector(v, which),
                         on_host(host, places.first[half], offset + u64{first} * key.bytes), Align(key.bytes),
                         ConstantVector::get(some));
  }
  return true;
}

/// Words by 32-bit distances, 16 at once. (Where the distances come from another block than the access, LLVM
/// does not see that they are of 32 bits, and makes two gathers of 64.) Null: not here.
Value* Whole::gather_near(const AccessKey& key, unsigned half, Value* host, const Places& places, Value* mask,
                          u64 offset) {
  if (!places.near[half] || key.bytes != 4 || one_by_one()) return nullptr;
  auto* row = FixedVectorType::get(b_.getInt32Ty(), kHalf);
  Value* these =
      mask ? half_mask(mask, half) : Constant::getAllOnesValue(FixedVectorType::get(b_.getInt1Ty(), kHalf));
  return b_.CreateIntrinsic(Intrinsic::x86_avx512_mask_gather_dpi_512, {},
                            {Constant::getNullValue(row), on_host(host, places.low, offset),
                             places.near[half], these, b_.getInt32(1)});
}

/// The same for stores. False: not here.
bool Whole::scatter_near(Value* v, const AccessKey& key, unsigned half, Value* host, const Places& places,
                         Value* mask, u64 offset) {
  if (!places.near[half] || key.bytes != 4 || one_by_one()) return false;
  Value* these =
      mask ? half_mask(mask, half) : Constant::getAllOnesValue(FixedVectorType::get(b_.getInt1Ty(), kHalf));
  b_.CreateIntrinsic(Intrinsic::x86_avx512_mask_scatter_dpi_512, {},
                     {on_host(host, places.low, offset), these, places.near[half], v, b_.getInt32(1)});
  return true;
}

/// Elements of less than 32 bits from the words around them, which lie in the same page.
Value* Whole::load_of_words(const AccessKey& key, unsigned half, Value* host, const Places& places,
                            Value* mask, u64 offset) {
  Type* const wide = b_.getInt64Ty();
  auto* words = FixedVectorType::get(b_.getInt32Ty(), kHalf);
  const auto all = [&](u64 n) { return ConstantInt::get(words, n); };
  const bool apart = places.distance[half] != nullptr;
  Value* first = b_.CreateAdd(host, apart ? places.low : places.first[half]);
  if (offset) first = b_.CreateAdd(first, b_.getInt64(offset));
  Value* distance = nullptr;
  if (apart) {
    distance = b_.CreateTrunc(places.distance[half], words);
  } else {
    std::vector<Constant*> steps;
    for (unsigned l = 0; l < kHalf; ++l) steps.push_back(b_.getInt32(static_cast<u32>(places.stride * l)));
    distance = ConstantVector::get(steps);
  }
  Value* odd = b_.CreateTrunc(b_.CreateAnd(first, b_.getInt64(3)), b_.getInt32Ty());
  distance = b_.CreateAdd(distance, b_.CreateVectorSplat(kHalf, odd));
  Value* base = b_.CreateIntToPtr(b_.CreateAnd(first, b_.getInt64(~u64(3))), pointer_);
  Value* index = b_.CreateSExt(b_.CreateAnd(distance, all(~u32(3))), FixedVectorType::get(wide, kHalf));
  Value* these =
      mask ? half_mask(mask, half) : Constant::getAllOnesValue(FixedVectorType::get(b_.getInt1Ty(), kHalf));
  Value* v = b_.CreateMaskedGather(words, b_.CreateGEP(b_.getInt8Ty(), base, index), Align(4), these,
                                   Constant::getNullValue(words));
  v = b_.CreateLShr(v, b_.CreateShl(b_.CreateAnd(distance, all(3)), all(3)));
  return b_.CreateTrunc(v, FixedVectorType::get(b_.getIntNTy(8 * key.bytes), kHalf));
}

}  // namespace ww::engine
