// What a GPU's caches are in a launch, and what they count.
#pragma once

#include "caches/pace.h"
#include "caches/waits.h"
#include "gpus/gpu.h"
#include "rules/patterns.h"

namespace ww::caches {

using engine::u32;
using engine::u64;

/// What of a GPU's caches concerns a launch.
struct CacheSetup {
  u32 sms = 1;
  u32 resident = 1;             ///< blocks on an SM at once
  u64 l1_bytes = 0;             ///< of an SM
  bool l1_global = false;       ///< ordinary loads of global memory may hit in it
  bool l1_read_only = false;    ///< and those through the read-only path (ld.global.nc, textures)
  bool l1_whole_lines = false;  ///< a miss fetches the line, not only its sectors
  enum class Local { None, Back, Through } l1_local = Local::None;  ///< what stores of local memory do
  u64 l2_bytes = 0;
  u32 l2_parts =
      1;  ///< each caches what the SMs near it use; a request for the other's memory passes through both
  u32 gpcs = 1;                    ///< clusters of SMs
  u32 apart = 0, apart_every = 1;  ///< SMs that get their blocks apart from others (SmLayout)
  /// Reads of one sector by SMs of a cluster become one until L2 has answered the first; it has a hit so many
  /// clocks after it was asked. 0: they never do.
  double join = 0;
  u32 join_most = 0;            ///< of them at most
  bool written_at_end = false;  ///< modified sectors count as written to DRAM when the kernel ends
  Pace pace;

  bool operator==(const CacheSetup&) const = default;
};

/// What the caches of this GPU do (src/gpus; docs/counters.md gives the rules), when `resident` blocks are on
/// an SM at once and their shared memory takes `shared_part` bytes of what it shares with L1. Its pace is not
/// set.
CacheSetup cache_setup(const gpus::Gpu& gpu, u32 resident, u64 shared_part);

/// Sectors of 32 bytes.
struct CacheCounts {
  u64 load_requests = 0, load_sectors = 0;  ///< warp instructions, and their distinct sectors
  u64 store_sectors = 0, atomic_sectors = 0;
  u64 l1_lookups = 0, l1_hits = 0;  ///< sectors of loads that may hit in L1
  u64 l2_reads = 0, l2_read_hits = 0;
  u64 l2_joined = 0;  ///< reads besides, that became one with another SM's
  u64 l2_writes = 0, l2_write_hits = 0;
  u64 dram_reads = 0, dram_writes = 0;
  u64 bulk_sectors = 0;  ///< of bulk copies: they are not among the loads, stores and atomics
  WaitCounts waits;

  CacheCounts& operator+=(const CacheCounts& more);
  CacheCounts operator-(const CacheCounts& less) const;
  bool operator==(const CacheCounts&) const = default;
};

}  // namespace ww::caches
