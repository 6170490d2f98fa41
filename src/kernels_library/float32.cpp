#include "kernels_library/float32.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kernels_library/remembered.h"

namespace warpwright {

namespace {

using ww::kernels::AsyncTile;

// As the kernels take them (kernels/matmul/async_tiles.h, cuda/float32.h, cuda/float32_wide.cu).
struct Operand {
  const float* data;
  int stride;
};
struct Results {
  float* data;
  int stride;
  bool chunks;
};
struct Cut {
  int whole, shared, mains, main_steps, tails_each, pieces;
  float* partial;
};
struct Laid {
  const float* from = nullptr;
  float* to = nullptr;
  int stride = 0, by_columns = 0, rows = 0, columns = 0, pitch = 0, fours = 0;
};
struct LaidPair {
  Laid of[2];
};

constexpr int kBand = 8;
constexpr int kHopper = 90;          ///< compute capability from which launches may begin early
constexpr int64_t kMostSms = 192;    ///< more than any GPU has: what the workspace is stated for
constexpr int64_t kLeastSteps = 4;   ///< of a piece
constexpr int64_t kMostPieces = 64;  ///< of a tile
// In cycles; fitted, as the tiles' numbers are, to the plans of 101 products, 80 of them of random shapes
// (data/measured/h100-library). The rate of memory is an H200's.
constexpr double kWordsPerCycle = 350;  ///< both directions together
constexpr double kAddedPerCycle = 770;  ///< words of pieces, which lie in L2
constexpr double kLaunch = 3350, kLaunchToAdd = 6290, kLaunchToLay = 7050;
constexpr double kBlock = 4010;                      ///< until a block's first words are here
constexpr double kFill = 0.087;                      ///< of the steps that fill and drain the stages
constexpr double kStore = 0.08, kStoreWord = 0.275;  ///< a result in chunks of four, and alone
constexpr double kTrimmed = 1.25;  ///< k of a step that is not whole, in those of one that is
constexpr double kWhole = 1.02;    ///< the rate of chunks in whole tiles only (cuda/float32.h)

Operand operand(const Matrix<const float>& m) { return {m.data, static_cast<int>(m.stride)}; }
Results results(const Matrix<float>& m) { return {m.data, static_cast<int>(m.stride), in_chunks(m)}; }

bool turned_a(const Matrix<const float>& a) { return a.layout == Layout::by_rows; }
bool turned_b(const Matrix<const float>& b) { return b.layout == Layout::by_columns; }
/// Whether an operand lies across k in chunks of four.
bool ready_a(const Matrix<const float>& a) { return !turned_a(a) && in_chunks(transposed(a)); }
bool ready_b(const Matrix<const float>& b) { return !turned_b(b) && in_chunks(b); }

struct Travels {
  Travel a, b;
};
/// How they travel; true: laid first.
Travels travels(const Matrix<const float>& a, const Matrix<const float>& b, bool lay_a = false,
                bool lay_b = false) {
  Travels t{lay_a || ready_a(a) ? Travel::chunks
            : turned_a(a)       ? Travel::turned
                                : Travel::words,
            lay_b || ready_b(b) ? Travel::chunks
            : turned_b(b)       ? Travel::turned
                                : Travel::words};
  if (t.a == Travel::words && t.b == Travel::chunks) t.b = Travel::words;  // there is no such kernel
  return t;
}
bool chunks_only(const Float32Tile& tile) {
  return std::string_view(tile.file) == "float32_wide" ||
         std::string_view(tile.file) == "float32_middle_chunks";
}
bool has_hulls(const Float32Tile& tile) { return std::string_view(tile.file) == "float32_hulls"; }
/// Whether there is such a kernel.
bool exists(const Float32Tile& tile, const Travels& t, const Matrix<const float>& b) {
  // Rows that all begin at multiples of 16 bytes are faster by words (data/measured/h200-library/pads.csv).
  if (has_hulls(tile))
    return t.a == Travel::chunks && t.b == Travel::words && reinterpret_cast<uintptr_t>(b.data) % 16 == 0 &&
           b.stride % 4 != 0;
  if (std::string_view(tile.file) == "float32_wide_turned")
    return t.a == Travel::turned && t.b == Travel::chunks;
  if (std::string_view(tile.file) == "float32_middle_words")
    return t.a == Travel::chunks && t.b == Travel::words;
  return !chunks_only(tile) || (t.a == Travel::chunks && t.b == Travel::chunks);
}
const char* name_of(Travel travel) {
  return travel == Travel::chunks ? "chunks" : travel == Travel::words ? "words" : "turned";
}

/// Words of the operands once they are laid.
int64_t laid_words(int64_t m, int64_t n, int64_t k) {
  return k * (ww::round_up(m, 64) + ww::round_up(n, 64));
}
int64_t tile_words(const Float32Tile& tile) { return int64_t{tile.shape.rows} * tile.shape.columns; }
int64_t steps_of(const Float32Tile& tile, int64_t k) { return divide_up(k, tile.shape.depth); }

/// `plan` with its last tiles, fewer than the blocks that run `at_once`, cut into `mains` pieces each; the
/// blocks that are left take the tails.
void cut_last(Float32Plan& plan, int64_t tiles, int64_t steps, int64_t at_once, int64_t mains) {
  plan.whole = tiles / at_once * at_once;
  plan.shared = tiles - plan.whole;
  plan.mains = mains;
  plan.main_steps = divide_up(steps, mains);
  const int64_t left = at_once - plan.shared * mains;
  if (left <= 0) return;
  plan.tails_each = divide_up(plan.shared, left);
  // A block with tails takes as long as one with a piece.
  const int64_t tail = steps / (plan.tails_each * mains + 1);
  const int64_t main_steps = divide_up(steps - tail, mains);
  if (tail < kLeastSteps || main_steps * mains >= steps) return;
  plan.main_steps = main_steps;
  plan.helpers = divide_up(plan.shared, plan.tails_each);
}

}  // namespace

namespace {

double number(int64_t v) { return static_cast<double>(v); }

/// Cycles of blocks of one tile each.
struct TileCost {
  const Float32Tile& tile;
  int64_t sms;
  double step;                    ///< of a block on a multiprocessor that is full
  double steps, fill, store = 0;  ///< steps of a whole tile; steps that fill and drain the stages

  /// `rate`: multiply-adds of a multiprocessor in a cycle. `stores`: of each result, kStore or kStoreWord.
  TileCost(const Float32Tile& of, int64_t k, int64_t multiprocessors, double rate, double stores)
      : tile(of),
        sms(multiprocessors),
        step(number(tile_words(of) * of.shape.depth * of.per_sm) / rate),
        steps(number(steps_of(of, k))),
        fill(kFill * of.shape.stages),
        store(number(tile_words(of) * of.per_sm) * stores) {
    const int64_t rest_of_k = k % of.shape.depth;
    if (of.trims && rest_of_k > 0)
      steps += std::min(0.0, kTrimmed * number(ww::round_up(rest_of_k, 4)) / of.shape.depth - 1);
  }
  /// `blocks` that run side by side, of so many steps each.
  double round(int64_t blocks, double steps_each) const {
    const double at = number(std::min(divide_up(blocks, sms), tile.per_sm)), most = number(tile.per_sm);
    const double share = most == 1 ? 1 : tile.alone + (1 - tile.alone) * (at - 1) / (most - 1);
    return (step * (steps_each + fill) + store) * at / most / share + kBlock;
  }
  /// Whole tiles.
  double rounds(int64_t tiles) const {
    const int64_t at_once = sms * tile.per_sm, rest = tiles % at_once;
    return number(tiles / at_once) * (step * (steps + fill) + store + tile.further * kBlock) +
           (rest > 0 ? round(rest, steps) : 0);
  }
};

/// Of a launch that lays so many words.
double laying_cycles(int64_t words) { return kLaunchToLay + 2 * number(words) / kWordsPerCycle; }

}  // namespace

double cycles(const Float32Plan& plan, const Matrix<const float>& a, const Matrix<const float>& b,
              int64_t sms) {
  const Float32Tile& tile = *plan.tile;
  const int64_t k = a.columns;
  const bool chunks = b.columns % 4 == 0;
  const Travels by = travels(a, b, plan.lay_a, plan.lay_b);
  double rate = tile.rate;
  const auto taken = [&](Travel travel, double turned) {
    return travel == Travel::turned ? turned : travel == Travel::words ? tile.words : 0;
  };
  rate *= (1 - taken(by.a, tile.turned_a)) * (1 - taken(by.b, tile.turned_b));
  if (chunks_only(tile) && plan.shared == 0 && chunks) rate *= kWhole;
  const TileCost cost(tile, k, sms, rate, chunks ? kStore : kStoreWord);
  double time = kLaunch + cost.rounds(plan.whole);
  if (plan.shared > 0) {
    const double tails =
        number(plan.tails_each) * (number(steps_of(tile, k) - plan.mains * plan.main_steps) + cost.fill);
    time += cost.round(plan.shared * plan.mains + plan.helpers,
                       std::max(number(plan.main_steps), plan.helpers > 0 ? tails : 0));
    time += kLaunchToAdd + number(plan.shared * (2 * plan.pieces() + 1) * tile_words(tile)) / kAddedPerCycle;
  }
  if (plan.lay_a || plan.lay_b)
    time += laying_cycles((plan.lay_a ? laid_words(a.rows, 0, k) : 0) +
                          (plan.lay_b ? laid_words(0, b.columns, k) : 0));
  return time;
}

LowerPlan plan_lower(const Matrix<const float>& a, int64_t sms, int64_t shared) {
  const int64_t n = a.rows, k = a.columns;
  const Matrix<const float> b = transposed(a);
  // Mirroring reads half of the results and writes the other half.
  LowerPlan best{nullptr, cycles(plan_float32(a, b, sms, shared), a, b, sms) + laying_cycles(n * n / 2)};
  for (const Float32Tile& tile : kLowerTiles) {
    if (static_cast<int64_t>(tile.shape.bytes(0)) > shared) continue;
    const int64_t side = divide_up(n, tile.shape.rows);
    const TileCost cost(tile, k, sms, tile.rate, 2 * (n % 4 == 0 ? kStore : kStoreWord));
    const double time =
        kLaunch + cost.rounds(side * (side + 1) / 2) + (ready_a(a) ? 0 : laying_cycles(laid_words(n, 0, k)));
    if (time < best.cycles) best = {&tile, time};
  }
  return best;
}

std::vector<Float32Plan> float32_plans(const Matrix<const float>& a, const Matrix<const float>& b,
                                       int64_t sms, int64_t shared) {
  const int64_t m = a.rows, n = b.columns, k = a.columns;
  std::vector<Float32Plan> plans;
  for (const Float32Tile& tile : kFloat32Tiles) {
    if (static_cast<int64_t>(tile.shape.bytes(2)) > shared) continue;
    const auto tiles = static_cast<int64_t>(tile.shape.count(m, n));
    const int64_t steps = steps_of(tile, k), at_once = std::min(sms, kMostSms) * tile.per_sm,
                  last = tiles % at_once;
    for (const auto& [lay_a, lay_b] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
      if ((lay_a && ready_a(a)) || (lay_b && ready_b(b))) continue;  // it lies so already
      if (!exists(tile, travels(a, b, lay_a, lay_b), b)) continue;
      Float32Plan plan{&tile, tiles};
      plan.lay_a = lay_a, plan.lay_b = lay_b;
      plans.push_back(plan);
      // In pieces hulls took 1.1 times as long as other tiles where they were reckoned as fast (1663³).
      if (last == 0 || has_hulls(tile)) continue;
      const int64_t most = std::clamp<int64_t>(std::min(at_once / last, steps / kLeastSteps), 1, kMostPieces);
      for (int64_t mains = 1; mains <= most; mains = mains < most && 2 * mains > most ? most : 2 * mains) {
        Float32Plan cut = plan;
        cut_last(cut, tiles, steps, at_once, mains);
        // Tails after whole tiles walk along k out of step with the others and share nothing in L2: 8 % at
        // 4096.
        if (cut.pieces() > 1 && (mains > 1 || cut.whole == 0)) plans.push_back(cut);
      }
    }
  }
  return plans;
}

Float32Plan plan_float32(const Matrix<const float>& a, const Matrix<const float>& b, int64_t sms,
                         int64_t shared) {
  const Travels by = travels(a, b);
  thread_local Remembered<7, Float32Plan> plans;
  return plans.answer(
      {a.rows, b.columns, a.columns, sms, shared, 4 * static_cast<int>(by.a) + static_cast<int>(by.b),
       2 * int{ready_a(a)} + int{ready_b(b)} + 4 * int{reinterpret_cast<uintptr_t>(b.data) % 16 == 0} +
           8 * int{b.stride % 4 == 0}},
      [&] {
        Float32Plan best;
        double least = 0;
        for (const Float32Plan& plan : float32_plans(a, b, sms, shared)) {
          const double time = cycles(plan, a, b, sms);
          if (!best.tile || time < least) least = time, best = plan;
        }
        return best;
      });
}

size_t float32_workspace(int64_t m, int64_t n, int64_t k) {
  int64_t words = 0;
  for (const Float32Tile& tile : kFloat32Tiles) {
    const auto tiles = static_cast<int64_t>(std::max(tile.shape.count(m, n), tile.shape.count(n, m)));
    const int64_t pieces = std::min(kMostPieces, steps_of(tile, k) / kLeastSteps) + 1;
    words = std::max(words, std::min(2 * kMostSms * tile.per_sm, tiles * pieces) * tile_words(tile));
  }
  return static_cast<size_t>(words + laid_words(m, n, k) + 64) * sizeof(float);
}

namespace {

/// Room and launch for operands that are laid across k.
class Laying {
 public:
  explicit Laying(Parts& workspace) : workspace_(workspace) {}
  /// `m`: k × lines; it becomes what will be read.
  void add(Matrix<const float>& m) {
    const int64_t pitch = ww::round_up(m.columns, 4);
    Laid& laid = pair_.of[count_++];
    const bool by_columns = m.layout == Layout::by_columns;
    laid = {m.data,
            workspace_.take<float>(m.rows * pitch),
            static_cast<int>(m.stride),
            by_columns,
            static_cast<int>(m.rows),
            static_cast<int>(m.columns),
            static_cast<int>(pitch),
            by_columns && aligned_rows(m) && m.rows % 4 == 0};
    m = {laid.to, m.rows, m.columns, pitch};
  }
  Status launch(Gpu& gpu, Stream stream) const {
    if (count_ == 0) return Status::ok;
    if (gpu.compute_capability() < kHopper)
      return gpu.launch("float32_wide", "lay_by_rows", {tiles(64), count_}, 256, 0, stream, pair_);
    // Low tiles where there are few.
    const bool few = tiles(64) < static_cast<uint64_t>(gpu.multiprocessors());
    return gpu.launch("float32_hulls_early", few ? "lay_by_rows_32" : "lay_by_rows_64",
                      {tiles(few ? 32 : 64), count_, 1, 1, true}, 256, 0, stream, pair_);
  }

 private:
  uint64_t tiles(int64_t side) const {
    int64_t most = 0;
    for (const Laid& m : pair_.of)
      most = std::max(most, divide_up(m.rows, side) * divide_up(m.columns, side));
    return static_cast<uint64_t>(most);
  }

  Parts& workspace_;
  LaidPair pair_;
  uint32_t count_ = 0;
};

/// A laid across k, if it does not lie so.
Matrix<const float> laid_a(const Matrix<const float>& a, Laying& laying) {
  if (ready_a(a)) return a;
  Matrix<const float> across = transposed(a);
  laying.add(across);
  return transposed(across);
}

}  // namespace

Status multiply_float32(Gpu& gpu, Stream stream, const Matrix<const float>& of_a,
                        const Matrix<const float>& of_b, const Matrix<float>& c, const Float32Plan& plan,
                        void* workspace) {
  const auto m = static_cast<int>(c.rows), n = static_cast<int>(c.columns),
             k = static_cast<int>(of_a.columns);
  const AsyncTile& shape = plan.tile->shape;
  Matrix<const float> a = of_a, b = of_b;
  Parts parts(workspace);
  const auto narrow = [](int64_t v) { return static_cast<int>(v); };
  const Cut cut{narrow(plan.whole),
                narrow(plan.shared),
                narrow(plan.mains),
                narrow(plan.main_steps),
                narrow(plan.tails_each),
                narrow(plan.pieces()),
                parts.take<float>(plan.shared * plan.pieces() * tile_words(*plan.tile))};
  Laying laying(parts);
  if (plan.lay_a) a = laid_a(a, laying);
  if (plan.lay_b) laying.add(b);
  if (Status s = laying.launch(gpu, stream); s != Status::ok) return s;
  const Travels by = travels(of_a, of_b, plan.lay_a, plan.lay_b);
  const bool whole = chunks_only(*plan.tile) && plan.shared == 0 && in_chunks(c);
  const bool hulls = has_hulls(*plan.tile), early = hulls && gpu.compute_capability() >= kHopper;
  const std::string entry = whole   ? "whole"
                            : hulls ? "chunks_hulls" + std::to_string(b.stride % 4)
                                    : std::string(name_of(by.a)) + "_" + name_of(by.b);
  const std::string file = plan.tile->file + std::string(early ? "_early" : "");
  // Operands whose rows in shared memory have four words more.
  const int longer = (by.a == Travel::turned ? 1 : 0) + (by.b == Travel::turned || hulls ? 1 : 0);
  const Dim grid{static_cast<uint64_t>(plan.blocks()), 1, 1, 1, early};
  Status s = gpu.launch(file.c_str(), entry, grid, shape.threads, shape.bytes(static_cast<uint32_t>(longer)),
                        stream, operand(a), operand(b), results(c), m, n, k, kBand, cut);
  if (s != Status::ok || plan.shared == 0) return s;
  return gpu.launch(file.c_str(), "add_pieces",
                    {static_cast<uint64_t>(plan.shared * tile_words(*plan.tile) / 1024)}, 256, 0, stream,
                    results(c), m, n, kBand, cut);
}

Status mirror_lower(Gpu& gpu, Stream stream, const Matrix<float>& c) {
  const int64_t across = divide_up(c.rows, 32);
  return gpu.launch("float32_lower", "mirror_lower", {static_cast<uint64_t>(across * across)}, 256, 0, stream,
                    c.data, static_cast<int>(c.stride), static_cast<int>(c.rows));
}

Status lower_float32(Gpu& gpu, Stream stream, const Matrix<const float>& of, const Matrix<float>& c,
                     const Float32Tile& tile, void* workspace) {
  Parts parts(workspace);
  Laying laying(parts);
  const Matrix<const float> a = laid_a(of, laying);
  if (Status s = laying.launch(gpu, stream); s != Status::ok) return s;
  const auto rows = static_cast<uint64_t>(divide_up(c.rows, tile.shape.rows));
  return gpu.launch("float32_lower", tile.file, {rows * (rows + 1) / 2}, tile.shape.threads,
                    tile.shape.bytes(0), stream, operand(a), results(c), static_cast<int>(c.rows),
                    static_cast<int>(a.columns));
}

}  // namespace warpwright
