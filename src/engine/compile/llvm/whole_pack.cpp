// Whole-warp code: registers packed into wider ones, and back.
#include "engine/compile/llvm/whole.h"
#include "engine/interpret/pack.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

void Whole::pack(u32 k) {
  const CompileStep& s = unit_.steps[k];
  const u32* list = unit_.operands + s.operands + s.reads + s.writes;
  Value* mask = active_mask();
  struct Result {
    u32 lane_bytes = 0;
    Value* halves[2] = {};
  };
  std::map<u32, Result> results;  // all of them, before any register is written
  const u32 count = *list++;
  for (u32 n = 0; n < count; ++n, list += 7) {
    const Piece p{list[0], list[1], list[2], list[3], list[4], list[5], list[6]};
    if (p.to == kSink || !slot_of(p.to)) continue;
    Result& result = results[p.to];
    result.lane_bytes = p.to_lane;
    for (unsigned h = 0; h < 2; ++h) {
      Value* v = half_of(p.from, p.from_lane, h);
      if (const WholeSlot* from = slot_of(p.from)) v = canonical(*from, v);
      v = b_.CreateLShr(v, ConstantInt::get(v->getType(), u64{8} * p.from_at));
      v = widened(widened(v, p.bytes, false), p.to_lane, false);
      v = b_.CreateShl(v, ConstantInt::get(v->getType(), u64{8} * p.to_at));
      result.halves[h] = result.halves[h] ? b_.CreateOr(result.halves[h], v) : v;
    }
  }
  for (const auto& [into, result] : results)
    for (unsigned h = 0; h < 2; ++h)
      put_lanes(into, result.lane_bytes, h * kHalf, result.halves[h], kept(k, into) ? mask : nullptr);
  b_.CreateBr(to(k + 1));
}

}  // namespace ww::engine
