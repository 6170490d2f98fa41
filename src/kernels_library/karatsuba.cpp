// Float32 products by Karatsuba's scheme (kernels/matmul/karatsuba.h).
#include <algorithm>
#include <array>
#include <string>

#include "kernels_library/remembered.h"
#include "kernels_library/sources.h"
#include "kernels_library/tensor.h"
#include "kernels_library/tensor_launches.h"

namespace warpwright {

namespace {

constexpr int64_t kMatrices = 4, kLowerMatrices = 6;  ///< that an operand is split into; A of A·Aᵀ
constexpr const char* kFile = "tensor_karatsuba";
// Cycles: the first measurements (data/measured/h200-library/karatsuba_trial.csv), and, of pairs whose last
// tiles are cut, what the longer loop takes beside (lower_pieces.csv there).
constexpr TensorForm kForms[] = {{"", {128, 128, 6, 1}, 3650},
                                 {"_pair", {128, 128, 6, 1, 2, 2}, 3150},
                                 {"_pair_cut", {128, 128, 6, 1, 2, 2}, 3300}};
constexpr const TensorForm *kPair = &kForms[1], *kPairCut = &kForms[2];

/// As the kernels take them (cuda/split_karatsuba.h).
struct SmallCounts {
  int *rows, *most;
};

/// What is the same for both ways to compute the product, and known before it: the results, if C is not where
/// the copy engine can store them, and words for the scan.
struct Shared {
  Matrix<float> results;
  int *largest, *raised;
  SmallCounts smalls;
  int64_t cleared;  ///< words from `largest` on
};
/// `lines`: rows of A and columns of B, or rows of A.
Shared take_shared(const Matrix<float>& c, int64_t lines, Parts& parts) {
  Shared shared{aligned_results(c, parts), nullptr, nullptr, {}, 2 * lines + 2};
  shared.largest = parts.take<int>(shared.cleared);
  shared.smalls = {shared.largest + lines, shared.largest + 2 * lines};
  shared.raised = parts.take<int>(lines);
  return shared;
}

/// Both launches of the splitting, as kernels `scan_…` and `split_…`; `count` matrices.
Status split_for_karatsuba(Gpu& gpu, Stream stream, const std::string& name, Sources& sources, uint32_t count,
                           const Shared& shared) {
  Status s = check_driver(Driver::get()->cuMemsetD32Async(reinterpret_cast<Address>(shared.largest), 0,
                                                          static_cast<size_t>(shared.cleared), stream));
  const auto launch = [&](const std::string& entry, const std::array<uint64_t, 2>& blocks, const Dim& grid) {
    if (count == 1) return gpu.launch(kFile, entry, grid, 256, 0, stream, sources, shared.smalls);
    return gpu.launch(kFile, entry, grid, 256, 0, stream, sources, shared.smalls,
                      static_cast<int>(blocks[0]));
  };
  std::array<uint64_t, 2> scans{}, splits{};
  for (uint32_t i = 0; i < count; ++i) {
    Source& of = sources.of[i];
    scans.at(i) = of.by_columns ? scan_tiles_of_turned(of, gpu.multiprocessors()) : blocks_of_rows(of);
    splits.at(i) = of.by_columns ? tiles_of(of, kSplitTile) : 0;
  }
  if (s == Status::ok) s = launch("scan_" + name, scans, {scans[0] + scans[1]});
  if (s == Status::ok && splits[0] + splits[1] > 0)
    s = launch("split_" + name, splits, early(splits[0] + splits[1]));
  return s;
}
/// The first and the last of four matrices of a source from number `first` on, and the results.
Status make_maps(Maps& made, const Source& a, const Source& b, int64_t first_of_b, const Shared& shared,
                 const ww::kernels::TensorTile& tile) {
  // What lies behind a row's end is 0: the 8-bit parts of the last columns lie there.
  const auto operand = [&](int i, const Source& s, int64_t first) {
    return make_operand_map(made.of[i], ElementType::float16, s.parts + first * s.rows * s.pitch, s.rows,
                            s.pitch, s.pitch, kMatrices, i == 0 ? tile.rows : 64);
  };
  if (Status s = operand(0, a, 0); s != Status::ok) return s;
  if (Status s = operand(1, b, first_of_b); s != Status::ok) return s;
  const Matrix<float>& c = shared.results;
  return make_result_map(made.of[2], ElementType::float32, c.data, c.rows, c.columns, c.stride);
}
Dim grid_of(const SplitPlan& plan, int64_t blocks) {
  const auto cluster = int64_t{plan.form->tile.cluster};
  return early(static_cast<uint64_t>(std::min(plan.items(), blocks / cluster * cluster)), 1,
               plan.form->tile.cluster);
}

/// Tiles on and below the diagonal; of clusters' squares all.
int64_t lower_tiles(const ww::kernels::TensorTile& tile, int64_t n) {
  const int64_t side = divide_up(n, int64_t{tile.rows} * tile.cluster);
  return side * (side + 1) / 2 * tile.cluster * tile.cluster;
}

}  // namespace

std::vector<SplitPlan> karatsuba_plans(int64_t m, int64_t n, int64_t k, bool lower, int64_t multiprocessors) {
  std::vector<SplitPlan> plans;
  for (const TensorForm& form : kForms) {
    const auto first = static_cast<std::ptrdiff_t>(plans.size());
    add_plans(plans, form, lower ? lower_tiles(form.tile, n) : static_cast<int64_t>(form.tile.count(m, n)), k,
              &form != kPair, multiprocessors);
    if (&form == kPairCut) plans.erase(plans.begin() + first);  // all whole
  }
  return plans;
}

SplitPlan plan_karatsuba(int64_t m, int64_t n, int64_t k, bool lower, int64_t multiprocessors) {
  thread_local Remembered<5, SplitPlan> known;
  return known.answer({m, n, k, lower, multiprocessors}, [&] {
    const std::vector<SplitPlan> plans = karatsuba_plans(m, n, k, lower, multiprocessors);
    return *std::min_element(plans.begin(), plans.end(), [&](const SplitPlan& x, const SplitPlan& y) {
      return cycles(x, k, multiprocessors) < cycles(y, k, multiprocessors);
    });
  });
}

Status multiply_karatsuba(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<const float>& b,
                          const Matrix<float>& c, const SplitPlan& plan, int64_t blocks, void* workspace) {
  const ww::kernels::TensorTile& tile = plan.form->tile;
  const auto m = static_cast<int>(c.rows), n = static_cast<int>(c.columns), k = static_cast<int>(a.columns);
  Parts parts(workspace);
  const Shared shared = take_shared(c, c.rows + c.columns, parts);
  const Smalls smalls{shared.smalls.most, k};
  void* const rest = parts.take<char>(0);  // for thirds: then nobody needs what comes here
  const LastTiles last = take_last_tiles(plan, parts);
  Sources sources{{source(a, kMatrices, parts), source(transposed(b), kMatrices, parts)}};
  for (int i : {0, 1}) {
    sources.of[i].largest = shared.largest + (i == 0 ? 0 : m);
    sources.of[i].raised = shared.raised + (i == 0 ? 0 : m);
  }
  sources.counts = last.done, sources.count_of_counts = static_cast<int>(2 * plan.cut);
  Maps made;
  Status s = make_maps(made, sources.of[0], sources.of[1], 0, shared, tile);
  if (s == Status::ok) s = split_for_karatsuba(gpu, stream, "karatsuba", sources, 2, shared);
  if (s != Status::ok) return s;
  s = gpu.launch(kFile, std::string("multiply_karatsuba") + plan.form->name, grid_of(plan, blocks), 384,
                 tile.bytes(), stream, made, m, n, k, kTensorBand, static_cast<const int*>(shared.raised),
                 static_cast<const int*>(shared.raised + m), last, smalls);
  if (s == Status::ok)
    s = multiply_split(gpu, stream, a, b, shared.results, Accuracy::float32,
                       plan_split(m, n, k, Accuracy::float32, false, blocks), blocks, rest, smalls);
  return s == Status::ok ? place_results(gpu, kFile, stream, shared.results, c) : s;
}

Status lower_karatsuba(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<float>& c,
                       const SplitPlan& plan, int64_t blocks, void* workspace) {
  const ww::kernels::TensorTile& tile = plan.form->tile;
  const auto n = static_cast<int>(c.rows), k = static_cast<int>(a.columns);
  Parts parts(workspace);
  const Shared shared = take_shared(c, n, parts);
  const Smalls smalls{shared.smalls.most, k};
  void* const rest = parts.take<char>(0);
  const LastTiles last = take_last_tiles(plan, parts);
  Sources sources{{source(a, kLowerMatrices, parts), {}}};
  Source& of = sources.of[0];
  of.largest = shared.largest, of.raised = shared.raised;
  sources.counts = last.done, sources.count_of_counts = static_cast<int>(2 * plan.cut);
  Maps made;
  Status s = make_maps(made, of, of, kLowerMatrices - kMatrices, shared, tile);
  if (s == Status::ok) s = split_for_karatsuba(gpu, stream, "lower", sources, 1, shared);
  if (s == Status::ok)
    s = gpu.launch(kFile, std::string("lower_karatsuba") + plan.form->name, grid_of(plan, blocks), 384,
                   tile.bytes(), stream, made, n, k, kTensorBand, static_cast<const int*>(shared.raised),
                   last, smalls);
  if (s == Status::ok)
    s = lower_split(gpu, stream, a, shared.results, Accuracy::float32,
                    plan_split(n, n, k, Accuracy::float32, true, blocks), blocks, rest, smalls);
  return s == Status::ok ? place_results(gpu, kFile, stream, shared.results, c) : s;
}

// A result that lies by columns is computed as the transposed one.
size_t karatsuba_workspace(int64_t m, int64_t n, int64_t k) {
  const auto count = [k](int64_t rows, int64_t columns) {
    Parts parts(nullptr);
    take_shared({nullptr, rows, columns, columns}, rows + columns, parts);
    const size_t shared = parts.used();
    count_last_tiles(static_cast<int64_t>(kPairCut->tile.count(rows, columns)), parts);
    for (int64_t lines : {rows, columns}) parts.take<uint16_t>(kMatrices * lines * ww::kernels::pitch_of(k));
    return std::max(parts.used(), shared + split_workspace(rows, columns, k, Accuracy::float32));
  };
  return std::max(count(m, n), count(n, m));
}
size_t lower_karatsuba_workspace(int64_t n, int64_t k) {
  Parts parts(nullptr);
  take_shared({nullptr, n, n, n}, n, parts);
  const size_t shared = parts.used();
  count_last_tiles(lower_tiles(kPairCut->tile, n), parts);
  parts.take<uint16_t>(kLowerMatrices * n * ww::kernels::pitch_of(k));
  return std::max(parts.used(), shared + lower_split_workspace(n, k, Accuracy::float32));
}

}  // namespace warpwright
