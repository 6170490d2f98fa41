// The cases of the box sum: out[(n−2r)²], each element the sum of the (2r+1)² inputs around it.
#include <fmt/format.h>

#include <algorithm>

#include "base/round.h"
#include "kernels/families.h"
#include "kernels/host_rows.h"

namespace ww::kernels {

namespace {

Result<Plan> plan_task(const Config& config) {
  const auto n = static_cast<uint64_t>(config.n);
  const int64_t side = config.n - 2 * int64_t{config.r}, width = 2 * int64_t{config.r} + 1;
  if (config.n > 32768)
    return error(fmt::format("n = {}, these kernels compute indices in 32 bits", n), "n is at most 32768");
  if (side < 1)
    return error(fmt::format("n = {} leaves no element that has all neighbours within r = {}", n, config.r),
                 fmt::format("n is at least {}", width));
  auto in = make_input(config, 0, n * n);
  if (!in) return in.error();
  Plan plan;
  plan.task = {Problem::BoxSum, config.n, config.r, {*in}};
  plan.flop = static_cast<double>(side) * static_cast<double>(side) * static_cast<double>(width * width);
  plan.rounding = width * width;
  return plan;
}

Result<Plan> direct(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  const Task& task = plan->task;
  const auto n = static_cast<uint64_t>(task.n), side = n - 2 * static_cast<uint64_t>(task.r);
  const auto bs = static_cast<uint32_t>(config.shape.block);
  const auto rows = uint64_t{bs} * static_cast<uint64_t>(config.k);  // of the output per block
  plan->buffers = {{"in", n * n, task.inputs[0], 0, n}, {"out", side * side, Poison{}, 0, side}};
  plan->output = 1;
  plan->module = "box_sum/direct";
  plan->launches = {
      {"box_sum_direct",
       {static_cast<uint32_t>(divide_up(side, bs)), static_cast<uint32_t>(divide_up(side, rows))},
       {bs, bs},
       0,
       {BufferArgument{0}, BufferArgument{1}, device::Argument::of(static_cast<int32_t>(n)),
        device::Argument::of(int32_t{config.r}), device::Argument::of(int32_t{config.k})}}};
  return plan;
}

/// What running.h is compiled for: threads, rows of a batch, batches ahead, whether rows are held; and blocks
/// that an SM of 227 KiB takes, which together with 132 SMs gives the height of a block's part.
struct Running {
  const char* entry;
  uint32_t threads, batch, ahead;
  bool hold;
  uint64_t bytes(int64_t r) const {
    const uint64_t window = static_cast<uint64_t>(2 * r) + 1;
    const uint64_t rows = (hold ? (window + batch - 1) / batch * batch : 0) + (ahead + 1) * batch;
    return 16 * threads * rows * (hold ? 1 : 2) + 2 * batch * (32 * threads + threads / 4);
  }
};
constexpr Running kHold{"box_sum_running_hold_256", 256, 2, 3, true};
constexpr Running k128{"box_sum_running_128", 128, 4, 2, false};
constexpr Running k512{"box_sum_running_512", 512, 1, 4, false};
constexpr int64_t kSharedOfSm = 227 * 1024, kSms = 132;

Result<Plan> running(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  const Running& chosen = config.shape.block == 128 ? k128 : config.shape.block == 256 ? kHold : k512;
  const auto n = static_cast<uint64_t>(config.n), r = static_cast<uint64_t>(config.r), side = n - 2 * r;
  const auto most = static_cast<int64_t>(4 * chosen.threads) - static_cast<int64_t>((2 * r + 3) / 4 * 4);
  if (most < 4)
    return error(fmt::format("r = {}, a block's strip of {} columns has no window", r, 4 * chosen.threads),
                 "blocks of 512 take r up to 1020");
  const int64_t strips = divide_up(static_cast<int64_t>(side), most);
  const int64_t width = divide_up(divide_up(static_cast<int64_t>(side), strips), 4) * 4;
  const uint64_t bytes = chosen.bytes(config.r);
  const int64_t per_sm = std::max<int64_t>(1, kSharedOfSm / static_cast<int64_t>(bytes + 1024));
  const int64_t parts = std::max<int64_t>(1, kSms * std::min<int64_t>(per_sm, 2) / strips);
  // At least as high as the rows that a block adds up before its first output.
  const int64_t height = std::max<int64_t>(divide_up(static_cast<int64_t>(side), parts), config.r + 1);
  plan->rounding = 2;  // float64 sums, rounded once
  plan->buffers = {{"in", n * n, plan->task.inputs[0], 0, n}, {"out", side * side, Poison{}, 0, side}};
  plan->output = 1;
  plan->module = "box_sum/running";
  plan->launches = {
      {chosen.entry,
       {static_cast<uint32_t>(strips), static_cast<uint32_t>(divide_up(static_cast<int64_t>(side), height))},
       {chosen.threads},
       bytes,
       {BufferArgument{0}, BufferArgument{1}, device::Argument::of(static_cast<int32_t>(n)),
        device::Argument::of(int32_t{config.r}), device::Argument::of(static_cast<int32_t>(width)),
        device::Argument::of(static_cast<int32_t>(height))}}};
  return plan;
}

/// As many blocks as 256 threads a multiprocessor allow: more of them read more rows twice.
Result<Plan> block_sums(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  if (config.r < 2)
    return error(fmt::format("r = {}, windows must be wider than four columns", config.r), "r is at least 2");
  constexpr int64_t kChunk = 5;
  const int64_t threads = config.shape.block, window = 2 * int64_t{config.r} + 1;
  const auto n = static_cast<uint64_t>(config.n), side = n - 2 * static_cast<uint64_t>(config.r);
  const auto bytes_with = [&](int64_t ahead) {
    return 16 * threads * (window + ahead * kChunk) + 40 * threads * kChunk;
  };
  // Two chunks of rows ahead are faster but where a large block has many rows (docs/rungs.md).
  const int ahead = threads == 256 && config.r >= 8 && bytes_with(3) <= kSharedOfSm ? 3 : 2;
  const int64_t bytes = bytes_with(ahead);
  const int64_t most = (4 * threads - 2 * int64_t{config.r}) / 4 * 4;
  if (bytes > kSharedOfSm || most < 4)
    return error(fmt::format("r = {}: {} rows of {} columns do not fit into shared memory", config.r, window,
                             4 * threads),
                 "smaller blocks take larger r");
  const int64_t strips = divide_up(static_cast<int64_t>(side), most);
  const int64_t width = divide_up(divide_up(static_cast<int64_t>(side), strips), 4) * 4;
  const int64_t per_sm = std::max<int64_t>(1, std::min(256 / threads, kSharedOfSm / (bytes + 1024)));
  const int64_t parts = std::max<int64_t>(1, kSms * per_sm / strips);
  const int64_t height = std::max<int64_t>(divide_up(static_cast<int64_t>(side), parts), config.r + 1);
  // A column's terms, the fours between, and what is added at the ends.
  plan->rounding = window + 4 + config.r / 2 + 4;
  plan->buffers = {{"in", n * n, plan->task.inputs[0], 0, n}, {"out", side * side, Poison{}, 0, side}};
  plan->output = 1;
  plan->module = "box_sum/block_sums";
  plan->launches = {
      {fmt::format("box_sum_block_sums_{}_{}", threads, ahead),
       {static_cast<uint32_t>(strips), static_cast<uint32_t>(divide_up(static_cast<int64_t>(side), height))},
       {static_cast<uint32_t>(threads)},
       static_cast<uint64_t>(bytes),
       {BufferArgument{0}, BufferArgument{1}, device::Argument::of(static_cast<int32_t>(n)),
        device::Argument::of(int32_t{config.r}), device::Argument::of(static_cast<int32_t>(width)),
        device::Argument::of(static_cast<int32_t>(height))}}};
  return plan;
}

void sum_on_host(const Task& task, std::span<const std::vector<float>> inputs, std::span<float> out) {
  const auto n = static_cast<size_t>(task.n), r = static_cast<size_t>(task.r), side = n - 2 * r;
  std::fill(out.begin(), out.end(), 0.0f);
  for (size_t y = 0; y < side; ++y)
    for (size_t dy = 0; dy <= 2 * r; ++dy)
      for (size_t dx = 0; dx <= 2 * r; ++dx) add_row(&out[y * side], &inputs[0][(y + dy) * n + dx], side);
}

Result<Plan> sequential(const Config& config) {
  auto plan = plan_task(config);
  if (plan) plan->host = sum_on_host;
  return plan;
}

constexpr const char* kRtx4070s = "RTX 4070 SUPER report (2024)";

}  // namespace

std::vector<Case> box_sum_cases() {
  return {
      {"box_sum/sequential",
       "the box sum by four nested loops on one core of the host",
       "Each input is read (2R+1)² times, from the caches.",
       kRtx4070s,
       "",
       {{}, {4, 8, 16}, {}, {2000, 4000, 8000}, {500}},
       sequential},
      {"box_sum/direct",
       "a thread computes K outputs one below another, straight from global memory",
       "Neighbouring lanes read neighbouring words, and the caches absorb the (2R+1)²-fold reads; K trades "
       "threads for "
       "work per thread.",
       kRtx4070s,
       "outputs per thread",
       {{{8}, {16}, {32}}, {4, 8, 16}, {1, 4, 16}, {2000, 4000, 8000}, {500}, {{2}, {4}}},
       direct},
      {"box_sum/running",
       "float64 sums of columns that run down a strip, and differences of their prefix sums along it",
       "The price does not depend on R: a row enters, a row leaves. Nothing of what has left the window "
       "stays in "
       "the result.",
       "",
       "",
       {{{128}, {256}, {512}}, {4, 8, 16, 64, 128}, {}, {2000, 4000, 8000}, {500}},
       running},
      {"box_sum/block_sums",
       "float32 sums over blocks of 2R+1 rows, from their ends and from their beginnings, a window being one "
       "of each",
       "Additions only, and few: no sum has more than 2R+1 rows, nothing is ever taken away, and float32 is "
       "enough.",
       "",
       "",
       {{{64}, {128}, {256}}, {4, 8, 16}, {}, {2000, 4000, 8000}, {500}},
       block_sums},
  };
}

}  // namespace ww::kernels
