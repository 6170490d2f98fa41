// cuSOLVER: sparse systems solved in one call, by LU, QR or Cholesky.
#include "cuda/solver/sparse_call.h"
#include "cuda/solver/sparse_cholesky.h"
#include "cuda/solver/sparse_lu.h"
#include "cuda/solver/sparse_qr.h"
#include "cuda/stubs/submit.h"

using namespace ww::solver;

namespace {

enum class By { Lu, Qr, Cholesky };

template <By by, class T>
Status solve(Handle* h, int n, int count, const Description* d, const T* values, const int* offsets,
             const int* inner, const T* b, Real<T> tolerance, int reorder, T* x, int* singular) {
  if (Status s = taken(h, n, n, count, d, offsets, inner); s != Status::Success) return s;
  if (!values || !b || !x || !singular || reorder < 0 || reorder > 3) return Status::InvalidValue;
  ww_cuda_library_called();
  Sparse<T> a = sparse(n, n, d->base, values, offsets, inner);
  std::vector<int> p(slot(n));
  std::iota(p.begin(), p.end(), 0);
  if (reorder) {
    p = order_of(reorder, a);
    a = permuted(a, p.data(), p.data());
  }
  std::vector<T> from(slot(n)), to(slot(n));
  for (int i = 0; i < n; ++i) from[slot(i)] = b[p[slot(i)]];
  const auto with = [&](const auto& factors) {
    *singular = factors.zero_pivot(tolerance);
    if (*singular < 0) factors.solve(from.data(), to.data());
  };
  if constexpr (by == By::Lu)
    with(SparseLu<T>::factor(transposed(a), 1));
  else if constexpr (by == By::Qr)
    with(SparseQr<T>::factor(a));
  else
    with(SparseCholesky<T>::factor(a));
  for (int i = 0; *singular < 0 && i < n; ++i) x[p[slot(i)]] = to[slot(i)];
  return Status::Success;
}

}  // namespace

#define WW_SOLVE(letter, T, name, by)                                                                \
  WW_LIBRARY_API Status cusolverSp##letter##csrlsv##name(                                            \
      Handle* h, int n, int count, const Description* d, const T* values, const int* offsets,        \
      const int* inner, const T* b, Real<T> tolerance, int reorder, T* x, int* singular) {           \
    return solve<by, T>(h, n, count, d, values, offsets, inner, b, tolerance, reorder, x, singular); \
  }
#define WW_SOLVES(letter, T)                  \
  WW_SOLVE(letter, T, luHost, By::Lu)         \
  WW_SOLVE(letter, T, qrHost, By::Qr)         \
  WW_SOLVE(letter, T, qr, By::Qr)             \
  WW_SOLVE(letter, T, cholHost, By::Cholesky) \
  WW_SOLVE(letter, T, chol, By::Cholesky)
WW_SOLVES(S, float)
WW_SOLVES(D, double)
WW_SOLVES(C, std::complex<float>)
WW_SOLVES(Z, std::complex<double>)
