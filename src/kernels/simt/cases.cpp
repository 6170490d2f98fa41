// How warps run: divergence, votes, latency, locks, atomics, barriers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/families.h"

namespace ww::kernels {

namespace {

constexpr int64_t kLargestN = int64_t{1} << 24;  // elements; also the largest count that a float holds

device::Argument argument(int64_t value) { return device::Argument::of(static_cast<int32_t>(value)); }

std::vector<double> elements_of(const Input& input, int64_t n) {
  std::vector<float> elements(static_cast<size_t>(n));
  input.read(0, elements);
  return {elements.begin(), elements.end()};
}

/// A task over n elements in whole blocks, one of them for each thread, with `in` and `out` as buffers 0 and
/// 1 and one launch.
Result<Plan> plan_threads(const Config& config, const char* name, uint64_t outputs) {
  if (config.n > kLargestN) return error(fmt::format("n = {}, it is at most 2^24", config.n));
  if (auto ok = require_multiple(config.n, config.shape.block, "the threads of a block"); !ok)
    return ok.error();
  const auto n = static_cast<uint64_t>(config.n);
  auto in = make_input(config, 0, n);
  if (!in) return in.error();
  Plan plan;
  plan.task = {Problem::Given, config.n, 0, {*in}, fmt::format("simt/{}", name), outputs, {}};
  plan.buffers = {{"in", n, *in}, {"out", outputs, Poison{}}};
  plan.output = 1;
  plan.module = fmt::format("simt/{}", name);
  const auto threads = static_cast<uint32_t>(config.shape.block);
  plan.launches = {{fmt::format("simt_{}", name),
                    {static_cast<uint32_t>(n / threads)},
                    {threads},
                    0,
                    {BufferArgument{0}, BufferArgument{1}}}};
  return plan;
}

// ---- divergence ----

constexpr int kDivergeRounds = 32;  // WW_DIVERGE_ROUNDS of diverge.h

/// `lanes`: neighbouring threads that go the same way.
Result<Plan> diverge(const Config& config, const char* name, int64_t lanes) {
  auto plan = plan_threads(config, name, static_cast<uint64_t>(config.n));
  if (!plan) return plan;
  plan->problem = "divergence";
  plan->flop = 2.0 * kDivergeRounds * static_cast<double>(config.n);
  plan->rounding = kDivergeRounds + 1;
  plan->launches[0].arguments.push_back(argument(config.k));
  Task& task = plan->task;
  task.name += fmt::format(" ways={}", config.k);
  task.answer = [in = task.inputs[0], n = config.n, ways = config.k, lanes](std::span<double> exact,
                                                                            std::span<double> magnitude) {
    const std::vector<double> x = elements_of(in, n);
    for (size_t i = 0; i < x.size(); ++i) {
      const double a = 0.5 + static_cast<double>(static_cast<int64_t>(i) / lanes % ways) / 64;
      // x·a^r + (1 + a + … + a^(r-1))
      const double power = std::pow(a, kDivergeRounds);
      const double rest = a == 1 ? kDivergeRounds : (1 - power) / (1 - a);
      exact[i] = x[i] * power + rest;
      magnitude[i] = std::abs(x[i]) * power + rest;
    }
  };
  return plan;
}

Result<Plan> diverge_in_warp(const Config& c) { return diverge(c, "diverge_in_warp", 1); }
Result<Plan> diverge_between_warps(const Config& c) { return diverge(c, "diverge_between_warps", 32); }

// ---- votes ----

Result<Plan> vote_plan(const Config& config, const char* name) {
  auto plan = plan_threads(config, name, static_cast<uint64_t>(config.n));
  if (!plan) return plan;
  plan->problem = "votes";
  plan->task.answer = [in = plan->task.inputs[0], n = config.n](std::span<double> exact,
                                                                std::span<double> magnitude) {
    const std::vector<double> x = elements_of(in, n);
    for (size_t warp = 0; warp < x.size(); warp += 32) {
      std::copy_if(x.begin() + static_cast<ptrdiff_t>(warp), x.begin() + static_cast<ptrdiff_t>(warp) + 32,
                   exact.begin() + static_cast<ptrdiff_t>(warp), [](double v) { return v > 0; });
    }
    std::transform(exact.begin(), exact.end(), magnitude.begin(), [](double v) { return std::abs(v); });
  };
  return plan;
}

Result<Plan> vote(const Config& c) { return vote_plan(c, "vote"); }
Result<Plan> vote_shared(const Config& c) { return vote_plan(c, "vote_shared"); }

// ---- latency ----

constexpr int64_t kSteps = 16;
constexpr int64_t kStepWidth = 4096;  // elements, so that no step finds the line of the one before

Result<Plan> latency(const Config& config) {
  if (config.k > 96) return error(fmt::format("k = {}, a block has at most 96 KiB here", config.k));
  auto plan = plan_threads(config, "latency", static_cast<uint64_t>(config.n));
  if (!plan) return plan;
  std::vector<float> next(static_cast<size_t>(config.n));
  for (int64_t i = 0; i < config.n; ++i)
    next[static_cast<size_t>(i)] = static_cast<float>((i + kStepWidth) % config.n);
  plan->task.inputs.clear();
  plan->buffers[0] = {"next", next.size(), Input::given(fmt::format("steps of {}", config.n), next)};
  plan->problem = "latency";
  plan->launches[0].dynamic_shared = static_cast<uint64_t>(config.k) * 1024;
  plan->launches[0].arguments.push_back(argument(kSteps));
  plan->task.answer = [n = config.n](std::span<double> exact, std::span<double> magnitude) {
    for (int64_t i = 0; i < n; ++i)
      exact[static_cast<size_t>(i)] = magnitude[static_cast<size_t>(i)] =
          static_cast<double>((i + kSteps * kStepWidth) % n);
  };
  return plan;
}

// ---- locks ----

Result<Plan> lock(const Config& config, const char* name) {
  auto plan = plan_threads(config, name, static_cast<uint64_t>(config.n / config.shape.block));
  if (!plan) return plan;
  plan->flop = static_cast<double>(config.n);
  plan->rounding = config.shape.block;  // in any order
  plan->problem = "locks";
  plan->task.name = fmt::format("simt/lock block={}", config.shape.block);
  plan->task.answer = [in = plan->task.inputs[0], n = config.n, block = config.shape.block](
                          std::span<double> exact, std::span<double> magnitude) {
    const std::vector<double> x = elements_of(in, n);
    for (size_t i = 0; i < x.size(); ++i) {
      exact[i / static_cast<size_t>(block)] += x[i];
      magnitude[i / static_cast<size_t>(block)] += std::abs(x[i]);
    }
  };
  return plan;
}

Result<Plan> lock_lanes(const Config& c) { return lock(c, "lock_lanes"); }
Result<Plan> lock_leader(const Config& c) { return lock(c, "lock_leader"); }

// ---- atomics ----

constexpr int64_t kElementsPerThread = 16;
constexpr int kMostBins = 1024;

Result<Plan> atomic(const Config& config, const char* name) {
  if (config.n > kLargestN) return error(fmt::format("n = {}, it is at most 2^24", config.n));
  if (config.k > kMostBins)
    return error(fmt::format("k = {}, there are at most {} counters", config.k, kMostBins));
  const int64_t threads = config.shape.block;
  if (auto ok =
          require_multiple(config.n, threads * kElementsPerThread, "16 elements for each thread of a block");
      !ok)
    return ok.error();
  const auto bins = static_cast<uint64_t>(config.k);
  Plan plan;
  plan.task = {Problem::Given, config.n, 0, {}, fmt::format("simt/atomic bins={}", bins), bins, {}};
  plan.buffers = {{"counts", bins, Zero{}}};
  plan.problem = "atomics";
  plan.integers = true;
  plan.module = fmt::format("simt/{}", name);
  plan.launches = {{fmt::format("simt_{}", name),
                    {static_cast<uint32_t>(config.n / threads / kElementsPerThread)},
                    {static_cast<uint32_t>(threads)},
                    0,
                    {BufferArgument{0}, argument(config.n), argument(config.k), argument(1)}}};
  plan.task.answer = [n = config.n, bins = int64_t{config.k}](std::span<double> exact,
                                                              std::span<double> magnitude) {
    for (int64_t b = 0; b < bins; ++b)
      exact[static_cast<size_t>(b)] = magnitude[static_cast<size_t>(b)] =
          static_cast<double>(n / bins + (b < n % bins));
  };
  return plan;
}

Result<Plan> atomic_global(const Config& c) { return atomic(c, "atomic_global"); }
Result<Plan> atomic_shared(const Config& c) { return atomic(c, "atomic_shared"); }

// ---- barriers ----

Result<Plan> part_barrier(const Config& config) {
  auto plan = plan_threads(config, "part_barrier", static_cast<uint64_t>(config.n));
  if (!plan) return plan;
  plan->task.answer = {};
  plan->problem = "barriers";
  plan->expected_fault = {
      "barrier deadlock",
      {"lanes 0-15: wait at barrier 0", "lanes 16-31: wait where the paths of the warp reconverge",
       "src/kernels/simt/part_barrier.cu"},
      "the block would wait for ever"};
  return plan;
}

const std::vector<int64_t> kN = {1 << 14, 1 << 17, 1 << 20}, kQuickN = {1 << 14};

}  // namespace

std::vector<Case> simt_cases() {
  const Axes ways{{{256}}, {}, {1, 2, 4, 8, 16, 32}, kN, kQuickN};
  const Axes plain{{{128}, {256}, {512}}, {}, {}, kN, kQuickN};
  const Axes bins{{{256}}, {}, {1, 2, 4, 8, 16, 32, 256}, {1 << 16, 1 << 20}, {1 << 16}};
  return {
      {"simt/diverge_in_warp", "each lane goes one of k ways, its neighbour the next",
       "A warp whose lanes go k ways goes all of them one after another: k times the instructions for the "
       "same work, with 32/k "
       "lanes active.",
       "", "ways", ways, diverge_in_warp},
      {"simt/diverge_between_warps", "each warp goes one of k ways, its neighbour the next",
       "The same work with the ways sorted by warps costs nothing: no branch parts a warp.", "", "ways", ways,
       diverge_between_warps},
      {"simt/vote", "each warp moves its positive elements to the front, by a ballot",
       "__ballot_sync tells all lanes in one instruction what each of them found; __all_sync whether all "
       "agree.",
       "", "", plain, vote},
      {"simt/vote_shared", "the same, every lane counting flags in shared memory",
       "What a warp has to do without votes: a store, a wait, and 32 loads.", "", "", plain, vote_shared},
      {"simt/latency",
       "each thread follows a chain of 16 elements, with k KiB of shared memory per block",
       "A warp that waits for memory costs nothing as long as others are ready. How many there are depends "
       "on the warps of a "
       "block and on the blocks that an SM holds, which shared memory limits.",
       "",
       "KiB of dynamic shared memory per block",
       {{{32}, {64}, {128}, {256}, {512}, {1024}}, {}, {1, 8, 16, 32, 48}, {1 << 18, 1 << 20}, {1 << 18}},
       latency},
      {"simt/lock_lanes", "the threads of a block add to a sum under a lock that every lane takes",
       "Lanes wait for a lane of their own warp. It works because taking the lock, the work and giving it "
       "back are one way of a branch. How often they try in vain depends on who has his turn when: the "
       "engine's "
       "order is always the same, a GPU's is not.",
       "", "", plain, lock_lanes},
      {"simt/lock_leader", "the same, one lane taking the lock for its warp",
       "Adding up inside the warp first leaves one taker per warp instead of 32.", "", "", plain,
       lock_leader},
      {"simt/atomic_global", "k counters in global memory, to which neighbouring lanes add in turn",
       "Atomics of a warp that meet in one word go one after another; spread over 32 words they do not.", "",
       "counters", bins, atomic_global},
      {"simt/atomic_shared", "the same, counted per block in shared memory first",
       "Shared memory takes the crowd, and global memory sees one addition per block and counter. The passes "
       "through the banks "
       "show how many lanes met.",
       "", "counters", bins, atomic_shared},
      {"simt/part_barrier",
       "a barrier that only the first 16 lanes of each warp come to; it must be diagnosed",
       "__syncthreads() is for all threads of a block or for none. The engine names who waits where; a GPU "
       "just hangs.",
       "",
       "",
       {{{64}}, {}, {}, {64}, {64}},
       part_barrier},
  };
}

}  // namespace ww::kernels
