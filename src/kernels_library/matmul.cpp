#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels_library/any.h"
#include "kernels_library/float32.h"
#include "kernels_library/narrow.h"
#include "kernels_library/portable.h"
#include "kernels_library/remembered.h"
#include "kernels_library/tensor.h"
#include "kernels_library/thin.h"

namespace warpwright {

namespace {

/// Compute capability with these tensor cores and this copy engine, and no other.
constexpr int kHopper = 90, kAmpere = 80;
constexpr double kClock = 1.98e9;  ///< an H200's

template <class IN, class OUT>
Status check_product(const Matrix<const IN>& a, const Matrix<const IN>& b, const Matrix<OUT>& c,
                     const Workspace& workspace, size_t needed) {
  for (Status s : {check(a), check(b), check(c)})
    if (s != Status::ok) return s;
  if (a.rows != c.rows || b.columns != c.columns || a.columns != b.rows) return Status::bad_shape;
  return check_memory({range_of(a), range_of(b)}, range_of(c), workspace, needed);
}

bool known(Accuracy accuracy) {
  return accuracy == Accuracy::ieee || accuracy == Accuracy::float32 || accuracy == Accuracy::halves;
}

/// Whether a product of this accuracy may be computed by those parts: halves' may also take thirds, which are
/// more accurate.
bool may_take(Accuracy parts, Accuracy accuracy) {
  return accuracy != Accuracy::ieee && (parts == Accuracy::float32 || accuracy == Accuracy::halves);
}

/// What a product by parts takes, in seconds: its launches, of the cycles that its plan is reckoned with, and
/// for each element of the operands, each result, and each that a further launch moves to where it belongs.
/// Fitted to products on an H200 (data/measured/h200-library/fresh_ways.csv, karatsuba_splitting.csv; of A·Aᵀ
/// in halves lower_plans.csv).
struct SplitCost {
  double launches, multiply, element, result, placed;
  double least = 0, least_placed = 0;  ///< for the caller's launches alone, and for one more
};
constexpr SplitCost kThirds{4.8e-6, 0.84, 2.4e-12, 0.85e-12, 3.9e-12},
    kHalves{13e-6, 0.96, 5.6e-12, 0.85e-12, 3.7e-12}, kKaratsuba{16e-6, 0.84, 3.4e-12, 0.85e-12, 3.9e-12};
// Of A·Aᵀ, whose last launch makes it symmetric (lower_choice.csv there).
constexpr SplitCost kThirdsLower{3.7e-6, 0.84, 2.4e-12, 0.85e-12, 3.9e-12, 12.3e-6, 3.7e-6},
    kHalvesLower{5.9e-6, 0.96, 5.6e-12, 0.85e-12, 3.7e-12, 18e-6, 3.7e-6},
    kKaratsubaLower{12.9e-6, 0.84, 4.0e-12, 0.85e-12, 3.9e-12, 22e-6, 3.7e-6};
/// Of Karatsuba's scheme: what the tensor cores cut off counts more in shorter sums.
constexpr int64_t kLeastDepth = 256;

/// How a product of a GPU with tensor cores is computed fastest.
struct Way {
  Accuracy accuracy = Accuracy::ieee;  ///< whose kernels: ieee's on CUDA cores
  double seconds = 0;
  bool karatsuba = false;        ///< of float32's: not thirds
  const AnyForm* any = nullptr;  ///< of float32's: in one launch, as the operands lie
};
Way find_fastest(Way way, Accuracy accuracy, int64_t m, int64_t n, int64_t k, bool lower, bool placed,
                 int64_t multiprocessors) {
  const auto count = [](int64_t v) { return static_cast<double>(v); };
  const auto try_one = [&](Accuracy parts, const SplitCost& cost, const SplitPlan& plan, bool karatsuba) {
    const double multiply = cycles(plan, k, multiprocessors) / kClock;
    const double gpu = cost.launches + cost.multiply * multiply +
                       cost.element * count(m * k + (lower ? 0 : k * n)) +
                       (cost.result + (placed ? cost.placed : 0)) * count(m * n);
    const double seconds = std::max(gpu, cost.least + (placed ? cost.least_placed : 0));
    if (seconds < way.seconds) way = {parts, seconds, karatsuba, nullptr};
  };
  for (Accuracy parts : {Accuracy::float32, Accuracy::halves}) {
    if (!may_take(parts, accuracy)) continue;
    const SplitCost& thirds = lower ? kThirdsLower : kThirds;
    const SplitCost& halves = lower ? kHalvesLower : kHalves;
    try_one(parts, parts == Accuracy::halves ? halves : thirds,
            plan_split(m, n, k, parts, lower, multiprocessors), false);
  }
  if (accuracy == Accuracy::float32 && k >= kLeastDepth)
    try_one(accuracy, lower ? kKaratsubaLower : kKaratsuba, plan_karatsuba(m, n, k, lower, multiprocessors),
            true);
  if (accuracy != Accuracy::ieee && !lower)
    if (const AnyPlan plan = plan_any(sizeof(float), m, n, k, multiprocessors); plan.seconds < way.seconds)
      way = {Accuracy::float32, plan.seconds, false, plan.form};
  return way;
}
/// `way`, or what is reckoned to be faster of the parts that it may take. m × k by k × n; `lower`: only the
/// tiles on and below the diagonal; `placed`: the copy engine cannot store the results where they belong.
Way fastest(const Way& way, Accuracy accuracy, int64_t m, int64_t n, int64_t k, bool lower, bool placed,
            int64_t multiprocessors) {
  thread_local Remembered<7, Way> answers;
  int64_t seconds = 0;
  static_assert(sizeof(seconds) == sizeof(way.seconds));
  std::memcpy(&seconds, &way.seconds, sizeof(seconds));
  return answers.answer({m, n, k, 4 * static_cast<int>(accuracy) + 2 * int{lower} + int{placed},
                         static_cast<int>(way.accuracy), seconds, multiprocessors},
                        [&] { return find_fastest(way, accuracy, m, n, k, lower, placed, multiprocessors); });
}

/// Of a narrow product, whether a tile of 128 × 64 is as good: it is as wide, and where sums are short,
/// storing results counts, which the copy engine does beside the products (100352 × 64 by 576,
/// data/measured/h200-library/bf16_narrow.csv).
template <class OUT>
bool fits_wide_tile(const Matrix<OUT>& c, int64_t k) {
  constexpr int64_t kLeastColumns = 32, kShortSums = 1024;
  return c.rows >= c.columns && c.columns > kLeastColumns && k <= kShortSums;
}

template <class OUT>
Status matmul_bfloat16(Stream stream, const Matrix<const Bfloat16>& a, const Matrix<const Bfloat16>& b,
                       const Matrix<OUT>& c, const Workspace& workspace) {
  if (c.layout == Layout::by_columns)
    return matmul_bfloat16(stream, transposed(b), transposed(a), transposed(c), workspace);
  if (Status s = check_product(a, b, c, workspace, matmul_bfloat16_workspace(c.rows, c.columns, a.columns));
      s != Status::ok)
    return s;
  Gpu* gpu = nullptr;
  if (Status s = Gpu::current(&gpu); s != Status::ok) return s;
  if (c.rows == 0 || c.columns == 0) return Status::ok;
  if (a.columns == 0) return fill_zero(stream, c);
  if (gpu->compute_capability() >= kAmpere) {
    const int64_t sms = gpu->multiprocessors();
    const bool hopper = gpu->compute_capability() == kHopper;
    const AnyPlan plan = plan_any(sizeof(Bfloat16), c.rows, c.columns, a.columns, sms, hopper);
    if (!hopper) return multiply_any(*gpu, stream, a, b, c, *plan.form, plan.pieces, workspace.data);
    const bool fits = is_narrow(a, b) && !fits_wide_tile(c, a.columns);
    const NarrowPlan narrow = fits ? plan_narrow(a, b, sms) : NarrowPlan{0, 0, HUGE_VAL};
    // Of a narrow product, and above all of a single column, what wide tiles take is reckoned too short.
    const double bulk = fits && !lays_narrow(a, b) ? HUGE_VAL : bfloat16_seconds(a, b, c, sms);
    const double wide = c.rows == 1 || c.columns == 1 ? HUGE_VAL : std::min(bulk, plan.seconds);
    if (is_thin(a, b))
      if (const ThinPlan thin = plan_thin(a, b, sms); thin.seconds < std::min(narrow.seconds, wide))
        return multiply_thin(*gpu, stream, a, b, c, thin, workspace.data);
    if (fits && narrow.seconds <= wide) return multiply_narrow(*gpu, stream, a, b, c, narrow, workspace.data);
    if (bulk <= plan.seconds) return multiply_bfloat16(*gpu, stream, a, b, c, workspace.data);
    return multiply_any(*gpu, stream, a, b, c, *plan.form, plan.pieces, workspace.data);
  }
  return multiply_portable(*gpu, stream,
                           sizeof(OUT) == 4 ? "multiply_bfloat16_to_float32" : "multiply_bfloat16", a, b, c);
}

}  // namespace

Status matmul(Stream stream, Matrix<const float> a, Matrix<const float> b, Matrix<float> c, Accuracy accuracy,
              Workspace workspace) {
  if (c.layout == Layout::by_columns)
    return matmul(stream, transposed(b), transposed(a), transposed(c), accuracy, workspace);
  if (!known(accuracy)) return Status::unsupported;
  const int64_t m = c.rows, n = c.columns, k = a.columns;
  if (Status s = check_product(a, b, c, workspace, matmul_workspace(m, n, k, accuracy)); s != Status::ok)
    return s;
  Gpu* gpu = nullptr;
  if (Status s = Gpu::current(&gpu); s != Status::ok) return s;
  if (m == 0 || n == 0) return Status::ok;
  if (k == 0) return fill_zero(stream, c);
  if (gpu->compute_capability() < kAmpere)
    return multiply_portable(*gpu, stream, "multiply_float32", a, b, c);
  const Float32Plan plan = plan_float32(a, b, gpu->multiprocessors(), gpu->shared_memory());
  const int64_t sms = gpu->multiprocessors();
  Way way{Accuracy::ieee, cycles(plan, a, b, sms) / kClock};
  if (gpu->compute_capability() == kHopper) way = fastest(way, accuracy, m, n, k, false, !in_chunks(c), sms);
  if (gpu->compute_capability() == kHopper && is_thin(a, b))
    if (const ThinPlan thin = plan_thin(a, b, sms); thin.seconds < way.seconds)
      return multiply_thin(*gpu, stream, a, b, c, thin, workspace.data);
  if (way.any) return multiply_any(*gpu, stream, a, b, c, *way.any);
  if (way.karatsuba)
    return multiply_karatsuba(*gpu, stream, a, b, c, plan_karatsuba(m, n, k, false, sms), sms,
                              workspace.data);
  if (way.accuracy != Accuracy::ieee)
    return multiply_split(*gpu, stream, a, b, c, way.accuracy, plan_split(m, n, k, way.accuracy, false, sms),
                          sms, workspace.data);
  return multiply_float32(*gpu, stream, a, b, c, plan, workspace.data);
}

Status matmul(Stream stream, Matrix<const Bfloat16> a, Matrix<const Bfloat16> b, Matrix<float> c,
              Workspace workspace) {
  return matmul_bfloat16(stream, a, b, c, workspace);
}
Status matmul(Stream stream, Matrix<const Bfloat16> a, Matrix<const Bfloat16> b, Matrix<Bfloat16> c,
              Workspace workspace) {
  return matmul_bfloat16(stream, a, b, c, workspace);
}

size_t matmul_workspace(int64_t m, int64_t n, int64_t k, Accuracy accuracy) {
  if (m <= 0 || n <= 0 || k <= 0) return 0;
  thread_local Remembered<4, size_t> answers;
  return answers.answer({m, n, k, static_cast<int>(accuracy)}, [&] {
    size_t most = float32_workspace(m, n, k);
    for (Accuracy parts : {Accuracy::float32, Accuracy::halves})
      if (may_take(parts, accuracy)) most = std::max(most, split_workspace(m, n, k, parts));
    return accuracy == Accuracy::float32 ? std::max(most, karatsuba_workspace(m, n, k)) : most;
  });
}
size_t matmul_bfloat16_workspace(int64_t m, int64_t n, int64_t k) {
  return m <= 0 || n <= 0 || k <= 0 ? 0 : bfloat16_workspace(m, n, k);
}

Status aat(Stream stream, Matrix<const float> a, Matrix<float> c, Accuracy accuracy, Workspace workspace) {
  c.layout = Layout::by_rows;  // it is symmetric
  if (!known(accuracy)) return Status::unsupported;
  const int64_t n = a.rows, k = a.columns;
  if (Status s = check_product(a, transposed(a), c, workspace, aat_workspace(n, k, accuracy));
      s != Status::ok)
    return s;
  Gpu* gpu = nullptr;
  if (Status s = Gpu::current(&gpu); s != Status::ok) return s;
  if (n == 0) return Status::ok;
  if (k == 0) return fill_zero(stream, c);
  if (gpu->compute_capability() < kAmpere)
    return multiply_portable(*gpu, stream, "multiply_float32", a, transposed(a), c);
  const int64_t sms = gpu->multiprocessors(), shared = gpu->shared_memory();
  const LowerPlan plan = plan_lower(a, sms, shared);
  Way way{Accuracy::ieee, plan.cycles / kClock};
  if (gpu->compute_capability() == kHopper) way = fastest(way, accuracy, n, n, k, true, !in_chunks(c), sms);
  if (way.karatsuba)
    return lower_karatsuba(*gpu, stream, a, c, plan_karatsuba(n, n, k, true, sms), sms, workspace.data);
  if (way.accuracy != Accuracy::ieee)
    return lower_split(*gpu, stream, a, c, way.accuracy, plan_split(n, n, k, way.accuracy, true, sms), sms,
                       workspace.data);
  if (plan.tile) return lower_float32(*gpu, stream, a, c, *plan.tile, workspace.data);
  const Matrix<const float> b = transposed(a);
  const Status s = multiply_float32(*gpu, stream, a, b, c, plan_float32(a, b, sms, shared), workspace.data);
  return s == Status::ok ? mirror_lower(*gpu, stream, c) : s;
}
size_t aat_workspace(int64_t n, int64_t k, Accuracy accuracy) {
  if (n <= 0 || k <= 0) return 0;
  thread_local Remembered<3, size_t> answers;
  return answers.answer({n, k, static_cast<int>(accuracy)}, [&] {
    size_t most = float32_workspace(n, n, k);
    for (Accuracy parts : {Accuracy::float32, Accuracy::halves})
      if (may_take(parts, accuracy)) most = std::max(most, lower_split_workspace(n, k, parts));
    return accuracy == Accuracy::float32 ? std::max(most, lower_karatsuba_workspace(n, k)) : most;
  });
}

}  // namespace warpwright
