// The cases of C = A·B.
#include <fmt/format.h>

#include <algorithm>

#include "base/round.h"
#include "kernels/families.h"
#include "kernels/host_rows.h"
#include "kernels/matmul/multi.h"
#include "kernels/matmul/product_plan.h"
#include "kernels/matmul/tensor_cases.h"
#include "kernels/matmul/tensor_plan.h"

namespace ww::kernels {

namespace {

constexpr const char* kGt240 = "GT 240 report (2014)";
constexpr const char* kGtx1080 = "GTX 1080 report (2025)";

/// A grid that gives every thread of BS × BS blocks `rx` × `ry` results.
Result<Plan> plan_blocks(const Config& config, const char* name, int rx, int ry, int slack_tile = 0) {
  const auto side = static_cast<uint32_t>(config.shape.block);
  const device::Dim3 grid{blocks(config.n, side * rx), blocks(config.n, side * ry)};
  auto plan = plan_product(config, fmt::format("matmul_{}_{}", name, side), grid, {side, side}, slack_tile);
  if (plan) plan->module = fmt::format("matmul/{}", name);
  return plan;
}

/// The same for kernels without bounds checks.
Result<Plan> plan_exact(const Config& config, const char* name, int results = 1, int slack_tile = 0) {
  const char* what = results == 1 ? "the block side" : "twice the block side";
  if (auto ok = require_multiple(config.n, config.shape.block * results, what); !ok) return ok.error();
  return plan_blocks(config, name, results, results, slack_tile);
}

Result<Plan> one_block(const Config& config) {
  auto plan = plan_exact(config, "one_block");
  if (plan) plan->launches[0].grid = {1, 1};
  return plan;
}

Result<Plan> row_per_thread(const Config& config) {
  const auto threads = static_cast<uint32_t>(config.shape.block);
  auto plan = plan_product(config, "matmul_row_per_thread", {blocks(config.n, threads)}, {threads});
  if (plan) plan->module = "matmul/row_per_thread";
  return plan;
}

Result<Plan> inner_atomic(const Config& config) {
  if (config.k > config.n)
    return error(fmt::format("{} slices of k, but k has only {} values", config.k, config.n));
  auto plan = plan_exact(config, "inner_atomic");
  if (plan) {
    plan->launches[0].grid.z = static_cast<uint32_t>(config.k);
    plan->buffers[2].content = Zero{};  // the slices add to it
  }
  return plan;
}

Result<Plan> grid(const Config& config) { return plan_exact(config, "grid"); }

/// With tiles of A and B in shared memory: As has rows of BS words, Bs of `across` · BS.
Result<Plan> with_tiles(Result<Plan> plan, const Config& config, int across = 1) {
  const auto side = static_cast<uint64_t>(config.shape.block);
  if (plan) plan->shared = {{"As", side}, {"Bs", side * static_cast<uint64_t>(across)}};
  return plan;
}

Result<Plan> tiled(const Config& config) { return with_tiles(plan_exact(config, "tiled"), config); }
Result<Plan> prefetch_register(const Config& config) {
  return with_tiles(plan_exact(config, "prefetch_register", 1, config.shape.block), config);
}
Result<Plan> prefetch_shared(const Config& config) {
  return with_tiles(plan_exact(config, "prefetch_shared", 1, config.shape.block), config);
}
Result<Plan> per_thread_2x2(const Config& config) {
  return with_tiles(plan_exact(config, "per_thread_2x2", 2, config.shape.block), config, 2);
}

Result<Plan> tiles(const Config& config) {
  const Shape& shape = config.shape;
  auto plan = with_tiles(plan_blocks(config, "tiles", shape.rx, shape.ry), config, shape.rx);
  if (plan) {
    plan->launches[0].entry += fmt::format("_{}x{}", shape.rx, shape.ry);
    if (shape.rx * shape.ry > 64) plan->module = "matmul/tiles_large";
  }
  return plan;
}

/// 128 × 128 results for 256 threads.
Result<Plan> plan_register_tiles(const Config& config, const char* name) {
  if (auto ok = require_multiple(config.n, 4, "the words of an access"); !ok) return ok.error();
  auto plan = plan_product(config, fmt::format("matmul_{}_256", name),
                           {blocks(config.n, 128), blocks(config.n, 128)}, {256});
  if (plan) {
    plan->module = fmt::format("matmul/{}", name);
    plan->shared = {{"As", 132}, {"Bs", 128}};
  }
  return plan;
}

Result<Plan> vector_loads(const Config& config) { return plan_register_tiles(config, "vector_loads"); }
Result<Plan> warp_tiles(const Config& config) { return plan_register_tiles(config, "warp_tiles"); }

/// Rows that are no multiple of 16 bytes are copied word by word.
const char* words_suffix(int64_t n) { return n % 4 == 0 ? "" : "_words"; }
uint32_t count_of(const AsyncTile& tile, int64_t n) { return static_cast<uint32_t>(tile.count(n, n)); }

Result<Plan> plan_async(const Config& config, const char* name, const AsyncTile& tile, int band) {
  auto plan = plan_product(config, fmt::format("matmul_{}_256{}", name, words_suffix(config.n)),
                           {count_of(tile, config.n)}, {tile.threads});
  if (plan) {
    plan->module = fmt::format("matmul/{}", name);
    plan->launches[0].dynamic_shared = tile.bytes();
    plan->launches[0].arguments.push_back(device::Argument::of(int32_t{band}));
  }
  return plan;
}

constexpr AsyncTile kWide{256, 128, 256, 32, 3};

Result<Plan> async_double(const Config& config) {
  return plan_async(config, "async_double", {256, 128, 128, 16, 2}, 1);
}
Result<Plan> async_stages(const Config& config) {
  return plan_async(config, "async_stages", {256, 128, 128, 16, 3}, 1);
}
Result<Plan> operands_ahead(const Config& config) {
  return plan_async(config, "operands_ahead", {256, 128, 128, 16, 3}, 1);
}
Result<Plan> wide_tiles(const Config& config) { return plan_async(config, "wide_tiles", kWide, 1); }
Result<Plan> laid_first(const Config& config) {
  constexpr AsyncTile kTile{256, 128, 256, 16, 4};
  auto plan = plan_product(config, "matmul_lay", {blocks(config.n, 64) * blocks(config.n, 64)}, {256});
  if (!plan) return plan;
  const int64_t pitch = round_up(config.n, 4);
  plan->module = "matmul/laid_first";
  plan->buffers.push_back(
      {"laid", static_cast<uint64_t>(config.n * pitch), Poison{}, 0, static_cast<uint64_t>(pitch)});
  const auto n = device::Argument::of(static_cast<int32_t>(config.n)),
             to_next = device::Argument::of(static_cast<int32_t>(pitch));
  plan->launches[0].arguments = {BufferArgument{0}, BufferArgument{3}, n, to_next};
  plan->launches.push_back({fmt::format("matmul_laid_first_256{}", words_suffix(config.n)),
                            {count_of(kTile, config.n)},
                            {kTile.threads},
                            kTile.bytes(0),
                            {BufferArgument{3}, BufferArgument{1}, BufferArgument{2}, n, to_next}});
  return plan;
}
Result<Plan> bands(const Config& config) { return plan_async(config, "wide_tiles", kWide, config.k); }

Result<Plan> split_k(const Config& config) {
  constexpr AsyncTile kTile{128, 64, 64, 16, 4};
  if (config.n > 8192) return error(fmt::format("n = {}, it is at most 8192", config.n));
  auto plan = plan_product(config, fmt::format("matmul_split_k_128{}", words_suffix(config.n)),
                           {count_of(kTile, config.n), static_cast<uint32_t>(config.k)}, {kTile.threads});
  if (!plan) return plan;
  const auto n = static_cast<uint64_t>(config.n), count = n * n;
  plan->module = "matmul/split_k";
  plan->rounding += config.k;
  plan->buffers.push_back({"partial", count * static_cast<uint64_t>(config.k), Poison{}, 0, n});
  plan->launches[0].dynamic_shared = kTile.bytes();
  plan->launches[0].arguments[2] = BufferArgument{3};
  plan->launches.push_back(
      {"matmul_add_slices",
       {blocks(static_cast<int64_t>(count), 256)},
       {256},
       0,
       {BufferArgument{3}, BufferArgument{2}, device::Argument::of(static_cast<int32_t>(count)),
        device::Argument::of(int32_t{config.k})}});
  return plan;
}

Result<Plan> warp_groups(const Config& config) {
  if (config.k != 2 && config.k != 4 && config.k != 8)
    return error(fmt::format("K = {}, a tile has 2, 4 or 8 groups of warps", config.k));
  const AsyncTile tile = config.k == 2   ? AsyncTile{256, 128, 64, 32, 3}
                         : config.k == 4 ? AsyncTile{256, 64, 64, 32, 4}
                                         : AsyncTile{256, 64, 32, 32, 4};
  auto plan = plan_product(config, fmt::format("matmul_warp_groups_{}{}", config.k, words_suffix(config.n)),
                           {count_of(tile, config.n)}, {tile.threads});
  if (!plan) return plan;
  plan->module = "matmul/warp_groups";
  plan->rounding += config.k;
  plan->launches[0].dynamic_shared = tile.bytes();
  return plan;
}

/// The kernel of `tiles` on all GPUs of the host.
Result<Plan> multi(const Config& config) {
  auto plan = tiles(config);
  if (!plan) return plan;
  const PlannedLaunch& launch = plan->launches[0];
  const MultiKernel kernel{plan->module, launch.entry, launch.block.x, static_cast<uint32_t>(config.shape.rx),
                           static_cast<uint32_t>(config.shape.ry)};
  plan->probe = [task = plan->task, rounding = plan->rounding, kernel](const ProbeRun& run) {
    return probe_multi(run, task, rounding, kernel);
  };
  plan->launches.clear();
  plan->buffers.clear();
  return plan;
}

void multiply_on_host(const Task& task, std::span<const std::vector<float>> inputs, std::span<float> c) {
  const auto n = static_cast<size_t>(task.n);
  std::fill(c.begin(), c.end(), 0.0f);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k) add_multiple(&c[i * n], inputs[0][i * n + k], &inputs[1][k * n], n);
}

Result<Plan> sequential(const Config& config) {
  auto plan = plan_product(config, "", {}, {});
  if (plan) {
    plan->buffers.clear();
    plan->launches.clear();
    plan->host = multiply_on_host;
  }
  return plan;
}

const std::vector<Shape> kSmall = {{2}, {4}};
const std::vector<Shape> kSmallTiles = {{2, 1, 1}, {2, 2, 1}, {2, 2, 2}, {2, 2, 3},
                                        {4, 1, 1}, {4, 2, 1}, {4, 2, 2}, {4, 2, 3}};
const std::vector<Shape> kTileShapes = {
    {16, 1, 1}, {16, 2, 1}, {16, 2, 2}, {16, 2, 3},   {16, 2, 4},   {16, 2, 8},   {16, 4, 4},
    {16, 5, 6}, {16, 6, 6}, {16, 8, 8}, {16, 16, 16}, {16, 23, 24}, {16, 24, 24}, {32, 1, 1},
    {32, 2, 1}, {32, 2, 2}, {32, 2, 3}, {32, 2, 4},   {32, 4, 4},   {32, 5, 6},   {32, 6, 6}};

}  // namespace

std::vector<Case> matmul_cases() {
  return {
      {"matmul/sequential",
       "C = A·B by three nested loops (i, k, j) on one core of the host",
       "The yardstick. With j innermost it reads B and writes C along rows, which the compiler vectorises.",
       "",
       "",
       {{}, {}, {}, {176, 528}, {176, 352}},
       sequential},
      {"matmul/one_block",
       "one block walks over all tiles of C, straight from global memory",
       "One block keeps one multiprocessor busy and leaves the others idle, whatever its size.",
       kGt240,
       "",
       {{{8}, {16}, {22}}, {}, {}, {176, 528}, {176, 352}, kSmall},
       one_block},
      {"matmul/row_per_thread",
       "a thread computes a whole row of C: parallel over one loop only",
       "n threads are too few to hide the latency of memory, and their reads of A are uncoalesced.",
       "",
       "",
       {{{32}, {64}, {128}, {256}}, {}, {}, {176, 528}, {176}, {{4}, {8}}},
       row_per_thread},
      {"matmul/inner_atomic",
       "a thread per element and slice of k; the slices meet in C by atomic adds",
       "More threads than needed, paid with an atomic add per slice and with a result whose last digits "
       "vary.",
       "",
       "slices of the inner loop",
       {{{16}}, {}, {2, 4, 8, 16, 32}, {176, 528}, {176}},
       inner_atomic},
      {"matmul/grid",
       "a grid of blocks, one element per thread, straight from global memory",
       "All multiprocessors work, but each multiply-add needs two words: memory sets the pace.",
       kGt240,
       "",
       {{{8}, {16}, {22}, {32}}, {}, {}, {352, 704}, {352}, kSmall},
       grid},
      {"matmul/tiled",
       "blocks load BS × BS tiles of A and B into shared memory and multiply them there",
       "A word fetched from global memory serves BS multiply-adds.",
       kGt240,
       "",
       {{{8}, {16}, {22}, {32}}, {}, {}, {352, 704}, {352}, kSmall},
       tiled},
      {"matmul/prefetch_register",
       "tiled; the next tiles are fetched into registers during the multiplication",
       "Loads overlap with arithmetic inside a thread, for a few registers. It fetches one tile too many.",
       kGt240,
       "",
       {{{8}, {16}, {32}}, {}, {}, {128, 256, 384, 640}, {352}, kSmall},
       prefetch_register},
      {"matmul/prefetch_shared",
       "tiled; the next tiles are fetched into a second pair of shared arrays",
       "One barrier per step instead of two, for twice the shared memory, which may cost resident blocks.",
       kGt240,
       "",
       {{{8}, {16}}, {}, {}, {128, 256, 384, 640}, {352}, kSmall},
       prefetch_shared},
      {"matmul/per_thread_2x2",
       "prefetch_register with 2 × 2 results per thread",
       "A word read from shared memory serves two multiply-adds; registers grow, and fewer warps fit.",
       kGt240,
       "",
       {{{8}, {16}}, {}, {}, {128, 256, 384}, {352}, kSmall},
       per_thread_2x2},
      {"matmul/tiles",
       "Rx × Ry neighbouring results per thread, any n",
       "Larger tiles save accesses to global and shared memory until registers and shared memory run out.",
       kGtx1080,
       "",
       {kTileShapes, {}, {}, {1600, 3200, 4096}, {200}, kSmallTiles},
       tiles},
      {"matmul/vector_loads",
       "8 × 8 results per thread, every access one of 16 bytes",
       "A fourth of the instructions for memory; what is left of the pace is bank conflicts, and loads "
       "whose latency nothing hides.",
       "",
       "",
       {{{256, 8, 8}}, {}, {}, {1024, 2048, 4096, 8192}, {100, 256}},
       vector_loads},
      {"matmul/warp_tiles",
       "vector_loads with the lanes of a warp arranged 8 × 4",
       "Which lane has which results decides how many words a warp reads, and in which banks.",
       "",
       "",
       {{{256, 8, 8}}, {}, {}, {1024, 2048, 4096, 8192}, {100, 256}},
       warp_tiles},
      {"matmul/async_double",
       "warp_tiles whose next tiles come by asynchronous copies",
       "Copies past the registers need none of them and no waiting; A is turned on its way, word by word.",
       "",
       "",
       {{{256, 8, 8}}, {}, {}, {1024, 2048, 4096, 8192}, {97, 256}},
       async_double},
      {"matmul/async_stages",
       "async_double with three stages",
       "A copy has two steps' time to arrive instead of one.",
       "",
       "",
       {{{256, 8, 8}}, {}, {}, {1024, 2048, 4096, 8192}, {97, 256}},
       async_stages},
      {"matmul/operands_ahead",
       "async_stages that reads the operands of the next k while it multiplies",
       "Shared memory answers after some 30 cycles: read before you need it, across the barrier too.",
       "",
       "",
       {{{256, 8, 8}}, {}, {}, {1024, 2048, 4096, 8192}, {97, 256}},
       operands_ahead},
      {"matmul/wide_tiles",
       "operands_ahead with 16 × 8 results per thread, tiles of 128 × 256, steps of 32",
       "Fewer reads and barriers for each multiply-add are worth half of the warps.",
       "",
       "",
       {{{256, 16, 8}}, {}, {}, {1024, 2048, 4096, 8192}, {97, 256}},
       wide_tiles},
      {"matmul/laid_first",
       "wide_tiles of an A that is laid across k first, with steps of 16 and 8 × 16 results per thread",
       "Nothing is turned on its way any more, which pays for a launch. Instructions come through caches, "
       "too: "
       "an unrolled "
       "loop of 71 KB waits for them where all blocks run it at once.",
       "",
       "",
       {{{256, 8, 16}}, {}, {}, {1024, 2048, 4096, 8192}, {97, 256}},
       laid_first},
      {"matmul/bands",
       "wide_tiles that takes the tiles in bands of k rows",
       "Blocks that run at the same time share rows of A and columns of B in L2.",
       "",
       "rows of tiles in a band",
       {{{256, 16, 8}}, {}, {4, 16}, {1024, 2048, 4096, 8192}, {97, 256}},
       bands},
      {"matmul/warp_groups",
       "operands_ahead for small products: tiles of 128 × 64, 64 × 64 or 64 × 32, whose 2, 4 or 8 groups of "
       "warps each "
       "take a part of every step along k",
       "Small tiles give every multiprocessor work, and 8 × 8 results a thread need few reads; the groups "
       "are the warps "
       "that hide the latency. They add up in shared memory, without a second launch.",
       "",
       "groups of warps",
       {{{256, 8, 8}}, {}, {2, 4, 8}, {512, 1024, 2048}, {97, 256}},
       warp_groups},
      {"matmul/split_k",
       "small tiles, and several blocks for each that take a slice of k; a second launch adds the slices",
       "A small product has too few tiles for all multiprocessors, but k can be cut too. The result is the "
       "same in "
       "every run.",
       "",
       "slices of k",
       {{{128, 4, 8}}, {}, {2, 4, 8}, {512, 1024}, {97, 256}},
       split_k},
      {"matmul/tensor_bf16",
       "bf16 operands on tensor cores: one warpgroup has tiles copied, two multiply them",
       "The copy engine fills shared memory, barriers there say when, and an instruction multiplies 64 × 256 "
       "× 16: no "
       "thread computes an address. The operands have 8 bits, the sums 24.",
       "",
       "rows of tiles in a band",
       {{{384}}, {}, {8}, {1024, 2048, 4096, 8192}, {100, 256}},
       tensor_bf16},
      {"matmul/tensor_halves",
       "float32 on tensor cores: each operand split into two float16 halves, three products of which are "
       "summed",
       "Three cheap products are faster than an expensive one, and as accurate: the small ones come first, "
       "and each "
       "step's sum is added to the others by the threads, to nearest.",
       "",
       "rows of tiles in a band",
       {{{384}}, {}, {4}, {1024, 2048, 4096, 8192}, {100, 256}},
       tensor_halves},
      {"matmul/tensor_halves_square",
       "tensor_halves in tiles of 128 × 128",
       "Twice as many tiles: small products keep more multiprocessors busy, large ones fetch a third more.",
       "",
       "rows of tiles in a band",
       {{{384}}, {}, {8}, {512, 1024, 2048, 4096}, {100, 256}},
       tensor_halves_square},
      {"matmul/tensor_thirds",
       "float32 on tensor cores: each operand split into three bf16 parts, six products of which are summed",
       "Three parts of 8 bits are the whole float32, with its exponents: nothing is scaled, and no elements "
       "make the result less accurate than float32 sums.",
       "",
       "rows of tiles in a band",
       {{{384}}, {}, {8}, {1024, 2048, 4096, 8192}, {100, 256}},
       tensor_thirds},
      {"matmul/tensor_karatsuba",
       "float32 on tensor cores by Karatsuba's scheme: three float16 products of sums and two of 8-bit parts",
       "High and low halves, and their sums: what the mixed terms need is one product instead of two. "
       "Float32 "
       "accuracy for four products' time instead of six, where elements are not small beside their row's "
       "largest.",
       "",
       "rows of tiles in a band",
       {{{384}}, {}, {8}, {1024, 2048, 4096, 8192}, {100, 256}},
       tensor_karatsuba},
      {"matmul/multi",
       "tiles, with the rows of C dealt to 1, 2, … all GPUs of the host, joined by NCCL",
       "The work grows with n³, what passes between GPUs with n²: large products gain from more GPUs, small "
       "ones lose. k is the number of GPUs.",
       "",
       "",
       {{{16, 4, 4}, {16, 5, 6}, {16, 6, 6}, {16, 8, 8}}, {}, {}, {2048, 4096, 8192}, {1024, 2048}},
       multi,
       true},
  };
}

}  // namespace ww::kernels
