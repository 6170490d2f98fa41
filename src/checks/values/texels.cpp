// Undefined bits of textures and surfaces: texels lie in global memory.
#include <algorithm>
#include <cstring>

#include "checks/values.h"
#include "isa/effects.h"

namespace ww::checks {

void Values::see_coordinates(Block& b, const events::Site& site, const Plan& plan, const Frame& f, u32 mask) {
  for (const Value& v : plan.coordinates) {
    const u32 lanes = undefined_lanes(f, v, mask);
    if (!lanes) continue;
    tell(b, site, __builtin_ctz(lanes), "a texture coordinate depends on an uninitialised value",
         plan.rule == Rule::Store ? "stores texels there" : "reads texels there", f.origin(v));
    define(f, v, lanes);
  }
}

/// Gathers take one channel of four texels; which result is whose depends on the edges. So the results are
/// undefined only if all of the texels are.
void Values::gathered(Block& b, const events::Memory& e, const Plan& plan) {
  const u64 all = e.texel_bytes >= 64 ? ~u64{0} : (u64{1} << e.texel_bytes) - 1;
  u32 lanes = 0, defined = 0;
  for (const events::TexelRead& r : e.texels) {
    lanes |= 1u << r.lane;
    if (written_.missing(r.address, e.texel_bytes) != all) defined |= 1u << r.lane;
  }
  const Frame f = frame_of(plan, *e.state);
  for (const events::TexelRead& r : e.texels) {
    if (!((lanes & ~defined) >> r.lane & 1)) continue;
    lanes &= ~(1u << r.lane);
    const Origin o{Origin::Kind::Memory, e.instruction, e.warp,       static_cast<int>(r.lane),
                   ir::Space::Global,    r.address,     e.texel_bytes};
    for (const Value& v : plan.list) {
      if (v.kind != Value::Kind::Register) continue;
      std::memset(f.bits(v) + size_t{r.lane} * v.stride, 0xff, v.stride);
      f.origin(v) = origin_at(b, e, o);
    }
    flag(plan, *e.state) = 1;
  }
}

/// Only the array knows how many of the values its texels take, and of what size: a texel is undefined if
/// none of the values is defined.
void Values::store_converted(Worker& w, Block& b, const events::Memory& e, const Plan& plan) {
  define_memory(w, b, e);
  if (!flag(plan, *e.state) || plan.list.empty()) return;
  const Frame f = frame_of(plan, *e.state);
  u32 unsure = 0, undefined = e.mask;
  guarded(b, e, plan, f, e.mask, unsure);
  for (const Value& v : plan.list)
    undefined &= v.kind == Value::Kind::Register ? undefined_lanes(f, v, e.mask) : 0;
  if (undefined && f.origin(plan.list[0]) & 1)
    return tell(b, e, __builtin_ctz(undefined),
                "a value computed from an uninitialised one is stored to global memory", "stores a texel",
                f.origin(plan.list[0]));
  for (u32 m = undefined; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    written_.unwritten(e.first + static_cast<u64>(e.offsets[l]), e.bytes);
  }
}

void Values::texels(Worker& w, Block& b, const events::Memory& e, const Plan& plan) {
  if (e.texels.empty()) {  // of a surface: lanes with addresses
    if (plan.rule == Rule::Load) return load(w, b, e, plan);
    if (plan.converts) return store_converted(w, b, e, plan);
    if (plan.rule == Rule::Store) return store(w, b, e, plan);
    return define_memory(w, b, e);
  }
  if (every_load_ || e.elements == 0 || plan.list.empty()) return;
  if (plan.gathers) return gathered(b, e, plan);
  const u32 channel = e.texel_bytes / e.elements;
  const Frame f = frame_of(plan, *e.state);
  const bool halves = plan.list.size() == 2;  // two channels in each register
  for (size_t k = 0; k < e.texels.size(); ++k) {
    const events::TexelRead& r = e.texels[k];
    const u64 missing = written_.missing(r.address, e.texel_bytes);
    if (!missing) continue;
    const auto beside = [&](size_t n) { return n < e.texels.size() && e.texels[n].lane == r.lane; };
    const bool filtered = beside(k + 1) || (k > 0 && beside(k - 1));
    for (u32 c = 0; c < e.elements; ++c) {
      const Value& v = plan.list[halves ? c / 2 : c];
      if (!(missing >> c * channel & ((u64{1} << channel) - 1)) || v.kind != Value::Kind::Register) continue;
      u8* to = f.bits(v) + size_t{r.lane} * v.stride;
      std::memset(halves ? to + 2 * (c % 2) : to, 0xff, halves ? 2 : v.stride);
      Origin o{Origin::Kind::Memory, e.instruction,           e.warp, static_cast<int>(r.lane),
               ir::Space::Global,    r.address + c * channel, channel};
      f.origin(v) = origin_at(b, e, o) | u32{filtered};
      flag(plan, *e.state) = 1;
    }
  }
}

}  // namespace ww::checks
