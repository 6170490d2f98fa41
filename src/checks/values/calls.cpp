// Undefined bits that pass into functions and back: parameters and results go through the lanes' local
// memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "checks/values.h"
#include "engine/schedule/launch_state.h"

namespace ww::checks {

namespace {

/// The bytes of a lane's register that count in local memory.
Value register_of(const events::Passed& e) {
  Value v;
  v.kind = Value::Kind::Register;
  v.bytes = static_cast<u8>(e.bytes);
  v.stride = static_cast<u8>(std::max<u32>(2, e.bytes));
  const auto& slots = e.caller->slots;
  const auto number = static_cast<ir::RegId>(std::find(slots.begin(), slots.end(), e.slot) - slots.begin());
  v.in_frame = {e.slot, e.caller->origin(number)};
  return v;
}

}  // namespace

void Values::passed(int worker, const events::Passed& e) {
  if (!now_->local) return;
  Block& b = block(worker, e.block);
  const engine::WarpState& warp = engine::state(*e.state);
  b.local.grow(u64{warp.local_bytes} * engine::kLanes * warp.block->warps.size());
  if (e.what == events::Passed::What::Enters) return enter(b, e);
  if (e.what == events::Passed::What::Used) return used(b, e);
  carry_passed(b, e);
}

/// Nothing is defined in the frame of a function that begins: what lies there others have left behind.
void Values::enter(Block& b, const events::Passed& e) {
  for (u32 m = e.mask; m; m &= m - 1) {
    u8* frame = b.local.at(local_at(e.warp, static_cast<u32>(__builtin_ctz(m)), *e.state) + e.to);
    std::memset(frame, 0, e.callee->local_bytes);
    for (const auto& [symbol, offset] : e.callee->locals)
      std::memset(frame + offset, 0xff, program_->module->variable(symbol).bytes);
  }
}

/// What the library does with an argument that nobody set depends on it.
void Values::used(Block& b, const events::Passed& e) {
  const bool in_register = e.slot != ~u32{0};
  if (in_register &&
      (e.caller->shadow == 0 || !*reinterpret_cast<u32*>(e.registers + e.caller->undefined_flag)))
    return;
  const Frame f{e.registers, e.caller->shadow};
  const Value v = register_of(e);
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    const u64 local = local_at(e.warp, l, *e.state) + e.from;
    const u8* bits = in_register ? f.bits(v) + size_t{l} * v.stride : b.local.at(local);
    if (std::none_of(bits, bits + e.bytes, [](u8 x) { return x; })) continue;
    return tell(b, e, static_cast<int>(l),
                "an argument of a library function depends on an uninitialised value",
                fmt::format("calls {} with it", e.name), in_register ? f.origin(v) : b.local.origin(local));
  }
}

void Values::carry_passed(Block& b, const events::Passed& e) {
  using What = events::Passed::What;
  const bool has_register = e.slot != ~u32{0} && e.caller->shadow != 0;
  const Frame f{e.registers, e.caller->shadow};
  u32& alive = *reinterpret_cast<u32*>(e.registers + e.caller->undefined_flag);
  const Value v = register_of(e);
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    const u64 local = local_at(e.warp, l, *e.state);
    u8* bits = has_register ? f.bits(v) + size_t{l} * v.stride : nullptr;
    if (e.what == What::Answer) {
      std::memset(bits ? bits : b.local.at(local + e.to), 0, e.bytes);
    } else if (e.slot == ~u32{0}) {
      std::memcpy(b.local.at(local + e.to), b.local.at(local + e.from), e.bytes);
      if (const u32 origin = b.local.origin(local + e.from))
        b.local.set_origin(local + e.to, e.bytes, origin);
    } else if (e.what == What::Argument) {
      u8* to = b.local.at(local + e.to);
      bits ? std::memcpy(to, bits, e.bytes) : std::memset(to, 0, e.bytes);
      if (bits && std::any_of(to, to + e.bytes, [](u8 x) { return x; }))
        b.local.set_origin(local + e.to, e.bytes, f.origin(v));
    } else if (bits) {
      const u8* from = b.local.at(local + e.from);
      std::memset(bits, 0, v.stride);
      std::memcpy(bits, from, e.bytes);
      if (std::none_of(from, from + e.bytes, [](u8 x) { return x; })) continue;
      alive = 1;
      f.origin(v) = b.local.origin(local + e.from);
    }
  }
}

}  // namespace ww::checks
