#include "counters/memory_values.h"

namespace ww::counters {

namespace {

bool everywhere(rules::Capability) { return true; }
bool on_1x(rules::Capability cc) { return cc < 20; }
bool with_sectors(rules::Capability cc) { return cc >= 20; }
bool with_lines(rules::Capability cc) { return (cc >= 20 && cc < 30) || cc >= 70; }
bool in_own_unit(rules::Capability cc) { return cc < 70; }

constexpr MemoryMetric kRequests = {"requests", "request", "warp instructions",
                                    [](const rules::Cost& c) { return c.requests; }, everywhere};
constexpr MemoryMetric kBytes = {"bytes", "byte", "bytes that the active threads asked for",
                                 [](const rules::Cost& c) { return c.bytes; }, everywhere};

constexpr MemoryMetric kThroughCaches[] = {
    kRequests,
    kBytes,
    {"sectors", "sector", "distinct 32-byte sectors of each request",
     [](const rules::Cost& c) { return c.sectors; }, with_sectors},
    {"lines", "line", "distinct 128-byte lines of each request (L1 tags)",
     [](const rules::Cost& c) { return c.lines; }, with_lines},
    {"transactions", "transaction", "in the unit of this GPU's own profiler",
     [](const rules::Cost& c) { return c.transactions; }, in_own_unit},
    {"transactions_32", "transaction", "of 32 bytes", [](const rules::Cost& c) { return c.sized[0]; }, on_1x},
    {"transactions_64", "transaction", "of 64 bytes", [](const rules::Cost& c) { return c.sized[1]; }, on_1x},
    {"transactions_128", "transaction", "of 128 bytes", [](const rules::Cost& c) { return c.sized[2]; },
     on_1x},
};
constexpr MemoryMetric kTextures[] = {
    {"requests", "request", "fetches of four lanes each", [](const rules::Cost& c) { return c.requests; },
     everywhere},
    {"sectors", "sector", "distinct 32-byte sectors that the texels of each request lie in",
     [](const rules::Cost& c) { return c.sectors; }, with_sectors},
    {"lines", "line", "distinct 128-byte lines of each request", [](const rules::Cost& c) { return c.lines; },
     with_sectors},
};
constexpr MemoryMetric kOnChip[] = {
    kRequests,
    kBytes,
    {"wavefronts", "wavefront", "passes that the accesses took",
     [](const rules::Cost& c) { return c.wavefronts; }, everywhere},
    {"bank_conflicts", "wavefront", "of these, beyond the conflict-free number",
     [](const rules::Cost& c) { return c.conflicts; }, everywhere},
};

}  // namespace

const std::vector<MemoryFamily>& memory_families() {
  using enum rules::AccessKind;
  static const std::vector<MemoryFamily> kFamilies = {
      {"global_load", rules::CostSpace::Global, Load, true},
      {"global_store", rules::CostSpace::Global, Store, true},
      {"global_atomic", rules::CostSpace::Global, Atomic, false},
      {"shared_load", rules::CostSpace::Shared, Load, true},
      {"shared_store", rules::CostSpace::Shared, Store, true},
      {"shared_atomic", rules::CostSpace::Shared, Atomic, false},
      {"async_copy", rules::CostSpace::Shared, Copy, false},
      {"local_load", rules::CostSpace::Local, Load, false},
      {"local_store", rules::CostSpace::Local, Store, false},
      {"constant_load", rules::CostSpace::Constant, Load, false},
      {"texture", rules::CostSpace::Texture, Load, false},
  };
  return kFamilies;
}

std::vector<MemoryCost> memory_costs(const rules::AccessTotals& totals) {
  std::vector<MemoryCost> out;
  for (const MemoryFamily& f : memory_families())
    if (const rules::Cost cost = totals.sum(f.space, f.kind); cost.requests > 0 || f.always)
      out.push_back({&f, cost});
  return out;
}

std::span<const MemoryMetric> memory_metrics(rules::CostSpace space) {
  if (space == rules::CostSpace::Global || space == rules::CostSpace::Local) return kThroughCaches;
  if (space == rules::CostSpace::Texture) return kTextures;
  // Constant memory has no banks, only passes.
  return space == rules::CostSpace::Shared ? std::span<const MemoryMetric>(kOnChip)
                                           : std::span<const MemoryMetric>(kOnChip).first(3);
}

}  // namespace ww::counters
