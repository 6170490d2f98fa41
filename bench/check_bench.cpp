// check_bench FOLDER [NAME…]: what the checks cost on the kernels of compare_peers, in processor time of one
// thread: without any, with `memory`, counted by the rules of a GPU (every block, no caches), with all
// checks; in turns, the least of each. And the memory that all checks take, in bytes for each byte of the
// kernel's arrays. FOLDER holds the kernels' .ptx (bench/check_cost makes it).
//   --format table|csv   --rounds N (9)   --seconds S for each kernel (4)   --check NAMES instead of all
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "checks/all.h"
#include "device/engine_device.h"
#include "heap.h"
#include "options.h"
#include "prepared.h"
#include "rules/access_totals.h"
#include "rules/merged.h"
#include "rules/patterns.h"

namespace ww::bench {
namespace {

constexpr rules::Capability kCountedAs = 90;

struct CheckOptions : Options {
  std::string checks = "all";
};

/// Checks that listen to a device's memory, as under `launch --check`.
class Checked {
 public:
  static Result<std::unique_ptr<Checked>> make(const std::string& names, device::Device& device) {
    auto known = checks::names_in(names);
    if (!known) return known.error();
    return std::unique_ptr<Checked>(new Checked(*known, *device::engine_of(device)));
  }
  ~Checked() {
    for (auto& c : checks_) memory_.host_events().ignore(*c);
  }
  Checked(const Checked&) = delete;
  Checked& operator=(const Checked&) = delete;

  void listen(device::Launch& launch) {
    checks::LaunchFacts facts;
    facts.kernel = launch.kernel;
    facts.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
    facts.block = {launch.block.x, launch.block.y, launch.block.z};
    facts.memory = &memory_;
    arguments_ = device::bytes_of(launch.arguments);
    facts.arguments = &arguments_;
    for (auto& c : checks_) {
      c->prepare(facts);
      launch.listeners.push_back(c.get());
    }
  }
  size_t findings() const { return findings_.all().size(); }

 private:
  Checked(const std::vector<std::string>& names, engine::Engine& engine)
      : memory_(engine.memory()), checks_(checks::make(names, findings_)) {
    for (auto& c : checks_) memory_.host_events().listen(*c);
  }

  engine::GlobalMemory& memory_;
  checks::Findings findings_;
  std::vector<std::vector<uint8_t>> arguments_;
  std::vector<std::unique_ptr<checks::Check>> checks_;
};

enum What { kRun, kMemory, kCounted, kAll, kWays };

struct Cost {
  std::array<double, kWays> seconds{};
  double shadow = 0;  ///< bytes for each byte of the arrays
  size_t findings = 0;
};

Result<double> launched(device::Device& device, const device::Launch& launch) {
  const double before = cpu_seconds();
  auto report = device.launch(launch);
  if (!report) return report.error();
  if (!report->faults.empty()) return error(report->faults[0].message);
  return cpu_seconds() - before;
}

/// As `profile` counts a grid that it does not sample, without its caches.
Result<double> counted(device::Device& device, device::Launch launch) {
  launch.count = true;
  std::optional<rules::AccessTotals> totals;
  rules::PatternObserver patterns([&](int, const engine::Program& program, const rules::AccessHistogram& h) {
    if (!totals) totals.emplace(program, kCountedAs, rules::merged_accesses(program, kCountedAs));
    totals->add(h);
  });
  launch.listeners = {&patterns};
  const double before = cpu_seconds();
  auto t = launched(device, launch);
  if (!t) return t.error();
  patterns.finish();
  return cpu_seconds() - before;
}

Result<Cost> cost(const CheckOptions& o, const Case& c) {
  engine::Settings settings;
  settings.threads = 1;
  settings.gap = checks::kGap;
  auto device = device::make_engine_device(settings);
  mark_heap();
  auto memory = Checked::make("memory", *device), all = Checked::make(o.checks, *device);
  for (auto* made : {&memory, &all})
    if (!*made) return made->error();
  auto p = prepare(o.folder, c, *device);
  if (!p) return p.error();
  const auto once = [&](int what) -> Result<double> {
    device::Launch launch = p->launch;
    if (what == kCounted) return counted(*device, launch);
    if (what == kMemory) (*memory)->listen(launch);
    if (what == kAll) (*all)->listen(launch);
    return launched(*device, launch);
  };
  Cost out;
  out.seconds.fill(INFINITY);
  // The first launch of each compiles or decodes; under all checks one of others does, so that what these
  // keep is all that they take. The engine's own memory is that of the counted launch.
  double engines = 0;
  for (int what = 0; what < kWays; ++what) {
    if (what == kAll) {
      auto others = Checked::make(o.checks, *device);
      if (!others) return others.error();
      device::Launch launch = p->launch;
      (*others)->listen(launch);
      if (auto t = launched(*device, launch); !t) return t.error();
    }
    mark_heap();
    if (auto t = once(what); !t) return t.error();
    const auto taken = static_cast<double>(heap_above_mark());
    if (what == kCounted) engines = taken;
    if (what == kAll) out.shadow = std::max(0.0, taken - engines) / static_cast<double>(p->bytes);
  }
  const double begin = cpu_seconds();
  for (int k = 0; k < o.rounds && (k < 3 || cpu_seconds() - begin < o.seconds); ++k)
    for (int what = 0; what < kWays; ++what) {
      auto t = once(what);
      if (!t) return t.error();
      auto& least = out.seconds[static_cast<size_t>(what)];
      least = std::min(least, *t);
    }
  out.findings = (*all)->findings();
  release(*p, *device);
  return out;
}

int bench(const CheckOptions& o) {
  if (o.csv)
    fmt::print("kernel,size,run_s,memory_s,counted_s,all_s,shadow_per_byte,findings\n");
  else
    fmt::print("{:14} {:9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>7} {:>4}\n", "kernel", "size",
               "run ms", "memory", "counted", "all", "mem/run", "mem/cnt", "all/cnt", "all/run", "shadow",
               "said");
  double log_memory = 0, log_all = 0, worst_memory = 0, worst_all = 0, worst_shadow = 0, kernels = 0;
  for (const CaseEntry& entry : chosen_cases(o.names)) {
    const Case c = make_case(entry);
    auto done = cost(o, c);
    if (!done) return fail(done.error());
    const auto& t = done->seconds;
    const double memory = t[kMemory] / t[kCounted], all = t[kAll] / t[kCounted];
    log_memory += std::log(memory), log_all += std::log(all), ++kernels;
    worst_memory = std::max(worst_memory, memory), worst_all = std::max(worst_all, all);
    worst_shadow = std::max(worst_shadow, done->shadow);
    if (o.csv)
      fmt::print("{},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.3f},{}\n", c.name, c.size, t[kRun], t[kMemory],
                 t[kCounted], t[kAll], done->shadow, done->findings);
    else
      fmt::print("{:14} {:9} {:9.2f} {:9.2f} {:9.2f} {:9.2f} {:8.2f} {:8.2f} {:8.2f} {:8.1f} {:7.2f} {:4}\n",
                 c.name, c.size, 1e3 * t[kRun], 1e3 * t[kMemory], 1e3 * t[kCounted], 1e3 * t[kAll],
                 t[kMemory] / t[kRun], memory, all, t[kAll] / t[kRun], done->shadow, done->findings);
    std::fflush(stdout);
  }
  if (!o.csv && kernels > 0)
    fmt::print(
        "of {:.0f}, geometric mean (worst): memory / counted {:.2f} ({:.2f}), all / counted {:.2f} ({:.2f}), "
        "shadow ({:.2f})\n",
        kernels, std::exp(log_memory / kernels), worst_memory, std::exp(log_all / kernels), worst_all,
        worst_shadow);
  return 0;
}

}  // namespace
}  // namespace ww::bench

int main(int argc, char** argv) {
  ww::bench::CheckOptions o;
  o.rounds = 9, o.seconds = 4;
  const auto own = [&](const std::string& flag, const auto& value) {
    if (flag != "--check") return false;
    o.checks = value();
    return true;
  };
  return ww::bench::read_options(argc, argv, o, own) ? ww::bench::bench(o) : 2;
}
