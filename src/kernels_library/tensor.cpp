#include "kernels_library/tensor.h"

#include <algorithm>
#include <string>

#include "kernels_library/remembered.h"
#include "kernels_library/sources.h"
#include "kernels_library/tensor_launches.h"

namespace warpwright {

namespace {

using ww::kernels::pitch_of;
using ww::kernels::TensorTile;

// The last one's kernel takes whole tiles only (kernels/matmul/tensor_tiles.h).
constexpr TensorForm kThirdsForms[] = {{"", {128, 128, 2, 3}, 4000}, {"_thin", {128, 64, 2, 3}, 2480}};
constexpr TensorForm kHalvesForms[] = {
    {"", {128, 128, 3, 2}, 2000}, {"_thin", {128, 64, 4, 2}, 1240}, {"_tall", {256, 128, 2, 2}, 3400}};
constexpr const TensorForm* kTall = &kHalvesForms[2];
// Cutting the last tiles: of each, pieces of so many steps at least, and of all so many, for which there is
// room. In cycles, what a piece takes beyond its steps, and all once more, of halves and of the others
// (data/measured/h200-library/split_plans.csv and karatsuba_splitting.csv,
// data/measured/h100-library/thirds_cut.csv).
constexpr int64_t kLeastStepsOfPiece = 2;
constexpr double kPiece[] = {10000, 16000}, kAddPieces[] = {6000, 12000};
// Of A·Aᵀ, whose pieces the next launch adds up, and whose whole tiles, of thirds, are stored twice
// (lower_plans.csv and lower_choice.csv there).
constexpr double kPieceKept = 5000, kPieceAdded = 45, kBothStored = 6000;
/// Blocks that mirror a tile on the diagonal and add up one that was cut (cuda/tensor.h).
constexpr int64_t kMirrored = 10, kAdders = 16;

/// Room for what the halves of the first matrix's rows and the second's columns are raised by, and for the
/// scan before it, whose words lie side by side.
void take_exponents(Sources& sources, int64_t rows, int64_t columns, Parts& workspace) {
  int* const largest = workspace.take<int>(rows + columns);
  sources.of[0].largest = largest, sources.of[1].largest = largest + rows;
  sources.of[0].raised = workspace.take<int>(rows);
  sources.of[1].raised = workspace.take<int>(columns);
}
/// `count` matrices with as many `lines` together.
Status scan_halves(Gpu& gpu, Stream stream, Sources& sources, uint32_t count, int64_t lines) {
  const uint64_t tiles = scan_tiles(sources, count, gpu.multiprocessors());
  if (Status status = check_driver(Driver::get()->cuMemsetD32Async(
          reinterpret_cast<Address>(sources.of[0].largest), 0, static_cast<size_t>(lines), stream));
      status != Status::ok)
    return status;
  return gpu.launch("tensor_halves", "scan_halves", {tiles, count}, 256, 0, stream, sources);
}

/// The splitting, as kernels of `file`; `count` matrices.
Status split_operands(Gpu& gpu, Stream stream, Accuracy accuracy, Sources& sources, uint32_t count,
                      const SplitPlan& plan, const LastTiles& last, const Smalls& smalls = {}) {
  sources.counts = last.done, sources.count_of_counts = static_cast<int>(2 * plan.cut);
  uint64_t tiles = split_tiles_of_short_rows(sources, count);
  // Who finds that nothing is to be done should not be many.
  if (smalls.most) tiles = std::min(tiles, 8 * static_cast<uint64_t>(gpu.multiprocessors()));
  const Dim grid = early(tiles, count);
  if (accuracy == Accuracy::halves)
    return gpu.launch("tensor_halves", "split_halves", grid, 256, 0, stream, sources);
  return gpu.launch("tensor_thirds", "split_thirds", grid, 256, 0, stream, sources, smalls);
}

}  // namespace

std::vector<SplitPlan> split_plans(int64_t m, int64_t n, int64_t k, Accuracy accuracy, bool lower,
                                   int64_t multiprocessors) {
  std::vector<SplitPlan> plans;
  const auto add = [&](const TensorForm& form) {
    const auto tiles = static_cast<int64_t>(lower ? form.tile.lower_count(m) : form.tile.count(m, n));
    add_plans(plans, form, tiles, k, &form != kTall, multiprocessors);
  };
  if (accuracy == Accuracy::halves) {
    for (const TensorForm& form : kHalvesForms)
      if (!lower || &form == kHalvesForms) add(form);
  } else {
    for (const TensorForm& form : kThirdsForms)
      if (!lower || &form == kThirdsForms) add(form);
  }
  if (lower)
    for (SplitPlan& plan : plans) plan.diagonal = divide_up(m, int64_t{plan.form->tile.rows});
  return plans;
}

void add_plans(std::vector<SplitPlan>& plans, const TensorForm& form, int64_t tiles, int64_t k, bool cut,
               int64_t multiprocessors) {
  const int64_t steps = divide_up(k, int64_t{64}), cluster = form.tile.cluster;
  const int64_t last = tiles / cluster % std::max<int64_t>(1, multiprocessors / cluster) * cluster;
  plans.push_back({&form, tiles});
  // Where pieces alone fill every multiprocessor once, an H200 takes 1.5 times as long as for whole tiles (66
  // tiles in halves, data/measured/h200-library/halves_pieces.csv); why is not known.
  const auto fills = [&](int64_t pieces) { return tiles == last && last * pieces == multiprocessors; };
  for (int64_t pieces = 2; cut && last > 0 && pieces <= kMostPiecesOfTile; ++pieces)
    if (steps >= pieces * kLeastStepsOfPiece && last * pieces <= kMostCut && !fills(pieces))
      plans.push_back({&form, tiles - last, last, pieces});
}

double cycles(const SplitPlan& plan, int64_t k, int64_t multiprocessors) {
  const int64_t steps = divide_up(k, int64_t{64});
  const auto rounds = [&](int64_t items) { return static_cast<double>(divide_up(items, multiprocessors)); };
  const double tile = static_cast<double>(steps) * plan.form->step,
               whole = rounds(plan.whole) *
                       (tile + (plan.diagonal > 0 && plan.form->tile.parts == 3 ? kBothStored : 0));
  // What is spared on the diagonal counts where no other tile is in the last round.
  const auto spared = [&](int64_t last) { return last <= plan.diagonal ? tile / 4 : 0; };
  if (plan.cut == 0) return whole - spared(plan.whole - (plan.whole - 1) / multiprocessors * multiprocessors);
  const size_t others = plan.form->tile.parts != 2;
  const double steps_of_piece = static_cast<double>(divide_up(steps, plan.pieces)) * plan.form->step;
  const int64_t pieces = plan.cut * plan.pieces;
  // Of A·Aᵀ they are added up by the launch that mirrors tiles.
  if (plan.diagonal > 0)
    return whole + std::max(rounds(pieces) * (steps_of_piece + kPieceKept) - spared(pieces), 0.0) +
           kPieceAdded * static_cast<double>(pieces);
  const double piece = steps_of_piece + kPiece[others];
  return whole + rounds(pieces) * piece + kAddPieces[others];
}

SplitPlan plan_split(int64_t m, int64_t n, int64_t k, Accuracy accuracy, bool lower,
                     int64_t multiprocessors) {
  thread_local Remembered<6, SplitPlan> known;
  return known.answer({m, n, k, static_cast<int>(accuracy), lower, multiprocessors}, [&] {
    const std::vector<SplitPlan> plans = split_plans(m, n, k, accuracy, lower, multiprocessors);
    return *std::min_element(plans.begin(), plans.end(), [&](const SplitPlan& x, const SplitPlan& y) {
      return cycles(x, k, multiprocessors) < cycles(y, k, multiprocessors);
    });
  });
}

Status multiply_split(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<const float>& b,
                      const Matrix<float>& c, Accuracy accuracy, const SplitPlan& plan, int64_t blocks,
                      void* workspace, const Smalls& smalls) {
  const bool halves = accuracy == Accuracy::halves;
  const char* file = halves ? "tensor_halves" : "tensor_thirds";
  const TensorTile& tile = plan.form->tile;
  const ElementType type = halves ? ElementType::float16 : ElementType::bfloat16;
  Parts parts(workspace);
  Sources sources{{source(a, tile.parts, parts), source(b, tile.parts, parts)}};
  // Who has computed the product before has made room for its results, too.
  const Matrix<float> results = smalls.most ? c : aligned_results(c, parts);
  const LastTiles last = take_last_tiles(plan, parts);
  if (halves) {
    take_exponents(sources, a.rows, b.columns, parts);
    if (Status s = scan_halves(gpu, stream, sources, 2, a.rows + b.columns); s != Status::ok) return s;
  }
  Maps made;
  Status s = make_operand_map(made.of[0], type, sources.of[0].parts, a.rows, a.columns, sources.of[0].pitch,
                              tile.parts, tile.rows);
  if (s == Status::ok)
    s = make_operand_map(made.of[1], type, sources.of[1].parts, b.rows, b.columns, sources.of[1].pitch,
                         tile.parts, 64);
  if (s == Status::ok)
    s = make_result_map(made.of[2], ElementType::float32, results.data, c.rows, c.columns, results.stride);
  if (s == Status::ok) s = split_operands(gpu, stream, accuracy, sources, 2, plan, last, smalls);
  if (s != Status::ok) return s;
  const Dim grid = early(std::min(plan.items(), blocks));
  const std::string entry = std::string(halves ? "multiply_halves" : "multiply_thirds") + plan.form->name;
  const auto m = static_cast<int>(c.rows), n = static_cast<int>(c.columns), k = static_cast<int>(a.columns);
  if (plan.form == kTall)
    s = gpu.launch(file, entry, grid, 384, tile.bytes(), stream, made, m, n, k, kTensorBand,
                   sources.of[0].raised, sources.of[1].raised);
  else if (halves)
    s = gpu.launch(file, entry, grid, 384, tile.bytes(), stream, made, m, n, k, kTensorBand,
                   sources.of[0].raised, sources.of[1].raised, last);
  else
    s = gpu.launch(file, entry, grid, 384, tile.bytes(), stream, made, m, n, k, kTensorBand, last, smalls);
  return s == Status::ok ? place_results(gpu, file, stream, results, c) : s;
}

namespace {
/// Where the tiles on the diagonal are put, which take three quarters of the others' time: the first of the
/// last round, where pieces come behind it, else the last.
int64_t first_on_diagonal(const SplitPlan& plan, int64_t blocks) {
  const int64_t last = plan.whole + plan.cut - plan.diagonal;
  return plan.cut > 0 ? std::clamp<int64_t>(plan.whole - blocks, 0, last) : last;
}
}  // namespace

Status lower_split(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<float>& c,
                   Accuracy accuracy, const SplitPlan& plan, int64_t blocks, void* workspace,
                   const Smalls& smalls) {
  const bool halves = accuracy == Accuracy::halves;
  const char* file = halves ? "tensor_halves" : "tensor_thirds";
  const TensorTile& tile = plan.form->tile;
  const ElementType type = halves ? ElementType::float16 : ElementType::bfloat16;
  Parts parts(workspace);
  Sources sources{{source(a, tile.parts, parts), {}}};
  const Matrix<float> results = smalls.most ? c : aligned_results(c, parts);
  LastTiles last = take_last_tiles(plan, parts);
  last.diagonal = static_cast<int>(first_on_diagonal(plan, std::min(plan.items(), blocks)));
  const Source& of = sources.of[0];
  if (halves) {
    take_exponents(sources, a.rows, 0, parts);
    if (Status s = scan_halves(gpu, stream, sources, 1, a.rows); s != Status::ok) return s;
  }
  Maps made;
  Status s = make_operand_map(made.of[0], type, of.parts, a.rows, a.columns, of.pitch, tile.parts, tile.rows);
  if (s == Status::ok)
    s = make_operand_map(made.of[1], type, of.parts, a.rows, a.columns, of.pitch, tile.parts, 64);
  if (s == Status::ok)
    s = make_result_map(made.of[2], ElementType::float32, results.data, c.rows, c.columns, results.stride);
  if (s == Status::ok) s = split_operands(gpu, stream, accuracy, sources, 1, plan, last, smalls);
  if (s != Status::ok) return s;
  const Dim grid = early(std::min(plan.items(), blocks));
  const auto n = static_cast<int>(c.rows), k = static_cast<int>(a.columns);
  if (halves)
    s = gpu.launch(file, "lower_halves", grid, 384, tile.bytes(), stream, made, n, k, kTensorBand, of.raised,
                   last);
  else
    s = gpu.launch(file, "lower_thirds", grid, 384, tile.bytes(), stream, made, n, k, kTensorBand, last,
                   smalls);
  if (s != Status::ok) return s;
  const Dim finish =
      early(kMirrored * divide_up(c.rows, int64_t{tile.rows}) + kAdders * static_cast<int64_t>(plan.cut));
  const auto stride = static_cast<int>(results.stride);
  if (halves)
    s = gpu.launch(file, "finish_lower", finish, 256, 0, stream, results.data, stride, n, k, kTensorBand,
                   of.raised, last);
  else
    s = gpu.launch(file, "finish_lower", finish, 256, 0, stream, results.data, stride, n, k, kTensorBand,
                   last, smalls);
  return s == Status::ok ? place_results(gpu, file, stream, results, c) : s;
}

namespace {

/// The same parts as the calls take, counted.
size_t count_split(int64_t m, int64_t n, int64_t k, Accuracy accuracy, bool lower) {
  const int64_t each = accuracy == Accuracy::halves ? 2 : 3;
  Parts parts(nullptr);
  parts.take<uint16_t>(each * m * pitch_of(k));
  if (!lower) parts.take<uint16_t>(each * k * pitch_of(n));
  parts.take<float>(m * pitch_of(n));
  const int64_t columns = lower ? 0 : n;
  for (int64_t lines : {m + columns, m, columns}) parts.take<int>(lines);
  // Of tiles half as large there are at most twice as many.
  count_last_tiles(
      static_cast<int64_t>(lower ? kThirdsForms[0].tile.lower_count(m) : kThirdsForms[0].tile.count(m, n)),
      parts);
  return parts.used();
}
}  // namespace

// A result that lies by columns is computed as the transposed one.
size_t split_workspace(int64_t m, int64_t n, int64_t k, Accuracy accuracy) {
  return std::max(count_split(m, n, k, accuracy, false), count_split(n, m, k, accuracy, false));
}
size_t lower_split_workspace(int64_t n, int64_t k, Accuracy accuracy) {
  return count_split(n, n, k, accuracy, true);
}
}  // namespace warpwright
