#include "engine/schedule/standstill.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "engine/async/awaited.h"
#include "engine/schedule/clock.h"

namespace ww::engine {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// ns by which clocks are put forward. The first is as far as a difference of 32-bit clocks can say, whether
/// they count ns or clocks of the GPU.
constexpr u64 kJumps[] = {(u64{1} << 31) - (u64{1} << 20), u64{1} << 36, u64{1} << 45};
u64 jump(u32 k) { return k == 0 ? kJumps[0] * 1000 / std::max(u32{1000}, clock_rate()) : kJumps[k]; }

thread_local const std::atomic<int>* host_waiting = nullptr;

u64 mixed(u64 hash, u64 word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

u64 hash_of(const u8* bytes, u64 size, u64 hash) {
  if (size >= 64) {  // several chains of multiplications at once
    constexpr u64 kChains = 4;
    u64 chains[kChains] = {hash, hash + 1, hash + 2, hash + 3};
    for (; size >= sizeof chains; bytes += sizeof chains, size -= sizeof chains)
      for (u64 k = 0; k < kChains; ++k) {
        u64 word;
        std::memcpy(&word, bytes + 8 * k, 8);
        chains[k] = mixed(chains[k], word);
      }
    for (u64 chain : chains) hash = mixed(hash, chain);
  }
  for (; size >= 8; bytes += 8, size -= 8) {
    u64 word;
    std::memcpy(&word, bytes, 8);
    hash = mixed(hash, word);
  }
  u64 rest = 0;
  std::memcpy(&rest, bytes, size);
  return mixed(hash, rest);
}

/// The registers, without what is merely known of the addresses in them.
u64 hash_of(const FunctionCode& f, const u8* regs, u64 hash) {
  std::vector<u32> shapes = f.shapes;
  std::sort(shapes.begin(), shapes.end());
  u32 at = kFrameStart;
  for (u32 shape : shapes) {
    if (shape < at) continue;
    hash = hash_of(regs + at, shape - at, hash);
    at = shape + static_cast<u32>(sizeof(AddressShape));
  }
  return at < f.frame_bytes ? hash_of(regs + at, f.frame_bytes - at, hash) : hash;
}

/// The lane's local memory, as far as there is something: where functions are recursive or called through
/// pointers it has 64 KB, which mostly nobody has touched.
u64 hash_of_local(const WarpState& w, int lane, u64 hash) {
  const u8* const local = w.local + static_cast<u64>(lane) * w.local_stride;
  hash = hash_of(local, w.local_reached, hash);
  const u32 end = w.stack_end(lane);  // behind it is what alloca gave
  return end < w.local_bytes ? hash_of(local + end, w.local_bytes - end, hash) : hash;
}

}  // namespace

u64 timer_of(LaunchState& launch) {
  if (!launch.clock_read.load(std::memory_order_relaxed)) launch.clock_read = true;
  if (const u64 stands = launch.clock_stands.load(std::memory_order_relaxed)) return stands;
  return host_time() + launch.clock_ahead.load(std::memory_order_relaxed);
}

u64 state_of(const BlockState& block) {
  u64 hash = hash_of(block.shared.get(), block.shared_bytes, 1);
  for (const auto& w : block.warps) {
    u64 splits = 0;  // in whatever order they are
    for (const Split* s : w->splits) {
      u64 h = mixed(mixed(reinterpret_cast<u64>(s->pc), s->mask), static_cast<u64>(s->state));
      splits += hash_of(*s->function, s->regs, h);
    }
    hash = mixed(hash, splits);
    for (int lane = 0; w->local_bytes && lane < kLanes; ++lane) hash = hash_of_local(*w, lane, hash);
  }
  return hash;
}

bool RecentStates::is_new(u64 state) {
  if (std::find(states.begin(), states.end(), state) != states.end()) return false;
  states[next] = state;
  next = (next + 1) % states.size();
  return true;
}

Standstill::Standstill(LaunchState& launch, double seconds, bool only_phases, int workers)
    : launch_(launch),
      host_waiting_(host_waiting),
      seconds_(seconds),
      only_phases_(only_phases),
      workers_(static_cast<u32>(workers)) {}

BesideHost::BesideHost(const std::atomic<int>* waiting) { host_waiting = waiting; }
BesideHost::~BesideHost() { host_waiting = nullptr; }

void Standstill::tell() {
  launch_.moves.fetch_add(untold_);
  untold_ = 0;
  set_quiet(false);
}

void Standstill::turn(BlockState& block, bool polled) {
  if (seconds_ <= 0) return;
  if (only_phases_) {
    if (looks_) block.awaits = awaits_phases(block);
    if (!block.awaits) {
      busy_ = true;
      moved();
      return;
    }
  }
  if ((looks_ && is_new(block)) || (polled && gives_way_soon(block))) moved();
}

/// Whether the block's state is one that it did not have lately.
bool Standstill::is_new(BlockState& block) {
  const double begin = now();
  const bool so = block.recent.is_new(state_of(block));
  cost_ += now() - begin;
  return so;
}

/// In a round of turns each block is looked at, or none is: that takes a tenth of the time at most. (Blocks
/// with many registers take longer to be looked at than their turns, most of all under checks, where those
/// end at every other atomic.)
void Standstill::begin_round() {
  constexpr double kLeast = 1e-3, kShare = 10;
  const double time = now();
  if (looks_) looked_ = time, pause_ = std::min(std::max(kLeast, kShare * cost_), seconds_ / 16), cost_ = 0;
  looks_ = time - looked_ >= pause_;
}

void Standstill::leave() {
  if (workers_ == 1) return;  // there is nobody to be told
  tell();
  set_awaiting(true);
  set_quiet(true);
}

void Standstill::set_quiet(bool quiet) {
  if (quiet == quiet_) return;
  quiet_ = quiet;
  if (quiet)
    launch_.quiet.fetch_add(1);
  else
    launch_.quiet.fetch_sub(1);
}

void Standstill::set_awaiting(bool awaiting) {
  if (awaiting == awaiting_) return;
  awaiting_ = awaiting;
  if (awaiting)
    launch_.awaiting.fetch_add(1);
  else
    launch_.awaiting.fetch_sub(1);
}

/// Clocks stop when no block has ended for some while, and go on when one has.
void Standstill::watch_clock() {
  if (!launch_.clock_read.load(std::memory_order_relaxed)) return;
  const bool leave_alone = only_phases_ && launch_.awaiting.load() != workers_;
  const u64 ended = launch_.ended();
  const double time = now();
  if (ended_since_ == 0 || ended != ended_ || leave_alone) {
    ended_ = ended, ended_since_ = time;
    if (!launch_.clock_stands) return;
    std::lock_guard lock(launch_.mutex);
    if (const u64 stands = launch_.clock_stands.exchange(0)) launch_.clock_ahead = stands - host_time();
    launch_.clock_jumps = 0;
  } else if (time - ended_since_ >= seconds_ && !launch_.clock_stands) {
    std::lock_guard lock(launch_.mutex);
    if (!launch_.clock_stands) launch_.clock_stands = host_time() + launch_.clock_ahead;
  }
}

/// Nothing changes: perhaps it does when time passes. False: that was tried.
bool Standstill::put_forward() {
  if (!launch_.clock_read) return false;
  std::lock_guard lock(launch_.mutex);
  if (launch_.moves.load() != seen_) return true;  // another worker did
  const u32 jumps = launch_.clock_jumps;
  if (jumps == std::size(kJumps)) return false;
  launch_.clock_jumps = jumps + 1;
  const u64 stands = launch_.clock_stands;
  launch_.clock_stands = (stands ? stands : host_time() + launch_.clock_ahead) + jump(jumps);
  launch_.moves.fetch_add(1);
  return true;
}

bool Standstill::found() {
  if (seconds_ <= 0) return false;
  const bool looked = looks_;
  begin_round();
  if (host_waiting_ && !host_waiting_->load(std::memory_order_relaxed)) {
    since_ = ended_since_ = 0;
    set_quiet(false);
    watch_clock();
    return false;
  }
  if (untold_) tell();
  set_awaiting(!std::exchange(busy_, false));
  watch_clock();
  const u64 moves = launch_.moves.load();
  if (moves != seen_) {
    seen_ = moves;
    since_ = now();
    set_quiet(false);
    return false;
  }
  if (since_ == 0) since_ = now();
  const double enough = launch_.clock_stands ? seconds_ / 5 : seconds_;
  if (!looked || now() - since_ < enough) return false;
  set_quiet(true);
  if (launch_.quiet.load() != workers_ || launch_.moves.load() != seen_) return false;
  return !put_forward();
}

}  // namespace ww::engine
