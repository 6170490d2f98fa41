// The caches of a GPU: an L1 for each SM, where it has one for that kind of access, and L2 in one or two
// parts.
#pragma once

#include <array>

#include "caches/sectored_cache.h"
#include "caches/setup.h"
#include "caches/sm_layout.h"

namespace ww::caches {

using engine::u32;
using engine::u64;

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
  /// That an SM will access this line soon, and that it will do so sooner: what the access is likely to look
  /// at comes nearer to the host's processor. For the second, L1 is looked at, which came by the first.
  void expect(u32 sm, u64 line) const {
    if (has_l1())
      l1_[sm].expect(line);
    else
      expect_past_l1(sm, line);
  }
  void expect_now(u32 sm, u64 line, u32 sectors) const {
    if (has_l1() && !l1_[sm].has(line, sectors)) expect_past_l1(sm, line);
  }
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
  double latency(u32 sm, Level level) const { return near_[sm].latency[static_cast<size_t>(level)]; }
  void expect_past_l1(u32 sm, u64 line) const;
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
    std::array<double, 3> latency;  ///< by level; L2 answers some SMs later than others
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
