#include "counters/memory_values.h"

namespace ww::counters {

namespace {

bool everywhere(Capability) { return true; }
bool on_1x(Capability cc) { return cc < 20; }
bool with_sectors(Capability cc) { return cc >= 20; }
bool with_lines(Capability cc) { return (cc >= 20 && cc < 30) || cc >= 70; }
bool in_own_unit(Capability cc) { return cc < 70; }

constexpr MemoryMetric kRequests = {"requests", "request", "warp instructions",
                                    [](const Cost& c) { return c.requests; }, everywhere};
constexpr MemoryMetric kBytes = {"bytes", "byte", "bytes that the active threads asked for",
                                 [](const Cost& c) { return c.bytes; }, everywhere};

constexpr MemoryMetric kThroughCaches[] = {
    kRequests,
    kBytes,
    {"sectors", "sector", "distinct 32-byte sectors of each request", [](const Cost& c) { return c.sectors; },
     with_sectors},
    {"lines", "line", "distinct 128-byte lines of each request (L1 tags)",
     [](const Cost& c) { return c.lines; }, with_lines},
    {"transactions", "transaction", "in the unit of this GPU's own profiler",
     [](const Cost& c) { return c.transactions; }, in_own_unit},
    {"transactions_32", "transaction", "of 32 bytes", [](const Cost& c) { return c.sized[0]; }, on_1x},
    {"transactions_64", "transaction", "of 64 bytes", [](const Cost& c) { return c.sized[1]; }, on_1x},
    {"transactions_128", "transaction", "of 128 bytes", [](const Cost& c) { return c.sized[2]; }, on_1x},
};
constexpr MemoryMetric kTextures[] = {
    {"requests", "request", "fetches of four lanes each", [](const Cost& c) { return c.requests; },
     everywhere},
    {"sectors", "sector", "distinct 32-byte sectors that the texels of each request lie in",
     [](const Cost& c) { return c.sectors; }, with_sectors},
    {"lines", "line", "distinct 128-byte lines of each request", [](const Cost& c) { return c.lines; },
     with_sectors},
};
constexpr MemoryMetric kOnChip[] = {
    kRequests,
    kBytes,
    {"wavefronts", "wavefront", "passes that the accesses took", [](const Cost& c) { return c.wavefronts; },
     everywhere},
    {"bank_conflicts", "wavefront", "of these, beyond the conflict-free number",
     [](const Cost& c) { return c.conflicts; }, everywhere},
};

}  // namespace

const std::vector<MemoryFamily>& memory_families() {
  using enum AccessKind;
  static const std::vector<MemoryFamily> kFamilies = {
      {"global_load", CostSpace::Global, Load, true},
      {"global_store", CostSpace::Global, Store, true},
      {"global_atomic", CostSpace::Global, Atomic, false},
      {"shared_load", CostSpace::Shared, Load, true},
      {"shared_store", CostSpace::Shared, Store, true},
      {"shared_atomic", CostSpace::Shared, Atomic, false},
      {"local_load", CostSpace::Local, Load, false},
      {"local_store", CostSpace::Local, Store, false},
      {"constant_load", CostSpace::Constant, Load, false},
      {"texture", CostSpace::Texture, Load, false},
  };
  return kFamilies;
}

std::span<const MemoryMetric> memory_metrics(CostSpace space) {
  if (space == CostSpace::Global || space == CostSpace::Local) return kThroughCaches;
  if (space == CostSpace::Texture) return kTextures;
  // Constant memory has no banks, only passes.
  return space == CostSpace::Shared ? std::span<const MemoryMetric>(kOnChip)
                                    : std::span<const MemoryMetric>(kOnChip).first(3);
}

}  // namespace ww::counters
