#include "kernels/matmul/product_plan.h"

#include <fmt/format.h>

namespace ww::kernels {

namespace {

constexpr int64_t kLargestN = 32768;  // the kernels compute indices in 32 bits

}  // namespace

Result<Plan> plan_product(const Config& config, const std::string& kernel, device::Dim3 grid,
                          device::Dim3 block, int slack_tile) {
  const auto n = static_cast<uint64_t>(config.n);
  if (config.n > kLargestN)
    return error(fmt::format("n = {}, these kernels compute indices in 32 bits", n), "n is at most 32768");
  auto a = make_input(config, 0, n * n);
  auto b = make_input(config, 1, n * n);
  if (!a) return a.error();
  if (!b) return b.error();
  const auto tile = static_cast<uint64_t>(slack_tile);
  Plan plan;
  plan.task = {Problem::Matmul, config.n, 0, {*a, *b}};
  plan.flop = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  plan.rounding = config.n + 1;  // n − 1 additions, one multiplication, and one to spare for an addition to 0
  plan.buffers = {{"a", n * n, *a, tile, n}, {"b", n * n, *b, tile * n, n}, {"c", n * n, Poison{}, 0, n}};
  plan.output = 2;
  plan.launches = {{kernel,
                    grid,
                    block,
                    0,
                    {BufferArgument{0}, BufferArgument{1}, BufferArgument{2},
                     device::Argument::of(static_cast<int32_t>(config.n))}}};
  return plan;
}

}  // namespace ww::kernels
