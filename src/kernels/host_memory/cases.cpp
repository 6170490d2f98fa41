// The cases of host memory and of other GPUs' memory.
#include <fmt/format.h>

#include "kernels/families.h"
#include "kernels/host_memory/probes.h"

namespace ww::kernels {

namespace {

using device::HostKind;

const std::vector<int64_t> kSizes = {1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 26};
const std::vector<int64_t> kQuickSizes = {1 << 10, 1 << 18, 1 << 22};
constexpr int64_t kMostElements = int64_t{1} << 30;

/// n is in float32 elements, of which a kernel copies four at a time.
template <class Probe>
Result<Plan> plan_of(const Config& config, Probe probe) {
  if (config.n > kMostElements)
    return error(fmt::format("n = {}, these cases move at most {} elements", config.n, kMostElements));
  if (auto ok = require_multiple(config.n, 8, "the elements that are moved together"); !ok) return ok.error();
  Plan plan;
  plan.probe = [n = config.n, probe](const ProbeRun& run) { return probe(run, n); };
  return plan;
}

template <HostKind kind>
Result<Plan> copies(const Config& config) {
  return plan_of(config, [](const ProbeRun& run, int64_t n) { return probe_copies(run, n, kind); });
}
Result<Plan> mapped(const Config& config) { return plan_of(config, probe_mapped); }
Result<Plan> unified(const Config& config) { return plan_of(config, probe_unified); }
Result<Plan> overlap(const Config& config) {
  if (config.k > 64) return error(fmt::format("{} streams, more than 64 serve nothing", config.k));
  return plan_of(config, [k = config.k](const ProbeRun& run, int64_t n) { return probe_overlap(run, n, k); });
}
Result<Plan> peer_copy(const Config& config) { return plan_of(config, probe_peer_copy); }
Result<Plan> peer_access(const Config& config) { return plan_of(config, probe_peer_access); }
Result<Plan> peer_staged(const Config& config) { return plan_of(config, probe_peer_staged); }

Case make(const char* name, const char* summary, const char* teaches, Result<Plan> (*plan)(const Config&),
          std::vector<int> streams = {}) {
  Case one;
  one.name = name;
  one.summary = summary;
  one.teaches = teaches;
  one.axes.n = kSizes;
  one.axes.quick_n = kQuickSizes;
  one.axes.k = std::move(streams);
  if (!one.axes.k.empty()) one.k_means = "streams";
  one.plan = plan;
  one.needs_gpu = true;
  return one;
}

}  // namespace

std::vector<Case> host_memory_cases() {
  return {
      make("spaces/pageable",
           "copies between the device and ordinary memory of the host (n float32 elements)",
           "The driver copies it through a buffer of its own, because the memory may move: the processor "
           "works, and sets the pace.",
           copies<HostKind::Pageable>),
      make("spaces/page_locked", "copies between the device and page-locked memory of the host",
           "Memory that stays where it is can be fetched by the GPU itself, at the pace of the link. Locking "
           "takes long.",
           copies<HostKind::PageLocked>),
      make("spaces/write_combined", "copies between the device and write-combined memory of the host",
           "The processor's caches pass it by: made for being written in order. Reading it takes the "
           "processor very long, except where a virtual machine caches it after all.",
           copies<HostKind::WriteCombined>),
      make("spaces/mapped", "a kernel reads and writes page-locked memory of the host where it lies",
           "No copy, but every access crosses the link: it pays for what is touched once.", mapped),
      make("spaces/unified", "what kind of memory an address belongs to, as the driver says",
           "Host and device share one space of addresses: the driver knows each for what it is, and page-"
           "locked memory has the same address on both sides.",
           unified),
      make("spaces/overlap", "a vector in 8 pieces, copied in, worked on and copied back in k streams",
           "With several streams copies in both directions run beside kernels; the longest of the three sets "
           "the pace. r is the piece.",
           overlap, {1, 2, 4}),
      make("spaces/peer_copy", "copies between every two GPUs of the host over their own link",
           "Where there is a path, the host's memory is not touched.", peer_copy),
      make("spaces/peer_access", "a kernel of one GPU reads and writes another one's memory",
           "One space of addresses holds the memory of all GPUs: a kernel uses another's as its own, at the "
           "pace of the link.",
           peer_access),
      make("spaces/peer_staged", "from one GPU to another through page-locked memory of the host",
           "What remains where there is no path: two buffers by turns keep both links busy.", peer_staged),
  };
}

}  // namespace ww::kernels
