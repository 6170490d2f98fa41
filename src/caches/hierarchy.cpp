#include "caches/hierarchy.h"

#include <algorithm>
#include <cmath>

namespace ww::caches {

namespace {

/// Caches note when lines came in steps of so many clocks.
constexpr u64 kStamp = 16;
u64 stamp(double now) { return static_cast<u64>(now) / kStamp; }

/// Lines that a cluster remembers to have been asked for.
constexpr size_t kUnderway = 4096;

constexpr u64 CacheCounts::*kMembers[] = {
    &CacheCounts::load_requests,  &CacheCounts::load_sectors,  &CacheCounts::store_sectors,
    &CacheCounts::atomic_sectors, &CacheCounts::l1_lookups,    &CacheCounts::l1_hits,
    &CacheCounts::l2_reads,       &CacheCounts::l2_read_hits,  &CacheCounts::l2_joined,
    &CacheCounts::l2_writes,      &CacheCounts::l2_write_hits, &CacheCounts::dram_reads,
    &CacheCounts::dram_writes,    &CacheCounts::bulk_sectors};

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

CacheSetup cache_setup(const gpus::Gpu& gpu, u32 resident, u64 shared_part) {
  CacheSetup s;
  s.sms = static_cast<u32>(gpu.sm_count.value);
  s.resident = std::max<u32>(1, resident);
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
  if (gpu.sms_apart && gpu.apart_every)
    s.apart = static_cast<u32>(gpu.sms_apart->value),
    s.apart_every = static_cast<u32>(gpu.apart_every->value);
  if (gpu.l2_join && gpu.l2_join_most)
    s.join = *gpu.l2_join, s.join_most = static_cast<u32>(gpu.l2_join_most->value);
  s.written_at_end = !gpu.at_least(7);
  return s;
}

Hierarchy::Hierarchy(const CacheSetup& setup) : layout_(1, 1) { reset(setup); }

void Hierarchy::reset(const CacheSetup& setup) {
  setup_ = setup;
  layout_ = SmLayout(setup.sms, setup.gpcs, setup.apart, setup.apart_every);
  near_.clear();
  for (u32 sm = 0; sm < setup.sms; ++sm) {
    const SmLayout::Place& place = layout_.of(sm);
    const u32 part =
        setup.gpcs > 1 ? place.cluster * setup.l2_parts / setup.gpcs : sm * setup.l2_parts / setup.sms;
    const double later = place.distance * setup.pace.l2_spread;
    near_.push_back({part, place.cluster, {setup.pace.l1, later + setup.pace.l2, later + setup.pace.dram}});
  }
  // Caches that this setup does not have stay, empty, for one that has them.
  const u64 part_bytes = setup.l2_bytes / setup.l2_parts;
  for (SectoredCache& cache : l1_) cache.reset(setup.l1_bytes);
  for (SectoredCache& cache : l2_) cache.reset(part_bytes);
  if (setup.l1_bytes > 0)
    while (l1_.size() < setup.sms) l1_.emplace_back(setup.l1_bytes);
  while (l2_.size() < setup.l2_parts) l2_.emplace_back(part_bytes);
  for (u32 at : asked_) underway_[at] = {};
  asked_.clear();
  if (setup.join > 0 && underway_.size() < setup.gpcs * kUnderway) underway_.resize(setup.gpcs * kUnderway);
  port_free_.assign(setup.sms, 0);
  dram_free_ = 0;
  counts_ = {};
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

void Hierarchy::expect_past_l1(u32 sm, u64 line) const {
  l2_[home(line)].expect(line);
  if (setup_.l2_parts > 1) l2_[part_of(sm)].expect(line);
  if (joins()) __builtin_prefetch(&underway_[underway_at(sm, line)], 1);
}

Hierarchy::Answer Hierarchy::found(u32 sm, const SectoredCache::Arrival& arrival, Level level, Level far,
                                   double now) const {
  const u64 age = (stamp(now) - arrival.time) % SectoredCache::kTimes;
  const Level from = arrival.far ? Level::Dram : far;
  const double left = latency(sm, from) - static_cast<double>(age * kStamp);
  const double near = latency(sm, level);
  return from != level && left > near ? Answer{from, now + left} : Answer{level, now + near};
}

Hierarchy::Answer Hierarchy::access(u32 sm, Kind kind, u64 line, u32 sectors, double now) {
  using enum Kind;
  using Local = CacheSetup::Local;
  switch (kind) {
    case Load:
      return load(sm, line, sectors, setup_.l1_global, now);
    case LoadPastL1:  // Nsight Compute counts them as lookups that miss
      if (setup_.l1_global && has_l1()) counts_.l1_lookups += sector_count(sectors);
      return load(sm, line, sectors, false, now);
    case ReadOnlyLoad:
      return load(sm, line, sectors, setup_.l1_read_only, now);
    case BulkLoad:
      counts_.bulk_sectors += sector_count(sectors);
      return past_l1(sm, line, sectors, now);
    case BulkStore:
      counts_.bulk_sectors += sector_count(sectors);
      l2_write(sm, line, sectors, now);
      break;
    case BulkAtomic:
      counts_.bulk_sectors += sector_count(sectors);
      l2_update(line, sectors, now);
      break;
    case LocalLoad:
      return load(sm, line, sectors, setup_.l1_local != Local::None, now);
    case Atomic:
      counts_.atomic_sectors += sector_count(sectors);
      l2_update(line, sectors, now);
      break;
    case Store:
      counts_.store_sectors += sector_count(sectors);
      l2_write(sm, line, sectors, now);
      break;
    case LocalStore:
      counts_.store_sectors += sector_count(sectors);
      if (setup_.l1_local == Local::Back && has_l1()) {
        // The lines that leave L1 are not named: their sectors go to L2 as those of this one.
        if (u32 out = l1_[sm].write(line, sectors).written) l2_write(sm, line, out, now);
        break;
      }
      if (setup_.l1_local == Local::Through && has_l1()) l1_[sm].read(line, sectors, stamp(now));
      l2_write(sm, line, sectors, now);
      break;
  }
  return {Level::L1, now};
}

size_t Hierarchy::underway_at(u32 sm, u64 line) const {
  return near_[sm].cluster * kUnderway + (line * 0x9e3779b97f4a7c15u >> 52);
}

Hierarchy::Answer Hierarchy::join(u32 sm, u64 line, u32& sectors, double now) {
  Underway& u = underway_[underway_at(sm, line)];
  if (u.line != line || now > u.until || now < u.since - setup_.join) return {Level::L1, now};
  const u32 joined = u.sectors & sectors;
  if (joined == 0 || u.requests == setup_.join_most) return {Level::L1, now};
  ++u.requests;
  counts_.l2_joined += sector_count(joined);
  sectors &= ~joined;
  return u.answer;
}

void Hierarchy::remember(u32 sm, u64 line, u32 sectors, const Answer& answer, double now) {
  const size_t at = underway_at(sm, line);
  if (underway_[at].requests == 0) asked_.push_back(static_cast<u32>(at));
  underway_[at] = {line, now, answer.at - latency(sm, Level::L2) + setup_.join, answer, sectors, 1};
}

Hierarchy::Answer Hierarchy::load(u32 sm, u64 line, u32 sectors, bool through_l1, double now) {
  counts_.load_sectors += sector_count(sectors);
  const bool cached = through_l1 && has_l1();
  Answer answer{Level::L1, now};
  if (cached) {
    counts_.l1_lookups += sector_count(sectors);
    const u32 fetched = setup_.l1_whole_lines ? kWholeLine : sectors;
    const auto there = l1_[sm].read(line, fetched, stamp(now));
    counts_.l1_hits += sector_count(there.hits & sectors);
    if ((there.hits & sectors) != 0) answer = found(sm, there.arrival, Level::L1, Level::L2, now);
    if (there.written) l2_write(sm, line, there.written, now);
    sectors = (there.hits & sectors) == sectors ? 0 : fetched & ~there.hits;
  }
  if (sectors == 0) return answer;
  const Answer beyond = past_l1(sm, line, sectors, now);
  answer = {std::max(answer.level, beyond.level), std::max(answer.at, beyond.at)};
  if (answer.level == Level::Dram && cached) l1_[sm].mark_far(line);
  return answer;
}

Hierarchy::Answer Hierarchy::past_l1(u32 sm, u64 line, u32 sectors, double now) {
  Answer answer{Level::L1, now};
  const u32 asked = sectors;
  if (joins())
    if (const Answer joined = join(sm, line, sectors, now); sectors != asked) answer = joined;
  if (sectors != 0) {
    const Answer l2 = l2_read(sm, line, sectors, now);
    if (joins() && sectors == asked) remember(sm, line, sectors, l2, now);
    answer = {std::max(answer.level, l2.level), std::max(answer.at, l2.at)};
  }
  return answer;
}

Hierarchy::Answer Hierarchy::l2_read(u32 sm, u64 line, u32 sectors, double now) {
  const u32 at[2] = {part_of(sm), home(line)};
  double& port = port_free_[sm];
  port = std::max(port, now) + setup_.pace.port_sector * static_cast<double>(sector_count(sectors));
  Answer answer{Level::L2, port + latency(sm, Level::L2)};
  for (int k = 0; k < (at[0] == at[1] ? 1 : 2) && sectors != 0; ++k) {
    const auto there = l2_[at[k]].read(line, sectors, stamp(now));
    counts_.l2_reads += sector_count(sectors);
    counts_.l2_read_hits += sector_count(there.hits);
    counts_.dram_writes += sector_count(there.written);
    if (there.hits != 0) {
      const Answer hit = found(sm, there.arrival, Level::L2, Level::L2, now);
      answer = {std::max(answer.level, hit.level), std::max(answer.at, hit.at)};
    }
    sectors &= ~there.hits;
  }
  counts_.dram_reads += sector_count(sectors);
  if (sectors == 0) return answer;
  for (u32 part : at) l2_[part].mark_far(line);
  dram_free_ =
      std::max(dram_free_, now) + setup_.pace.dram_sector * static_cast<double>(sector_count(sectors));
  return {Level::Dram, std::max(answer.at, dram_free_ + latency(sm, Level::Dram))};
}

void Hierarchy::l2_write(u32 sm, u64 line, u32 sectors, double now) {
  const u32 near = part_of(sm), at = home(line);
  const auto found = l2_[at].write(line, sectors, stamp(now));
  counts_.dram_writes += sector_count(found.written);
  counts_.l2_writes += sector_count(sectors) * (near == at ? 1 : 2);
  counts_.l2_write_hits += sector_count(found.hits);
}

void Hierarchy::l2_update(u64 line, u32 sectors, double now) {
  const auto found = l2_[home(line)].write(line, sectors, stamp(now));
  counts_.dram_writes += sector_count(found.written);
  counts_.dram_reads += sector_count(sectors & ~found.hits);  // the old values
}

}  // namespace ww::caches
