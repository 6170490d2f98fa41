// What a replay says of the whole grid, as values.
#pragma once

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

/// Sectors, bytes and hit rates of L1, L2 and DRAM; intensity = `flop` / bytes read from DRAM. 1.x has no
/// caches: its DRAM bytes are those of its transactions, and nothing is replayed. Otherwise nothing without a
/// replay.
void put_cache_values(std::vector<Value>& out, const caches::Replay* replay, const caches::CacheSetup* setup,
                      const rules::AccessTotals& totals, const gpus::Gpu& gpu, double flop);

}  // namespace ww::counters
