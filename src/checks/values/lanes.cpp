// Undefined bits between the lanes of a warp: shuffles, votes, reductions and matrix products.
#include <algorithm>
#include <cstring>

#include "checks/values.h"
#include "engine/lanes/shuffle.h"

namespace ww::checks {

namespace {

bool has_odd_width(const LaneValues& bounds) {
  return std::any_of(std::begin(bounds.value), std::end(bounds.value),
                     [](u64 c) { return !engine::is_width(engine::shuffle_width(static_cast<u32>(c))); });
}

}  // namespace

void Values::warp_sync(int worker, const events::WarpSync& e) {
  const Plan& plan = now_->plans[e.instruction];
  if (!e.state) return;
  switch (plan.rule) {
    case Rule::Shuffle:
      if (e.mask == engine::kAllLanes && e.members == engine::kAllLanes && !flag(plan, *e.state) &&
          !(plan.odd_width && has_odd_width(read(frame_of(plan, *e.state), plan.source[2]))))
        return;
      return shuffle(block(worker, e.block), e, plan, *e.state);
    case Rule::Vote:
    case Rule::Ballot:
    case Rule::AcrossLanes:
      if (flag(plan, *e.state)) across(block(worker, e.block), e, plan, *e.state);
      return;
    case Rule::Rows:
      return;  // told as an access
    case Rule::Transpose:
      if (flag(plan, *e.state)) transpose(plan, *e.state);
      return;
    case Rule::Fragment:
      return fragment(block(worker, e.block), e, plan);
    case Rule::Product:
      if (!flag(plan, *e.state)) return;
      [[fallthrough]];
    case Rule::GroupProduct:
      return product(block(worker, e.block), e, plan);
    default: {
      if (!flag(plan, *e.state)) return;
      const Frame f = frame_of(plan, *e.state);
      define(f, plan.result, e.mask);
      define(f, plan.second, e.mask);
      for (const Value& v : plan.list) define(f, v, e.mask);
    }
  }
}

void Values::shuffle(Block& b, const events::Site& site, const Plan& plan, engine::Warp& warp) {
  const Frame f = frame_of(plan, warp);
  const LaneValues a = read(f, plan.source[0]), by = read(f, plan.source[1]), c = read(f, plan.source[2]);
  const LaneValues named = read(f, plan.source[3]);
  const bool masked = plan.source[3].kind != Value::Kind::None;
  u64 out[engine::kLanes] = {};
  u32 origin = 0, any = 0;
  for (u32 m = site.mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    const u32 present = masked ? site.mask & (static_cast<u32>(named.value[l]) | u32{1} << l) : site.mask;
    const auto bounds = static_cast<u32>(c.value[l]), step = static_cast<u32>(by.value[l]) & 31;
    bool inside = false;
    const u32 from = engine::shuffled_from(plan.mode, l, step, bounds, inside);
    out[l] = a.undefined[from];
    const u32 width = engine::shuffle_width(bounds);
    if (const bool absent = !(present >> from & 1); absent || !engine::is_width(width)) {
      out[l] = 0xffffffff;
      if (!origin) {
        Origin o;
        o.kind = absent ? Origin::Kind::Shuffle : Origin::Kind::Width;
        o.instruction = site.instruction, o.warp = site.warp, o.lane = static_cast<int>(l);
        o.address = absent ? from : width;
        origin = origin_at(b, site, o);
      }
    } else if (out[l] && !origin) {
      origin = f.origin(plan.source[0]);
    }
    if (by.undefined[l] & 31) {  // from which lane it comes
      out[l] = 0xffffffff;
      origin = f.origin(plan.source[1]) | 1;
    }
    any |= u32{out[l] != 0} << l;
  }
  if (plan.result.kind == Value::Kind::Register) {
    if (any || flag(plan, warp)) write(f, plan.result, out, site.mask, false);
    if (any) f.origin(plan.result) = origin, flag(plan, warp) = 1;
  }
  define(f, plan.second, site.mask);
}

/// Lane l holds elements 2 (l % 4) and the next of row l / 4, two bytes each (PTX ISA, movmatrix).
void Values::transpose(const Plan& plan, engine::Warp& warp) {
  if (plan.result.kind != Value::Kind::Register) return;
  const Frame f = frame_of(plan, warp);
  const LaneValues a = read(f, plan.source[0]);
  u64 out[engine::kLanes] = {};
  u64 any = 0;
  for (u32 l = 0; l < engine::kLanes; ++l)
    for (u32 half = 0; half < 2; ++half) {
      const u32 row = 2 * (l % 4) + half, column = l / 4;
      const u64 bits = a.undefined[4 * row + column / 2] >> 16 * (column % 2) & 0xffff;
      out[l] |= bits << 16 * half;
      any |= bits;
    }
  write(f, plan.result, out, engine::kAllLanes, false);
  if (any) f.origin(plan.result) = f.origin(plan.source[0]);
}

void Values::across(Block&, const events::Site& site, const Plan& plan, engine::Warp& warp) {
  const Frame f = frame_of(plan, warp);
  const u32 unsure = undefined_lanes(f, plan.source[0], site.mask);
  u64 out[engine::kLanes] = {};
  u64 each = 0;
  if (unsure) {
    const LaneValues a = read(f, plan.source[0]);
    u32 yes = 0;
    for (u32 m = site.mask & ~unsure; m; m &= m - 1)
      yes |= static_cast<u32>(a.value[__builtin_ctz(m)] & 1) << __builtin_ctz(m);
    if (plan.rule == Rule::Ballot)
      each = unsure;
    else if (plan.rule == Rule::Vote && plan.mode == isa::Mod::any)
      each = yes ? 0 : ~u64{0};
    else if (plan.rule == Rule::Vote && plan.mode == isa::Mod::all)
      each = yes != (site.mask & ~unsure) ? 0 : ~u64{0};
    else
      each = ~u64{0};
  }
  std::fill(std::begin(out), std::end(out), each);
  for (const Value* v : {&plan.result, &plan.second}) {
    if (v->kind != Value::Kind::Register) continue;
    if (v->stride == 0) {
      u32 now;
      std::memcpy(&now, f.bits(*v), 4);
      now = (now & ~site.mask) | (each ? site.mask : 0);
      std::memcpy(f.bits(*v), &now, 4);
    } else {
      write(f, *v, out, site.mask, false);
    }
    if (each) f.origin(*v) = f.origin(plan.source[0]) | u32{plan.computes};
  }
}

}  // namespace ww::checks
