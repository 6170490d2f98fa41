#include "checks/values.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "checks/names.h"
#include "checks/value_matrices.h"
#include "engine/schedule/launch_state.h"
#include "ir/accesses.h"

namespace ww::checks {

namespace {

constexpr u32 kRest = 512;  // steps until a frame is looked through for undefined bits

constexpr u32 kCombined = 128;        // bytes of one lane's access
constexpr size_t kMostStored = 1024;  // undefined values in global memory whose origin is remembered

u64 within(ir::Space space, u64 address) {
  if (space == ir::Space::Shared && address >= engine::kSharedWindow) return address - engine::kSharedWindow;
  if (space == ir::Space::Local && address >= engine::kLocalWindow) return address - engine::kLocalWindow;
  return address;
}

/// Whether blocks may write the shared memory of others of their cluster, which is not followed.
bool reaches_other_blocks(const engine::Program& program) {
  for (const engine::InstInfo& info : program.infos) switch (info.instruction->op) {
      case isa::Op::mapa:
      case isa::Op::mapa_shared:
      case isa::Op::cp_bulk_multicast:
      case isa::Op::cp_tensor_multicast:
      case isa::Op::st_async:
      case isa::Op::red_async:
        return true;
      default:
        break;
    }
  return false;
}

/// Whether a computed value with these undefined bits matters when it is stored: not when only one half of a
/// pair is undefined, as where a pair is used for one value.
bool matters(const u8* bits, u32 bytes) {
  u32 undefined = 0;
  for (u32 k = 0; k < bytes; ++k) undefined |= u32{bits[k] != 0} << k;
  return undefined != 0 && !(bytes == 4 && (undefined == 3 || undefined == 12));
}

bool judged(const ir::Space space) {
  return space == ir::Space::Shared || space == ir::Space::Local || space == ir::Space::Global;
}

}  // namespace

// ---- a launch and its blocks ----

void Values::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  Planned& p = planned_[&program];
  if (p.module != program.module || p.infos != program.infos.data() ||
      p.plans.size() != program.infos.size()) {
    p.module = program.module;
    p.infos = program.infos.data();
    p.plans = plans_of(program);
    p.shared = p.local = false;
    for (const engine::InstInfo& info : program.infos) {
      p.local |= info.instruction->op == isa::Op::call;  // printf reads its arguments there
      for (const ir::Access& a : ir::accesses_of(*info.instruction)) {
        if (a.direction == isa::Direction::Write) continue;
        p.shared |= a.space == ir::Space::Shared || a.space == ir::Space::None;
        p.local |= a.space == ir::Space::Local || a.space == ir::Space::None;
      }
    }
    // Calls copy parameters through local memory, of which nobody tells.
    p.local &= program.functions.size() == 1 && program.local_bytes > 0 && !program.recursive;
    p.shared &= !reaches_other_blocks(program);
  }
  now_ = &p;
  workers_.clear();
  for (int k = 0; k < workers; ++k) workers_.push_back(std::make_unique<Worker>());
}

void Values::block_begins(int worker, u64 number) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  std::unique_ptr<Block> b;
  if (w.spare.empty()) {
    b = std::make_unique<Block>();
  } else {
    b = std::move(w.spare.back());
    w.spare.pop_back();
  }
  b->number = number;
  b->origins.assign(1, Origin{});
  b->by_instruction.clear();
  b->copy_instruction = ~u32{0};
  b->shared.begin();
  b->local.begin();
  b->told.clear();
  w.last = b.get();
  w.blocks[number] = std::move(b);
}

void Values::block_ends(int worker, u64 number) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  const auto it = w.blocks.find(number);
  if (it == w.blocks.end()) return;
  w.last = nullptr;
  w.spare.push_back(std::move(it->second));
  w.blocks.erase(it);
}

void Values::launch_ends() { workers_.clear(); }

Values::Block& Values::block(int worker, u64 number) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  if (!w.last || w.last->number != number) w.last = w.blocks.at(number).get();
  return *w.last;
}

// ---- memory ----

u8* Values::bits(Block& b, const events::Memory& e, ir::Space space, u64 address, u32 lane, u64 bytes) {
  const engine::WarpState& w = engine::state(*e.state);
  if (space == ir::Space::Shared) {
    if (!now_->shared) return nullptr;
    b.shared.grow(w.shared_bytes);
    return b.shared.holds(address, bytes) ? b.shared.at(address) : nullptr;
  }
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
  if (e.space != ir::Space::Global) {
    if (u8* at = bits(b, e, e.space, address, lane, bytes)) std::memcpy(at, in, bytes);
    return;
  }
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
  if (!base) return false;
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
  if (!base) return;
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

void Values::memory(int worker, const events::Memory& e) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  const Plan& plan = now_->plans[e.instruction];
  if (e.range == isa::Range::Texels || !e.state) return;
  Block& b = block(worker, e.block);
  if (e.range == isa::Range::Rows) return matrix_rows(w, b, e, plan);
  if (e.range == isa::Range::Copy) return copy(w, b, e);
  if (e.range != isa::Range::Lane || e.bytes > kCombined) {
    if (!e.load() && judged(e.space)) define_memory(w, b, e);
    return;
  }
  if (plan.address.kind == Value::Kind::Register && flag(plan, *e.state)) {
    const Frame f = frame_of(plan, *e.state);
    if (const u32 lanes = undefined_lanes(f, plan.address, e.mask)) {
      const int lane = __builtin_ctz(lanes);
      tell(b, e, lane, "an address depends on a value that nobody defined",
           e.load() ? "loads from that address" : "stores to that address", f.origin(plan.address));
      define(f, plan.address, lanes);
    }
  }
  switch (plan.rule) {
    case Rule::Load:
      return load(w, b, e, plan);
    case Rule::Store:
      return store(w, b, e, plan);
    case Rule::Atomic:
      return update(w, b, e, plan);
    default:
      if (!e.load() && judged(e.space)) define_memory(w, b, e);
  }
}

/// Where the local memory of a lane begins in that of its block.
u64 Values::local_at(const events::Memory& e, u32 lane) {
  return (u64{e.warp} * engine::kLanes + lane) * e.state->local_bytes;
}

void Values::printed(int worker, const events::Memory& e) {
  // Arguments that were given stand in local memory, defined or not, but never untouched.
  Block& b = block(worker, e.block);
  u8 bytes[kCombined];
  const auto lane = static_cast<u32>(__builtin_ctz(e.mask));
  if (every_load_ || e.space != ir::Space::Local || e.bytes > kCombined) return;
  if (!fetch(b, e, within(e.space, e.first), lane, e.bytes, bytes)) return;
  if (!std::all_of(bytes, bytes + e.bytes, [](u8 x) { return x == 0xff; })) return;
  const Origin o{Origin::Kind::Memory,     e.instruction, e.warp, static_cast<int>(lane), e.space,
                 within(e.space, e.first), e.bytes};
  tell(b, e, static_cast<int>(lane), "printf prints an argument that was not given, or that nobody defined",
       fmt::format("prints {} bytes", e.bytes), origin_at(b, e, o));
}

void Values::load(Worker& w, Block& b, const events::Memory& e, const Plan& plan) {
  u32& alive = flag(plan, *e.state);
  const bool undefined = judged(e.space) && !plan.parameter && any_undefined(w, b, e);
  if (!undefined && !alive) return;
  const Frame f = frame_of(plan, *e.state);
  for (const Value& v : plan.list) define(f, v, e.mask);
  if (!undefined || plan.list.empty()) return;
  if (every_load_ && e.space == ir::Space::Global) return tell_load(b, e);
  const u64 first = within(e.space, e.first);
  const u32 part = e.bytes / static_cast<u32>(plan.list.size());
  u8 bytes[kCombined];
  u32 origin = 0;
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    const u64 address = first + static_cast<u64>(e.offsets[l]);
    if (!fetch(b, e, address, l, e.bytes, bytes)) continue;
    for (size_t n = 0; n < plan.list.size(); ++n) {
      const Value& v = plan.list[n];
      if (v.kind != Value::Kind::Register) continue;
      const u8* from = bytes + n * part;
      const auto bad = static_cast<u32>(std::find_if(from, from + part, [](u8 x) { return x; }) - from);
      if (bad == part) continue;
      u8* to = f.bits(v) + size_t{l} * v.stride;
      std::memcpy(to, from, std::min<u32>(part, v.stride));
      if (plan.sign && v.stride > part && from[part - 1] & 0x80)
        std::memset(to + part, 0xff, v.stride - part);
      alive = 1;
      if (!origin) {
        const u64 at = address + n * part + bad;
        if (e.space == ir::Space::Shared) origin = b.shared.origin(at);
        if (e.space == ir::Space::Local) origin = b.local.origin(local_at(e, l) + at);
        if (!origin) {
          Origin o{Origin::Kind::Memory, e.instruction, e.warp, static_cast<int>(l), e.space, at, part};
          origin = origin_at(b, e, o);
        }
      }
      f.origin(v) = origin;
    }
  }
}

void Values::store(Worker& w, Block& b, const events::Memory& e, const Plan& plan) {
  if (!judged(e.space)) return;
  u32 undefined = 0;
  if (flag(plan, *e.state)) {
    const Frame f = frame_of(plan, *e.state);
    u32 unsure = 0;
    guarded(b, e, plan, f, e.mask, unsure);
    for (const Value& v : plan.list) undefined |= undefined_lanes(f, v, e.mask);
  }
  if (!undefined) return define_memory(w, b, e);
  const Frame f = frame_of(plan, *e.state);
  const u64 first = within(e.space, e.first);
  const u32 part = e.bytes / static_cast<u32>(plan.list.size());
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    const u64 address = first + static_cast<u64>(e.offsets[l]);
    u8 bytes[kCombined] = {};
    u32 origin = 0, lost = 0;
    for (size_t n = 0; n < plan.list.size(); ++n) {
      const Value& v = plan.list[n];
      if (v.kind != Value::Kind::Register) continue;
      u8* to = bytes + n * part;
      std::memcpy(to, f.bits(v) + size_t{l} * v.stride, std::min<u32>(part, v.stride));
      const bool whole = std::all_of(to, to + part, [](u8 x) { return x == 0xff; });
      if (std::any_of(to, to + part, [](u8 x) { return x; })) origin = f.origin(v);
      lost += whole;
      if (e.space == ir::Space::Global && f.origin(v) & 1 && matters(to, part)) {
        tell(b, e, static_cast<int>(l),
             "what is stored to global memory was computed from a value that nobody defined",
             fmt::format("stores {} bytes", part), f.origin(v));
        std::memset(to, 0, part);  // it has been told of
      }
    }
    put(b, e, address, l, e.bytes, bytes);
    if (!origin) continue;
    if (e.space == ir::Space::Shared) b.shared.set_origin(address, e.bytes, origin);
    if (e.space == ir::Space::Local) b.local.set_origin(local_at(e, l) + address, e.bytes, origin);
    if (e.space == ir::Space::Global && lost == plan.list.size() && !(origin & 1)) {
      if (stored_count_.load(std::memory_order_relaxed) >= kMostStored) continue;
      Finding told = finding(b, e, static_cast<int>(l), "the host reads a value that nobody defined",
                             fmt::format("stores {} bytes, which the host reads", e.bytes), origin);
      std::unique_lock lock(host_mutex_);
      stored_[address] = {e.bytes, std::move(told)};
      stored_count_ = stored_.size();
    }
  }
}

void Values::update(Worker& w, Block& b, const events::Memory& e, const Plan& plan) {
  if (!judged(e.space)) return;
  const Frame f = frame_of(plan, *e.state);
  u32& alive = flag(plan, *e.state);
  const bool undefined = any_undefined(w, b, e);
  u32 operand = 0;
  if (alive) {
    u32 unsure = 0;
    guarded(b, e, plan, f, e.mask, unsure);
    for (const Value& v : plan.source) operand |= undefined_lanes(f, v, e.mask);
    for (const Value& v : plan.list) define(f, v, e.mask);
    define(f, plan.result, e.mask);
    if (operand && e.space == ir::Space::Global) {
      u32 origin = 0;
      for (const Value& v : plan.source)
        if (!origin && undefined_lanes(f, v, e.mask)) origin = f.origin(v);
      tell(b, e, __builtin_ctz(operand),
           "an atomic operation on global memory uses a value that nobody defined", "updates memory with it",
           origin);
    }
  }
  if (!undefined) return;
  const u64 first = within(e.space, e.first);
  const bool exchanges = plan.mode == isa::Mod::exch;
  u8 bytes[kCombined];
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    const u64 address = first + static_cast<u64>(e.offsets[l]);
    if (!fetch(b, e, address, l, e.bytes, bytes)) continue;
    Origin o{Origin::Kind::Memory, e.instruction, e.warp, static_cast<int>(l), e.space, address, e.bytes};
    u32 origin = e.space == ir::Space::Shared ? b.shared.origin(address) : 0;
    if (!origin) origin = origin_at(b, e, o);
    const bool compares = program_->infos[e.instruction].instruction->op == isa::Op::atom_cas;
    if (!exchanges && (e.space == ir::Space::Global || compares)) {
      tell(b, e, static_cast<int>(l),
           compares ? "a compare-and-swap compares with memory that nobody wrote"
                    : "an atomic operation updates memory that nobody wrote",
           fmt::format("updates {} bytes", e.bytes), origin);
      std::memset(bytes, 0, e.bytes);
      put(b, e, address, l, e.bytes, bytes);
      continue;
    }
    if (plan.result.kind == Value::Kind::Register) {
      std::memcpy(f.bits(plan.result) + size_t{l} * plan.result.stride, bytes,
                  std::min<u32>(e.bytes, plan.result.stride));
      f.origin(plan.result) = exchanges ? origin : origin | 1;
      alive = 1;
    }
    if (exchanges)
      std::memset(bytes, 0, e.bytes);
    else
      std::memset(bytes, 0xff, e.bytes), b.shared.set_origin(address, e.bytes, origin | 1);
    put(b, e, address, l, e.bytes, bytes);
  }
}

void Values::copy(Worker& w, Block& b, const events::Memory& e) {
  const u64 first = within(e.space, e.first);
  if (e.load()) {
    b.copy_instruction = ~u32{0};
    if (!judged(e.space) || !any_undefined(w, b, e)) return;
    b.copy_instruction = e.instruction;
    b.copy_lanes = 0;
    for (u32 m = e.mask; m; m &= m - 1) {
      const auto l = static_cast<u32>(__builtin_ctz(m));
      b.copy_missing[l] = written_.missing(first + static_cast<u64>(e.offsets[l]), e.bytes);
      if (b.copy_missing[l]) b.copy_lanes |= u32{1} << l;
    }
    return;
  }
  define_memory(w, b, e);
  if (b.copy_instruction != e.instruction) return;
  b.copy_instruction = ~u32{0};
  for (u32 m = e.mask & b.copy_lanes; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    const u64 address = first + static_cast<u64>(e.offsets[l]);
    u8 bytes[64] = {};
    for (u32 k = 0; k < e.bytes && k < 64; ++k) bytes[k] = b.copy_missing[l] >> k & 1 ? 0xff : 0;
    put(b, e, address, l, std::min(e.bytes, 64u), bytes);
    Origin o{Origin::Kind::Memory, e.instruction, e.warp, static_cast<int>(l), ir::Space::Global, 0, e.bytes};
    b.shared.set_origin(address, e.bytes, origin_at(b, e, o));
  }
}

/// ldmatrix and stmatrix: rows of 16 bytes. What stmatrix stores counts as defined.
void Values::matrix_rows(Worker& w, Block& b, const events::Memory& e, const Plan& plan) {
  if (!e.load()) return define_memory(w, b, e);
  u32& alive = flag(plan, *e.state);
  const bool undefined = any_undefined(w, b, e);
  if (!undefined && !alive) return;
  const Frame f = frame_of(plan, *e.state);
  u8 rows[engine::kLanes][16] = {};
  u32 origin = 0;
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    const u64 address = within(e.space, e.first) + static_cast<u64>(e.offsets[l]);
    if (!fetch(b, e, address, l, 16, rows[l]) || origin) continue;
    const auto bad = static_cast<u64>(std::find_if(rows[l], rows[l] + 16, [](u8 x) { return x; }) - rows[l]);
    origin = b.shared.origin(address + bad);
    if (!origin)
      origin = origin_at(
          b, e,
          {Origin::Kind::Memory, e.instruction, e.warp, static_cast<int>(l), e.space, address + bad, 16});
  }
  if (!carry_rows(plan, f, rows)) return;
  alive = 1;
  for (const Value& v : plan.list)
    if (v.kind == Value::Kind::Register) f.origin(v) = origin;
}

void Values::bulk_access(int worker, const events::BulkAccess& e) {
  if (e.direction == isa::Direction::Read) return;
  Block& b = block(worker, e.block);
  for (const events::Piece& piece : e.pieces) {
    if (e.space == ir::Space::Global) {
      written_.written(piece.address, piece.bytes);
    } else if (now_->shared) {
      b.shared.define(within(ir::Space::Shared, piece.address), piece.bytes);
    }
  }
}

void Values::mbarrier(int worker, const events::Mbarrier& e) {
  if (e.what == events::Mbarrier::What::Init && now_->shared)
    block(worker, e.block).shared.define(within(ir::Space::Shared, e.address), 8);
}

// ---- registers ----

u32 Values::guarded(Block& b, const events::Site& site, const Plan& plan, const Frame& f, u32 mask,
                    u32& unsure) {
  unsure = 0;
  if (plan.guard.kind != Value::Kind::Register) return mask;
  u32 p;
  std::memcpy(&p, f.registers + plan.guard.slot, 4);
  if (plan.guard.negated) p = ~p;
  unsure = undefined_lanes(f, plan.guard, site.mask);
  const bool decides = plan.rule == Rule::Branch || plan.rule == Rule::Store || plan.rule == Rule::Atomic;
  if (unsure && decides) {
    tell(b, site, __builtin_ctz(unsure),
         plan.rule == Rule::Branch ? "a branch depends on a value that nobody defined"
                                   : "whether memory is written depends on a value that "
                                     "nobody defined",
         plan.rule == Rule::Branch ? "branches on it" : "stores if it is so", f.origin(plan.guard));
    define(f, plan.guard, unsure);
    unsure = 0;
  }
  return mask & (p | unsure);
}

void Values::step(int worker, const events::Step& e) {
  const Plan& plan = now_->plans[e.instruction];
  engine::Warp& warp = *e.state;
  Worker& w = *workers_[static_cast<size_t>(worker)];
  Block& b = block(worker, e.block);
  const Frame f = frame_of(plan, warp);
  u32 unsure = 0;
  const u32 mask = guarded(b, e, plan, f, e.mask, unsure);
  if (++w.steps % kRest == 0) rest(w, plan, warp);
  if (mask == 0) return;
  switch (plan.rule) {
    case Rule::Branch:
      if (const u32 lanes = undefined_lanes(f, plan.source[0], mask)) {
        tell(b, e, __builtin_ctz(lanes), "a jump depends on a value that nobody defined", "jumps by it",
             f.origin(plan.source[0]));
        define(f, plan.source[0], lanes);
      }
      return;
    case Rule::Shuffle:
    case Rule::Vote:
    case Rule::Ballot: {
      events::Site site = e;
      site.mask = mask;
      return plan.rule == Rule::Shuffle ? shuffle(b, site, plan, warp) : across(b, site, plan, warp);
    }
    default:
      carry(plan, f, mask, unsure & mask);
      if (plan.rule == Rule::Defined || plan.list.empty() || plan.rule == Rule::Pieces) return;
      for (const Value& v : plan.list) define(f, v, mask);
  }
}

/// Clears the flag of a frame in which nothing undefined is left.
void Values::rest(Worker&, const Plan& plan, engine::Warp& warp) {
  const u8* at = warp.regs + plan.code->shadow;
  u64 any = 0;
  for (u32 k = 0; k < plan.code->shadow; k += 8) {
    u64 word;
    std::memcpy(&word, at + k, 8);
    any |= word;
  }
  if (!any) flag(plan, warp) = 0;
}

// ---- lanes that look at each other ----

void Values::warp_sync(int worker, const events::WarpSync& e) {
  const Plan& plan = now_->plans[e.instruction];
  if (!e.state) return;
  switch (plan.rule) {
    case Rule::Shuffle:
      if (e.mask == engine::kAllLanes && !flag(plan, *e.state)) return;
      return shuffle(block(worker, e.block), e, plan, *e.state);
    case Rule::Vote:
    case Rule::Ballot:
    case Rule::AcrossLanes:
      if (flag(plan, *e.state)) across(block(worker, e.block), e, plan, *e.state);
      return;
    case Rule::Rows:
      return;  // told as an access
    case Rule::Product:
      if (flag(plan, *e.state)) carry_product(plan, frame_of(plan, *e.state));
      return;
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
  u64 out[engine::kLanes] = {};
  u32 origin = 0, any = 0;
  for (u32 m = site.mask; m; m &= m - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(m));
    const auto segment = static_cast<u32>(c.value[l]) >> 8 & 31, clamp = static_cast<u32>(c.value[l]) & 31,
               step = static_cast<u32>(by.value[l]) & 31;
    const u32 low = l & segment, high = low | (clamp & ~segment);
    u32 from = 0;
    bool valid = false;
    switch (plan.mode) {
      case isa::Mod::up:
        from = l - step, valid = static_cast<int>(from) >= static_cast<int>(high);
        break;
      case isa::Mod::down:
        from = l + step, valid = from <= high;
        break;
      case isa::Mod::bfly:
        from = l ^ step, valid = from <= high;
        break;
      default:
        from = low | (step & ~segment), valid = from <= high;
        break;
    }
    from = valid ? from & 31 : l;
    out[l] = a.undefined[from];
    if (!(site.mask >> from & 1)) {
      out[l] = 0xffffffff;
      if (!origin) {
        Origin o;
        o.kind = Origin::Kind::Shuffle;
        o.instruction = site.instruction, o.warp = site.warp, o.lane = static_cast<int>(l);
        o.address = from;
        origin = origin_at(b, site, o);
      }
    } else if (out[l] && !origin) {
      origin = f.origin(plan.source[0]);
    }
    any |= u32{out[l] != 0} << l;
  }
  if (plan.result.kind == Value::Kind::Register) {
    if (any || flag(plan, warp)) write(f, plan.result, out, site.mask, false);
    if (any) f.origin(plan.result) = origin, flag(plan, warp) = 1;
  }
  define(f, plan.second, site.mask);
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

// ---- findings ----

u32 Values::origin_at(Block& b, const events::Site& site, Origin o) {
  auto [it, fresh] = b.by_instruction.try_emplace(site.instruction, 0);
  if (fresh) {
    it->second = static_cast<u32>(b.origins.size());
    b.origins.push_back(o);
  }
  return it->second << 1;
}

std::string Values::place_name(ir::Space space, u64 address) const {
  if (space == ir::Space::Local) return "local memory";
  if (space == ir::Space::Shared) {
    for (const engine::SharedVariable& v : program_->shared)
      if (address >= v.offset && (v.bytes == 0 || address < u64{v.offset} + v.bytes))
        return fmt::format("{} ({} bytes into it)", readable(program_->module->symbols[v.symbol].name),
                           address - v.offset);
    return "shared memory";
  }
  const auto a = facts_.memory ? facts_.memory->find(address) : std::nullopt;
  if (!a) return "global memory";
  return a->name.empty()
             ? fmt::format("an allocation of {} bytes, {} bytes into it", a->size, address - a->base)
             : fmt::format("{} ({} bytes into it)", readable(a->name), address - a->base);
}

void Values::tell_load(Block& b, const events::Memory& e) {
  if (!b.told.insert(e.instruction).second) return;
  for (u32 m = e.mask; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    const WrittenBytes::Missing missing =
        written_.count_missing(within(e.space, e.first) + static_cast<u64>(e.offsets[l]), e.bytes);
    if (!missing.bytes) continue;
    Finding f;
    f.kind = "unwritten";
    f.severity = Severity::Warning;
    f.kernel = readable(program_->module->symbols[program_->entry->symbol].name);
    f.message = "global memory is loaded that nobody wrote";
    f.parties.push_back(party(*program_, e, l, fmt::format("loads {} bytes", e.bytes)));
    f.more.push_back(fmt::format("{} of them are unwritten; they are in {}", missing.bytes,
                                 place_name(e.space, missing.first)));
    return findings_.add(std::move(f));
  }
}

void Values::tell(Block& b, const events::Site& site, int lane, const char* message, std::string what,
                  u32 origin) {
  if (every_load_ || !b.told.insert(site.instruction).second) return;
  Finding f = finding(b, site, lane, message, std::move(what), origin);
  // Library code (CUB's items beyond the end of a tile) branches on variables that it has not set and drops
  // what comes out; a mistake of that kind mostly does not survive the compiler.
  const bool unset = origin >> 1 == 0;
  if (unset && now_->plans[site.instruction].rule == Rule::Branch) f.severity = Severity::Hint;
  findings_.add(std::move(f));
}

Finding Values::finding(const Block& b, const events::Site& site, int lane, const char* message,
                        std::string what, u32 origin) const {
  Finding f;
  f.kind = "uninitialised";
  f.kernel = readable(program_->module->symbols[program_->entry->symbol].name);
  f.message = message;
  f.parties.push_back(party(*program_, site, lane, std::move(what)));
  const size_t number = origin >> 1;
  if (number == 0 || number >= b.origins.size()) {
    f.more.push_back("it is a variable of the thread that was never set");
    return f;
  }
  const Origin& o = b.origins[number];
  events::Site from = site;
  from.instruction = o.instruction;
  from.warp = o.warp;
  if (o.kind == Origin::Kind::Shuffle) {
    f.parties.push_back(
        party(*program_, from, o.lane, fmt::format("shuffles from lane {}, which takes no part", o.address)));
    f.more.push_back("a shuffle from a lane that is not there, has ended, or is elsewhere gives any value");
    return f;
  }
  f.parties.push_back(
      party(*program_, from, o.lane, fmt::format("loads {} bytes that nobody wrote", o.bytes)));
  if (o.address || o.space != ir::Space::Global)
    f.more.push_back("the unwritten bytes are in " + place_name(o.space, o.address));
  return f;
}

// ---- the host ----

void Values::allocated(const events::Allocated& e) {
  if (e.set) return;
  {
    std::unique_lock lock(host_mutex_);
    allocations_[e.address] = e.bytes;
  }
  written_.allocated(e.address, e.bytes);
}

void Values::freed(u64 address) {
  u64 bytes = 0;
  {
    std::unique_lock lock(host_mutex_);
    const auto it = allocations_.find(address);
    if (it == allocations_.end()) return;
    bytes = it->second;
    allocations_.erase(it);
    stored_.erase(stored_.lower_bound(address), stored_.lower_bound(address + bytes));
  }
  written_.freed(address, bytes);
}

/// Whether a byte near the address is defined. Padding always lies in one aligned piece of 16 bytes with a
/// member of its struct.
bool Values::may_be_padding(u64 address) const {
  constexpr u64 kPiece = 16;
  u64 first = address / kPiece * kPiece, end = first + kPiece;
  auto a = allocations_.upper_bound(address);
  if (a != allocations_.begin()) {
    --a;
    first = std::max(first, a->first), end = std::min(end, a->first + a->second);
  }
  if (end <= first) return true;
  const auto bytes = static_cast<u32>(end - first);
  return written_.missing(first, bytes) != (u64{1} << bytes) - 1;
}

void Values::host_access(const events::HostAccess& e) {
  if (e.direction != isa::Direction::Read) {
    if (e.from)
      written_.copied(e.address, e.from, e.bytes);
    else
      written_.written(e.address, e.bytes);
    std::unique_lock lock(host_mutex_);
    if (!stored_.empty())
      stored_.erase(stored_.lower_bound(e.address), stored_.lower_bound(e.address + e.bytes));
    return;
  }
  std::vector<Finding> told;
  {
    std::unique_lock lock(host_mutex_);
    auto it = stored_.lower_bound(e.address);
    while (it != stored_.end() && it->first < e.address + e.bytes) {
      if (!may_be_padding(it->first)) told.push_back(std::move(it->second.finding));
      it = stored_.erase(it);
    }
  }
  for (Finding& f : told) findings_.add(std::move(f));
}

}  // namespace ww::checks
