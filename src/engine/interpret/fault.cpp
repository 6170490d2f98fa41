// Messages about what a kernel did wrong: who, where, which address, what is allocated there.
#include <fmt/format.h>

#include <cstring>

#include "engine/memory/resolve.h"
#include "engine/schedule/called_place.h"
#include "engine/schedule/launch_state.h"
#include "ir/places.h"

namespace ww::engine {

namespace {

void tell_wrong(WarpState& w, const Inst* i, events::Wrong& e) {
  const events::Bus* bus = w.launch->bus;
  if (!bus || !bus->hears(events::kFaults)) return;
  e.instruction = std::min<u32>(i->index, static_cast<u32>(w.launch->program->infos.size() - 1));
  e.block = w.block->number;
  e.warp = w.id;
  e.mask = w.mask;
  bus->tell(w.block->worker, e);
}

// What lanes read and write that must not reach memory. One for each thread of the host, because a copy that
// goes on by itself ends in the thread that began it.
constexpr u32 kNowhere = 4096;
alignas(64) thread_local u8 nowhere[kNowhere];
alignas(64) const u8 zeros[kNowhere] = {};

/// Where an access lies that begins inside of an allocation and ends a little behind it, else nullptr. The
/// bytes behind are nobody's (GlobalMemory::allocate), so that such an access may have them, as on a GPU.
u8* begins_inside(const GlobalMemory& memory, const Resolved& r, u32 bytes) {
  constexpr u64 kBehind = 16;
  if (r.address < kMemoryBase || r.kind.find("out-of-bounds") == r.kind.npos) return nullptr;
  const auto a = memory.nearest(r.address);
  if (!a || a->freed || a->host || r.address < a->base || r.address >= a->base + a->size) return nullptr;
  return r.address + bytes <= a->base + a->size + kBehind ? memory.host(r.address) : nullptr;
}

/// Tells of it where a listener wants the launch to go on, else ends the launch.
bool goes_on(Warp& warp, const Inst* i, events::Wrong& wrong) {
  WarpState& w = state(warp);
  const events::Bus* bus = w.launch->bus;
  if (!bus || !bus->hears(events::kWrongAccesses)) {
    fault(warp, i, wrong.lane, std::string(wrong.kind), wrong.detail());
    return false;
  }
  wrong.goes_on = true;
  tell_wrong(w, i, wrong);
  return true;
}

}  // namespace

std::string thread_text(const WarpState& w, int lane) {
  const Extent3& b = w.block->index;
  std::string text = fmt::format("block ({},{},{})", b.x, b.y, b.z);
  if (lane < 0) return text + fmt::format(", warp {}", w.id);
  const Extent3& size = w.launch->block;
  u64 t = u64{w.id} * kLanes + static_cast<u64>(lane);
  return text + fmt::format(", thread ({},{},{})", t % size.x, t / size.x % size.y, t / size.x / size.y);
}

std::string neighbourhood(const GlobalMemory& memory, u64 address) {
  auto near = memory.nearest(address);
  if (!near) return "nothing is allocated";
  std::string what =
      near->name.empty()
          ? fmt::format("the allocation of {} bytes at 0x{:x}", near->size, near->base)
          : fmt::format("variable {} ({} bytes at 0x{:x})", near->name, near->size, near->base);
  u64 end = near->base + near->size;
  if (near->freed) what += ", which has been freed";
  if (address >= near->base && address < end)
    return fmt::format("{} bytes into {}", address - near->base, what);
  if (address >= end) return fmt::format("{} bytes past the end of {}", address - end, what);
  return fmt::format("{} bytes before {}", near->base - address, what);
}

const Inst* fault(Warp& warp, const Inst* i, int lane, std::string kind, std::string detail) {
  WarpState& w = state(warp);
  LaunchState& launch = *w.launch;
  const Program& program = *launch.program;
  w.stop = Stop::Fault;
  events::Wrong wrong;
  wrong.lane = lane, wrong.kind = kind, wrong.detail = [&detail] { return detail; };
  std::lock_guard lock(launch.mutex);
  if (!launch.faults.empty()) {  // the first one counts; others follow from it or merely came second
    launch.stop = true;
    return nullptr;
  }
  tell_wrong(w, i, wrong);
  u32 index = std::min<u32>(i->index, static_cast<u32>(program.infos.size() - 1));
  const ir::Instruction& in = *program.infos[index].instruction;
  Fault f;
  f.kind = kind;
  const auto chain = chain_with_call(program, index);
  f.where = chain[ir::users_place(chain)];
  f.message = fmt::format("{} in kernel {}\n  at {}: {}\n{}  by {}\n  {}\n", kind,
                          program.module->symbols[program.entry->symbol].name, place_text(program, index),
                          in.form().mnemonic, ir::inlining_text(chain, "  "), thread_text(w, lane), detail);
  launch.faults.push_back(std::move(f));
  launch.stop = true;
  return nullptr;
}

u8* allowed_or_fault(Warp& warp, const Inst* i, int lane, const Resolved& r, u32 bytes, bool store,
                     std::string_view which) {
  if (r.host) return r.host;
  const auto detail = [&r, &which] {
    return which.empty() ? r.problem() : fmt::format("{}: {}", which, r.problem());
  };
  if (bytes > kNowhere) {
    fault(warp, i, lane, std::string(r.kind), detail());
    return nullptr;
  }
  events::Wrong wrong;
  wrong.lane = lane, wrong.kind = r.kind, wrong.detail = detail;
  wrong.access = true, wrong.address = r.address, wrong.bytes = bytes;
  if (!goes_on(warp, i, wrong)) return nullptr;
  if (u8* begin = begins_inside(*state(warp).launch->memory, r, bytes)) return begin;
  if (!store) return const_cast<u8*>(zeros);
  std::memset(nowhere, 0, bytes);
  return nowhere;
}

bool goes_on_without(Warp& w, const Inst* i, int lane, const Resolved& r, u32 bytes) {
  events::Wrong wrong;
  wrong.lane = lane, wrong.kind = r.kind, wrong.detail = std::cref(r.problem);
  wrong.access = true, wrong.address = r.address, wrong.bytes = bytes;
  return goes_on(w, i, wrong);
}

bool goes_on_without(Warp& w, const Inst* i, int lane, std::string_view kind, std::string detail) {
  events::Wrong wrong;
  wrong.lane = lane, wrong.kind = kind, wrong.detail = [&detail] { return detail; };
  return goes_on(w, i, wrong);
}

}  // namespace ww::engine
