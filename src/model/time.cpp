#include "model/time.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/queue.h"
#include "model/time_parts.h"

namespace ww::model {

namespace {

/// An SM with work of this launch. Clocks.
struct Sm {
  std::array<double, kStationCount> demand{};  ///< of a warp at each station
  Wait wait;
  double warps_per_block = 1;
  double overlap = 1;

  /// As long as `blocks` are resident, the time until each of them is done, barriers left out.
  double without_barriers(double blocks) const {
    return std::max(round_time(blocks * warps_per_block, demand, wait.global + wait.own), running(blocks, 1));
  }
  double with_barriers(double blocks) const {
    return std::max(without_barriers(blocks), running(blocks, overlap));
  }

 private:
  /// What all warps of a block wait for at one time, its first loads and those that barriers keep apart, is
  /// the block's wait: only other blocks can fill it.
  double running(double blocks, double beside) const {
    const double rest = wait.global - wait.first;
    const double together = round_time(blocks * warps_per_block, demand, rest * beside + wait.own);
    const double service[] = {together / blocks};
    return round_time(blocks, service, wait.begin + wait.first + rest * (1 - beside));
  }
};

/// Rounds of resident blocks on an SM that gets `blocks` of them.
struct Rounds {
  double full, rest, resident;
  Rounds(double blocks, double active) : resident(std::min(blocks, active)) {
    full = resident > 0 ? std::floor(blocks / resident) : 0;
    rest = blocks - full * resident;
  }
  template <class F>
  double sum(F&& of) const {
    return (full > 0 ? full * of(resident) : 0) + (rest > 0 ? of(rest) : 0);
  }
};

}  // namespace

double Time::part(std::string_view tag) const {
  for (const auto& part : throughput)
    if (part.tag == tag) return part.ms;
  return 0;
}

double Time::busiest() const {
  double most = 0;
  for (const auto& part : throughput) most = std::max(most, part.ms);
  return most;
}

Result<Time> predict_time(const gpus::Gpu& gpu, const Activity& a) {
  if (a.blocks < 1 || a.threads_per_block < 1) return error("a launch has at least one block and one thread");
  Demand asked;
  asked.block_x = a.threads_per_block;
  asked.registers = a.registers;
  asked.static_shared = std::min<int64_t>(a.shared, gpu.smem_per_block_default);
  asked.dynamic_shared = a.shared - asked.static_shared;
  asked.parameters = a.parameters;
  auto occupied = occupancy(gpu, asked);
  if (!occupied) return occupied.error();

  Time t;
  t.occupancy = *occupied;
  const auto works = work(gpu, a, t.missing);
  const double blocks = static_cast<double>(a.blocks), sms = static_cast<double>(gpu.sm_count);
  const double per_block = static_cast<double>(t.occupancy.warps_per_block);
  const double active = static_cast<double>(t.occupancy.active_blocks);
  const double most = std::ceil(blocks / sms), even = blocks / sms;
  const double to_ms = 1e-3 / gpu.boost_clock;  // clocks of some MHz

  double sm_bound = 0, chip_bound = 0;  // clocks
  for (const auto& w : works) {
    const bool of_chip = is_of_chip(w.station);
    t.throughput.push_back({w.tag, (of_chip ? w.clocks : w.clocks / sms) * to_ms, w.description});
  }
  // Shared memory and L1 take turns at the same banks: together they may be the largest part.
  const double banks = station_clocks(works, Station::DataPath) / sms * to_ms;
  if (t.part("time_shared") > 0 && t.part("time_l1") > 0)
    t.throughput.push_back(
        {"time_data_path", banks, "shared memory, L1 and load/store units, which are one path"});
  Sm sm;
  sm.warps_per_block = per_block;
  sm.overlap = std::clamp(a.overlap, 0.0, 1.0);
  sm.wait = wait(gpu, a, t.missing);
  for (int i = 0; i < kStationCount; ++i) {
    auto station = static_cast<Station>(i);
    const bool of_chip = is_of_chip(station);
    const double clocks = station_clocks(works, station);
    // A chip's station serves the warps of all SMs that have work: seen from the busiest, blocks / most of
    // them.
    if (is_queue(station)) sm.demand[i] = clocks / (blocks * per_block) * (of_chip ? blocks / most : 1);
    (of_chip ? chip_bound : sm_bound) =
        std::max(of_chip ? chip_bound : sm_bound, of_chip ? clocks : clocks / sms);
  }
  const double evenly = std::max(sm_bound, chip_bound);
  const double unevenly = std::max(sm_bound * most / even, chip_bound);

  const Rounds rounds(most, active);
  auto with = [&](double n) { return sm.with_barriers(n); };
  // The first block's begin is the launch's.
  const double free_run =
      std::max(unevenly, rounds.sum([&](double n) { return sm.without_barriers(n); }) - sm.wait.begin);
  const double all = std::max(free_run, rounds.sum(with) - sm.wait.begin) + a.alone;
  t.tail = (unevenly - evenly) * to_ms;
  t.latency = (free_run + a.alone - unevenly) * to_ms;
  t.barriers = (all - a.alone - free_run) * to_ms;
  if (gpu.launch_overhead)
    t.launch = *gpu.launch_overhead * 1e-3;
  else
    t.missing.push_back("launch_overhead");
  t.total = all * to_ms + t.launch;
  t.unmodelled = unmodelled(gpu, a, t.total / to_ms);

  double largest = -1;
  auto consider = [&](std::string_view tag, double ms) {
    if (ms > largest) largest = ms, t.binding = tag;
  };
  for (const auto& part : t.throughput) consider(part.tag, part.ms);
  if (t.binding == "time_data_path")
    t.binding = t.part("time_shared") >= t.part("time_l1") ? "time_shared" : "time_l1";
  consider("time_tail", t.tail);
  consider("time_latency", t.latency);
  consider("time_barriers", t.barriers);
  consider("time_launch", t.launch);

  // The SMs by how many blocks they get: some have one more than the others.
  const double fewer = std::floor(even), with_more = blocks - fewer * sms;
  double busy = 0, resident = 0;  // clocks of all SMs; warps · clocks
  for (auto [number, count] : {std::pair{with_more, fewer + 1}, std::pair{sms - with_more, fewer}}) {
    if (number <= 0 || count <= 0) continue;
    const Rounds mine(count, active);
    busy += number * std::min(all, mine.sum(with));
    resident += number * mine.sum([&](double n) { return n * per_block * with(n); });
  }
  t.clock_ghz = gpu.boost_clock * 1e-3;
  t.waves = blocks / (sms * active);
  if (busy > 0) {
    t.achieved_occupancy = std::min(t.occupancy.percent, 100 * resident / busy / gpu.max_warps_per_sm);
    t.ipc = a.instructions() / busy;
  }
  if (all > 0) t.sm_efficiency = std::min(100.0, 100 * busy / (sms * all));
  if (t.total > 0) {
    t.gflops = a.flop / t.total * 1e-6;
    t.gips = a.instructions() / t.total * 1e-6;
  }
  std::sort(t.missing.begin(), t.missing.end());
  t.missing.erase(std::unique(t.missing.begin(), t.missing.end()), t.missing.end());
  return t;
}

std::vector<Value> Time::values() const {
  std::vector<Value> out;
  auto add = [&](std::string_view tag, std::variant<double, int64_t, std::string> value,
                 std::string_view unit, std::string_view description) {
    out.push_back({std::string(tag), std::move(value), std::string(unit), Provenance::Modelled,
                   std::string(description)});
  };
  add("time", total, "ms",
      "of the launch: largest throughput part, tail, latency, barriers and launch together");
  add("binding", std::string(binding), "", "the largest part");
  for (const auto& part : throughput) add(part.tag, part.ms, "ms", part.description);
  add("time_tail", tail, "ms", "more because some SMs get more blocks than others");
  add("time_latency", latency, "ms", "more because the resident warps do not hide their waiting");
  add("time_barriers", barriers, "ms", "more because barriers separate loading from computing");
  add("time_launch", launch, "ms", "an empty kernel's");
  add("gflops", gflops, "GFlop/s", "floating-point operations per second");
  add("gips", gips, "10^9 instr/s", "warp instructions per second, all SMs");
  add("gips_sm", ipc * clock_ghz, "10^9 instr/s", "warp instructions per second of an SM that has work");
  add("ipc", ipc, "inst/clock", "warp instructions per clock of an SM that has work");
  add("sm_efficiency", sm_efficiency, "%", "of the SMs' time in which they have work");
  add("occupancy_theoretical", occupancy.percent, "%", "warps an SM holds of those it could");
  add("occupancy_achieved", achieved_occupancy, "%",
      "resident warps of those possible, while an SM has work");
  add("waves", waves, "", "blocks over what the GPU holds at once");
  const auto listed = [](const auto& all, auto&& word) {
    std::string names;
    for (auto one : all) names += (names.empty() ? "" : ", ") + std::string(word(one));
    return names;
  };
  if (!unmodelled.empty())
    add("not_modelled", listed(unmodelled, [](Unmodelled what) { return name(what); }), "",
        "what the kernel did that takes time on this GPU and is not in its times: they are too short");
  if (!missing.empty()) {
    const std::string names = listed(missing, [](std::string_view key) { return key; });
    add("missing_figures", names, "",
        "figures of the GPU that are not known; what needs them is left out or too short");
  }
  return out;
}

}  // namespace ww::model
