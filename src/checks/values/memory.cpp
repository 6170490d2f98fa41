// Undefined bits in memory: where they are kept, whether there are any, and accesses that define.
#include <algorithm>
#include <cstring>

#include "checks/values.h"
#include "checks/values/spaces.h"
#include "engine/schedule/launch_state.h"

namespace ww::checks {

u8* Values::shared_bits(Block& b, u64 address, u64 bytes, u64 all) {
  if (!now_->shared) return nullptr;
  Block* owner = &b;
  if (address >= engine::kClusterStep) {
    const u64 rank = address / engine::kClusterStep - 1;
    if (rank >= cluster_.count()) return nullptr;
    const auto it = b.worker->blocks.find(block_of_rank(b.number, rank, facts_.grid, cluster_));
    if (it == b.worker->blocks.end()) return nullptr;
    owner = it->second.get();
    address %= engine::kClusterStep;
  }
  if (all) owner->shared.grow(all);
  return owner->shared.holds(address, bytes) ? owner->shared.at(address) : nullptr;
}

u8* Values::bits(Block& b, const events::Memory& e, ir::Space space, u64 address, u32 lane, u64 bytes) {
  const engine::WarpState& w = engine::state(*e.state);
  if (space == ir::Space::Shared) return shared_bits(b, address, bytes, w.shared_bytes);
  if (!now_->local || address + bytes > w.local_bytes) return nullptr;
  const u64 all = u64{w.local_bytes} * engine::kLanes * w.block->warps.size();
  b.local.grow(all);
  return b.local.at((u64{e.warp} * engine::kLanes + lane) * w.local_bytes + address);
}

bool Values::fetch(Block& b, const events::Memory& e, u64 address, u32 lane, u32 bytes, u8* out) {
  if (e.space == ir::Space::Global) {
    bool any = false;
    for (u32 at = 0; at < bytes; at += 64) {
      const u32 count = std::min(64u, bytes - at);
      const u64 missing = written_.missing(address + at, count);
      any |= missing != 0;
      for (u32 k = 0; k < count; ++k) out[at + k] = missing >> k & 1 ? 0xff : 0;
    }
    return any;
  }
  const u8* at = bits(b, e, e.space, address, lane, bytes);
  if (!at) {
    std::memset(out, 0, bytes);
    return false;
  }
  std::memcpy(out, at, bytes);
  u8 any = 0;
  for (u32 k = 0; k < bytes; ++k) any |= out[k];
  return any != 0;
}

void Values::put(Block& b, const events::Memory& e, u64 address, u32 lane, u32 bytes, const u8* in) {
  if (e.space == ir::Space::Global) return put_global(address, bytes, in);
  if (u8* at = bits(b, e, e.space, address, lane, bytes)) std::memcpy(at, in, bytes);
}

void Values::put_global(u64 address, u32 bytes, const u8* in) {
  for (u32 k = 0; k < bytes;) {
    const bool undefined = in[k] == 0xff;
    u32 end = k + 1;
    while (end < bytes && (in[end] == 0xff) == undefined) ++end;
    if (undefined)
      written_.unwritten(address + k, end - k);
    else
      written_.written(address + k, end - k);
    k = end;
  }
}

u8* Values::lanes_base(const Reach& r, Block& b, const events::Memory& e, u64 first, size_t& stride) {
  const engine::WarpState& warp = engine::state(*e.state);
  const bool shared = e.space == ir::Space::Shared;
  if (shared ? !now_->shared : !now_->local) return nullptr;
  const u64 size = shared ? warp.shared_bytes : warp.local_bytes;
  const int64_t low = static_cast<int64_t>(first) + r.low, high = static_cast<int64_t>(first) + r.high;
  if (low < 0 || high + e.bytes > static_cast<int64_t>(size)) return nullptr;  // a fault, or another block's
  if (shared) {
    b.shared.grow(size);
    stride = 0;
    return b.shared.at(first);
  }
  const u64 all = size * engine::kLanes * warp.block->warps.size();
  b.local.grow(all);
  stride = size;
  return b.local.at(u64{e.warp} * engine::kLanes * size + first);
}

namespace {

constexpr int64_t kSpan = 256;  // bytes that are looked at as a whole

/// Whether any of up to kSpan bytes is not 0.
bool any_bit(const u8* at, size_t bytes) {
  u64 any = 0;
  size_t k = 0;
  for (; k + 8 <= bytes; k += 8) {
    u64 word;
    std::memcpy(&word, at + k, 8);
    any |= word;
  }
  for (; k < bytes; ++k) any |= at[k];
  return any != 0;
}

}  // namespace

bool Values::any_undefined(Worker& w, Block& b, const events::Memory& e) {
  const u64 first = within(e.space, e.first);
  const Reach& r = w.reaches.of(e);
  const int64_t span = r.high - r.low + e.bytes;
  if (e.space == ir::Space::Global) {
    if (span < 65536 && written_.all_written(first + static_cast<u64>(r.low), static_cast<u64>(span)))
      return false;
    for (u32 m = e.mask; m; m &= m - 1)
      if (!written_.all_written(first + static_cast<u64>(e.offsets[__builtin_ctz(m)]), e.bytes)) return true;
    return false;
  }
  size_t stride = 0;
  const u8* base = lanes_base(r, b, e, first, stride);
  if (!base) {  // another block's, or a fault
    bool any = false;
    if (e.space == ir::Space::Shared && cluster_.count() > 1)
      for (u32 m = e.mask; m && !any; m &= m - 1) {
        const u64 address = first + static_cast<u64>(e.offsets[__builtin_ctz(m)]);
        const u8* at = bits(b, e, e.space, address, 0, e.bytes);
        any = at && any_bit(at, e.bytes);
      }
    return any;
  }
  if (stride == 0 && span <= kSpan && !any_bit(base + r.low, static_cast<size_t>(span))) return false;
  u64 any = 0;
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    const u8* at = base + e.offsets[l] + l * stride;
    if (e.bytes == 4) {
      u32 word;
      std::memcpy(&word, at, 4);
      any |= word;
    } else {
      any |= any_bit(at, e.bytes);
    }
  }
  return any != 0;
}

void Values::define_memory(Worker& w, Block& b, const events::Memory& e) {
  const u64 first = within(e.space, e.first);
  const Reach& r = w.reaches.of(e);
  const int64_t span = r.high - r.low + e.bytes;
  if (e.space == ir::Space::Global) {
    const u64 from = first + static_cast<u64>(r.low);
    if (span < 65536 && written_.all_written(from, static_cast<u64>(span))) return;
    if (span == int64_t{e.bytes} * engine::lane_count(e.mask) && r.dense)
      return written_.written(from, static_cast<u64>(span));
    for (u32 m = e.mask; m; m &= m - 1)
      written_.written(first + static_cast<u64>(e.offsets[__builtin_ctz(m)]), e.bytes);
    return;
  }
  size_t stride = 0;
  u8* base = lanes_base(r, b, e, first, stride);
  if (!base && e.space == ir::Space::Shared && cluster_.count() > 1)
    for (u32 m = e.mask; m; m &= m - 1)
      if (u8* at = bits(b, e, e.space, first + static_cast<u64>(e.offsets[__builtin_ctz(m)]), 0, e.bytes))
        std::memset(at, 0, e.bytes);
  if (!base) return;
  if (stride == 0 && r.dense) {
    std::memset(base + r.low, 0, static_cast<size_t>(span));
    return;
  }
  if (stride == 0 && span <= kSpan && !any_bit(base + r.low, static_cast<size_t>(span))) return;
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    u8* at = base + e.offsets[l] + l * stride;
    if (e.bytes == 4)
      std::memset(at, 0, 4);
    else
      std::memset(at, 0, e.bytes);
  }
}

u64 Values::local_at(u32 warp, u32 lane, const engine::Warp& state) {
  return (u64{warp} * engine::kLanes + lane) * state.local_bytes;
}

}  // namespace ww::checks
