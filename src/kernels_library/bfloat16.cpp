// Products of bfloat16 matrices: the tiles there are, the one that is reckoned the fastest, and its launch.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "kernels_library/narrow.h"
#include "kernels_library/remembered.h"
#include "kernels_library/tensor.h"
#include "kernels_library/tensor_launches.h"

namespace warpwright {

namespace {

using ww::kernels::pitch_of;
using ww::kernels::TensorTile;

/// Of bfloat16 products. `in_turns`: two warpgroups take turns with whole tiles, and only the last tile's
/// results are not stored while others are multiplied. `pieces`: blocks of a cluster that have a tile
/// together, each a part of k (kernels/matmul/tensor_cut.h). `files`: which of cuda have it, where these are
/// not the first ones. A name's end, 2x4: blocks of a cluster below each other and side by side that share
/// operands.
struct Bfloat16Form : TensorForm {
  bool in_turns = false;
  uint32_t pieces = 1;
  const char* files = "";
};
constexpr const char *kBetween = "_between", *kShared = "_shared";
// rows, columns, stages, parts, warpgroups, cluster, side by side. The last one has float32 results only.
constexpr Bfloat16Form kBfloat16Forms[] = {
    {{"_128x256", {128, 256, 4, 1}, 1216}},
    {{"_128x128", {128, 128, 6, 1}, 595}},
    {{"_128x64", {128, 64, 8, 1}, 340}},
    {{"_256x128_beside", {256, 128, 4, 1, 2, 2, 2}, 1249}},
    {{"_256x192_beside", {256, 192, 3, 1, 2, 2, 2}, 1877}},
    {{"_192x192_pair", {192, 192, 3, 1, 3, 2}, 1500}},
    {{"_128x128_turns", {128, 128, 6, 1}, 593}, true},
    {{"_128x192_turns", {128, 192, 4, 1}, 914}, true},
    {{"_128x64_cut2", {128, 64, 8, 1}, 404}, false, 2},
    {{"_128x64_cut3", {128, 64, 8, 1}, 425}, false, 3},
    {{"_128x64_cut4", {128, 64, 8, 1}, 431}, false, 4},
    {{"_128x64_cut8", {128, 64, 8, 1}, 425}, false, 8},
    {{"_128x128_cut2", {128, 128, 6, 1}, 648}, false, 2},
    {{"_128x128_cut3", {128, 128, 6, 1}, 689}, false, 3},
    {{"_128x128_cut4", {128, 128, 6, 1}, 749}, false, 4},
    {{"_128x192_cut2", {128, 192, 4, 1}, 917}, false, 2},
    {{"_128x192_cut3", {128, 192, 4, 1}, 954}, false, 3},
    {{"_128x192_cut4", {128, 192, 4, 1}, 1015}, false, 4},
    {{"_128x256_cut2", {128, 256, 4, 1}, 1240}, false, 2},
    {{"_128x256_cut3", {128, 256, 4, 1}, 1237}, false, 3},
    {{"_128x256_cut4", {128, 256, 4, 1}, 1369}, false, 4},
    {{"_192x192_cut2", {192, 192, 3, 1, 3}, 1465}, false, 2},
    {{"_192x192_cut3", {192, 192, 3, 1, 3}, 1463}, false, 3},
    {{"_192x192_cut4", {192, 192, 3, 1, 3}, 1560}, false, 4},
    {{"_128x96", {128, 96, 6, 1}, 483}, false, 1, kBetween},
    {{"_192x128", {192, 128, 4, 1, 3}, 930}, false, 1, kBetween},
    {{"_128x160_turns", {128, 160, 4, 1}, 786}, true, 1, kBetween},
    {{"_128x176_turns", {128, 176, 4, 1}, 857}, true, 1, kBetween},
    {{"_128x96_cut2", {128, 96, 6, 1}, 562}, false, 2, kBetween},
    {{"_128x96_cut3", {128, 96, 6, 1}, 573}, false, 3, kBetween},
    {{"_128x96_cut4", {128, 96, 6, 1}, 593}, false, 4, kBetween},
    {{"_192x128_cut2", {192, 128, 4, 1, 3}, 927}, false, 2, kBetween},
    {{"_64x128_turns", {64, 128, 8, 1}, 258}, true, 1, kBetween},
    {{"_64x192_turns", {64, 192, 6, 1}, 390}, true, 1, kBetween},
    {{"_128x112_turns", {128, 112, 6, 1}, 575}, true, 1, kBetween},
    {{"_128x144_turns", {128, 144, 4, 1}, 760}, true, 1, kBetween},
    {{"_128x80_cut2", {128, 80, 6, 1}, 430}, false, 2, kBetween},
    {{"_128x160_cut2", {128, 160, 4, 1}, 815}, false, 2, kBetween},
    {{"_192x64_cut4", {192, 64, 5, 1, 3}, 553}, false, 4, kBetween},
    {{"_128x64_1x2", {128, 64, 8, 1, 2, 2, 2}, 361}, false, 1, kShared},
    {{"_128x64_1x4", {128, 64, 8, 1, 2, 4, 4}, 343}, false, 1, kShared},
    {{"_128x96_2x4", {128, 96, 6, 1, 2, 8, 4}, 478}, false, 1, kShared},
    {{"_64x96_turns_2x2", {64, 96, 8, 1, 2, 4, 2}, 275}, true, 1, kShared},
    {{"_128x128_turns_2x1", {128, 128, 6, 1, 2, 2}, 632}, true, 1, kShared},
    {{"_128x128_turns_2x2", {128, 128, 6, 1, 2, 4, 2}, 646}, true, 1, kShared},
    {{"_128x192_turns_2x1", {128, 192, 4, 1, 2, 2}, 940}, true, 1, kShared},
    {{"_128x64_cut2_2x2", {128, 64, 8, 1, 2, 4, 2}, 340}, false, 2, kShared},
    {{"_128x64_cut4_1x2", {128, 64, 8, 1, 2, 2, 2}, 361}, false, 4, kShared},
    {{"_128x128_cut2_2x1", {128, 128, 6, 1, 2, 2}, 548}, false, 2, kShared},
    {{"_128x128_cut2_2x2", {128, 128, 6, 1, 2, 4, 2}, 538}, false, 2, kShared},
    {{"_128x224_pair", {128, 224, 4, 1, 2, 2}, 1102}}};
constexpr size_t kBothResults = 50;
/// Rows of 128 bytes that the copy engines of all multiprocessors bring in a cycle, and what one counts that
/// two blocks get; bytes of results that two warpgroups of one store in a cycle; how many cycles later a
/// launch of clusters that share operands is done, and each further round of their tiles. These, the steps
/// and those below are cycles of 1980 MHz, fitted to the differences between the tiles of 928 products of an
/// H200 (data/measured/h200-library/bf16_plans.csv).
constexpr double kRowsACycle = 70, kCommonRow = 1.17, kStoredACycle = 46, kClusterCycles = 960,
                 kClusterRound = 400;
/// How many rows count that begin at odd multiples of 16 bytes, which cuts pieces of 32: where each block
/// copies them for itself, and where they go to several blocks, who wait less for them. (The second one,
/// kClusterRound and the steps of tiles from 128x64_1x2 to 128x128_cut2_2x2:
/// data/measured/h200-library/bf16_shared.csv and bf16_shared_drawn.csv.)
constexpr double kOddRow = 2.45, kOddRowOfSeveral = 1.3;
/// Fewer blocks than these bring no more rows each: they are bound by their own way to L2.
constexpr double kBlocksThatBring = 60;
/// How much longer a step takes by the part of B's panels that a tile does not use, where these are copied
/// across k, and where tiles of 64 rows are one round, so that one warpgroup multiplies alone. (These two and
/// the steps of 64 × 128 to 192 × 64 cut in four: data/measured/h200-library/bf16_finer.csv, kOneOfTwo also
/// bf16_finer_drawn.csv.)
constexpr double kUnusedOfPanels = 0.7, kOneOfTwo = 1.25;
/// Where a cluster has a tile together: what it takes until the sums of two blocks are there, of each further
/// one, and how many bytes of the others' a block then adds in a cycle.
constexpr double kMeetCycles = 2720, kMeetMore = 320, kMetACycle = 41;
/// Bytes of the operands that L2 keeps from call to call, and how many of the others memory brings in a
/// cycle.
constexpr double kKeptOperands = 25e6, kOfMemoryACycle = 2.6e12 / 1.98e9;

/// Seconds of a product, in a stream of others: its first launch, each further one, and an element that is
/// laid or a result that is placed; fitted to 224 products of an H200
/// (data/measured/h200-library/any_ways.csv), the first one to those of bf16_plans.csv.
constexpr double kFirstLaunch = 2.5e-6, kNextLaunch = 2.68e-6, kClockOfBulk = 1.98e9, kLaid = 2.26e-12,
                 kPlaced = 1.84e-12;

/// What two take that go on beside each other, each a little slower for it.
double together(double one, double other) {
  constexpr double kPower = 4.5;
  const double more = std::max(one, other), less = std::min(one, other);
  return more * std::pow(1 + std::pow(less / more, kPower), 1 / kPower);
}

/// Bytes, 128 at most, at whose multiples all rows begin.
int64_t row_unit(const Matrix<const Bfloat16>& m) {
  const uint64_t begins = reinterpret_cast<uintptr_t>(m.data) | static_cast<uint64_t>(m.stride) * 2 | 128;
  return static_cast<int64_t>(begins & -begins);
}
/// What a row of 128 bytes that a box brings to so many blocks counts for each of them, on average over the
/// boxes: as many as the lines that it lies in, or more.
double row_count(const Matrix<const Bfloat16>& m, uint32_t sharing) {
  const int64_t unit = row_unit(m);
  const double odd = sharing > 1 ? kOddRowOfSeveral : kOddRow,
               rows = unit < 32 ? odd : 2 - static_cast<double>(unit) / 128;
  return sharing > 1 ? rows * kCommonRow / sharing : rows;
}

bool lies_by_columns(const Matrix<const Bfloat16>& m) { return m.layout == Layout::by_columns; }
/// The matrix, or the transposed one, that lies by rows.
Matrix<const Bfloat16> lines_of(const Matrix<const Bfloat16>& m) {
  return lies_by_columns(m) ? transposed(m) : m;
}

/// Of cuda.
std::string file_of(const Bfloat16Form& form, const Matrix<const Bfloat16>& a,
                    const Matrix<const Bfloat16>& b) {
  return std::string("tensor_bfloat16") + (form.pieces > 1 ? "_cut" : "") +
         (*form.files == 0 && form.pieces > 1 && form.tile.columns > 128 ? "_wide" : form.files) +
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

/// Of a tile's lines along k how many a block copies (Lines of kernels/matmul/tensor_tiles.h).
uint32_t lines_in(uint32_t tile, int64_t lines, uint32_t sharing) {
  return sharing > 1 ? tile / sharing : static_cast<uint32_t>(std::min<int64_t>(tile, lines));
}

/// How many tiles all clusters of blocks that there is room for compute at once.
int64_t tiles_by_all(int64_t multiprocessors, const Bfloat16Form& form) {
  const uint32_t sharing = form.tile.cluster;
  return tiles_at_once(multiprocessors, form.pieces * sharing) * sharing;
}

/// The cycles of a product of bfloat16 in tiles of this form.
double cycles_of(const Bfloat16Form& form, int64_t multiprocessors, const Matrix<const Bfloat16>& a,
                 const Matrix<const Bfloat16>& b, int64_t result_bytes) {
  const TensorTile& tile = form.tile;
  const auto tiles = static_cast<int64_t>(tile.count(a.rows, b.columns));
  const int64_t at_once = tiles_by_all(multiprocessors, form);
  const double blocks =
      std::max(static_cast<double>(std::min(tiles, at_once) * form.pieces), kBlocksThatBring);
  // Lines of an operand that are copied for a tile: of one along k only those that there are, if it has them
  // for itself.
  const auto copied = [](uint32_t size, int64_t lines, bool along_k, uint32_t sharing) {
    return static_cast<double>(along_k && sharing == 1 ? lines_in(size, lines, 1) : size);
  };
  const bool b_along_k = lies_by_columns(b);
  const double rows =
      copied(tile.rows, a.rows, !lies_by_columns(a), tile.across) * row_count(a, tile.across) +
      copied(b_along_k ? tile.columns : 64 * tile.panels(), b.columns, b_along_k, tile.below()) *
          row_count(b, tile.below());
  // Copies may take longer than products, less so where clusters share them.
  const auto rounds = static_cast<double>(divide_up(tiles, at_once)),
             steps = static_cast<double>(divide_up(divide_up(a.columns, int64_t{64}), int64_t{form.pieces}));
  const double unused = 1 - tile.columns / (64.0 * tile.panels());
  const double operands = 2 * static_cast<double>(a.columns * (a.rows + b.columns)),
               memory = std::max(0.0, operands - kKeptOperands) / kOfMemoryACycle,
               step = form.step * (b_along_k ? 1 : 1 + kUnusedOfPanels * unused) *
                      (tile.rows == 64 && rounds == 1 ? kOneOfTwo : 1),
               multiply = together(rounds * steps * together(step, blocks * rows / kRowsACycle), memory);
  const auto results = static_cast<double>(tile.rows * tile.columns);
  const double store = results * static_cast<double>(result_bytes) / kStoredACycle,
               launch = tile.cluster > 1 ? kClusterCycles + (rounds - 1) * kClusterRound : 0;
  if (form.pieces > 1) {
    const double others = results * sizeof(float) * (form.pieces - 1) / form.pieces;
    return launch + multiply +
           rounds * (kMeetCycles + kMeetMore * (form.pieces - 2) + others / kMetACycle + store / form.pieces);
  }
  // In turns one warpgroup stores the last tile alone, and others while the next is multiplied.
  return launch + multiply + (form.in_turns ? std::min(rounds, 2.0) : rounds) * store;
}
/// Whether the count holds: tiles that clusters cut are for those that all clusters take at once. In further
/// rounds nothing is copied while sums meet and results are stored (8192 in 42 rounds: 2.50 million cycles
/// instead of 2.09; two rounds: 5 to 7 % slower, data/measured/h200-library/bf16_rounds.csv). And of an
/// operand along k blocks that share a tile copy all lines, also those that the matrix does not have.
bool counted(const Bfloat16Form& form, int64_t multiprocessors, const Matrix<const Bfloat16>& a,
             const Matrix<const Bfloat16>& b) {
  const TensorTile& tile = form.tile;
  if (tile.across > 1 && !lies_by_columns(a) && a.rows < tile.rows) return false;
  if (tile.below() > 1 && lies_by_columns(b) && b.columns < tile.columns) return false;
  return form.pieces == 1 ||
         static_cast<int64_t>(tile.count(a.rows, b.columns)) <= tiles_by_all(multiprocessors, form);
}

/// As the kernel takes them (cuda/tensor_bfloat16.cu).
struct LaidBfloat16 {
  const Bfloat16* from = nullptr;
  Bfloat16* to = nullptr;
  int stride = 0, by_columns = 0, rows = 0, columns = 0, pitch = 0, tiles = 0;
};
struct LaidBfloat16Pair {
  LaidBfloat16 of[2];
};
LaidBfloat16 laid_as(const Matrix<const Bfloat16>& m, Bfloat16* room) {
  return {m.data,
          room,
          static_cast<int>(m.stride),
          int{lies_by_columns(m)},
          static_cast<int>(m.rows),
          static_cast<int>(m.columns),
          static_cast<int>(pitch_of(m.columns)),
          static_cast<int>(divide_up(m.rows, 32) * divide_up(m.columns, 32))};
}
Status lay(Gpu& gpu, Stream stream, const LaidBfloat16Pair& pair) {
  const int64_t tiles = int64_t{pair.of[0].tiles} + pair.of[1].tiles;
  return tiles > 0 ? gpu.launch("tensor_bfloat16", "lay_by_rows", early(tiles), 256, 0, stream, pair)
                   : Status::ok;
}

}  // namespace

Status lay_by_rows(Gpu& gpu, Stream stream, const Matrix<const Bfloat16>& m, Bfloat16* room) {
  LaidBfloat16Pair pair;
  pair.of[0] = laid_as(m, room);
  return lay(gpu, stream, pair);
}
double laying_seconds(int64_t elements) { return kNextLaunch + kLaid * static_cast<double>(elements); }

const char* bfloat16_form(size_t number) { return kBfloat16Forms[number].name + 1; }
template <class T>
double bfloat16_seconds(const Matrix<const Bfloat16>& a, const Matrix<const Bfloat16>& b, const Matrix<T>& c,
                        int64_t multiprocessors) {
  constexpr bool kToFloat32 = sizeof(T) == 4;
  int64_t laid = 0;
  const auto as_laid = [&](const Matrix<const Bfloat16>& m) {
    if (aligned_rows(lines_of(m))) return m;
    laid += m.rows * m.columns;
    return Matrix<const Bfloat16>{nullptr, m.rows, m.columns, pitch_of(m.columns)};
  };
  const auto from_a = as_laid(a), from_b = as_laid(b);
  const Bfloat16Form& form = kBfloat16Forms[plan_bfloat16(from_a, from_b, kToFloat32, multiprocessors)];
  const int64_t placed = in_chunks(c) ? 0 : c.rows * c.columns;
  return kFirstLaunch + kNextLaunch * (int{laid > 0} + int{placed > 0}) +
         cycles_of(form, multiprocessors, from_a, from_b, sizeof(T)) / kClockOfBulk +
         kLaid * static_cast<double>(laid) + kPlaced * static_cast<double>(placed);
}
template double bfloat16_seconds(const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                                 const Matrix<float>&, int64_t);
template double bfloat16_seconds(const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                                 const Matrix<Bfloat16>&, int64_t);

size_t plan_bfloat16(const Matrix<const Bfloat16>& a, const Matrix<const Bfloat16>& b, bool to_float32,
                     int64_t multiprocessors) {
  thread_local Remembered<8, size_t> known;
  return known.answer({a.rows, b.columns, a.columns, row_unit(a), row_unit(b),
                       2 * int{lies_by_columns(a)} + int{lies_by_columns(b)}, to_float32, multiprocessors},
                      [&] {
                        size_t best = 0;
                        double least = 0;
                        for (size_t i = 0; i < bfloat16_forms(to_float32); ++i) {
                          if (!counted(kBfloat16Forms[i], multiprocessors, a, b)) continue;
                          const double cycles =
                              cycles_of(kBfloat16Forms[i], multiprocessors, a, b, to_float32 ? 4 : 2);
                          if (i == 0 || cycles < least) least = cycles, best = i;
                        }
                        return best;
                      });
}
size_t bfloat16_forms(bool to_float32) { return to_float32 ? std::size(kBfloat16Forms) : kBothResults; }

template <class T>
Status multiply_bfloat16(Gpu& gpu, Stream stream, const Matrix<const Bfloat16>& a,
                         const Matrix<const Bfloat16>& b, const Matrix<T>& c, void* workspace,
                         std::optional<size_t> form_number) {
  constexpr const char* kFile = "tensor_bfloat16";
  constexpr ElementType kOut = sizeof(T) == 4 ? ElementType::float32 : ElementType::bfloat16;
  Parts parts(workspace);
  // Operands as the copy engine takes them: rows or columns that begin at multiples of 16 bytes.
  LaidBfloat16Pair pair;
  const auto laid = [&](const Matrix<const Bfloat16>& m, LaidBfloat16& as) {
    const int64_t pitch = pitch_of(m.columns);
    auto* room = parts.take<Bfloat16>(m.rows * pitch);
    if (aligned_rows(lines_of(m))) return m;
    as = laid_as(m, room);
    return Matrix<const Bfloat16>{room, m.rows, m.columns, pitch};
  };
  const Matrix<const Bfloat16> from_a = laid(a, pair.of[0]), from_b = laid(b, pair.of[1]);
  Status s = lay(gpu, stream, pair);
  const Matrix<T> results = aligned_results(c, parts);
  const Bfloat16Form& form =
      kBfloat16Forms[form_number ? *form_number
                                 : plan_bfloat16(from_a, from_b, sizeof(T) == 4, gpu.multiprocessors())];
  const TensorTile& tile = form.tile;
  Maps made;
  if (s == Status::ok)
    s = make_map_of(made.of[0], from_a,
                    lies_by_columns(from_a) ? 64 / tile.across : lines_in(tile.rows, a.rows, tile.across));
  if (s == Status::ok)
    s = make_map_of(
        made.of[1], from_b,
        lies_by_columns(from_b) ? lines_in(tile.columns, b.columns, tile.below()) : 64 / tile.below());
  if (s == Status::ok)
    s = make_result_map(made.of[2], kOut, results.data, c.rows, c.columns, results.stride,
                        form.pieces > 1 ? 16 : 64);
  const uint64_t tiles = tile.count(c.rows, c.columns);
  const auto at_once = static_cast<uint64_t>(tiles_by_all(gpu.multiprocessors(), form));
  const Dim grid = early((form.pieces > 1 ? tiles : std::min(tiles, at_once)) * form.pieces, 1,
                         form.pieces * tile.cluster);
  if (s == Status::ok)
    s = gpu.launch(file_of(form, from_a, from_b).c_str(),
                   std::string(sizeof(T) == 4 ? "multiply_to_float32" : "multiply_to_bfloat16") + form.name,
                   grid, tile.threads(), tile.bytes(), stream, made, static_cast<int>(c.rows),
                   static_cast<int>(c.columns), static_cast<int>(a.columns), kTensorBand, results.data,
                   static_cast<int>(results.stride));
  return s == Status::ok ? place_results(gpu, kFile, stream, results, c) : s;
}
template Status multiply_bfloat16(Gpu&, Stream, const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                                  const Matrix<float>&, void*, std::optional<size_t>);
template Status multiply_bfloat16(Gpu&, Stream, const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                                  const Matrix<Bfloat16>&, void*, std::optional<size_t>);

namespace {

size_t count_bfloat16(int64_t m, int64_t n, int64_t k) {
  Parts parts(nullptr);
  parts.take<Bfloat16>(m * pitch_of(k));
  parts.take<Bfloat16>(k * pitch_of(n));
  parts.take<float>(m * pitch_of(n));
  return parts.used();
}

}  // namespace

// A result that lies by columns is computed as the transposed one.
size_t bfloat16_workspace(int64_t m, int64_t n, int64_t k) {
  return std::max({count_bfloat16(m, n, k), count_bfloat16(n, m, k), narrow_workspace(m, n, k)});
}

}  // namespace warpwright
