// Clusters: barrier.cluster, and addresses in the shared memory of the cluster's other blocks.
#include <fmt/format.h>

#include <cstring>

#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/schedule/launch_state.h"
#include "events/bus.h"

namespace ww::engine {

void ClusterState::check() {
  u32 live = 0;
  for (const BlockState* b : blocks) live += b->live_threads;
  if (arrived == 0 || arrived < live) return;
  arrived = 0;
  ++phase;
  for (BlockState* b : blocks)
    for (auto& w : b->warps)
      for (Split* s : w->splits)
        if (s->state == Split::State::Cluster) s->state = Split::State::Ready;
}

bool ClusterState::stuck() const {
  for (const BlockState* b : blocks)
    for (const auto& w : b->warps)
      for (const Split* s : w->splits)
        if (s->state == Split::State::Ready) return false;
  return true;
}

void leave_cluster(WarpState& w, u32 lanes) {
  ClusterState& cluster = *w.block->cluster;
  if (cluster.arrived == 0) return;
  for (u32 m = lanes; m; m &= m - 1)
    cluster.arrived -= w.cluster_arrival[__builtin_ctz(m)] == cluster.phase + 1;
  cluster.check();
}

namespace {

void tell_cluster(Warp& w, const Inst* i, u32 lanes, bool waits, u64 phase) {
  if (w.launch->bus && lanes)
    w.launch->bus->tell(
        w.block->worker,
        events::ClusterBarrier{
            {i->index, w.block->number, w.id, lanes}, waits, phase, static_cast<isa::Mod>(i->mode)});
}

const Inst* run_cluster_arrive(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  u32 lanes = active(w, i);
  ClusterState& cluster = *w.block->cluster;
  for (u32 m = lanes; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    if (w.cluster_arrival[l] == cluster.phase + 1)
      return fault(w, i, l, "second arrival at the cluster's barrier",
                   "the thread has arrived in this phase already and has not waited (barrier.cluster.wait)");
    w.cluster_arrival[l] = cluster.phase + 1;
  }
  tell_cluster(w, i, lanes, false, cluster.phase + 1);
  cluster.arrived += lane_count(lanes);
  if (lanes) cluster.check();
  return i + 1;
}

const Inst* run_cluster_wait(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  u64 phase = w.block->cluster->phase;
  for (u32 m = active(w, i); m; m &= m - 1) {
    u64 arrival = w.cluster_arrival[__builtin_ctz(m)];
    if (arrival == 0)
      return fault(w, i, __builtin_ctz(m), "wait without arrival",
                   "barrier.cluster.wait by a thread that has not executed barrier.cluster.arrive");
    if (arrival == phase + 1) return block_split(w, i, Split::State::Cluster);
  }
  tell_cluster(w, i, active(w, i), true, phase);
  return i + 1;
}

void decode_cluster_arrive(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_cluster_arrive);
  i.mode = static_cast<u16>(in.mod(isa::Slot::clustersem));
  d.emit(i);
}
void decode_cluster_wait(FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_cluster_wait)); }

// ---- mapa, getctarank ----

u64 register_value(Warp& w, u32 at, u8 bytes, int l) {
  return bytes == 8 ? slot<u64>(w, at)[l] : slot<u32>(w, at)[l];
}

/// imm: the base of the window, for generic addresses.
const Inst* run_mapa(Warp& w, const Inst* i) {
  u64 blocks = w.block->cluster->blocks.size();
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u64 address = register_value(w, i->src[0], i->dst_bytes, l), rank = slot<u32>(w, i->src[1])[l];
    if (rank >= blocks)
      return fault(w, i, l, "no such block in the cluster",
                   fmt::format("rank {} of {} blocks", rank, blocks));
    if (address - i->imm >= kWindowBytes)
      return fault(w, i, l, "not shared memory",
                   fmt::format("address 0x{:x} is not in shared memory", address));
    u64 mapped = i->imm + (rank + 1) * kClusterStep + (address - i->imm) % kClusterStep;
    std::memcpy(w.regs + i->dst + l * i->dst_bytes, &mapped, i->dst_bytes);
  }
  return i + 1;
}

const Inst* run_getctarank(Warp& w, const Inst* i) {
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u64 at = register_value(w, i->src[0], i->mode, l) - i->imm;
    if (at >= kWindowBytes)
      return fault(w, i, l, "not shared memory",
                   fmt::format("address 0x{:x} is not in shared memory", at + i->imm));
    slot<u32>(w, i->dst)[l] = at < kClusterStep ? w.block->rank : static_cast<u32>(at / kClusterStep - 1);
  }
  return i + 1;
}

void decode_map(FunctionDecoder& d, const ir::Instruction& in) {
  bool rank = in.op == isa::Op::getctarank;
  int bytes = isa::bytes(in.type());
  bool generic = in.op == isa::Op::mapa || (rank && !in.has(isa::Mod::shared_cluster));
  if (generic && bytes == 4) return d.refuse(in, "a generic address has 64 bits");
  Inst i = special(rank ? run_getctarank : run_mapa);
  i.dst_bytes = static_cast<u8>(rank ? 4 : bytes);
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(i.dst_bytes) : dst;
  i.src[0] = d.source(in.operands[1], in.type());
  if (rank)
    i.mode = static_cast<u16>(bytes);
  else
    i.src[1] = d.source(in.operands[2], isa::Type::u32);
  i.imm = generic ? kSharedWindow : 0;
  d.emit(i);
}

}  // namespace

SpecialDecoder cluster_decoder(isa::Op op) {
  switch (op) {
    case isa::Op::barrier_cluster_arrive:
      return decode_cluster_arrive;
    case isa::Op::barrier_cluster_wait:
      return decode_cluster_wait;
    case isa::Op::mapa:
    case isa::Op::mapa_shared:
    case isa::Op::getctarank:
      return decode_map;
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
