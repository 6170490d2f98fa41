// The caches of a GPU: an L1 for each SM, where it has one for that kind of access, and L2 in one or two
// parts.
#pragma once

#include "caches/pace.h"
#include "caches/sectored_cache.h"
#include "caches/sm_layout.h"
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

class Hierarchy {
 public:
  explicit Hierarchy(const CacheSetup& setup);
  /// Becomes what a new one would be. Takes less time where little was accessed: the caches of a large GPU
  /// are megabytes.
  void reset(const CacheSetup& setup);

  enum class Kind {
    Load,
    LoadPastL1,
    ReadOnlyLoad,
    Store,
    Atomic,
    LocalLoad,
    LocalStore,
    BulkLoad,
    BulkStore,
    BulkAtomic
  };
  struct Answer {
    Level level = Level::L1;  ///< what answers a load
    double at = 0;            ///< when
  };
  /// Sectors (a mask) of one line, from a warp on this SM at this time.
  Answer access(u32 sm, Kind kind, u64 line, u32 sectors, double now);
  /// That such an access will come soon.
  void expect(u32 sm, u64 line) const;
  void count_load_request() { ++counts_.load_requests; }
  /// That a load's lines are all there, the farthest of them from this level.
  void count_load(WarpWaits& warp, Level farthest) { warp.add(farthest, counts_.waits); }
  const SmLayout& layout() const { return layout_; }
  const CacheCounts& counts() const { return counts_; }
  /// Modified sectors in L2.
  u64 modified() const;

 private:
  Answer load(u32 sm, u64 line, u32 sectors, bool through_l1, double now);
  Answer past_l1(u32 sm, u64 line, u32 sectors, double now);
  Answer l2_read(u32 sm, u64 line, u32 sectors, double now);
  /// Takes those of these sectors that another SM of the cluster is being answered.
  Answer join(u32 sm, u64 line, u32& sectors, double now);
  void remember(u32 sm, u64 line, u32 sectors, const Answer& answer, double now);
  void l2_write(u32 sm, u64 line, u32 sectors, double now);
  void l2_update(u64 line, u32 sectors, double now);
  double latency(u32 sm, Level level) const;
  /// What an earlier request brought in `arrival` has its answer when that had; or now, if it is there.
  Answer found(u32 sm, const SectoredCache::Arrival& arrival, Level level, Level far, double now) const;
  bool has_l1() const { return setup_.l1_bytes > 0; }
  bool joins() const { return setup_.join > 0; }
  u32 part_of(u32 sm) const { return near_[sm].part; }
  u32 home(u64 line) const;

  CacheSetup setup_;
  SmLayout layout_;
  struct Underway {
    u64 line = ~u64{0};
    double since = 0, until = 0;
    Answer answer;
    u32 sectors = 0, requests = 0;
  };
  size_t underway_at(u32 sm, u64 line) const;
  struct Near {
    u32 part, cluster;
    double l2_later;  ///< clocks that L2 answers later than the mean SM
  };
  std::vector<Near> near_;              ///< by SM
  std::vector<SectoredCache> l1_, l2_;  // by SM and by part; the setup may have fewer
  std::vector<Underway> underway_;      // by cluster
  std::vector<u32> asked_;              // of these, those that a request was noted in
  std::vector<double> port_free_;       // by SM: when its port to L2 has nothing to do
  double dram_free_ = 0;
  CacheCounts counts_;
};

}  // namespace ww::caches
