// The cases of C = A·Aᵀ.
#include <fmt/format.h>

#include "kernels/families.h"
#include "kernels/matmul/tensor_plan.h"

namespace ww::kernels {

namespace {

constexpr const char* kC2070 = "Tesla C2070 book chapter (2012)";

Result<Plan> plan_product(const Config& config, const char* name) {
  const auto n = static_cast<uint64_t>(config.n);
  if (config.n > 32768)
    return error(fmt::format("n = {}, these kernels compute indices in 32 bits", n), "n is at most 32768");
  auto a = make_input(config, 0, n * n);
  if (!a) return a.error();
  Plan plan;
  plan.task = {Problem::MatmulTransposed, config.n, 0, {*a}};
  plan.flop = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  plan.rounding = config.n + 1;
  if (config.shape.block == 0) return plan;
  if (auto ok = require_multiple(config.n, config.shape.block, "the block side"); !ok) return ok.error();
  const auto side = static_cast<uint32_t>(config.shape.block);
  const auto blocks = static_cast<uint32_t>(n / side);
  plan.buffers = {{"a", n * n, *a, 0, n}, {"c", n * n, Poison{}, 0, n}};
  plan.output = 1;
  plan.module = fmt::format("aat/{}", name);
  plan.launches = {
      {fmt::format("aat_{}_{}", name, side),
       {blocks, blocks},
       {side, side},
       0,
       {BufferArgument{0}, BufferArgument{1}, device::Argument::of(static_cast<int32_t>(config.n))}}};
  return plan;
}

/// Tiles of 128 × 128: those of the lower triangle.
Result<Plan> lower_tiles(const Config& config) {
  Config whole = config;
  whole.shape = {};  // the task alone
  auto plan = plan_product(whole, "");
  if (!plan) return plan;
  const auto n = static_cast<uint64_t>(config.n), rows = (n + 127) / 128;
  plan->buffers = {{"a", n * n, plan->task.inputs[0], 0, n}, {"c", n * n, Poison{}, 0, n}};
  plan->output = 1;
  plan->module = "aat/lower_tiles";
  plan->launches = {
      {"aat_lower_tiles_128",
       {static_cast<uint32_t>(rows * (rows + 1) / 2)},
       {128},
       4 * 8 * (132 + 132) * sizeof(float),  // stages · depth · words of both rows
       {BufferArgument{0}, BufferArgument{1}, device::Argument::of(static_cast<int32_t>(config.n))}}};
  return plan;
}

/// On tensor cores: the parts of A, and the maps. `thirds`: three bf16 parts instead of two float16 halves.
Result<Plan> plan_tensor(const Config& config, bool thirds) {
  const TensorTile tile{128, 128, thirds ? 2u : 3u, thirds ? 3u : 2u};
  const auto type = thirds ? device::TensorMap::Type::Bf16 : device::TensorMap::Type::F16;
  if (auto ok = require_multiple(config.n, 4, "the words of an access"); !ok) return ok.error();
  Config whole = config;
  whole.shape = {};  // the task alone
  auto plan = plan_product(whole, "");
  if (!plan) return plan;
  const auto n = static_cast<uint64_t>(config.n);
  plan->buffers = {
      {"a", n * n, plan->task.inputs[0], 0, n},
      {"c", n * n, Poison{}, 0, n},
      {"parts", words_of(tile, config.n), Poison{}, 0, static_cast<uint64_t>(pitch_of(config.n) / 2)},
      {"maps", 96,
       TensorMaps{{operand_map(2, type, config.n, tile.parts, tile.rows),
                   operand_map(2, type, config.n, tile.parts, 64), result_map(1, config.n)}}}};
  if (!thirds) plan->buffers.push_back({"raised", n, Poison{}});
  plan->output = 1;
  plan->module = "aat/tensor_lower";
  const auto size = device::Argument::of(static_cast<int32_t>(n));
  const auto pitch = device::Argument::of(static_cast<int32_t>(pitch_of(config.n)));
  const auto band = device::Argument::of(int32_t{config.k});
  const auto side = static_cast<uint32_t>(n);
  PlannedLaunch split{"aat_split_halves",
                      {side},
                      {256},
                      0,
                      {BufferArgument{0}, BufferArgument{2}, BufferArgument{4}, size, pitch}};
  PlannedLaunch multiply{"aat_tensor_lower_384",
                         {staying_blocks(tile.lower_count(config.n))},
                         {384},
                         tile.bytes(),
                         {BufferArgument{3}, size, band, BufferArgument{4}}};
  if (thirds) {
    split = {"aat_split_thirds",
             {static_cast<uint32_t>(divide_up(config.n, 1024)), side},
             {256},
             0,
             {BufferArgument{0}, BufferArgument{2}, size, pitch}};
    multiply.entry = "aat_tensor_lower_thirds_384";
    multiply.arguments.pop_back();
  }
  plan->launches = {split, multiply};
  return plan;
}
Result<Plan> tensor_lower(const Config& config) { return plan_tensor(config, false); }
Result<Plan> tensor_lower_thirds(const Config& config) { return plan_tensor(config, true); }

void multiply_on_host(const Task& task, std::span<const std::vector<float>> inputs, std::span<float> c) {
  const auto n = static_cast<size_t>(task.n);
  const std::vector<float>& a = inputs[0];
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (size_t k = 0; k < n; ++k) sum += a[i * n + k] * a[j * n + k];
      c[i * n + j] = sum;
    }
  }
}

Result<Plan> sequential(const Config& config) {
  auto plan = plan_product(config, "");
  if (plan) plan->host = multiply_on_host;
  return plan;
}

/// `row`: words of a row of the second tile.
Result<Plan> with_tiles(Result<Plan> plan, const Config& config, int row) {
  if (plan)
    plan->shared = {{"As", static_cast<uint64_t>(config.shape.block)}, {"At", static_cast<uint64_t>(row)}};
  return plan;
}

Result<Plan> plain(const Config& config) {
  return with_tiles(plan_product(config, "plain"), config, config.shape.block);
}
Result<Plan> padded(const Config& config) {
  return with_tiles(plan_product(config, "padded"), config, config.shape.block + 1);
}

}  // namespace

std::vector<Case> aat_cases() {
  return {
      {"aat/sequential",
       "C = A·Aᵀ by three nested loops on one core of the host",
       "Every element is a dot product of two rows, so all reads run along rows.",
       "",
       "",
       {{}, {}, {}, {640}, {256}},
       sequential},
      {"aat/plain",
       "tiled; the second tile is read by columns of a BS × BS shared array",
       "Lanes that read a column of a shared array with BS words per row all hit one bank: 16- or 32-way "
       "conflicts.",
       kC2070,
       "",
       {{{16}, {32}}, {}, {}, {640, 2048}, {256}},
       plain},
      {"aat/padded",
       "the same with rows of BS + 1 words",
       "One unused word per row moves a column's words to different banks: no conflicts.",
       kC2070,
       "",
       {{{16}, {32}}, {}, {}, {640, 2048}, {256}},
       padded},
      {"aat/lower_tiles",
       "only the tiles on and below the diagonal, 8 × 16 results per thread; those below it are stored twice",
       "C is symmetric: half of the arithmetic need not be done.",
       "",
       "",
       {{{128, 8, 16}}, {}, {}, {1024, 2048, 4096, 8192}, {197, 256}},
       lower_tiles},
      {"aat/tensor_lower",
       "the same on tensor cores: rows split into two float16 halves, tiles of 128 × 128",
       "Both operands are rows of A, split once and copied as they lie; the mirrored tiles are turned on "
       "their way out, in shared memory.",
       "",
       "rows of tiles in a band",
       {{{384}}, {}, {16}, {1024, 2048, 4096, 8192}, {196, 256}},
       tensor_lower},
      {"aat/tensor_lower_thirds",
       "the same with three bf16 parts and six of their products",
       "Twice the work, for results that are as accurate as float32 sums whatever the elements are.",
       "",
       "rows of tiles in a band",
       {{{384}}, {}, {16}, {1024, 2048, 4096, 8192}, {196, 256}},
       tensor_lower_thirds},
  };
}

}  // namespace ww::kernels
