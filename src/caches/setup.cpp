#include "caches/setup.h"

#include <algorithm>

namespace ww::caches {

namespace {

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

}  // namespace ww::caches
