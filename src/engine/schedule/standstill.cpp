#include "engine/schedule/standstill.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace ww::engine {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

u64 mixed(u64 hash, u64 word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

u64 hash_of(const u8* bytes, u64 size, u64 hash) {
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

}  // namespace

u64 state_of(const BlockState& block) {
  u64 hash = hash_of(block.shared.get(), block.shared_bytes, 1);
  for (const auto& w : block.warps) {
    u64 splits = 0;  // in whatever order they are
    for (const Split* s : w->splits) {
      u64 h = mixed(mixed(reinterpret_cast<u64>(s->pc), s->mask), static_cast<u64>(s->state));
      splits += hash_of(*s->function, s->regs, h);
    }
    hash = mixed(hash, splits);
    if (w->local_bytes) hash = hash_of(w->local, u64{w->local_bytes} * kLanes, hash);
  }
  return hash;
}

Standstill::Standstill(LaunchState& launch, double seconds, int workers)
    : launch_(launch), seconds_(seconds), workers_(static_cast<u32>(workers)) {}

void Standstill::tell() {
  launch_.moves.fetch_add(untold_);
  untold_ = 0;
  set_quiet(false);
}

void Standstill::turn(BlockState& block) {
  if (seconds_ <= 0) return;
  const u64 state = state_of(block);
  if (state != block.last_state) moved();
  block.last_state = state;
}

void Standstill::leave() {
  tell();
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

bool Standstill::found() {
  if (seconds_ <= 0) return false;
  if (untold_) tell();
  const u64 moves = launch_.moves.load();
  if (moves != seen_) {
    seen_ = moves;
    since_ = now();
    set_quiet(false);
    return false;
  }
  if (since_ == 0) since_ = now();
  if (now() - since_ < seconds_) return false;
  set_quiet(true);
  return launch_.quiet.load() == workers_ && launch_.moves.load() == seen_;
}

}  // namespace ww::engine
