// Undefined bits in accesses to memory: loads, stores, atomics and copies.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "checks/text.h"
#include "checks/values.h"
#include "checks/values/spaces.h"

namespace ww::checks {

namespace {

constexpr u32 kCombined = 128;        // bytes of one lane's access
constexpr size_t kMostStored = 1024;  // undefined values in global memory whose origin is remembered

/// Whether a computed value with these undefined bits matters when it is stored: not when only one half of
/// what may be a pair is undefined, as where a pair is used for one value.
bool matters(const u8* bits, u32 bytes, bool number) {
  u32 undefined = 0;
  for (u32 k = 0; k < bytes; ++k) undefined |= u32{bits[k] != 0} << k;
  return undefined != 0 && (number || bytes != 4 || (undefined != 3 && undefined != 12));
}

/// Whether these bytes of local memory are all of one variable of the running function. Behind it may lie
/// what other functions are given.
bool in_variable(const engine::Program& program, const events::Memory& e, u64 address) {
  const engine::InstInfo& info = program.infos[e.instruction];
  const int number = program.module->symbols[info.function->symbol].function;
  const engine::FunctionCode* code = program.by_number[static_cast<size_t>(number)];
  if (!code) return true;
  const u64 at = address - e.state->stack;
  return std::any_of(code->locals.begin(), code->locals.end(), [&](const auto& local) {
    const ir::Variable& v = program.module->variable(local.first);
    return v.space == ir::Space::Local && at >= local.second && at + e.bytes <= local.second + v.bytes;
  });
}

}  // namespace

void Values::memory(int worker, const events::Memory& e) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  const Plan& plan = now_->plans[e.instruction];
  if (!e.state) return;
  const events::Site defined = std::exchange(w.defined, {});
  if (defined.mask == e.mask && defined.instruction == e.instruction && defined.warp == e.warp &&
      defined.block == e.block)
    return;
  Block& b = block(worker, e.block);
  if (e.range == isa::Range::Texels) return texels(w, b, e, plan);
  if (e.range == isa::Range::Rows) return matrix_rows(w, b, e, plan);
  if (e.range == isa::Range::Copy) return copy(w, b, e);
  if (plan.rule == Rule::Fragment) return;  // told in parts; looked at as a whole when the lanes have met
  if (e.range != isa::Range::Lane || e.bytes > kCombined) {
    if (!e.load() && judged(e.space)) define_memory(w, b, e);
    return;
  }
  if (plan.address.kind == Value::Kind::Register && flag(plan, *e.state)) {
    const Frame f = frame_of(plan, *e.state);
    if (const u32 lanes = undefined_lanes(f, plan.address, e.mask)) {
      const int lane = __builtin_ctz(lanes);
      tell(b, e, lane, "an address depends on an uninitialised value",
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

/// No undefined value is in a register: only a load can bring one.
bool Values::needs_registers(int worker, const events::Memory& e) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  if (!e.load()) return false;
  if (judged(e.space) && any_undefined(w, block(worker, e.block), e)) return true;
  w.defined = e;
  return false;
}

void Values::printed(int worker, const events::Memory& e) {
  // Arguments that were given stand in a variable of the caller.
  Block& b = block(worker, e.block);
  u8 bytes[kCombined];
  const auto lane = static_cast<u32>(__builtin_ctz(e.mask));
  if (every_load_ || e.space != ir::Space::Local || e.bytes > kCombined) return;
  const u64 address = within(e.space, e.first);
  if (!fetch(b, e, address, lane, e.bytes, bytes) && in_variable(*program_, e, address)) return;
  const Origin o{
      Origin::Kind::Memory, e.instruction, e.warp, static_cast<int>(lane), e.space, address, e.bytes};
  tell(b, e, static_cast<int>(lane), "printf prints an argument that is missing or uninitialised",
       "prints " + bytes_of(e.bytes), origin_at(b, e, o));
}

void Values::load(Worker& w, Block& b, const events::Memory& e, const Plan& plan) {
  u32& alive = flag(plan, *e.state);
  const bool undefined = judged(e.space) && any_undefined(w, b, e);
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
        if (e.space == ir::Space::Local) origin = b.local.origin(local_at(e.warp, l, *e.state) + at);
        if (!origin) {
          Origin o{Origin::Kind::Memory, e.instruction, e.warp, static_cast<int>(l), e.space, at, part};
          origin = origin_at(b, e, o);
        }
      }
      f.origin(v) = origin;
    }
  }
}

/// Whether the lanes of a store write elements of an array that lie behind each other, not members of
/// structs.
bool Values::writes_array(Worker& w, const events::Memory& e, const Plan& plan) {
  constexpr u32 kFewest = 8, kWord = 4;
  if (e.space != ir::Space::Global || plan.list.size() != 1 || e.bytes < kWord) return false;
  return w.reaches.of(e).dense && engine::lane_count(e.mask) >= kFewest;
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
  const bool of_array = writes_array(w, e, plan);
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
      if (e.space == ir::Space::Global && f.origin(v) & 1 && matters(to, part, plan.numbers)) {
        tell(b, e, static_cast<int>(l),
             "a value computed from an uninitialised one is stored to global memory",
             "stores " + bytes_of(part), f.origin(v));
        std::memset(to, 0, part);  // it has been reported
      }
    }
    put(b, e, address, l, e.bytes, bytes);
    if (!origin) continue;
    if (e.space == ir::Space::Shared) b.shared.set_origin(address, e.bytes, origin);
    if (e.space == ir::Space::Local)
      b.local.set_origin(local_at(e.warp, l, *e.state) + address, e.bytes, origin);
    if (e.space == ir::Space::Global && lost == plan.list.size() && !(origin & 1)) {
      if (stored_count_.load(std::memory_order_relaxed) >= kMostStored) continue;
      Finding told = finding(b, e, static_cast<int>(l), "the host reads an uninitialised value",
                             fmt::format("stores {}, which the host reads", bytes_of(e.bytes)), origin);
      std::unique_lock lock(host_mutex_);
      stored_[address] = {e.bytes, of_array, std::move(told)};
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
      tell(b, e, __builtin_ctz(operand), "an atomic operation on global memory uses an uninitialised value",
           "updates memory with it", origin);
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
           compares ? "a compare-and-swap compares with uninitialised memory"
                    : "an atomic operation updates uninitialised memory",
           "updates " + bytes_of(e.bytes), origin);
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

void Values::mbarrier(int worker, const events::Mbarrier& e) {
  if (e.what == events::Mbarrier::What::Init && now_->shared)
    block(worker, e.block).shared.define(within(ir::Space::Shared, e.address), 8);
}

}  // namespace ww::checks
