#include "kernels_library/tensor.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>

#include "kernels/matmul/tile_shapes.h"
#include "kernels_library/remembered.h"
#include "kernels_library/tensor_maps.h"

namespace warpwright {

namespace {

using ww::kernels::pitch_of;
using ww::kernels::TensorTile;

constexpr int kTensorBand = 8;
// The last one's kernel takes whole tiles only (kernels/matmul/tensor_tiles.h).
constexpr TensorForm kThirdsForms[] = {{"", {128, 128, 2, 3}, 4000}, {"_thin", {128, 64, 2, 3}, 2480}};
constexpr TensorForm kHalvesForms[] = {
    {"", {128, 128, 3, 2}, 2000}, {"_thin", {128, 64, 4, 2}, 1240}, {"_tall", {256, 128, 2, 2}, 3400}};
constexpr const TensorForm* kTall = &kHalvesForms[2];
// Cutting the last tiles: of each, pieces of so many steps at least, and of all so many, for which there is
// room. In cycles, what a piece takes beyond its steps, and all once more, of halves and of thirds
// (data/measured/h200-library/split_plans.csv, data/measured/h100-library/thirds_cut.csv).
constexpr int64_t kMostPiecesOfTile = 8, kMostCut = 400, kLeastStepsOfPiece = 2;
constexpr double kPiece[] = {10000, 16000}, kAddPieces[] = {6000, 12000};
constexpr int64_t kMostTileWords = 128 * 128;  ///< of a tile that is cut
/// Of bfloat16 products. `in_turns`: two warpgroups take turns with whole tiles, and only the last tile's
/// results are not stored while others are multiplied. `pieces`: blocks of a cluster that have a tile
/// together, each a part of k (kernels/matmul/tensor_cut.h).
struct Bfloat16Form : TensorForm {
  bool in_turns = false;
  uint32_t pieces = 1;
};
// rows, columns, stages, parts, warpgroups, cluster, side by side. The last one has float32 results only.
constexpr Bfloat16Form kBfloat16Forms[] = {{{"_128x256", {128, 256, 4, 1}, 1710}},
                                           {{"_128x128", {128, 128, 6, 1}, 830}},
                                           {{"_128x64", {128, 64, 8, 1}, 500}},
                                           {{"_256x128_beside", {256, 128, 4, 1, 2, 2, true}, 1632}},
                                           {{"_256x192_beside", {256, 192, 3, 1, 2, 2, true}, 2430}},
                                           {{"_192x192_pair", {192, 192, 3, 1, 3, 2}, 1945}},
                                           {{"_128x128_turns", {128, 128, 6, 1}, 810}, true},
                                           {{"_128x192_turns", {128, 192, 4, 1}, 1207}, true},
                                           {{"_128x64_cut2", {128, 64, 8, 1}, 500}, false, 2},
                                           {{"_128x64_cut3", {128, 64, 8, 1}, 500}, false, 3},
                                           {{"_128x64_cut4", {128, 64, 8, 1}, 500}, false, 4},
                                           {{"_128x64_cut8", {128, 64, 8, 1}, 500}, false, 8},
                                           {{"_128x128_cut2", {128, 128, 6, 1}, 750}, false, 2},
                                           {{"_128x128_cut3", {128, 128, 6, 1}, 750}, false, 3},
                                           {{"_128x128_cut4", {128, 128, 6, 1}, 750}, false, 4},
                                           {{"_128x192_cut2", {128, 192, 4, 1}, 1062}, false, 2},
                                           {{"_128x192_cut3", {128, 192, 4, 1}, 1062}, false, 3},
                                           {{"_128x192_cut4", {128, 192, 4, 1}, 1062}, false, 4},
                                           {{"_128x256_cut2", {128, 256, 4, 1}, 1540}, false, 2},
                                           {{"_128x256_cut3", {128, 256, 4, 1}, 1540}, false, 3},
                                           {{"_128x256_cut4", {128, 256, 4, 1}, 1540}, false, 4},
                                           {{"_192x192_cut2", {192, 192, 3, 1, 3}, 1710}, false, 2},
                                           {{"_192x192_cut3", {192, 192, 3, 1, 3}, 1710}, false, 3},
                                           {{"_192x192_cut4", {192, 192, 3, 1, 3}, 1710}, false, 4},
                                           {{"_128x224_pair", {128, 224, 4, 1, 2, 2}, 1467}}};
constexpr size_t kBothResults = 24;
/// Rows of 128 bytes that the copy engines of all multiprocessors bring in a cycle, and what one counts that
/// two blocks get; bytes of results that two warpgroups of one store in a cycle; how many cycles later a
/// launch of clusters is done (data/measured/h200-library/bf16_forms.csv, as the steps of bfloat16).
constexpr double kRowsACycle = 65, kCommonRow = 1.17, kStoredACycle = 52, kClusterCycles = 1350;
/// Where a cluster has a tile together: what it takes until the sums of two blocks are there, of each further
/// one, and how many bytes of the others' a block then adds in a cycle
/// (data/measured/h200-library/bf16_clusters.csv).
constexpr double kMeetCycles = 4500, kMeetMore = 450, kMetACycle = 40;

/// Bytes, 128 at most, at whose multiples all rows begin.
int64_t row_unit(const Matrix<const Bfloat16>& m) {
  const uint64_t begins = reinterpret_cast<uintptr_t>(m.data) | static_cast<uint64_t>(m.stride) * 2 | 128;
  return static_cast<int64_t>(begins & -begins);
}
/// What a row of 128 bytes that a box brings counts, on average over the boxes: as many as the lines that it
/// lies in; one that begins at an odd multiple of 16 bytes, which cuts pieces of 32, counts more.
double row_count(const Matrix<const Bfloat16>& m) {
  const int64_t unit = row_unit(m);
  return unit < 32 ? 2.45 : 2 - static_cast<double>(unit) / 128;
}

bool lies_by_columns(const Matrix<const Bfloat16>& m) { return m.layout == Layout::by_columns; }
/// The matrix, or the transposed one, that lies by rows.
Matrix<const Bfloat16> lines_of(const Matrix<const Bfloat16>& m) {
  return lies_by_columns(m) ? transposed(m) : m;
}

/// Of cuda.
std::string file_of(const Bfloat16Form& form, const Matrix<const Bfloat16>& a,
                    const Matrix<const Bfloat16>& b) {
  return std::string("tensor_bfloat16") +
         (form.pieces == 1           ? ""
          : form.tile.columns <= 128 ? "_cut"
                                     : "_cut_wide") +
         (lies_by_columns(a)   ? lies_by_columns(b) ? "_columns" : "_columns_a"
          : lies_by_columns(b) ? "_columns_b"
                               : "");
}

/// For the copy engine, which brings it in boxes of 64 elements by `lines` rows or columns.
Status make_map_of(TensorMap& map, const Matrix<const Bfloat16>& m, uint32_t lines) {
  const Matrix<const Bfloat16> lies = lines_of(m);
  return make_operand_map(map, ElementType::bfloat16, lies.data, lies.rows, lies.columns, lies.stride, 1,
                          lines);
}

/// How many tiles are computed at once where clusters of `pieces` blocks have one each: each cluster lies
/// within one of the GPU's groups of multiprocessors. (An H200 has room for 66, 39, 30 and 15 of two, three,
/// four and eight.)
int64_t tiles_at_once(const Gpu& gpu, uint32_t pieces) {
  const double room = pieces == 1 ? 132 : pieces == 2 ? 66 : pieces == 3 ? 39 : pieces == 4 ? 30 : 15;
  return std::max<int64_t>(1, std::llround(gpu.multiprocessors() * room / 132));
}

/// The cycles of a product of bfloat16 in tiles of this form.
double cycles_of(const Bfloat16Form& form, const Gpu& gpu, const Matrix<const Bfloat16>& a,
                 const Matrix<const Bfloat16>& b, int64_t result_bytes) {
  const TensorTile& tile = form.tile;
  const auto tiles = static_cast<int64_t>(tile.count(a.rows, b.columns));
  const int64_t at_once = tiles_at_once(gpu, form.pieces);
  const auto blocks = static_cast<double>(std::min(tiles, at_once) * form.pieces);
  const auto rows_of = [](uint32_t rows, uint32_t blocks) {
    return rows * (blocks > 1 ? kCommonRow / blocks : 1);
  };
  const double rows =
      rows_of(tile.rows, tile.across()) * row_count(a) +
      rows_of(lies_by_columns(b) ? tile.columns : 64 * tile.panels(), tile.below()) * row_count(b);
  // Copies may take longer than products, less so where clusters share them.
  const double multiply =
      static_cast<double>(divide_up(divide_up(a.columns, int64_t{64}), int64_t{form.pieces})) *
      std::max(form.step, blocks * rows / kRowsACycle);
  const auto results = static_cast<double>(tile.rows * tile.columns);
  const double store = results * static_cast<double>(result_bytes) / kStoredACycle;
  const auto rounds = static_cast<double>(divide_up(tiles, at_once));
  if (form.pieces > 1) {
    const double others = results * sizeof(float) * (form.pieces - 1) / form.pieces;
    return rounds * (multiply + kMeetCycles + kMeetMore * (form.pieces - 2) + others / kMetACycle +
                     store / form.pieces);
  }
  // In turns one warpgroup stores the last tile alone, and others while the next is multiplied.
  return rounds * multiply + (form.in_turns ? 2 : rounds) * store + (tile.cluster > 1 ? kClusterCycles : 0);
}
/// The fastest of the first `forms`.
const Bfloat16Form& choose_bfloat16(const Gpu& gpu, size_t forms, const Matrix<const Bfloat16>& a,
                                    const Matrix<const Bfloat16>& b, int64_t result_bytes) {
  thread_local Remembered<8, const Bfloat16Form*> known;
  return *known.answer(
      {a.rows, b.columns, a.columns, row_unit(a), row_unit(b),
       2 * int{lies_by_columns(a)} + int{lies_by_columns(b)}, result_bytes, gpu.multiprocessors()},
      [&] {
        const Bfloat16Form* best = nullptr;
        double least = 0;
        for (const Bfloat16Form& form : std::span(kBfloat16Forms, forms)) {
          const double cycles = cycles_of(form, gpu, a, b, result_bytes);
          if (!best || cycles < least) least = cycles, best = &form;
        }
        return best;
      });
}

// As the kernels take them (cuda/split.h).
struct Source {
  const float* data = nullptr;
  uint16_t* parts = nullptr;
  int* largest = nullptr;
  int* raised = nullptr;
  int stride = 0, by_columns = 0, fours = 0, rows = 0, columns = 0, pitch = 0;
};
struct Sources {
  Source of[2];
  unsigned* counts = nullptr;
  int count_of_counts = 0;
};
struct LastTiles {
  int whole, pieces;
  float* partial;
  unsigned* done;
};

/// A matrix as its parts, of which it has `count`.
Source source(const Matrix<const float>& m, int64_t count, Parts& workspace) {
  const bool by_columns = m.layout == Layout::by_columns;
  const int64_t pitch = pitch_of(m.columns);
  return {m.data,
          workspace.take<uint16_t>(count * m.rows * pitch),
          nullptr,
          nullptr,
          static_cast<int>(m.stride),
          by_columns,
          aligned_rows(m),
          static_cast<int>(m.rows),
          static_cast<int>(m.columns),
          static_cast<int>(pitch)};
}
/// Blocks for a matrix; `height`: rows of a tile of one that lies by rows (cuda/split.h).
uint64_t tiles_of(const Source& s, int64_t height) {
  return static_cast<uint64_t>(s.by_columns ? divide_up(s.rows, 32) * divide_up(s.columns, 128)
                                            : divide_up(s.rows, height) * divide_up(s.columns, 1024));
}
// Rows of a tile of the scan: few where there are few tiles.
constexpr int64_t kSplitTile = 4, kScanTile = 32, kFewRows = 8;

/// A grid of this many blocks that wait for the launch before themselves.
Dim early(uint64_t x, uint32_t y = 1, uint32_t cluster = 1) { return {x, y, 1, cluster, true}; }
Dim early(int64_t x) { return early(static_cast<uint64_t>(x)); }

/// Where the copy engine stores results: C itself, or a matrix of the workspace whose rows are aligned. Rows
/// must also end at multiples of 16 bytes, which is what it stores at least: else it would write beyond them
/// (seen on an H200).
template <class T>
Matrix<T> aligned_results(const Matrix<T>& c, Parts& workspace) {
  const int64_t pitch = pitch_of(c.columns);
  T* room = workspace.take<T>(c.rows * pitch);
  return in_chunks(c) ? c : Matrix<T>{room, c.rows, c.columns, pitch};
}
/// From there to C.
template <class T>
Status place_results(Gpu& gpu, const char* file, Stream stream, const Matrix<T>& from, const Matrix<T>& c) {
  if (from.data == c.data) return Status::ok;
  return gpu.launch(file, sizeof(T) == 4 ? "place_results_4" : "place_results_2",
                    early(divide_up(c.rows * c.columns, 256)), 256, 0, stream,
                    static_cast<const T*>(from.data), static_cast<int>(from.stride), c.data,
                    static_cast<int>(c.stride), static_cast<int>(c.rows), static_cast<int>(c.columns));
}

uint64_t staying_blocks(const Gpu& gpu, uint64_t tiles) {
  return std::min<uint64_t>(tiles, static_cast<uint64_t>(gpu.multiprocessors()));
}

/// Tiles that are cut, each by two warpgroups, which count pieces.
LastTiles take_last_tiles(const SplitPlan& plan, Parts& workspace) {
  auto* partial =
      workspace.take<float>(plan.cut * plan.pieces * plan.form->tile.rows * plan.form->tile.columns);

  return {static_cast<int>(plan.whole), static_cast<int>(plan.pieces), partial,
          workspace.take<unsigned>(2 * kMostCut)};
}

/// Room for what the halves of the first matrix's rows and the second's columns are raised by, and for the
/// scan before it, whose words lie side by side.
void take_exponents(Sources& sources, int64_t rows, int64_t columns, Parts& workspace) {
  int* const largest = workspace.take<int>(rows + columns);
  sources.of[0].largest = largest, sources.of[1].largest = largest + rows;
  sources.of[0].raised = workspace.take<int>(rows);
  sources.of[1].raised = workspace.take<int>(columns);
}
/// `count` matrices with as many `lines` together.
Status scan_halves(Gpu& gpu, Stream stream, const Sources& sources, uint32_t count, int64_t lines) {
  const auto tiles = [&](int64_t height) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; ++i) most = std::max(most, tiles_of(sources.of[i], height));
    return most;
  };
  if (Status status = check_driver(Driver::get()->cuMemsetD32Async(
          reinterpret_cast<Address>(sources.of[0].largest), 0, static_cast<size_t>(lines), stream));
      status != Status::ok)
    return status;
  const int64_t height =
      tiles(kScanTile) < 4 * static_cast<uint64_t>(gpu.multiprocessors()) ? kFewRows : kScanTile;
  return gpu.launch("tensor_halves", "scan_halves", {tiles(height), count}, 256, 0, stream, sources,
                    static_cast<int>(height));
}

/// The splitting, as kernels of `file`; `count` matrices.
Status split_operands(Gpu& gpu, Stream stream, Accuracy accuracy, Sources& sources, uint32_t count,
                      const SplitPlan& plan, const LastTiles& last) {
  const bool halves = accuracy == Accuracy::halves;
  sources.counts = last.done, sources.count_of_counts = static_cast<int>(2 * plan.cut);
  uint64_t tiles = 0;
  for (uint32_t i = 0; i < count; ++i) tiles = std::max(tiles, tiles_of(sources.of[i], kSplitTile));
  return gpu.launch(halves ? "tensor_halves" : "tensor_thirds", halves ? "split_halves" : "split_thirds",
                    early(tiles, count), 256, 0, stream, sources);
}

}  // namespace

std::vector<SplitPlan> split_plans(int64_t m, int64_t n, int64_t k, Accuracy accuracy, bool lower,
                                   int64_t multiprocessors) {
  std::vector<SplitPlan> plans;
  const int64_t steps = divide_up(k, int64_t{64});
  const auto add = [&](const TensorForm& form) {
    const auto tiles = static_cast<int64_t>(lower ? form.tile.lower_count(m) : form.tile.count(m, n));
    plans.push_back({&form, tiles});
    const int64_t last = tiles % multiprocessors;
    // Where pieces alone fill every multiprocessor once, an H200 takes 1.5 times as long as for whole tiles
    // (66 tiles in halves, data/measured/h200-library/halves_pieces.csv); why is not known.
    const auto fills = [&](int64_t pieces) { return tiles == last && last * pieces == multiprocessors; };
    for (int64_t pieces = 2; &form != kTall && last > 0 && pieces <= kMostPiecesOfTile; ++pieces)
      if (steps >= pieces * kLeastStepsOfPiece && last * pieces <= kMostCut && !fills(pieces))
        plans.push_back({&form, tiles - last, last, pieces});
  };
  if (accuracy == Accuracy::halves) {
    for (const TensorForm& form : kHalvesForms)
      if (!lower || &form == kHalvesForms) add(form);
  } else {
    for (const TensorForm& form : kThirdsForms)
      if (!lower || &form == kThirdsForms) add(form);
  }
  return plans;
}

double cycles(const SplitPlan& plan, int64_t k, int64_t multiprocessors) {
  const int64_t steps = divide_up(k, int64_t{64});
  const auto rounds = [&](int64_t items) { return static_cast<double>(divide_up(items, multiprocessors)); };
  const double whole = rounds(plan.whole) * static_cast<double>(steps) * plan.form->step;
  if (plan.cut == 0) return whole;
  const size_t thirds = plan.form->tile.parts == 3;
  const double piece = static_cast<double>(divide_up(steps, plan.pieces)) * plan.form->step + kPiece[thirds];
  return whole + rounds(plan.cut * plan.pieces) * piece + kAddPieces[thirds];
}

SplitPlan plan_split(int64_t m, int64_t n, int64_t k, Accuracy accuracy, bool lower,
                     int64_t multiprocessors) {
  const std::vector<SplitPlan> plans = split_plans(m, n, k, accuracy, lower, multiprocessors);
  return *std::min_element(plans.begin(), plans.end(), [&](const SplitPlan& x, const SplitPlan& y) {
    return cycles(x, k, multiprocessors) < cycles(y, k, multiprocessors);
  });
}

Status multiply_split(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<const float>& b,
                      const Matrix<float>& c, Accuracy accuracy, const SplitPlan& plan, int64_t blocks,
                      void* workspace) {
  const bool halves = accuracy == Accuracy::halves;
  const char* file = halves ? "tensor_halves" : "tensor_thirds";
  const TensorTile& tile = plan.form->tile;
  const ElementType type = halves ? ElementType::float16 : ElementType::bfloat16;
  Parts parts(workspace);
  Sources sources{{source(a, tile.parts, parts), source(b, tile.parts, parts)}};
  const Matrix<float> results = aligned_results(c, parts);
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
  if (s == Status::ok) s = split_operands(gpu, stream, accuracy, sources, 2, plan, last);
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
    s = gpu.launch(file, entry, grid, 384, tile.bytes(), stream, made, m, n, k, kTensorBand, last);
  return s == Status::ok ? place_results(gpu, file, stream, results, c) : s;
}

Status lower_split(Gpu& gpu, Stream stream, const Matrix<const float>& a, const Matrix<float>& c,
                   Accuracy accuracy, const SplitPlan& plan, int64_t blocks, void* workspace) {
  const bool halves = accuracy == Accuracy::halves;
  const char* file = halves ? "tensor_halves" : "tensor_thirds";
  const TensorTile& tile = plan.form->tile;
  const ElementType type = halves ? ElementType::float16 : ElementType::bfloat16;
  Parts parts(workspace);
  Sources sources{{source(a, tile.parts, parts), {}}};
  const Matrix<float> results = aligned_results(c, parts);
  const LastTiles last = take_last_tiles(plan, parts);
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
  if (s == Status::ok) s = split_operands(gpu, stream, accuracy, sources, 1, plan, last);
  if (s != Status::ok) return s;
  const Dim grid = early(std::min(plan.items(), blocks));
  const auto n = static_cast<int>(c.rows), k = static_cast<int>(a.columns);
  if (halves)
    s = gpu.launch(file, "lower_halves", grid, 384, tile.bytes(), stream, made, n, k, kTensorBand, of.raised,
                   last);
  else
    s = gpu.launch(file, "lower_thirds", grid, 384, tile.bytes(), stream, made, n, k, kTensorBand, last);
  if (s == Status::ok) s = place_results(gpu, file, stream, results, c);
  if (s != Status::ok) return s;
  return gpu.launch(file, "mirror_tiles", early(divide_up(n, tile.rows)), 256, 0, stream, c.data,
                    static_cast<int>(c.stride), n);
}

const char* bfloat16_form(size_t number) { return kBfloat16Forms[number].name + 1; }
size_t bfloat16_forms(bool to_float32) { return to_float32 ? std::size(kBfloat16Forms) : kBothResults; }

template <class T>
Status multiply_bfloat16(Gpu& gpu, Stream stream, const Matrix<const Bfloat16>& a,
                         const Matrix<const Bfloat16>& b, const Matrix<T>& c, void* workspace,
                         std::optional<size_t> form_number) {
  constexpr const char* kFile = "tensor_bfloat16";
  constexpr ElementType kOut = sizeof(T) == 4 ? ElementType::float32 : ElementType::bfloat16;
  Parts parts(workspace);
  // Operands as the copy engine takes them: rows or columns that begin at multiples of 16 bytes.
  Status s = Status::ok;
  const auto laid = [&](const Matrix<const Bfloat16>& m) {
    const int64_t pitch = pitch_of(m.columns);
    auto* room = parts.take<Bfloat16>(m.rows * pitch);
    if (aligned_rows(lines_of(m))) return m;
    if (s == Status::ok)
      s = gpu.launch(kFile, "lay_by_rows", early(divide_up(m.rows, 32) * divide_up(m.columns, 32)), 256, 0,
                     stream, m.data, static_cast<int>(m.stride), int{lies_by_columns(m)}, room,
                     static_cast<int>(pitch), static_cast<int>(m.rows), static_cast<int>(m.columns));
    return Matrix<const Bfloat16>{room, m.rows, m.columns, pitch};
  };
  const Matrix<const Bfloat16> from_a = laid(a), from_b = laid(b);
  const Matrix<T> results = aligned_results(c, parts);
  const Bfloat16Form& form =
      form_number ? kBfloat16Forms[*form_number]
                  : choose_bfloat16(gpu, bfloat16_forms(sizeof(T) == 4), from_a, from_b, sizeof(T));
  const TensorTile& tile = form.tile;
  Maps made;
  if (s == Status::ok)
    s = make_map_of(made.of[0], from_a, (lies_by_columns(from_a) ? 64 : tile.rows) / tile.across());
  if (s == Status::ok)
    s = make_map_of(made.of[1], from_b, (lies_by_columns(from_b) ? tile.columns : 64) / tile.below());
  if (s == Status::ok)
    s = make_result_map(made.of[2], kOut, results.data, c.rows, c.columns, results.stride,
                        form.pieces > 1 ? 16 : 64);
  const uint64_t tiles = tile.count(c.rows, c.columns);
  const Dim grid = form.pieces > 1
                       ? early(tiles * form.pieces, 1, form.pieces)
                       : early(staying_blocks(gpu, tiles) / tile.cluster * tile.cluster, 1, tile.cluster);
  if (s == Status::ok)
    s = gpu.launch(file_of(form, from_a, from_b).c_str(),
                   std::string(sizeof(T) == 4 ? "multiply_to_float32" : "multiply_to_bfloat16") + form.name,
                   grid, tile.threads(), tile.bytes(), stream, made, static_cast<int>(c.rows),
                   static_cast<int>(c.columns), static_cast<int>(a.columns), kTensorBand);
  return s == Status::ok ? place_results(gpu, kFile, stream, results, c) : s;
}
template Status multiply_bfloat16(Gpu&, Stream, const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                                  const Matrix<float>&, void*, std::optional<size_t>);
template Status multiply_bfloat16(Gpu&, Stream, const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                                  const Matrix<Bfloat16>&, void*, std::optional<size_t>);

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
  const auto tiles =
      static_cast<int64_t>(lower ? kThirdsForms[0].tile.lower_count(m) : kThirdsForms[0].tile.count(m, n));
  parts.take<float>(kMostTileWords * std::min(tiles * kMostPiecesOfTile, kMostCut));
  parts.take<unsigned>(2 * kMostCut);
  return parts.used();
}
size_t count_bfloat16(int64_t m, int64_t n, int64_t k) {
  Parts parts(nullptr);
  parts.take<Bfloat16>(m * pitch_of(k));
  parts.take<Bfloat16>(k * pitch_of(n));
  parts.take<float>(m * pitch_of(n));
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
size_t bfloat16_workspace(int64_t m, int64_t n, int64_t k) {
  return std::max(count_bfloat16(m, n, k), count_bfloat16(n, m, k));
}

}  // namespace warpwright
