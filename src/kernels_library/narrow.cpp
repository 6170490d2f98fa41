#include "kernels_library/narrow.h"

#include <algorithm>
#include <string>

#include "kernels_library/tensor_launches.h"
#include "kernels_library/thin.h"

namespace warpwright {

namespace {

using ww::kernels::pitch_of;

/// A kernel of cuda/tensor_narrow.h: its columns, 64 k of a stage.
struct NarrowForm {
  int64_t columns, boxes;
  int64_t depth() const { return 64 * boxes; }
  /// Of shared memory, where tiles have so many rows.
  int64_t stage(int64_t rows) const { return boxes * 128 * ((rows > 64 ? 128 : 64) + columns); }
  /// As many as let a multiprocessor keep a block of the next launch, too, or else one block.
  int64_t stages(int64_t rows) const { return (rows > 64 ? 200 : 100) * 1024 / stage(rows); }
};
constexpr NarrowForm kNarrowForms[] = {{16, 2}, {32, 2}, {64, 1}};
const NarrowForm& narrow_form(int64_t n) { return kNarrowForms[n <= 16 ? 0 : n <= 32 ? 1 : 2]; }

constexpr int64_t kMostRows = 128, kRowUnit = 8, kAcrossUnit = 64;
constexpr int64_t kNarrowSteps = 4;  ///< at least
// On an H200 (data/measured/h200-library/bf16_narrow.csv). Seconds: a launch; that sums of a cluster meet,
// and of each block of it; until what is asked for is there.
constexpr double kNarrowLaunch = 3e-6, kNarrowMeet = 0.9e-6, kNarrowBlock = 0.1e-6;
// Bytes a second: what a multiprocessor gets at most, memory, and L2, which may have kept so many bytes since
// the last call; B comes from there. And how long what is asked for takes from memory and from L2.
constexpr double kNarrowOfBlock = 85e9, kNarrowMemory = 4.5e12, kNarrowL2 = 10e12, kNarrowB = 20e12;
constexpr double kNarrowKept = 40e6, kNarrowLatency = 1.4e-6, kNarrowLatencyL2 = 0.8e-6;

// As the kernels take them (kernels/matmul/tensor_narrow.h).
struct NarrowCut {
  int rows, pieces, stages;
};

bool along_k(const Matrix<const Bfloat16>& rows_of_k) { return rows_of_k.layout == Layout::by_rows; }
/// Whether Bᵀ has to be laid by rows.
bool is_laid(const Matrix<const Bfloat16>& b) {
  return b.layout != Layout::by_columns || !aligned_rows(transposed(b));
}

double seconds_of(const NarrowForm& form, int64_t rows, int64_t pieces, const Matrix<const Bfloat16>& a,
                  int64_t n, int64_t multiprocessors) {
  const auto number = [](int64_t v) { return static_cast<double>(v); };
  const int64_t tiles = divide_up(a.rows, rows),
                blocks = pieces > 1 ? tiles * pieces : std::min(tiles, multiprocessors),
                rounds = pieces > 1 ? 1 : divide_up(tiles, blocks), depth = divide_up(a.columns, pieces);
  const double bytes = 2 * number(a.rows * a.columns);
  const bool kept = bytes <= kNarrowKept;
  const double ahead = number(form.stages(rows) * form.boxes * 128 * (rows + n)),
               pace = std::min(kNarrowOfBlock, ahead / (kept ? kNarrowLatencyL2 : kNarrowLatency)),
               block = number(2 * rounds * (rows + n) * depth) / pace;
  const double memory =
      bytes / (kept ? kNarrowL2 : kNarrowMemory) + number(2 * blocks * rounds * n * depth) / kNarrowB;
  return kNarrowLaunch + (pieces > 1 ? kNarrowMeet + kNarrowBlock * number(pieces) : 0) +
         std::max(block, memory);
}

}  // namespace

bool is_narrow(const Matrix<const Bfloat16>& a, const Matrix<const Bfloat16>& b) {
  if (b.columns > a.rows) return is_narrow(transposed(b), transposed(a));
  return b.columns <= kNarrowMost && aligned_rows(along_k(a) ? a : transposed(a));
}

bool lays_narrow(const Matrix<const Bfloat16>& a, const Matrix<const Bfloat16>& b) {
  return is_laid(b.columns > a.rows ? transposed(a) : b);
}

NarrowPlan plan_narrow(const Matrix<const Bfloat16>& a, const Matrix<const Bfloat16>& b,
                       int64_t multiprocessors) {
  if (b.columns > a.rows) return plan_narrow(transposed(b), transposed(a), multiprocessors);
  const int64_t m = a.rows, n = b.columns, k = a.columns;
  const NarrowForm& form = narrow_form(n);
  const int64_t unit = along_k(a) ? kRowUnit : kAcrossUnit;
  NarrowPlan best;
  for (int64_t pieces : {1, 2, 3, 4, 8}) {
    if (pieces > 1 && divide_up(k, form.depth()) < kNarrowSteps * pieces) break;
    const int64_t at_once = tiles_at_once(multiprocessors, static_cast<uint32_t>(pieces));
    // Equal shares in as few rounds as there can be.
    const int64_t rounds = divide_up(m, at_once * kMostRows);
    if (pieces > 1 && rounds > 1) continue;
    const int64_t rows = ww::round_up(divide_up(m, at_once * rounds), unit);
    const double seconds = seconds_of(form, rows, pieces, a, n, multiprocessors);
    if (best.pieces == 0 || seconds < best.seconds) best = {rows, pieces, seconds};
  }
  if (is_laid(b)) best.seconds += laying_seconds(k * n);
  return best;
}

template <class OUT>
Status multiply_narrow(Gpu& gpu, Stream stream, const Matrix<const Bfloat16>& a,
                       const Matrix<const Bfloat16>& b, const Matrix<OUT>& c, const NarrowPlan& plan,
                       void* workspace) {
  if (b.columns > a.rows)
    return multiply_narrow(gpu, stream, transposed(b), transposed(a), transposed(c), plan, workspace);
  const int64_t m = a.rows, n = b.columns, k = a.columns;
  const NarrowForm& form = narrow_form(n);
  Matrix<const Bfloat16> columns = transposed(b);
  if (is_laid(b)) {
    auto* const room = static_cast<Bfloat16*>(workspace);
    if (Status s = lay_by_rows(gpu, stream, columns, room); s != Status::ok) return s;
    columns = {room, n, k, pitch_of(k)};
  }
  const bool along = along_k(a);
  const Matrix<const Bfloat16> lies = along ? a : transposed(a);
  Maps maps;
  Status s = make_operand_map(maps.of[0], ElementType::bfloat16, lies.data, lies.rows, lies.columns,
                              lies.stride, 1, along ? static_cast<uint32_t>(plan.rows) : 64);
  if (s == Status::ok)
    s = make_operand_map(maps.of[1], ElementType::bfloat16, columns.data, n, k, columns.stride, 1,
                         static_cast<uint32_t>(form.columns));
  if (s != Status::ok) return s;
  maps.of[2] = maps.of[1];
  const auto narrow = [](int64_t v) { return static_cast<int>(v); };
  const int64_t tiles = divide_up(m, plan.rows), stages = form.stages(plan.rows);
  const Dim grid = plan.pieces > 1 ? early(static_cast<uint64_t>(tiles * plan.pieces), 1,
                                           static_cast<uint32_t>(plan.pieces))
                                   : early(staying_blocks(gpu, static_cast<uint64_t>(tiles)));
  return gpu.launch(
      along ? "tensor_narrow" : "tensor_narrow_across", "multiply_" + std::to_string(form.columns), grid, 288,
      static_cast<size_t>(stages * form.stage(plan.rows) + 1024), stream, maps, thin_results(c),
      NarrowCut{narrow(plan.rows), narrow(plan.pieces), narrow(stages)}, narrow(m), narrow(n), narrow(k));
}
template Status multiply_narrow(Gpu&, Stream, const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                                const Matrix<float>&, const NarrowPlan&, void*);
template Status multiply_narrow(Gpu&, Stream, const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                                const Matrix<Bfloat16>&, const NarrowPlan&, void*);

size_t narrow_workspace(int64_t m, int64_t n, int64_t k) {
  Parts parts(nullptr);
  if (std::min(m, n) <= kNarrowMost) parts.take<Bfloat16>(std::min(m, n) * pitch_of(k));
  return parts.used();
}

}  // namespace warpwright
