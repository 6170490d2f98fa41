// The cases of the sum of a vector.
#include <fmt/format.h>

#include <algorithm>

#include "base/round.h"
#include "kernels/families.h"

namespace ww::kernels {

namespace {

// Two blocks for each multiprocessor of an H200: enough to fill a large GPU once, and the same on every
// device, so that results are.
constexpr int64_t kMostBlocks = 264;
constexpr int64_t kLargestN = int64_t{1} << 30;

/// Task, the input buffer, and the number of blocks that share the work.
Result<Plan> plan_task(const Config& config) {
  if (config.n > kLargestN) return error(fmt::format("n = {}, it is at most 2^30", config.n));
  auto in = make_input(config, 0, static_cast<uint64_t>(config.n));
  if (!in) return in.error();
  Plan plan;
  plan.task = {Problem::Sum, config.n, 0, {*in}};
  plan.flop = static_cast<double>(config.n - 1);
  plan.buffers = {{"in", static_cast<uint64_t>(config.n), *in}};
  return plan;
}

uint32_t blocks_of(const Config& config) {
  return static_cast<uint32_t>(std::min(divide_up(config.n, config.shape.block), kMostBlocks));
}

/// Additions that a term can meet in one block: in its thread's own sum of `n` terms split over `blocks`
/// blocks, and in the tree.
int64_t depth(int64_t n, int64_t blocks, int64_t threads) {
  int64_t tree = 0;
  while ((int64_t{1} << tree) < threads) ++tree;
  return divide_up(n, blocks * threads) + tree;
}

template <class T>
device::Argument argument(T value) {
  return device::Argument::of(value);
}

Result<Plan> last_block(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  const auto threads = static_cast<uint32_t>(config.shape.block);
  const uint32_t blocks = blocks_of(config);
  plan->rounding = depth(config.n, blocks, threads) + depth(blocks, 1, threads);
  plan->module = "sum/last_block";
  plan->buffers.push_back({"partial", blocks, Poison{}});
  plan->buffers.push_back({"counter", 1, Zero{}});
  plan->buffers.push_back({"out", 1, Poison{}});
  plan->output = 3;
  plan->launches = {{fmt::format("sum_last_block_{}", threads),
                     {blocks},
                     {threads},
                     0,
                     {BufferArgument{0}, BufferArgument{1}, BufferArgument{2}, BufferArgument{3},
                      argument(static_cast<uint32_t>(config.n))}}};
  return plan;
}

/// Loads of 16 bytes that a thread has under way: eight where every thread of the grid has that many.
int64_t unroll_of(const Config& config) {
  return config.shape.block == 512 && config.n >= int64_t{1} << 22 ? 8 : config.shape.block == 512 ? 1 : 4;
}

Result<Plan> wide_loads(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  const auto threads = static_cast<uint32_t>(config.shape.block);
  const int64_t unroll = unroll_of(config), piece = threads * unroll * 4;
  const auto count = static_cast<uint32_t>(std::min(divide_up(config.n, piece), kMostBlocks));
  plan->rounding = divide_up(config.n, count * piece) + unroll + 16 + depth(count, 1, threads);
  plan->module = "sum/wide_loads";
  plan->buffers.push_back({"partial", count, Poison{}});
  plan->buffers.push_back({"counter", 1, Zero{}});
  plan->buffers.push_back({"out", 1, Poison{}});
  plan->output = 3;
  plan->launches = {{fmt::format("sum_wide_loads_{}_{}", threads, unroll),
                     {count},
                     {threads},
                     0,
                     {BufferArgument{0}, BufferArgument{1}, BufferArgument{2}, BufferArgument{3},
                      argument(static_cast<uint32_t>(config.n))}}};
  return plan;
}

/// One block a multiprocessor; pieces of 16 KB, as equal numbers of them as possible.
Result<Plan> bulk_loads(const Config& config) {
  constexpr int64_t kPiece = 4096, kThreads = 544, kStages = 12;
  auto plan = plan_task(config);
  if (!plan) return plan;
  const int64_t pieces = config.n / kPiece;
  const auto count = static_cast<uint32_t>(std::clamp<int64_t>(pieces, 1, 132));
  // A thread's sum of its pieces, of two of those by fours, what is left behind the pieces, and the tree.
  plan->rounding =
      divide_up(pieces, count) + 4 + divide_up(kPiece, kThreads) + depth(count, 1, kThreads) + 16;
  plan->module = "sum/bulk_loads";
  plan->buffers.push_back({"partial", count, Poison{}});
  plan->buffers.push_back({"counter", 1, Zero{}});
  plan->buffers.push_back({"out", 1, Poison{}});
  plan->output = 3;
  plan->launches = {{"sum_bulk_loads_544",
                     {count},
                     {kThreads},
                     kStages * kPiece * sizeof(float),
                     {BufferArgument{0}, BufferArgument{1}, BufferArgument{2}, BufferArgument{3},
                      argument(static_cast<uint32_t>(config.n))}}};
  return plan;
}

Result<Plan> two_launches(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  const auto threads = static_cast<uint32_t>(config.shape.block);
  const uint32_t blocks = blocks_of(config);
  plan->rounding = depth(config.n, blocks, threads) + depth(blocks, 1, threads);
  plan->module = "sum/two_launches";
  plan->buffers.push_back({"partial", blocks, Poison{}});
  plan->buffers.push_back({"out", 1, Poison{}});
  plan->output = 2;
  const std::string entry = fmt::format("sum_two_launches_{}", threads);
  plan->launches = {{entry,
                     {blocks},
                     {threads},
                     0,
                     {BufferArgument{0}, BufferArgument{1}, argument(static_cast<uint32_t>(config.n))}},
                    {entry, {1}, {threads}, 0, {BufferArgument{1}, BufferArgument{2}, argument(blocks)}}};
  return plan;
}

Result<Plan> atomic(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  const auto threads = static_cast<uint32_t>(config.shape.block);
  const uint32_t blocks = blocks_of(config);
  plan->rounding = depth(config.n, blocks, threads) + blocks;
  plan->module = "sum/atomic";
  plan->buffers.push_back({"out", 1, Zero{}});
  plan->output = 1;
  plan->launches = {{fmt::format("sum_atomic_{}", threads),
                     {blocks},
                     {threads},
                     0,
                     {BufferArgument{0}, BufferArgument{1}, argument(static_cast<uint32_t>(config.n))}}};
  return plan;
}

void sum_on_host(const Task&, std::span<const std::vector<float>> inputs, std::span<float> out) {
  double sum = 0;  // one float would stop growing, or lose most digits, long before 2^28 terms
  for (float v : inputs[0]) sum += v;
  out[0] = static_cast<float>(sum);
}

Result<Plan> sequential(const Config& config) {
  auto plan = plan_task(config);
  if (plan) {
    plan->buffers.clear();
    plan->rounding = 1;
    plan->host = sum_on_host;
  }
  return plan;
}

Axes axes() {
  std::vector<int64_t> n;
  for (int power = 10; power <= 28; power += 2) n.push_back(int64_t{1} << power);
  return {{{128}, {256}, {512}}, {}, {}, n, {1 << 10, 1 << 16, 1 << 20}, {{64}}};
}

Axes wide_axes() {
  Axes wide = axes();
  wide.shapes = {{512}, {1024}};
  wide.small.clear();
  return wide;
}

Axes bulk_axes() {
  Axes bulk = wide_axes();
  bulk.shapes = {{544}};
  return bulk;
}

Axes host_axes() {
  Axes host = axes();
  host.shapes.clear();
  host.small.clear();
  return host;
}

}  // namespace

std::vector<Case> sum_cases() {
  return {
      {"sum/sequential", "the sum of a vector by one loop on one core of the host, in float64",
       "One addition waits for the one before it.", "", "", host_axes(), sequential},
      {"sum/last_block", "one launch: the block that draws the last ticket adds all blocks' sums",
       "Blocks can work together within a launch if fences order the partial sums and the atomic ticket. The "
       "result is "
       "the same in every run.",
       "", "", axes(), last_block},
      {"sum/two_launches", "two launches: a sum per block, then the sum of these",
       "The end of a launch orders everything, at the price of a second launch.", "", "", axes(),
       two_launches},
      {"sum/atomic", "one launch: every block adds its sum to the result atomically",
       "The simplest way; the order of additions and so the last digits vary from run to run.", "", "",
       axes(), atomic},
      {"sum/wide_loads", "last_block with loads of 16 bytes, eight under way in every thread",
       "Memory sets the pace once enough bytes are under way. The result is the same in every run.", "", "",
       wide_axes(), wide_loads},
      {"sum/bulk_loads",
       "the words come in pieces of 16 KB through the copy engine, twelve under way in a block",
       "192 KB under way on every multiprocessor, and no thread waits for its own load. The result is the "
       "same in "
       "every run.",
       "", "", bulk_axes(), bulk_loads},
  };
}

}  // namespace ww::kernels
