#include "caches/hierarchy.h"

#include <algorithm>
#include <cmath>

namespace ww::caches {

namespace {

/// Caches note when lines came in steps of so many clocks.
constexpr u64 kStamp = 16;
u64 stamp(double now) { return static_cast<u64>(static_cast<int64_t>(now)) / kStamp; }

/// How much longer an answer that was asked for so long ago takes.
double left_of(double latency, u64 age) { return latency - static_cast<double>(age * kStamp); }

/// Lines that a cluster remembers to have been asked for.
constexpr size_t kUnderway = 4096;

}  // namespace

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
    Near near{part, place.cluster, {setup.pace.l1, later + setup.pace.l2, later + setup.pace.dram}, {}};
    for (size_t at = 0; at < near.settled.size(); ++at)
      for (size_t from = at + 1; from < near.latency.size(); ++from)
        while (near.settled[at][from] < SectoredCache::kTimes &&
               left_of(near.latency[from], near.settled[at][from]) > near.latency[at])
          ++near.settled[at][from];
    near_.push_back(near);
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
  const u32 place = l2_[0].place_of(line);
  l2_[home(line)].expect(place);
  if (setup_.l2_parts > 1) l2_[part_of(sm)].expect(place);
  if (joins()) __builtin_prefetch(&underway_[underway_at(sm, line)], 1);
}

inline Hierarchy::Answer Hierarchy::found(const Near& near, const SectoredCache::Arrival& arrival,
                                          Level level, Level far, double now) {
  const u64 age = (stamp(now) - arrival.time) % SectoredCache::kTimes;
  const Level from = arrival.far ? Level::Dram : far;
  const auto at = static_cast<size_t>(level), of = static_cast<size_t>(from);
  if (age >= near.settled[at][of]) return {level, now + near.latency[at]};
  return {from, now + left_of(near.latency[of], age)};
}

Hierarchy::Answer Hierarchy::loads(u32 sm, std::span<const Part> parts, bool through_l1, double now) {
  const bool cached = through_l1 && has_l1();
  const Near& near = near_[sm];
  u64 asked = 0, hits = 0;
  Answer farthest{Level::L1, now};
  for (const Part& p : parts) {
    asked += sector_count(p.sectors);
    if (!cached) {
      farthest.include(past_l1(sm, p.line, p.sectors, now));
      continue;
    }
    const u32 fetched = setup_.l1_whole_lines ? kWholeLine : p.sectors;
    const auto there = l1_[sm].read_at(p.l1_place, p.line, fetched, stamp(now));
    const u32 here = there.hits & p.sectors;
    hits += sector_count(here);
    Answer answer{Level::L1, now};
    if (here != 0) answer = found(near, there.arrival, Level::L1, Level::L2, now);
    if (there.written != 0) l2_write(sm, p.line, there.written, now);
    if (here != p.sectors) {
      answer.include(past_l1(sm, p.line, fetched & ~there.hits, now));
      if (answer.level == Level::Dram) l1_[sm].mark_far(p.l1_place);
    }
    farthest.include(answer);
  }
  counts_.load_sectors += asked;
  if (cached) counts_.l1_lookups += asked, counts_.l1_hits += hits;
  return farthest;
}

Hierarchy::Answer Hierarchy::access(u32 sm, Kind kind, std::span<const Part> parts, double now) {
  using enum Kind;
  using Local = CacheSetup::Local;
  Answer farthest{Level::L1, now};
  const auto count = [&](u64 CacheCounts::*sectors) {
    for (const Part& p : parts) counts_.*sectors += sector_count(p.sectors);
  };
  switch (kind) {
    case Load:
      return loads(sm, parts, setup_.l1_global, now);
    case LoadPastL1:  // Nsight Compute counts them as lookups that miss
      if (setup_.l1_global && has_l1()) count(&CacheCounts::l1_lookups);
      return loads(sm, parts, false, now);
    case ReadOnlyLoad:
      return loads(sm, parts, setup_.l1_read_only, now);
    case LocalLoad:
      return loads(sm, parts, setup_.l1_local != Local::None, now);
    case BulkLoad:
      count(&CacheCounts::bulk_sectors);
      for (const Part& p : parts) farthest.include(past_l1(sm, p.line, p.sectors, now));
      return farthest;
    case BulkStore:
      count(&CacheCounts::bulk_sectors);
      for (const Part& p : parts) l2_write(sm, p.line, p.sectors, now);
      break;
    case BulkAtomic:
      count(&CacheCounts::bulk_sectors);
      for (const Part& p : parts) l2_update(p.line, p.sectors, now);
      break;
    case Atomic:
      count(&CacheCounts::atomic_sectors);
      for (const Part& p : parts) l2_update(p.line, p.sectors, now);
      break;
    case Store:
      count(&CacheCounts::store_sectors);
      for (const Part& p : parts) l2_write(sm, p.line, p.sectors, now);
      break;
    case LocalStore:
      count(&CacheCounts::store_sectors);
      for (const Part& p : parts) {
        if (setup_.l1_local == Local::Back && has_l1()) {
          // The lines that leave L1 are not named: their sectors go to L2 as those of this one.
          if (u32 out = l1_[sm].write(p.line, p.sectors).written) l2_write(sm, p.line, out, now);
          continue;
        }
        if (setup_.l1_local == Local::Through && has_l1())
          l1_[sm].read_at(p.l1_place, p.line, p.sectors, stamp(now));
        l2_write(sm, p.line, p.sectors, now);
      }
      break;
  }
  return farthest;
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

Hierarchy::Answer Hierarchy::past_l1(u32 sm, u64 line, u32 sectors, double now) {
  Answer answer{Level::L1, now};
  const u32 asked = sectors;
  if (joins())
    if (const Answer joined = join(sm, line, sectors, now); sectors != asked) answer = joined;
  if (sectors != 0) {
    const Answer l2 = l2_read(sm, line, sectors, now);
    if (joins() && sectors == asked) remember(sm, line, sectors, l2, now);
    answer.include(l2);
  }
  return answer;
}

Hierarchy::Answer Hierarchy::l2_read(u32 sm, u64 line, u32 sectors, double now) {
  const u32 at[2] = {part_of(sm), home(line)};
  const u32 place = l2_[0].place_of(line);
  double& port = port_free_[sm];
  port = std::max(port, now) + setup_.pace.port_sector * static_cast<double>(sector_count(sectors));
  Answer answer{Level::L2, port + latency(sm, Level::L2)};
  for (int k = 0; k < (at[0] == at[1] ? 1 : 2) && sectors != 0; ++k) {
    const auto there = l2_[at[k]].read_at(place, line, sectors, stamp(now));
    counts_.l2_reads += sector_count(sectors);
    counts_.l2_read_hits += sector_count(there.hits);
    counts_.dram_writes += sector_count(there.written);
    if (there.hits != 0) answer.include(found(near_[sm], there.arrival, Level::L2, Level::L2, now));
    sectors &= ~there.hits;
  }
  counts_.dram_reads += sector_count(sectors);
  if (sectors == 0) return answer;
  for (u32 part : at) l2_[part].mark_far(place);
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
