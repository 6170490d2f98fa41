// cuSOLVER's sparse part: many systems with one pattern (csrqrsvBatched), and the eigenvalue that is nearest
// to a given one (csreigvsi).
#include "cuda/solver/sparse_call.h"
#include "cuda/solver/sparse_lu.h"
#include "cuda/solver/sparse_qr.h"
#include "cuda/stubs/submit.h"

using namespace ww::solver;

struct Factors;  // csrqrInfo_t: here nothing is kept in it
WW_LIBRARY_API Status cusolverSpXcsrqrAnalysis(Handle* h, int m, int n, int count, const Description* d,
                                               const int* offsets, const int* inner, Factors* info);

namespace {

template <class T>
Status solve_many(Handle* h, int m, int n, int count, const Description* d, const T* values,
                  const int* offsets, const int* inner, const T* b, T* x, int systems) {
  if (Status s = taken(h, m, n, count, d, offsets, inner); s != Status::Success) return s;
  return checked(h, m >= n && systems >= 0 && values && b && x, [=, base = d->base] {
    for (int64_t k = 0; k < systems; ++k)
      SparseQr<T>::factor(sparse(m, n, base, values + k * count, offsets, inner)).solve(b + k * m, x + k * n);
  });
}

/// Inverse iteration with Rayleigh's quotient as the answer; the shift stays.
template <class T>
void nearest(const Sparse<T>& a, T shift, const T* first, int steps, double tolerance, T* value, T* vector) {
  const auto n = static_cast<size_t>(a.rows);
  const auto f = SparseQr<T>::factor(a, shift);
  std::vector<T> x(first, first + n), y(n);
  const auto unit = [&](std::vector<T>& v) {
    Real<T> sum = 0;
    for (const T& e : v) sum += squared(e);
    for (T& e : v) e /= std::sqrt(sum);
  };
  unit(x);
  *value = shift;
  for (int step = 0; step < steps; ++step) {
    f.solve(x.data(), y.data());
    unit(y);
    x = y;
    T quotient{};
    std::fill(y.begin(), y.end(), T{});
    for (int i = 0; i < a.rows; ++i)
      for (int k = a.begin(i); k < a.end(i); ++k) y[slot(i)] += a.values[slot(k)] * x[slot(a.inner[slot(k)])];
    for (size_t i = 0; i < n; ++i) quotient += conjugate(x[i]) * y[i];
    *value = quotient;
    Real<T> residual = 0;
    for (size_t i = 0; i < n; ++i) residual += squared(y[i] - quotient * x[i]);
    if (std::sqrt(double(residual)) < tolerance) break;
  }
  std::copy(x.begin(), x.end(), vector);
}
template <class T>
Status nearest_at(Handle* h, int n, int count, const Description* d, const T* values, const int* offsets,
                  const int* inner, T shift, const T* first, int steps, double tolerance, T* value,
                  T* vector) {
  if (Status s = taken(h, n, n, count, d, offsets, inner); s != Status::Success) return s;
  return checked(h, values && first && steps > 0 && value && vector, [=, base = d->base] {
    nearest<T>(sparse(n, n, base, values, offsets, inner), shift, first, steps, tolerance, value, vector);
  });
}

}  // namespace

WW_LIBRARY_API Status cusolverSpXcsrqrAnalysisBatched(Handle* h, int m, int n, int count,
                                                      const Description* d, const int* offsets,
                                                      const int* inner, Factors* info) {
  return cusolverSpXcsrqrAnalysis(h, m, n, count, d, offsets, inner, info);
}
#define WW_MANY(letter, T)                                                                                \
  WW_LIBRARY_API Status cusolverSp##letter##csrqrBufferInfoBatched(                                       \
      Handle* h, int, int, int, const Description*, const T*, const int*, const int*, int, Factors* info, \
      size_t* inside, size_t* work) {                                                                     \
    if (!is_handle(h)) return Status::NotInitialized;                                                     \
    if (!info || !inside || !work) return Status::InvalidValue;                                           \
    *inside = *work = 8;                                                                                  \
    return Status::Success;                                                                               \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverSp##letter##csrqrsvBatched(                                               \
      Handle* h, int m, int n, int count, const Description* d, const T* values, const int* offsets,      \
      const int* inner, const T* b, T* x, int systems, Factors*, void*) {                                 \
    return solve_many(h, m, n, count, d, values, offsets, inner, b, x, systems);                          \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverSp##letter##csreigvsi(                                                    \
      Handle* h, int n, int count, const Description* d, const T* values, const int* offsets,             \
      const int* inner, T shift, const T* first, int steps, Real<T> tolerance, T* value, T* vector) {     \
    return nearest_at(h, n, count, d, values, offsets, inner, shift, first, steps, tolerance, value,      \
                      vector);                                                                            \
  }                                                                                                       \
  WW_LIBRARY_API Status cusolverSp##letter##csreigvsiHost(                                                \
      Handle* h, int n, int count, const Description* d, const T* values, const int* offsets,             \
      const int* inner, T shift, const T* first, int steps, Real<T> tolerance, T* value, T* vector) {     \
    return nearest_at(h, n, count, d, values, offsets, inner, shift, first, steps, tolerance, value,      \
                      vector);                                                                            \
  }
WW_MANY(S, float)
WW_MANY(D, double)
WW_MANY(C, std::complex<float>)
WW_MANY(Z, std::complex<double>)
