#include "counters/cache/hierarchy.h"

#include <algorithm>
#include <cmath>

namespace ww::counters {

namespace {

/// Sectors of a mask of four: a table in a number, where any x86-64 would call a function to count bits.
u64 count(u32 sectors) { return u64{0x4332322132212110} >> 4 * (sectors & kWholeLine) & 0xf; }

/// Lines that a cluster remembers to have been asked for.
constexpr size_t kUnderway = 4096;

constexpr u64 CacheCounts::*kMembers[] = {
    &CacheCounts::load_requests,  &CacheCounts::load_sectors,  &CacheCounts::store_sectors,
    &CacheCounts::atomic_sectors, &CacheCounts::l1_lookups,    &CacheCounts::l1_hits,
    &CacheCounts::l2_reads,       &CacheCounts::l2_read_hits,  &CacheCounts::l2_repeats,
    &CacheCounts::l2_writes,      &CacheCounts::l2_write_hits, &CacheCounts::dram_reads,
    &CacheCounts::dram_writes};

}  // namespace

CacheCounts& CacheCounts::operator+=(const CacheCounts& more) {
  for (auto m : kMembers) this->*m += more.*m;
  waits += more.waits;
  return *this;
}

CacheCounts CacheCounts::operator-(const CacheCounts& less) const {
  CacheCounts c = *this;
  for (auto m : kMembers) c.*m -= less.*m;
  c.waits = waits - less.waits;
  return c;
}

namespace {

/// Between the two measured points by the logarithm of the warps on an SM.
double coalescing(const gpus::Gpu& gpu, u32 warps) {
  if (!gpu.l2_coalescing_16 || !gpu.l2_coalescing_64) return 0;
  const double part = std::clamp(std::log2(static_cast<double>(std::max<u32>(1, warps)) / 16) / 2, 0.0, 1.0);
  return gpu.l2_coalescing_16->value + part * (gpu.l2_coalescing_64->value - gpu.l2_coalescing_16->value);
}

}  // namespace

CacheSetup cache_setup(const gpus::Gpu& gpu, u32 resident, u32 warps, u64 shared_part) {
  CacheSetup s;
  s.sms = static_cast<u32>(gpu.sm_count.value);
  s.resident = std::max<u32>(1, resident);
  s.resident_warps = s.resident * std::max<u32>(1, warps);
  s.l2_bytes = gpu.l2_bytes ? static_cast<u64>(gpu.l2_bytes->value) : 0;
  s.l2_parts = gpu.l2_parts ? static_cast<u32>(gpu.l2_parts->value) : 1;
  const u64 divided = gpu.l1_shared_bytes ? static_cast<u64>(gpu.l1_shared_bytes->value) : 0;
  if (gpu.at_least(7)) {
    s.l1_bytes = divided - std::min(divided, shared_part);
    s.l1_global = s.l1_read_only = true;
    s.l1_local = CacheSetup::Local::Through;
  } else if (gpu.at_least(5)) {
    s.l1_bytes = gpu.l1_bytes ? static_cast<u64>(gpu.l1_bytes->value) : 0;
    s.l1_read_only = true;
  } else if (gpu.at_least(2)) {
    // The usual division of 2.x and 3.x: 16 KiB for L1, the rest for shared memory.
    s.l1_bytes = divided - std::min(divided, static_cast<u64>(gpu.smem_per_sm.value));
    s.l1_global = s.l1_read_only = !gpu.at_least(3);
    s.l1_local = CacheSetup::Local::Back;
    s.l1_whole_lines = true;
  }
  s.gpcs = gpu.gpcs ? static_cast<u32>(gpu.gpcs->value) : 1;
  s.coalescing = coalescing(gpu, s.resident_warps);
  s.written_at_end = !gpu.at_least(7);
  return s;
}

Hierarchy::Hierarchy(const CacheSetup& setup) : setup_(setup) {
  for (u64 sm = 0; sm < setup.sms; ++sm)
    near_.push_back(
        {static_cast<u32>(sm * setup.l2_parts / setup.sms), static_cast<u32>(sm * setup.gpcs / setup.sms)});
  if (setup.l1_bytes > 0)
    for (u32 k = 0; k < setup.sms; ++k) l1_.emplace_back(setup.l1_bytes);
  if (setup.coalescing > 0) underway_.resize(setup.gpcs * kUnderway);
  for (u32 k = 0; k < setup.l2_parts; ++k) l2_.emplace_back(setup.l2_bytes / setup.l2_parts);
}

u32 Hierarchy::home(u64 line) const {
  if (setup_.l2_parts == 1) return 0;
  const auto hash = static_cast<u32>((line ^ line >> 17) * 0xd6e8feb86659fd93u >> 40);
  return setup_.l2_parts == 2 ? hash & 1 : hash % setup_.l2_parts;  // saves a division
}

u64 Hierarchy::modified() const {
  u64 sum = 0;
  for (const auto& part : l2_) sum += part.modified();
  return sum;
}

void Hierarchy::expect(u32 sm, u64 line) const {
  if (!l1_.empty()) l1_[sm].expect(line);
  l2_[home(line)].expect(line);
  if (l2_.size() > 1) l2_[part_of(sm)].expect(line);
  if (!underway_.empty()) __builtin_prefetch(&underway_[underway_at(sm, line)], 1);
}

Level Hierarchy::access(u32 sm, Kind kind, u64 line, u32 sectors, u64 now) {
  using enum Kind;
  using Local = CacheSetup::Local;
  switch (kind) {
    case Load:
      return load(sm, line, sectors, setup_.l1_global, now);
    case ReadOnlyLoad:
      return load(sm, line, sectors, setup_.l1_read_only, now);
    case LocalLoad:
      return load(sm, line, sectors, setup_.l1_local != Local::None, now);
    case Atomic:
      return l2_write(sm, line, sectors, true);
    case Store:
      counts_.store_sectors += count(sectors);
      return l2_write(sm, line, sectors, false);
    case LocalStore:
      counts_.store_sectors += count(sectors);
      if (setup_.l1_local == Local::Back && !l1_.empty()) {
        // The lines that leave L1 are not named: their sectors go to L2 as those of this one.
        if (u32 out = l1_[sm].write(line, sectors).written) l2_write(sm, line, out, false);
        return Level::L1;
      }
      if (setup_.l1_local == Local::Through && !l1_.empty()) l1_[sm].read(line, sectors);
      return l2_write(sm, line, sectors, false);
  }
  return Level::L1;
}

size_t Hierarchy::underway_at(u32 sm, u64 line) const {
  return near_[sm].cluster * kUnderway + (line * 0x9e3779b97f4a7c15u >> 52);
}

u32 Hierarchy::read_by_others(u32 sm, u64 line, u32 sectors, u64 now) {
  Underway& u = underway_[underway_at(sm, line)];
  if (u.line != line || u.now_sectors >> 4 != now) u = {line, now << 4};
  const auto known = static_cast<u32>(u.now_sectors & sectors);
  u.now_sectors |= sectors;
  return known;
}

Level Hierarchy::load(u32 sm, u64 line, u32 sectors, bool through_l1, u64 now) {
  counts_.load_sectors += count(sectors);
  const bool cached = through_l1 && !l1_.empty();
  Level level = Level::L1;
  if (cached) {
    counts_.l1_lookups += count(sectors);
    const u32 fetched = setup_.l1_whole_lines ? kWholeLine : sectors;
    const auto found = l1_[sm].read(line, fetched, now);
    counts_.l1_hits += count(found.hits & sectors);
    if ((found.hits & sectors) != 0 && under_way(found.arrival, now))
      level = found.arrival.far ? Level::Dram : Level::L2;
    if (found.written) l2_write(sm, line, found.written, false);
    sectors = (found.hits & sectors) == sectors ? 0 : fetched & ~found.hits;
  }
  if (sectors == 0) return level;
  if (!underway_.empty()) counts_.l2_repeats += count(read_by_others(sm, line, sectors, now));
  level = l2_read(sm, line, sectors, now);
  if (level == Level::Dram && cached) l1_[sm].mark_far(line);
  return level;
}

Level Hierarchy::l2_read(u32 sm, u64 line, u32 sectors, u64 now) {
  const u32 at[2] = {part_of(sm), home(line)};
  Level level = Level::L2;
  for (int k = 0; k < (at[0] == at[1] ? 1 : 2) && sectors != 0; ++k) {
    const auto found = l2_[at[k]].read(line, sectors, now);
    counts_.l2_reads += count(sectors);
    counts_.l2_read_hits += count(found.hits);
    counts_.dram_writes += count(found.written);
    if (found.hits != 0 && found.arrival.far && under_way(found.arrival, now)) level = Level::Dram;
    sectors &= ~found.hits;
  }
  counts_.dram_reads += count(sectors);
  if (sectors == 0) return level;
  for (u32 part : at) l2_[part].mark_far(line);
  return Level::Dram;
}

Level Hierarchy::l2_write(u32 sm, u64 line, u32 sectors, bool atomic) {
  const u32 near = part_of(sm), at = home(line);
  const auto found = l2_[at].write(line, sectors);
  counts_.dram_writes += count(found.written);
  if (atomic) {
    counts_.atomic_sectors += count(sectors);
    counts_.dram_reads += count(sectors & ~found.hits);  // the old values
    return Level::L2;
  }
  counts_.l2_writes += count(sectors) * (near == at ? 1 : 2);
  counts_.l2_write_hits += count(found.hits);
  return Level::L2;
}

}  // namespace ww::counters
