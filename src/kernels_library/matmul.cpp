#include <algorithm>

#include "kernels_library/float32.h"
#include "kernels_library/portable.h"
#include "kernels_library/tensor.h"

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

/// Seconds that a product on tensor cores takes, of operands with so many elements in all: the splitting, its
/// launches and the multiply-adds, by the rates of an H200 for small products (data/measured/h200-rungs); for
/// large ones, where it always pays, it is too few. `rounds`: of tiles of 128 × 128.
double split_seconds(double rounds, int64_t k, int64_t elements, Accuracy accuracy) {
  const bool halves = accuracy == Accuracy::halves;
  const double whole =
      rounds * 132 * 128 * 128 * static_cast<double>(ww::round_up(k, 64) + 128);  // multiply-adds
  return whole / (halves ? 170e12 : 95e12) + static_cast<double>(elements) * (halves ? 16 : 14) / 3e12 +
         (halves ? 12e-6 : 9e-6);
}
/// `placed`: the copy engine cannot store the results where they belong, so that a launch moves them, which
/// takes time where they do not stay in L2 (24 MB, read and written:
/// data/measured/h200-library/fresh_calls.csv).
double split_seconds(int64_t m, int64_t n, int64_t k, bool placed, Accuracy accuracy) {
  const auto count = [](int64_t v) { return static_cast<double>(v); };
  const auto rounds = [&](int64_t width) {
    return count(divide_up(divide_up(m, 128) * divide_up(n, width), 132));
  };
  // In tiles of 128 × 128, or where they are few of 128 × 64 (tensor.cpp).
  return split_seconds(std::min(rounds(128), 0.62 * rounds(64)), k, m * k + k * n, accuracy) +
         (placed ? std::max(0.0, count(m * n) * 2 * sizeof(float) - 24e6) / 3e12 : 0);
}
/// Of A·Aᵀ: tiles of 128 × 128 on and below the diagonal, and the launch that mirrors those on it.
double lower_seconds(int64_t n, int64_t k, Accuracy accuracy) {
  const int64_t side = divide_up(n, 128), tiles = side * (side + 1) / 2;
  return split_seconds(static_cast<double>(divide_up(tiles, 132)), k, n * k, accuracy) + 5e-6;
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
  if (gpu->compute_capability() == kHopper) return multiply_bfloat16(*gpu, stream, a, b, c, workspace.data);
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
  if (accuracy != Accuracy::ieee && gpu->compute_capability() == kHopper &&
      split_seconds(m, n, k, !in_chunks(c), accuracy) < cycles(plan, a, b, gpu->multiprocessors()) / kClock)
    return multiply_split(*gpu, stream, a, b, c, accuracy,
                          plan_split(m, n, k, accuracy, false, gpu->multiprocessors()),
                          gpu->multiprocessors(), workspace.data);
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
  const size_t cuda_cores = float32_workspace(m, n, k);
  return accuracy == Accuracy::ieee ? cuda_cores : std::max(cuda_cores, split_workspace(m, n, k, accuracy));
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
  if (accuracy != Accuracy::ieee && gpu->compute_capability() == kHopper &&
      lower_seconds(n, k, accuracy) < plan.cycles / kClock)
    return lower_split(*gpu, stream, a, c, accuracy, plan_split(n, n, k, accuracy, true, sms), sms,
                       workspace.data);
  if (plan.tile) return lower_float32(*gpu, stream, a, c, *plan.tile, workspace.data);
  const Matrix<const float> b = transposed(a);
  const Status s = multiply_float32(*gpu, stream, a, b, c, plan_float32(a, b, sms, shared), workspace.data);
  return s == Status::ok ? mirror_lower(*gpu, stream, c) : s;
}
size_t aat_workspace(int64_t n, int64_t k, Accuracy accuracy) {
  if (n <= 0 || k <= 0) return 0;
  const size_t cuda_cores = float32_workspace(n, n, k);
  return accuracy == Accuracy::ieee ? cuda_cores
                                    : std::max(cuda_cores, lower_split_workspace(n, k, accuracy));
}

}  // namespace warpwright
