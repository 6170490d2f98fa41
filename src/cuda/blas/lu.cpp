// cuBLAS: LU factorization of many small matrices, and what is solved with it (cuBLAS manual, "BLAS-like
// Extension": getrfBatched, getrsBatched, getriBatched). Row numbers count from 1, as LAPACK's.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/blas/call.h"

namespace ww::blas {
namespace {

/// P A = L U in place; 0, or the first k whose U(k, k) is zero. Without `pivots` rows stay where they are.
template <class T>
int factor(int n, T* a, int lda, int* pivots) {
  int singular = 0;
  auto at = [&](int i, int j) -> T& { return a[i + int64_t{j} * lda]; };
  for (int k = 0; k < n; ++k) {
    int best = k;
    if (pivots) {
      for (int i = k + 1; i < n; ++i)
        if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
      pivots[k] = best + 1;
      for (int j = 0; best != k && j < n; ++j) std::swap(at(k, j), at(best, j));
    }
    if (at(k, k) == T{}) {
      if (!singular) singular = k + 1;
      continue;
    }
    for (int i = k + 1; i < n; ++i) at(i, k) /= at(k, k);
    for (int j = k + 1; j < n; ++j)
      for (int i = k + 1; i < n; ++i) at(i, j) -= at(i, k) * at(k, j);
  }
  return singular;
}

/// op(A) x = b in place of b, with the factors and row exchanges of A.
template <class T>
void solve(Op op, int n, const T* lu, int lda, const int* pivots, T* x) {
  auto at = [&](int i, int j) { return element(lu, lda, op, i, j); };  // op(LU): (i, j) of it
  auto exchange = [&](int k) {
    if (pivots && pivots[k] != k + 1) std::swap(x[k], x[pivots[k] - 1]);
  };
  if (op == Op::None) {
    for (int k = 0; k < n; ++k) exchange(k);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) x[i] -= at(i, j) * x[j];
    for (int i = n; i-- > 0; x[i] /= at(i, i))
      for (int j = i + 1; j < n; ++j) x[i] -= at(i, j) * x[j];
    return;
  }
  for (int i = 0; i < n; x[i] /= at(i, i), ++i)
    for (int j = 0; j < i; ++j) x[i] -= at(i, j) * x[j];
  for (int i = n; i-- > 0;)
    for (int j = i + 1; j < n; ++j) x[i] -= at(i, j) * x[j];
  for (int k = n; k-- > 0;) exchange(k);
}

template <class T>
Status factor_all(Handle* h, int n, T* const* a, int lda, int* pivots, int* info, int count) {
  return checked(h, n >= 0 && count >= 0 && lda >= std::max(1, n) && (!count || (a && info)), [=] {
    touches_pointers(count, a), stubs::touches(info, count);
    if (pivots) stubs::touches(pivots, int64_t{count} * n);
    for (int b = 0; b < count; ++b) {
      stubs::touches(a[b], n, n, lda);
      info[b] = factor(n, a[b], lda, pivots ? pivots + int64_t{b} * n : nullptr);
    }
  });
}
template <class T>
Status solve_all(Handle* h, Op op, int n, int columns, const T* const* a, int lda, const int* pivots,
                 T* const* x, int ldb, int* info, int count) {
  const bool good = n >= 0 && columns >= 0 && count >= 0 && lda >= std::max(1, n) && ldb >= std::max(1, n);
  if (info) *info = good ? 0 : -1;
  return checked(h, good && (!count || (a && x)), [=] {
    if (!n || !columns) return;
    touches_pointers(count, a, x);
    if (pivots) stubs::touches(pivots, int64_t{count} * n);
    for (int b = 0; b < count; ++b) stubs::touches(a[b], n, n, lda), stubs::touches(x[b], n, columns, ldb);
    for (int b = 0; b < count; ++b)
      for (int c = 0; c < columns; ++c)
        solve(op, n, a[b], lda, pivots ? pivots + int64_t{b} * n : nullptr, x[b] + int64_t{c} * ldb);
  });
}
template <class T>
Status invert_all(Handle* h, int n, const T* const* a, int lda, const int* pivots, T* const* inverse, int ldc,
                  int* info, int count) {
  return checked(h,
                 n >= 0 && count >= 0 && lda >= std::max(1, n) && ldc >= std::max(1, n) &&
                     (!count || (a && inverse && info)),
                 [=] {
                   touches_pointers(count, a, inverse), stubs::touches(info, count);
                   if (pivots) stubs::touches(pivots, int64_t{count} * n);
                   for (int b = 0; b < count; ++b) {
                     stubs::touches(a[b], n, n, lda), stubs::touches(inverse[b], n, n, ldc);
                     info[b] = 0;
                     for (int k = n; k-- > 0;)
                       if (a[b][k + int64_t{k} * lda] == T{}) info[b] = k + 1;
                     for (int c = 0; !info[b] && c < n; ++c) {
                       T* column = inverse[b] + int64_t{c} * ldc;
                       for (int i = 0; i < n; ++i) column[i] = T(i == c);
                       solve(Op::None, n, a[b], lda, pivots ? pivots + int64_t{b} * n : nullptr, column);
                     }
                   }
                 });
}

/// The same of matrices that are not factored yet, of at most 32 rows.
template <class T>
Status factor_and_invert(Handle* h, int n, const T* const* a, int lda, T* const* inverse, int ldc, int* info,
                         int count) {
  const bool good = n >= 0 && n <= 32 && count >= 0 && lda >= std::max(1, n) && ldc >= std::max(1, n);
  return checked(h, good && (!count || (a && inverse && info)), [=] {
    std::vector<T> factors(static_cast<size_t>(n) * static_cast<size_t>(n));
    std::vector<int> pivots(static_cast<size_t>(n));
    touches_pointers(count, a, inverse), stubs::touches(info, count);
    for (int b = 0; b < count; ++b) {
      stubs::touches(a[b], n, n, lda), stubs::touches(inverse[b], n, n, ldc);
      for (int j = 0; j < n; ++j) std::copy_n(a[b] + int64_t{j} * lda, n, factors.begin() + int64_t{j} * n);
      info[b] = factor(n, factors.data(), n, pivots.data());
      for (int c = 0; !info[b] && c < n; ++c) {
        T* column = inverse[b] + int64_t{c} * ldc;
        for (int i = 0; i < n; ++i) column[i] = T(i == c);
        solve(Op::None, n, factors.data(), n, pivots.data(), column);
      }
    }
  });
}

}  // namespace
}  // namespace ww::blas

using namespace ww::blas;
#define WW_LU(letter, T)                                                                                  \
  WW_LIBRARY_API Status cublas##letter##getrfBatched(Handle* h, int n, T* const* a, int lda, int* pivots, \
                                                     int* info, int count) {                              \
    return factor_all(h, n, a, lda, pivots, info, count);                                                 \
  }                                                                                                       \
  WW_LIBRARY_API Status cublas##letter##getrsBatched(Handle* h, Op op, int n, int columns,                \
                                                     const T* const* a, int lda, const int* pivots,       \
                                                     T* const* x, int ldb, int* info, int count) {        \
    return solve_all(h, op, n, columns, a, lda, pivots, x, ldb, info, count);                             \
  }                                                                                                       \
  WW_LIBRARY_API Status cublas##letter##getriBatched(Handle* h, int n, const T* const* a, int lda,        \
                                                     const int* pivots, T* const* inverse, int ldc,       \
                                                     int* info, int count) {                              \
    return invert_all(h, n, a, lda, pivots, inverse, ldc, info, count);                                   \
  }                                                                                                       \
  WW_LIBRARY_API Status cublas##letter##matinvBatched(Handle* h, int n, const T* const* a, int lda,       \
                                                      T* const* inverse, int ldc, int* info, int count) { \
    return factor_and_invert(h, n, a, lda, inverse, ldc, info, count);                                    \
  }
WW_LU(S, float)
WW_LU(D, double)
WW_LU(C, std::complex<float>)
WW_LU(Z, std::complex<double>)
