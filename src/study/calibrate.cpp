#include "study/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "kernels/embedded.h"
#include "kernels/host_memory/measure.h"

namespace ww::study {

namespace {

using device::Argument;
using Words = std::vector<uint64_t>;

/// A device, and the memory of one micro-benchmark, freed with it.
class Bench {
 public:
  explicit Bench(device::Device& device, const gpus::Gpu* known) : device_(device), known_(known) {}
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    for (device::Address address : allocated_) (void)device_.free(address);
  }

  device::Device& device() { return device_; }
  uint32_t sm_count() const { return std::max(1u, device_.info().multiprocessors); }
  uint64_t l2_bytes() const {
    return known_ && known_->l2_bytes ? static_cast<uint64_t>(known_->l2_bytes->value) : 64 << 20;
  }

  Result<device::Address> memory(uint64_t bytes) {
    auto address = device_.allocate(bytes);
    if (address) allocated_.push_back(*address);
    return address;
  }
  Result<device::Launch> launch(const std::string& file, const std::string& kernel, uint32_t blocks,
                                uint32_t threads, std::vector<Argument> arguments) {
    auto module = device_.load(file, std::string(kernels::embedded_ptx(file)));
    if (!module) return module.error();
    device::Launch launch;
    launch.module = *module;
    launch.kernel = kernel;
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.arguments = std::move(arguments);
    return launch;
  }
  /// Runs it and reads `count` words from `out`.
  Result<Words> run(const Result<device::Launch>& launch, device::Address out, size_t count) {
    if (!launch) return launch.error();
    auto report = device_.launch(*launch);
    if (!report) return report.error();
    if (!report->faults.empty()) return error(report->faults[0].message);
    Words words(count);
    if (auto read = device_.read(out, std::as_writable_bytes(std::span(words))); !read) return read.error();
    return words;
  }
  Result<double> milliseconds(const Result<device::Launch>& launch) {
    if (!launch) return launch.error();
    device::TimingOptions options;
    options.flush_l2 = false;
    auto timing = device_.time(*launch, options);
    if (!timing) return timing.error();
    return timing->median_ms;
  }
  Status write(device::Address to, const Words& words) {
    return device_.write(to, std::as_bytes(std::span(words)));
  }

 private:
  device::Device& device_;
  const gpus::Gpu* known_;
  std::vector<device::Address> allocated_;
};

/// Clocks per step through a ring of `count` places, `stride` bytes apart, in random order (so that nothing
/// can be fetched ahead).
Result<double> chase(Bench& bench, const char* kernel, uint64_t count, uint64_t stride, uint32_t warm,
                     uint32_t steps) {
  auto ring = bench.memory(count * stride);
  if (!ring) return ring.error();
  auto out = bench.memory(16);
  if (!out) return out.error();
  std::vector<uint64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937_64(1));
  Words memory(count * stride / 8);
  for (uint64_t i = 0; i < count; ++i)
    memory[order[i] * stride / 8] = *ring + order[(i + 1) % count] * stride;
  if (auto written = bench.write(*ring, memory); !written) return written.error();
  auto words = bench.run(
      bench.launch("calibrate/latency", kernel, 1, 1,
                   {Argument::of(*ring), Argument::of(warm), Argument::of(steps), Argument::of(*out)}),
      *out, 2);
  if (!words) return words.error();
  if ((*words)[1] != *ring + order[(uint64_t{warm} + steps) % count] * stride)
    return error("the chain ended in the wrong place");
  return static_cast<double>((*words)[0]) / steps;
}

Result<double> l1_latency(Bench& b) { return chase(b, "calibrate_chase_all", 128, 64, 256, 1024); }
Result<double> l2_latency(Bench& b) { return chase(b, "calibrate_chase_l2", 8192, 128, 16384, 8192); }
// Four times the L2; every place is met once, and what lies in L2 from writing the ring is what was written
// last.
Result<double> dram_latency(Bench& b) {
  return chase(b, "calibrate_chase_l2", 4 * b.l2_bytes() / 512, 512, 64, 8192);
}

Result<double> shared_latency(Bench& bench) {
  auto out = bench.memory(16);
  if (!out) return out.error();
  constexpr uint32_t kElements = 1024, kSteps = 4001;  // no multiple: the end is not the start
  auto words = bench.run(bench.launch("calibrate/latency", "calibrate_chase_shared", 1, 1,
                                      {Argument::of(kElements), Argument::of(kSteps), Argument::of(*out)}),
                         *out, 2);
  if (!words) return words.error();
  if ((*words)[1] != uint64_t{kSteps} * 33 % kElements) return error("the chain ended in the wrong place");
  return static_cast<double>((*words)[0]) / kSteps;
}

Result<double> alu_latency(Bench& bench) {
  auto out = bench.memory(16);
  if (!out) return out.error();
  constexpr uint32_t kLoops = 64, kSteps = 64 * kLoops;
  auto words = bench.run(
      bench.launch("calibrate/latency", "calibrate_chain_fp32", 1, 1,
                   {Argument::of(1.0f), Argument::of(1.0f), Argument::of(kLoops), Argument::of(*out)}),
      *out, 2);
  if (!words) return words.error();
  if ((*words)[1] != kSteps) return error("the chain has a wrong result");
  return static_cast<double>((*words)[0]) / kSteps;
}

/// Clocks of a barrier that a block of so many threads meets again and again.
Result<double> barrier(Bench& bench, uint32_t threads) {
  auto out = bench.memory(8);
  if (!out) return out.error();
  constexpr uint32_t kLoops = 64;
  auto words = bench.run(bench.launch("calibrate/block", "calibrate_barrier", 1, threads,
                                      {Argument::of(kLoops), Argument::of(*out)}),
                         *out, 1);
  if (!words) return words.error();
  return static_cast<double>((*words)[0]) / (16 * kLoops);
}
// It grows with the warps along a line.
Result<double> barrier_per_warp(Bench& bench) {
  auto one = barrier(bench, 32), many = barrier(bench, 1024);
  if (!one) return one.error();
  if (!many) return many.error();
  return (*many - *one) / 31;
}
Result<double> barrier_latency(Bench& bench) {
  auto one = barrier(bench, 32), slope = barrier_per_warp(bench);
  if (!one) return one.error();
  if (!slope) return slope.error();
  return *one - *slope;
}

/// Clocks of a store with a fence behind it.
Result<double> fence_latency(Bench& bench) {
  constexpr uint32_t kLines = 512, kLoops = 4 * kLines;
  auto out = bench.memory(8 + kLines * 128);
  if (!out) return out.error();
  auto words = bench.run(
      bench.launch("calibrate/block", "calibrate_fence", 1, 1, {Argument::of(kLoops), Argument::of(*out)}),
      *out, 2);
  if (!words) return words.error();
  if ((*words)[1] != kLoops - kLines) return error("a store is missing");
  return static_cast<double>((*words)[0]) / kLoops;
}

/// Nanoseconds for each of many empty blocks, of which every SM holds one at a time; a launch of few is taken
/// off.
Result<double> block_latency(Bench& bench) {
  const auto milliseconds = [&](uint32_t each) -> Result<double> {
    auto launch = bench.launch("calibrate/block", "calibrate_empty", bench.sm_count() * each, 32, {});
    if (launch) launch->dynamic_shared = bench.device().info().shared_per_block_optin;
    return bench.milliseconds(launch);
  };
  constexpr uint32_t kMany = 4096, kFew = 64;
  auto many = milliseconds(kMany), few = milliseconds(kFew);
  if (!many) return many.error();
  if (!few) return few.error();
  return 1e6 * (*many - *few) / (kMany - kFew);
}

/// Nanoseconds for each of many blocks that do nothing; a launch of one is taken off.
Result<double> block_interval(Bench& bench) {
  const uint32_t many = bench.sm_count() * 4096;
  auto all = bench.milliseconds(bench.launch("calibrate/block", "calibrate_empty", many, 256, {}));
  auto one = bench.milliseconds(bench.launch("calibrate/block", "calibrate_empty", 1, 256, {}));
  if (!all) return all.error();
  if (!one) return one.error();
  return 1e6 * (*all - *one) / (many - 1);
}

/// Results per clock of one SM that runs one full block.
template <class T>
Result<double> rate(Bench& bench, const char* kernel, double per_operation) {
  constexpr uint32_t kThreads = 1024, kLoops = 256;
  auto out = bench.memory(8 * (kThreads + 1));
  if (!out) return out.error();
  auto words = bench.run(
      bench.launch("calibrate/rate", kernel, 1, kThreads,
                   {Argument::of(T(1)), Argument::of(T(1)), Argument::of(kLoops), Argument::of(*out)}),
      *out, 1);
  if (!words) return words.error();
  return per_operation * kThreads * 64.0 * kLoops / static_cast<double>((*words)[0]);
}
Result<double> fp32(Bench& b) { return rate<float>(b, "calibrate_rate_fp32", 1); }
Result<double> fp64(Bench& b) { return rate<double>(b, "calibrate_rate_fp64", 1); }
Result<double> int32(Bench& b) { return rate<uint32_t>(b, "calibrate_rate_int32", 2); }
Result<double> int32_mul(Bench& b) { return rate<uint32_t>(b, "calibrate_rate_int32_mul", 1); }
Result<double> sfu(Bench& b) { return rate<float>(b, "calibrate_rate_sfu", 1); }

/// Bytes per clock that these blocks together read from L2.
Result<double> l2_reads(Bench& bench, uint32_t blocks, uint32_t threads) {
  constexpr uint32_t loops = 256;
  const auto elements = static_cast<uint32_t>(bench.l2_bytes() / 4 / 16);
  auto from = bench.memory(uint64_t{elements} * 16);
  if (!from) return from.error();
  auto out = bench.memory(8 * uint64_t{blocks});
  if (!out) return out.error();
  auto keep = bench.memory(uint64_t{4} * blocks * threads);
  if (!keep) return keep.error();
  auto launch = bench.launch("calibrate/bandwidth", "calibrate_read_l2", blocks, threads,
                             {Argument::of(*from), Argument::of(elements), Argument::of(loops),
                              Argument::of(*out), Argument::of(*keep)});
  if (auto warm = bench.run(launch, *out, 1); !warm) return warm.error();
  auto clocks = bench.run(launch, *out, blocks);
  if (!clocks) return clocks.error();
  const double mean = std::accumulate(clocks->begin(), clocks->end(), 0.0) / blocks;
  return 64.0 * loops * threads * blocks / mean;
}
Result<double> l2_bandwidth(Bench& b) { return l2_reads(b, b.sm_count() * 2, 512); }
Result<double> l2_read_port(Bench& b) { return l2_reads(b, 1, 1024); }

Result<double> l2_write_port(Bench& bench) {
  constexpr uint32_t threads = 1024, loops = 256;
  const auto elements = static_cast<uint32_t>(bench.l2_bytes() / 4 / 16);
  auto to = bench.memory(uint64_t{elements} * 16);
  if (!to) return to.error();
  auto out = bench.memory(8);
  if (!out) return out.error();
  auto clocks = bench.run(
      bench.launch("calibrate/bandwidth", "calibrate_write_l2", 1, threads,
                   {Argument::of(*to), Argument::of(elements), Argument::of(loops), Argument::of(*out)}),
      *out, 1);
  if (!clocks) return clocks.error();
  return 64.0 * loops * threads / static_cast<double>((*clocks)[0]);
}

/// GB/s, read plus written, of a copy of sixteen times the L2.
Result<double> dram_bandwidth(Bench& bench) {
  const uint64_t bytes = 16 * bench.l2_bytes();
  auto from = bench.memory(bytes);
  if (!from) return from.error();
  auto to = bench.memory(bytes);
  if (!to) return to.error();
  auto ms = bench.milliseconds(kernels::copy_launch(bench.device(), *to, *from, bytes));
  if (!ms) return ms.error();
  return 2e-6 * static_cast<double>(bytes) / *ms;
}

struct Benchmark {
  std::string_view key;  ///< as in gpus/fields.cpp
  std::string_view unit, description;
  Result<double> (*measure)(Bench&);
};
constexpr Benchmark kBenchmarks[] = {
    {"shared_latency", "clocks", "a step of a chain through shared memory", shared_latency},
    {"l1_latency", "clocks", "a step of a chain of 8 KiB", l1_latency},
    {"l2_latency", "clocks", "a step of a chain of 1 MiB that passes L1 by, in random order", l2_latency},
    {"dram_latency", "clocks", "a step of a chain of four times the L2, in random order", dram_latency},
    {"alu_latency", "clocks", "a multiply-add that needs the one before", alu_latency},
    {"barrier_latency", "clocks", "a barrier of a block, besides its warps", barrier_latency},
    {"barrier_per_warp", "clocks", "more for each warp of the block", barrier_per_warp},
    {"fence_latency", "clocks", "a store and the fence behind it", fence_latency},
    {"block_latency", "ns", "from the end of a block to the begin of the next one in its place",
     block_latency},
    {"block_interval", "ns", "from block to block of many empty ones", block_interval},
    {"fp32", "/clock", "multiply-adds of one SM", fp32},
    {"fp64", "/clock", "double-precision multiply-adds of one SM", fp64},
    {"int32", "/clock", "additions and logic of one SM", int32},
    {"int32_mul", "/clock", "integer multiply-adds of one SM", int32_mul},
    {"sfu", "/clock", "ex2.approx of one SM", sfu},
    {"l2_bandwidth", "B/clock", "all SMs read a quarter of the L2 again and again", l2_bandwidth},
    {"l2_read_port", "B/clock", "one SM reads a quarter of the L2", l2_read_port},
    {"l2_write_port", "B/clock", "one SM writes a quarter of the L2", l2_write_port},
    {"dram_bandwidth_measured", "GB/s", "read plus written by a large copy", dram_bandwidth},
};

Row measure(const Benchmark& benchmark, device::Device& device, const CalibrateOptions& options) {
  Row row;
  row[Axis::Kernel] = benchmark.key;
  row[Axis::Device] = device.info().id;
  if (options.known) row[Axis::Gpu] = options.known->id;
  std::vector<double> found;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    Bench bench(device, options.known);
    auto one = benchmark.measure(bench);
    if (!one) {
      row.refused = one.error()[0].message;
      return row;
    }
    found.push_back(*one);
  }
  std::sort(found.begin(), found.end());
  const std::string unit(benchmark.unit), what(benchmark.description);
  const double median = found[found.size() / 2];
  row.values.push_back({"figure", median, unit, Provenance::Measured, what});
  row.values.push_back({"figure_min", found.front(), unit, Provenance::Measured, "smallest of the repeats"});
  row.values.push_back({"figure_max", found.back(), unit, Provenance::Measured, "largest of the repeats"});
  if (options.known)
    for (const gpus::Entry& entry : gpus::entries(*options.known))
      if (entry.key == benchmark.key) {
        const double known = std::visit([](auto v) { return static_cast<double>(v); }, entry.value);
        row.values.push_back({"known", known, unit, Provenance::Input, std::string(entry.source)});
        row.values.push_back({"ratio", median / known, "", Provenance::Measured, "measured / known"});
      }
  return row;
}

}  // namespace

Table calibrate(device::Device& device, const CalibrateOptions& options) {
  Table table{"Figures of " + device.info().name, {}, {}};
  for (const Benchmark& benchmark : kBenchmarks) {
    if (options.progress) options.progress(std::string(benchmark.key));
    table.rows.push_back(measure(benchmark, device, options));
  }
  return table;
}

}  // namespace ww::study
