#include "counters/cache_values.h"

#include <cmath>

namespace ww::counters {

namespace {

double sectors(const rules::AccessTotals& totals, rules::AccessKind kind) {
  return static_cast<double>(totals.sum(rules::CostSpace::Global, kind).sectors +
                             totals.sum(rules::CostSpace::Local, kind).sectors +
                             totals.sum(rules::CostSpace::Texture, kind).sectors);
}

/// A count in proportion to another: of the part that was replayed, with the late rate for the rest.
struct Extrapolation {
  double done, late, total;  // of what it is in proportion to

  double operator()(u64 counted, u64 late_counted) const {
    if (done >= total) return static_cast<double>(counted);
    const double rate = late > 0 ? static_cast<double>(late_counted) / late : overall(counted);
    return static_cast<double>(counted) + rate * (total - done);
  }
  double overall(u64 counted) const { return done > 0 ? static_cast<double>(counted) / done : 0; }
};

}  // namespace

CacheEstimate estimate(const caches::Replay& r, const caches::CacheSetup& setup,
                       const rules::AccessTotals& totals) {
  using enum rules::AccessKind;
  const caches::CacheCounts &c = r.counts, &late = r.late;
  const auto number = [](u64 v) { return static_cast<double>(v); };
  const Extrapolation loads{number(c.load_sectors), number(late.load_sectors), sectors(totals, Load)};
  const Extrapolation stores{number(c.store_sectors), number(late.store_sectors), sectors(totals, Store)};
  const double atomics = sectors(totals, Atomic);
  const Extrapolation reads{loads.done + number(c.atomic_sectors), loads.late + number(late.atomic_sectors),
                            loads.total + atomics};
  const Extrapolation writes{stores.done + number(c.atomic_sectors),
                             stores.late + number(late.atomic_sectors), stores.total + atomics};
  CacheEstimate e;
  e.l1_lookups = loads(c.l1_lookups, late.l1_lookups);
  e.l1_hits = loads(c.l1_hits, late.l1_hits);
  e.l2_reads = loads(c.l2_reads, late.l2_reads);
  e.l2_read_hits = loads(c.l2_read_hits, late.l2_read_hits);
  e.l2_writes = stores(c.l2_writes, late.l2_writes);
  e.l2_write_hits = stores(c.l2_write_hits, late.l2_write_hits);
  e.dram_reads = reads(c.dram_reads, late.dram_reads);
  // What is left in L2 will be written too; of a part of the grid, in the same proportion.
  const u64 left = setup.written_at_end ? r.modified_at_end : 0;
  e.dram_writes = left > 0
                      ? (c.dram_writes + left) *
                            (writes.done > 0 && writes.total > writes.done ? writes.total / writes.done : 1)
                      : writes(c.dram_writes, late.dram_writes);
  if (!r.whole && e.dram_reads > 0 && reads.total > reads.done)
    e.error = std::abs(number(c.dram_reads) + reads.overall(c.dram_reads) * (reads.total - reads.done) -
                       e.dram_reads) /
              e.dram_reads;
  return e;
}

namespace {

/// 1.x: what its transactions move, as there is no cache. It has one for textures, which is not modelled.
std::optional<CacheFigures> uncached(const rules::AccessTotals& totals) {
  if (totals.sum(rules::CostSpace::Texture, rules::AccessKind::Load).requests > 0) return {};
  const auto bytes = [&](rules::AccessKind kind) {
    double sum = 0;
    for (rules::CostSpace space : {rules::CostSpace::Global, rules::CostSpace::Local}) {
      const rules::Cost c = totals.sum(space, kind);
      sum += 32.0 * static_cast<double>(c.sized[0] + 2 * c.sized[1] + 4 * c.sized[2]);
    }
    return std::llround(sum);
  };
  const int64_t atomics = bytes(rules::AccessKind::Atomic);
  CacheFigures f;
  f.cached = false;
  f.dram_bytes_read = bytes(rules::AccessKind::Load) + atomics;
  f.dram_bytes_written = bytes(rules::AccessKind::Store) + atomics;
  return f;
}

class Values {
 public:
  explicit Values(std::vector<Value>& out) : out_(out) {}
  void count(const char* tag, int64_t v, const char* unit, const char* description,
             Provenance from = Provenance::Modelled) {
    out_.push_back({tag, v, unit, from, description});
  }
  void percent(const char* tag, std::optional<double> part, const char* description) {
    if (part) out_.push_back({tag, *part, "%", Provenance::Modelled, description});
  }
  void intensity(double flop, double bytes) {
    if (bytes > 0)
      out_.push_back(
          {"intensity", flop / bytes, "flop/byte", Provenance::Modelled, "flop / bytes read from DRAM"});
  }

 private:
  std::vector<Value>& out_;
};

}  // namespace

std::optional<CacheFigures> cache_figures(const CacheRun* run, const rules::AccessTotals& totals,
                                          const gpus::Gpu& gpu) {
  if (!gpu.at_least(2)) return uncached(totals);
  if (!run || run->setup.l2_bytes == 0) return {};
  const bool asked = sectors(totals, rules::AccessKind::Load) + sectors(totals, rules::AccessKind::Store) +
                         sectors(totals, rules::AccessKind::Atomic) >
                     0;
  if (asked && run->replay.blocks == 0) return {};
  CacheFigures f;
  f.estimate = estimate(run->replay, run->setup, totals);
  const auto whole = [](double v) { return static_cast<int64_t>(std::llround(v)); };
  f.l2_read_sectors = whole(f.estimate.l2_reads), f.l2_write_sectors = whole(f.estimate.l2_writes);
  f.dram_sectors_read = whole(f.estimate.dram_reads), f.dram_sectors_written = whole(f.estimate.dram_writes);
  f.dram_bytes_read = whole(32 * f.estimate.dram_reads);
  f.dram_bytes_written = whole(32 * f.estimate.dram_writes);
  // Without an L1 in between, what the warps ask for is what L2 is asked for.
  f.l2_parted = run->setup.l2_parts > 1;
  f.l2_counted = f.estimate.l1_lookups == 0 && !f.l2_parted;
  f.blocks_replayed = static_cast<int64_t>(run->replay.blocks);
  f.bulk_known = run->replay.whole || run->replay.counts.bulk_sectors == 0;
  return f;
}

void put_cache_values(std::vector<Value>& out, const CacheFigures& f, double flop) {
  Values v(out);
  if (!f.cached) {
    v.count("dram_bytes_read", f.dram_bytes_read, "byte",
            "bytes read from DRAM: those of the transactions, as there is no cache", Provenance::Counted);
    v.count("dram_bytes_written", f.dram_bytes_written, "byte",
            "bytes written to DRAM: those of the transactions, as there is no cache", Provenance::Counted);
    return v.intensity(flop, static_cast<double>(f.dram_bytes_read));
  }
  const Provenance l2 = f.l2_counted ? Provenance::Counted : Provenance::Modelled;
  v.percent("l1_hit_rate", f.l1_hit_rate(), "sectors of loads that L1 had, of those it was asked for");
  v.count("l2_read_sectors", f.l2_read_sectors, "sector",
          f.l2_parted
              ? "32-byte sectors read from L2; those of its far part pass through both and count twice"
              : "32-byte sectors read from L2",
          l2);
  v.count("l2_write_sectors", f.l2_write_sectors, "sector",
          f.l2_parted
              ? "32-byte sectors written to L2; those of its far part pass through both and count twice"
              : "32-byte sectors written to L2",
          l2);
  v.percent("l2_read_hit_rate", f.l2_read_hit_rate(), "sectors read from L2 that it had");
  v.percent("l2_hit_rate", f.l2_hit_rate(), "sectors read from and written to L2 that it had");
  v.count("dram_sectors_read", f.dram_sectors_read, "sector", "32-byte sectors read from DRAM");
  v.count("dram_sectors_written", f.dram_sectors_written, "sector", "32-byte sectors written to DRAM");
  v.count("dram_bytes_read", f.dram_bytes_read, "byte", "bytes read from DRAM");
  v.count("dram_bytes_written", f.dram_bytes_written, "byte", "bytes written to DRAM");
  v.intensity(flop, 32 * f.estimate.dram_reads);
  // The kernel did not do this, the model did.
  v.count("cache_blocks", f.blocks_replayed, "blocks",
          "blocks whose requests were replayed through the caches");
  v.percent("cache_error", 100 * f.estimate.error,
            "how far the bytes read from DRAM may be off where not all blocks were replayed");
}

}  // namespace ww::counters
