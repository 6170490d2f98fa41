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
  };
}

}  // namespace ww::kernels
