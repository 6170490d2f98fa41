// The caches of a GPU: an L1 for each SM, where it has one for that kind of access, and L2 in one or two
// parts.
#pragma once

#include "counters/cache/sectored_cache.h"
#include "counters/cache/waits.h"
#include "counters/patterns.h"
#include "gpus/gpu.h"

namespace ww::counters {

/// What of a GPU's caches concerns a launch.
struct CacheSetup {
  u32 sms = 1;
  u32 resident = 1;             ///< blocks on an SM at once
  u32 resident_warps = 1;       ///< and their warps: requests of an SM that are under way together
  u64 l1_bytes = 0;             ///< of an SM
  bool l1_global = false;       ///< ordinary loads of global memory may hit in it
  bool l1_read_only = false;    ///< and those through the read-only path (ld.global.nc, textures)
  bool l1_whole_lines = false;  ///< a miss fetches the line, not only its sectors
  enum class Local { None, Back, Through } l1_local = Local::None;  ///< what stores of local memory do
  u64 l2_bytes = 0;
  u32 l2_parts =
      1;  ///< each caches what the SMs near it use; a request for the other's memory passes through both
  u32 gpcs = 1;           ///< clusters of SMs, equal in size
  double coalescing = 0;  ///< of a cluster's reads of one sector at one time, the part of those behind the
                          ///< first that joins it
  bool written_at_end = false;  ///< modified sectors count as written to DRAM when the kernel ends
};

/// What the caches of this GPU do (src/gpus; docs/counters.md gives the rules), when `resident` blocks of
/// `warps` warps are on an SM at once and their shared memory takes `shared_part` bytes of what it shares
/// with L1.
CacheSetup cache_setup(const gpus::Gpu& gpu, u32 resident, u32 warps, u64 shared_part);

/// Sectors of 32 bytes.
struct CacheCounts {
  u64 load_requests = 0, load_sectors = 0;  ///< warp instructions, and their distinct sectors
  u64 store_sectors = 0, atomic_sectors = 0;
  u64 l1_lookups = 0, l1_hits = 0;     ///< sectors of loads that may hit in L1
  u64 l2_reads = 0, l2_read_hits = 0;  ///< before they are coalesced
  u64 l2_repeats = 0;                  ///< of these, while another SM of the cluster reads the same
  u64 l2_writes = 0, l2_write_hits = 0;
  u64 dram_reads = 0, dram_writes = 0;
  WaitCounts waits;

  CacheCounts& operator+=(const CacheCounts& more);
  CacheCounts operator-(const CacheCounts& less) const;
  bool operator==(const CacheCounts&) const = default;
};

class Hierarchy {
 public:
  explicit Hierarchy(const CacheSetup& setup);

  enum class Kind { Load, ReadOnlyLoad, Store, Atomic, LocalLoad, LocalStore };
  /// Sectors (a mask) of one line, from a warp on this SM. `now`: requests with the same number happen at one
  /// time. Returns what answers a load.
  Level access(u32 sm, Kind kind, u64 line, u32 sectors, u64 now);
  /// That such an access will come soon.
  void expect(u32 sm, u64 line) const;
  void count_load_request() { ++counts_.load_requests; }
  /// That a load's lines are all there, the farthest of them from this level.
  void count_load(WarpWaits& warp, Level farthest) { warp.add(farthest, counts_.waits); }
  const CacheCounts& counts() const { return counts_; }
  /// Modified sectors in L2.
  u64 modified() const;

 private:
  Level load(u32 sm, u64 line, u32 sectors, bool through_l1, u64 now);
  /// Of these sectors, those that another SM of the cluster reads now; they are remembered.
  u32 read_by_others(u32 sm, u64 line, u32 sectors, u64 now);
  Level l2_read(u32 sm, u64 line, u32 sectors, u64 now);
  Level l2_write(u32 sm, u64 line, u32 sectors, bool atomic);
  /// Whether what arrived then is still on its way: no warp has more than one request under way, and SMs
  /// issue one at a time.
  bool under_way(const SectoredCache::Arrival& arrival, u64 now) const {
    return (now - arrival.time) % SectoredCache::kTimes < setup_.resident_warps;
  }
  u32 part_of(u32 sm) const { return near_[sm].part; }
  u32 home(u64 line) const;

  CacheSetup setup_;
  struct Underway {
    u64 line = ~u64{0};
    u64 now_sectors = 0;  ///< 16 · now + sectors
  };
  size_t underway_at(u32 sm, u64 line) const;
  struct Near {
    u32 part, cluster;
  };
  std::vector<Near> near_;  ///< by SM: its part of L2 and its cluster
  std::vector<SectoredCache> l1_, l2_;
  std::vector<Underway> underway_;  // by cluster
  CacheCounts counts_;
};

}  // namespace ww::counters
