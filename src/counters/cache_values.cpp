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

class Values {
 public:
  explicit Values(std::vector<Value>& out) : out_(out) {}
  void count(const char* tag, double v, const char* unit, const char* description,
             Provenance from = Provenance::Modelled) {
    out_.push_back({tag, static_cast<int64_t>(std::llround(v)), unit, from, description});
  }
  void percent(const char* tag, double part, double of, const char* description) {
    if (of > 0) out_.push_back({tag, 100 * part / of, "%", Provenance::Modelled, description});
  }
  void intensity(double flop, double bytes) {
    if (bytes > 0)
      out_.push_back(
          {"intensity", flop / bytes, "flop/byte", Provenance::Modelled, "flop / bytes read from DRAM"});
  }

 private:
  std::vector<Value>& out_;
};

constexpr const char* kRead = "bytes read from DRAM";
constexpr const char* kWritten = "bytes written to DRAM";

void put_uncached(Values& v, const rules::AccessTotals& totals, double flop) {
  // These GPUs have a cache for textures, which nobody models here.
  if (totals.sum(rules::CostSpace::Texture, rules::AccessKind::Load).requests > 0) return;
  const auto bytes = [&](rules::AccessKind kind) {
    double sum = 0;
    for (rules::CostSpace space : {rules::CostSpace::Global, rules::CostSpace::Local}) {
      const rules::Cost c = totals.sum(space, kind);
      sum += 32.0 * static_cast<double>(c.sized[0] + 2 * c.sized[1] + 4 * c.sized[2]);
    }
    return sum;
  };
  const double atomics = bytes(rules::AccessKind::Atomic), read = bytes(rules::AccessKind::Load) + atomics;
  v.count("dram_bytes_read", read, "byte",
          "bytes read from DRAM: those of the transactions, as there is no cache", Provenance::Counted);
  v.count("dram_bytes_written", bytes(rules::AccessKind::Store) + atomics, "byte",
          "bytes written to DRAM: those of the transactions, as there is no cache", Provenance::Counted);
  v.intensity(flop, read);
}

}  // namespace

void put_cache_values(std::vector<Value>& out, const caches::Replay* replay, const caches::CacheSetup* setup,
                      const rules::AccessTotals& totals, const gpus::Gpu& gpu, double flop) {
  Values v(out);
  if (!gpu.at_least(2)) return put_uncached(v, totals, flop);
  if (!replay || !setup || setup->l2_bytes == 0) return;
  const bool asked = sectors(totals, rules::AccessKind::Load) + sectors(totals, rules::AccessKind::Store) +
                         sectors(totals, rules::AccessKind::Atomic) >
                     0;
  if (asked && replay->blocks == 0) return;
  const CacheEstimate e = estimate(*replay, *setup, totals);
  // Without an L1 in between, what the warps ask for is what L2 is asked for.
  const Provenance l2 =
      e.l1_lookups == 0 && setup->l2_parts == 1 ? Provenance::Counted : Provenance::Modelled;
  v.percent("l1_hit_rate", e.l1_hits, e.l1_lookups,
            "sectors of loads that L1 had, of those it was asked for");
  v.count("l2_read_sectors", e.l2_reads, "sector", "32-byte sectors read from L2", l2);
  v.count("l2_write_sectors", e.l2_writes, "sector", "32-byte sectors written to L2", l2);
  v.percent("l2_read_hit_rate", e.l2_read_hits, e.l2_reads, "sectors read from L2 that it had");
  v.percent("l2_hit_rate", e.l2_read_hits + e.l2_write_hits, e.l2_reads + e.l2_writes,
            "sectors read from and written to L2 that it had");
  v.count("dram_sectors_read", e.dram_reads, "sector", "32-byte sectors read from DRAM");
  v.count("dram_sectors_written", e.dram_writes, "sector", "32-byte sectors written to DRAM");
  v.count("dram_bytes_read", 32 * e.dram_reads, "byte", kRead);
  v.count("dram_bytes_written", 32 * e.dram_writes, "byte", kWritten);
  v.intensity(flop, 32 * e.dram_reads);
  v.count(
      "cache_blocks", static_cast<double>(replay->blocks), "blocks",
      "blocks whose requests were replayed through the caches");  // the kernel did not do this, the model did
  v.percent("cache_error", e.error, 1,
            "how far the bytes read from DRAM may be off where not all blocks were replayed");
}

}  // namespace ww::counters
