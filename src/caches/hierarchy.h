// The caches of a GPU: an L1 for each SM, where it has one for that kind of access, and L2 in one or two
// parts.
#pragma once

#include <algorithm>
#include <array>
#include <span>

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
    /// Of both: the farthest level, and the later time.
    void include(const Answer& more) { level = std::max(level, more.level), at = std::max(at, more.at); }
  };
  /// Sectors (a mask) of a line that a warp accesses.
  struct Part {
    u64 line = 0;
    u32 sectors = 0;
    u32 l1_place = 0;  ///< its set in L1
  };
  Part part(u64 line, u32 sectors) const { return {line, sectors, has_l1() ? l1_[0].place_of(line) : 0}; }
  Answer access(u32 sm, Kind kind, u64 line, u32 sectors, double now) {
    const Part p = part(line, sectors);
    return access(sm, kind, {&p, 1}, now);
  }
  /// All that a warp on this SM accesses at this time. Returns the last of the answers, and the farthest
  /// level.
  Answer access(u32 sm, Kind kind, std::span<const Part> parts, double now);
  /// That an SM will make this access soon: what it is likely to look at comes nearer to the host's
  /// processor.
  void expect(u32 sm, const Part& p, bool past_l1) const {
    if (has_l1()) l1_[sm].expect(p.l1_place);
    if (past_l1 || !has_l1()) expect_past_l1(sm, p.line);
  }
  /// Whether more than one in eight of the sectors so far were not in L1.
  bool often_past_l1() const { return 8 * (counts_.l1_lookups - counts_.l1_hits) >= counts_.l1_lookups; }
  void count_load_request() { ++counts_.load_requests; }
  /// That a load's lines are all there, the farthest of them from this level.
  void count_load(WarpWaits& warp, Level farthest) { warp.add(farthest, counts_.waits); }
  const SmLayout& layout() const { return layout_; }
  const CacheCounts& counts() const { return counts_; }
  /// Modified sectors in L2.
  u64 modified() const;

 private:
  struct Near {
    u32 part, cluster;
    std::array<double, 3> latency;  ///< by level; L2 answers some SMs later than others
    /// [where it is][where it came from]: so long after it was asked for (in the units of
    /// SectoredCache::Arrival), what is there is answered as fast as anything there.
    std::array<std::array<u32, 3>, 2> settled;
  };
  Answer loads(u32 sm, std::span<const Part> parts, bool through_l1, double now);
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
  static Answer found(const Near& near, const SectoredCache::Arrival& arrival, Level level, Level far,
                      double now);
  bool has_l1() const { return setup_.l1_bytes > 0; }
  bool joins() const { return setup_.join > 0; }
  u32 part_of(u32 sm) const { return near_[sm].part; }
  u32 home(u64 line) const;

  CacheSetup setup_;
  SmLayout layout_;
  struct alignas(64) Underway {  // a line of the host's cache
    u64 line = ~u64{0};
    double since = 0, until = 0;
    Answer answer;
    u32 sectors = 0, requests = 0;
  };
  size_t underway_at(u32 sm, u64 line) const;
  std::vector<Near> near_;              ///< by SM
  std::vector<SectoredCache> l1_, l2_;  // by SM and by part; the setup may have fewer
  std::vector<Underway> underway_;      // by cluster
  std::vector<u32> asked_;              // of these, those that a request was noted in
  std::vector<double> port_free_;       // by SM: when its port to L2 has nothing to do
  double dram_free_ = 0;
  CacheCounts counts_;
};

}  // namespace ww::caches
