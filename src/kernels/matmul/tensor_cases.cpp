#include "kernels/matmul/tensor_cases.h"

#include "kernels/matmul/product_plan.h"
#include "kernels/matmul/tensor_plan.h"

namespace ww::kernels {

namespace {

/// Products on tensor cores: the plan gets the buffers 3 and 4 for the parts of A and B, and 5 for the maps.
void add_tensor_buffers(Plan& plan, const TensorTile& tile, device::TensorMap::Type type) {
  const int64_t n = plan.task.n;
  plan.buffers.push_back({"a_parts", words_of(tile, n), Poison{}, 0, static_cast<uint64_t>(pitch_of(n) / 2)});
  plan.buffers.push_back({"b_parts", words_of(tile, n), Poison{}, 0, static_cast<uint64_t>(pitch_of(n) / 2)});
  plan.buffers.push_back({"maps", 96,
                          TensorMaps{{operand_map(3, type, n, tile.parts, tile.rows),
                                      operand_map(4, type, n, tile.parts, 64), result_map(2, n)}}});
}

constexpr uint32_t kScanSlices = 16;  ///< halves.h

/// What splits with a scan have: the launch that splits A and scans B, and the buffers 6 to 8 for what rows
/// and columns are raised by, and for the scan.
void add_scan(Plan& plan, const std::string& module) {
  const auto n = static_cast<uint32_t>(plan.task.n);
  plan.module = module;
  plan.buffers.push_back({"rows", n, Poison{}});
  plan.buffers.push_back({"columns", n, Poison{}});
  plan.buffers.push_back({"largest", uint64_t{kScanSlices} * n, Poison{}, 0, n});
  plan.launches[0].grid = {n + kScanSlices * blocks(n, 128)};
  plan.launches[0].arguments = {BufferArgument{0},
                                BufferArgument{1},
                                BufferArgument{3},
                                BufferArgument{6},
                                BufferArgument{8},
                                device::Argument::of(static_cast<int32_t>(n)),
                                device::Argument::of(static_cast<int32_t>(pitch_of(n)))};
}
/// Those behind it: the one that splits B, and the product.
void add_columns_and_product(Plan& plan, const TensorTile& tile, const char* columns, device::Dim3 grid,
                             const char* product, int band) {
  const auto n = static_cast<int32_t>(plan.task.n);
  const auto size = device::Argument::of(n), pitch = device::Argument::of(static_cast<int32_t>(pitch_of(n)));
  plan.launches.push_back(
      {columns,
       grid,
       {256},
       0,
       {BufferArgument{1}, BufferArgument{8}, BufferArgument{4}, BufferArgument{7}, size, pitch}});
  plan.launches.push_back(
      {product,
       {staying_blocks(tile.count(n, n))},
       {384},
       tile.bytes(),
       {BufferArgument{5}, size, device::Argument::of(int32_t{band}), BufferArgument{6}, BufferArgument{7}},
       {tile.cluster}});
}

Result<Plan> plan_halves(const Config& config, const TensorTile& tile, const char* entry) {
  if (auto ok = require_multiple(config.n, 4, "the words of an access"); !ok) return ok.error();
  const auto panels = blocks(config.n, 128);
  auto plan = plan_product(config, "matmul_split_rows", {1}, {256});
  if (!plan) return plan;
  add_tensor_buffers(*plan, tile, device::TensorMap::Type::F16);
  add_scan(*plan, "matmul/tensor_halves");
  add_columns_and_product(*plan, tile, "matmul_split_columns", {panels, panels}, entry, config.k);
  return plan;
}

/// One launch of `split` turns both operands into bf16 parts of each tile; one of `product` multiplies them.
Result<Plan> plan_bf16(const Config& config, const TensorTile& tile, const char* split, device::Dim3 grid,
                       const char* product) {
  if (auto ok = require_multiple(config.n, 4, "the words of an access"); !ok) return ok.error();
  const auto n = static_cast<uint32_t>(config.n);
  auto plan = plan_product(config, split, grid, {256});
  if (!plan) return plan;
  add_tensor_buffers(*plan, tile, device::TensorMap::Type::Bf16);
  const auto size = device::Argument::of(static_cast<int32_t>(n));
  plan->launches[0].arguments = {BufferArgument{0},
                                 BufferArgument{1},
                                 BufferArgument{3},
                                 BufferArgument{4},
                                 size,
                                 device::Argument::of(static_cast<int32_t>(pitch_of(n)))};
  plan->launches.push_back({product,
                            {staying_blocks(tile.count(n, n))},
                            {384},
                            tile.bytes(),
                            {BufferArgument{5}, size, device::Argument::of(int32_t{config.k})}});
  return plan;
}

}  // namespace

Result<Plan> tensor_bf16(const Config& config) {
  const auto n = static_cast<uint32_t>(config.n);
  auto plan =
      plan_bf16(config, {128, 256, 4, 1}, "matmul_to_bf16", {blocks(n, 1024), n}, "matmul_tensor_bf16_384");
  if (!plan) return plan;
  plan->module = "matmul/tensor_bf16";
  plan->problem = "operands rounded to bf16";  // not as exact as the others: no rival of theirs
  for (Input& input : plan->task.inputs) input = input.in_bf16();  // what is multiplied, and verified
  for (size_t i : {0, 1}) plan->buffers[i].content = plan->task.inputs[i];
  plan->rounding *= 2;  // tensor cores cut off where others round to nearest
  return plan;
}

Result<Plan> tensor_halves(const Config& config) {
  return plan_halves(config, {256, 128, 2, 2}, "matmul_tensor_halves_384");
}
Result<Plan> tensor_halves_square(const Config& config) {
  return plan_halves(config, {128, 128, 3, 2}, "matmul_tensor_halves_square_384");
}

Result<Plan> tensor_thirds(const Config& config) {
  const auto n = static_cast<uint32_t>(config.n);
  auto plan = plan_bf16(config, {128, 128, 2, 3}, "matmul_split_thirds", {blocks(n, 1024), n, 2},
                        "matmul_tensor_thirds_384");
  if (!plan) return plan;
  plan->module = "matmul/tensor_thirds";
  return plan;
}

Result<Plan> tensor_karatsuba(const Config& config) {
  constexpr uint32_t kMatrices = 4;  // karatsuba.h
  constexpr auto kF16 = device::TensorMap::Type::F16;
  const TensorTile tile{128, 128, 6, 1, 2, 2};
  if (auto ok = require_multiple(config.n, 4, "the words of an access"); !ok) return ok.error();
  const int64_t n = config.n;
  auto plan = plan_product(config, "matmul_split_rows_karatsuba", {1}, {256});
  if (!plan) return plan;
  TensorTile parts = tile;
  parts.parts = kMatrices;
  add_tensor_buffers(*plan, parts, kF16);
  plan->buffers.back().content = TensorMaps{{whole_rows_map(3, kF16, n, kMatrices, tile.rows),
                                             whole_rows_map(4, kF16, n, kMatrices, 64), result_map(2, n)}};
  add_scan(*plan, "matmul/tensor_karatsuba");
  add_columns_and_product(*plan, tile, "matmul_split_columns_karatsuba", {blocks(n, 32), blocks(n, 128)},
                          "matmul_tensor_karatsuba_384", config.k);
  return plan;
}

}  // namespace ww::kernels
