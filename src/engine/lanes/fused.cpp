// Handlers that run several decoded instructions in a row without going back to the warp's loop, where that
// pays: runs of fma, and two loads followed by the fma that uses them. They change nothing of what the
// instructions do, each of which stays in the code by itself: a fused handler only carries on with the
// instructions behind its own.
#define WW_CHAPTER "isa/chapters/floating.inc"
#include "engine/lanes/expand.h"

#include "engine/lanes/access.h"

namespace ww::lane {
namespace {

using Fma = Bound<rows::fma_f32, f32>;
using FmaLoop = Loop<Fma, Spec{}, Fma::Signature>;
constexpr Handler kLoad = &access_full<Kind::Load, u32, u32, false>;

/// All fma from here on (full handlers are only used unguarded and while no live lane is inactive).
const Inst* fma_run(Warp& w, const Inst* i) {
  do i = FmaLoop::run(w, i);
  while (i->full == &fma_run);
  return i;
}

/// ld, ld, fma.
const Inst* load_load_fma(Warp& w, const Inst* i) {
  do {
    for (int k = 0; k < 2; ++k, ++i) {
      const AddressShape& s = *slot<AddressShape>(w, i->src[2]);
      if (s.mask != w.mask || !allowed(w, i, s, 4)) [[unlikely]]
        return kLoad(w, i);
      u32* lanes = slot<u32>(w, i->dst);
      load_half<u32>(lanes, shifted(s.host, i->imm), s, 0);
      load_half<u32>(lanes + 16, shifted(s.host, i->imm), s, 1);
    }
    i = FmaLoop::run(w, i);
  } while (i->full == &load_load_fma);
  return i;
}

}  // namespace

namespace WW_TARGET {
Handler find_floating(const LaneKey& key);
engine::Access find_access(const AccessKey& key);

/// The handler for an instruction followed by those of `behind`, or nullptr. `full` are their handlers as
/// decoded.
Handler fuse(const Handler* full, int count) {
  static const Handler load = find_access({}).full;  // of 4 bytes
  static const Handler fma = find_floating({.op = isa::Op::fma_f32, .type = Type::f32});
  if (count >= 3 && full[0] == load && full[1] == load && full[2] == fma) return &load_load_fma;
  return full[0] == fma ? &fma_run : nullptr;
}
}  // namespace WW_TARGET

}  // namespace ww::lane
