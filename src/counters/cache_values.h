// What a replay says of the whole grid: figures, and the values made of them.
#pragma once

#include <optional>
#include <vector>

#include "base/table.h"
#include "caches/replay.h"
#include "rules/access_totals.h"

namespace ww::counters {

using engine::u32;
using engine::u64;

/// Estimates for the whole grid: what was replayed, and for the rest the rates of the late part. 32-byte
/// sectors.
struct CacheEstimate {
  double l1_lookups = 0, l1_hits = 0;
  double l2_reads = 0, l2_read_hits = 0, l2_writes = 0, l2_write_hits = 0;
  double dram_reads = 0, dram_writes = 0;
  double error =
      0;  ///< of the DRAM reads: relative difference to what the rates of all that was replayed would give
};
CacheEstimate estimate(const caches::Replay& replay, const caches::CacheSetup& setup,
                       const rules::AccessTotals& totals);

/// A replay of the run through a GPU's caches.
struct CacheRun {
  caches::CacheSetup setup;
  caches::Replay replay;
};

/// What goes through a GPU's caches and to its memory in the whole launch.
struct CacheFigures {
  bool cached = true;      ///< false: 1.x, which has no caches; then only the bytes of DRAM are told
  CacheEstimate estimate;  ///< before rounding
  int64_t l2_read_sectors = 0, l2_write_sectors = 0;  ///< of 32 bytes
  int64_t dram_sectors_read = 0, dram_sectors_written = 0;
  int64_t dram_bytes_read = 0, dram_bytes_written = 0;
  bool l2_parted = false;   ///< in two parts: what is in the far one passes through both
  bool l2_counted = false;  ///< nothing lies between the warps and L2: its sectors are counted
  int64_t blocks_replayed = 0;
  bool bulk_known = true;  ///< false: there are bulk copies, and not all of them were replayed

  /// Sectors found there of those asked for, %; nothing where nothing was asked for.
  std::optional<double> l1_hit_rate() const { return percent(estimate.l1_hits, estimate.l1_lookups); }
  std::optional<double> l2_read_hit_rate() const { return percent(estimate.l2_read_hits, estimate.l2_reads); }
  std::optional<double> l2_hit_rate() const {
    return percent(estimate.l2_read_hits + estimate.l2_write_hits, estimate.l2_reads + estimate.l2_writes);
  }

 private:
  static std::optional<double> percent(double part, double of) {
    return of > 0 ? std::optional(100 * part / of) : std::nullopt;
  }
};

/// Of a replay, or on 1.x of the transactions. Nothing without a replay (`run` may be null), for a GPU
/// without figures of its L2, and for textures on 1.x.
std::optional<CacheFigures> cache_figures(const CacheRun* run, const rules::AccessTotals& totals,
                                          const gpus::Gpu& gpu);

/// Sectors, bytes and hit rates of L1, L2 and DRAM; intensity = `flop` / bytes read from DRAM.
void put_cache_values(std::vector<Value>& out, const CacheFigures& figures, double flop);

}  // namespace ww::counters
