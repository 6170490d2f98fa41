// Whole-warp code: instructions in which lanes look at each other. All of them are active and come at once.
#include <llvm/IR/IntrinsicsX86.h>

#include <cstring>

#include "engine/compile/llvm/whole.h"
#include "engine/lanes/shuffle.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

/// The same in all lanes.
void Whole::put_same(u32 offset, Value* v) {
  const WholeSlot* s = slot_of(offset);
  if (!s) return;
  if (lanes_of(*s) != WholeSlot::Lanes::Any)
    set_even(*s, v, v);
  else if (s->lane_bytes == 0)
    b_.CreateStore(v, in_view(0, offset));
  else
    for (unsigned l = 0; l < kLanes; l += kHalf) put_lanes(offset, 4, l, b_.CreateVectorSplat(kHalf, v));
}

void Whole::collective(u32 k) {
  const Inst& i = unit_.code[k];
  Type* const word = b_.getInt32Ty();
  switch (unit_.steps[k].collective) {
    using enum CompileStep::Collective;
    case Active:
      put_same(i.dst, present_);
      break;
    case Vote:
    case Ballot: {
      Value* votes = b_.CreateLoad(word, in_view(0, i.src[0]));
      if (i.negate_pred) votes = b_.CreateNot(votes);
      votes = b_.CreateAnd(votes, present_);
      if (unit_.steps[k].collective == Ballot) {
        put_same(i.dst, votes);
        break;
      }
      Value* all = b_.CreateICmpEQ(votes, present_);
      Value* none = b_.CreateICmpEQ(votes, b_.getInt32(0));
      const auto which = static_cast<isa::Mod>(i.mode);
      Value* result = which == isa::Mod::all   ? all
                      : which == isa::Mod::any ? b_.CreateNot(none)
                                               : b_.CreateOr(all, none);
      put_same(i.dst, b_.CreateSExt(result, word));
      break;
    }
    case Shuffle:
      shuffle(i);
      break;
    default:
      break;
  }
  b_.CreateBr(to(k + 1));
}

void Whole::shuffle(const Inst& i) {
  u32 by = 0, c = 0;
  const auto constant_of = [&](u32 offset, u32& v) {
    const bool is = slot_of(offset)->from == WholeSlot::From::Constant;
    if (is) std::memcpy(&v, unit_.image + (offset - kFrameStart), sizeof v);
    return is;
  };
  constant_of(i.src[2], c);
  const bool known = constant_of(i.src[1], by);
  const WholeSlot* source = slot_of(i.src[0]);
  Value* from[2];
  for (unsigned h = 0; h < 2; ++h) {
    from[h] = canonical(*source, half_of(i.src[0], 4, h));
    from[h] = of_present(from[h], h * kHalf);  // from a lane that does not take part comes 0
  }
  // What each lane takes, for each of the 32 numbers that may be given.
  const auto lanes_for = [&](u32 n, u32& inside) {
    std::vector<u8> lanes;
    inside = 0;
    for (u32 l = 0; l < kLanes; ++l) {
      bool valid = false;
      lanes.push_back(static_cast<u8>(shuffled_from(static_cast<isa::Mod>(i.mode), l, n, c, valid)));
      inside |= u32{valid} << l;
    }
    return lanes;
  };
  Value *result[2], *valid = nullptr;
  if (known) {
    u32 inside = 0;
    const std::vector<u8> lanes = lanes_for(by & 31, inside);
    for (unsigned h = 0; h < 2; ++h)
      result[h] = b_.CreateShuffleVector(
          from[0], from[1], std::vector<int>(lanes.begin() + h * kHalf, lanes.begin() + (h + 1) * kHalf));
    valid = b_.getInt32(inside);
  } else {
    std::vector<u8> table;
    std::vector<u32> valid_table(kLanes);
    for (u32 n = 0; n < kLanes; ++n) {
      const std::vector<u8> lanes = lanes_for(n, valid_table[n]);
      table.insert(table.end(), lanes.begin(), lanes.end());
    }
    Value* n = b_.CreateZExt(b_.CreateAnd(first_of(*slot_of(i.src[1]), 0), 31), b_.getInt64Ty());
    auto* narrow = FixedVectorType::get(b_.getInt8Ty(), kHalf);
    auto* words = FixedVectorType::get(b_.getInt32Ty(), kHalf);
    Value* row = b_.CreateGEP(b_.getInt8Ty(), constant(bytes(table.data(), table.size())),
                              b_.CreateMul(n, b_.getInt64(kLanes)));
    for (unsigned h = 0; h < 2; ++h) {
      Value* index = b_.CreateAlignedLoad(narrow, at(row, u64{h} * kHalf), Align(16));
      result[h] = b_.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                     {from[0], b_.CreateZExt(index, words), from[1]});
    }
    Value* inside = constant(ConstantDataArray::get(context_, valid_table));
    valid = b_.CreateLoad(b_.getInt32Ty(), b_.CreateGEP(b_.getInt32Ty(), inside, n));
  }
  if (even(i.dst))
    put_same(i.dst, b_.CreateExtractElement(result[0], u64{0}));
  else
    for (unsigned h = 0; h < 2; ++h) put_lanes(i.dst, 4, h * kHalf, result[h]);
  if (i.dst2_used) b_.CreateStore(valid, in_view(0, i.dst2));
}

}  // namespace ww::engine
