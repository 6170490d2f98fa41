// cuSOLVER: LU with pivoting, and systems of equations that are solved by it.
#include "cuda/solver/factor.h"
#include "cuda/solver/precisions.h"

using namespace ww::solver;

namespace {

template <class T>
Status factor(Handle* h, int m, int n, T* a, int lda, int* pivots, int* info) {
  return checked(h, is_matrix(m, n, lda), [=] {
    touches(Matrix<T>{a, lda}, m, n), touches_info(pivots, std::min(m, n)), touches_info(info);
    *info = factor_lu<T>(m, n, {a, lda}, pivots);
  });
}
template <class T>
Status solve(Handle* h, Op op, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb,
             int* info) {
  return checked(h, is_matrix(n, n, lda) && is_matrix(n, columns, ldb), [=] {
    if (columns) touches(Matrix<const T>{a, lda}, n, n), touches_info(pivots, n);
    touches(Matrix<T>{b, ldb}, n, columns), touches_info(info);
    solve_lu<T>(op, n, columns, {a, lda}, pivots, {b, ldb});
    *info = 0;
  });
}

/// A X = B with A and B kept. cuSOLVER factors in a lower precision and refines; ours is factored in its own,
/// so that nothing is to be refined (`refined` 0).
template <class T>
Status solve_system(Handle* h, int n, int columns, T* a, int lda, int* pivots, T* b, int ldb, T* x, int ldx,
                    int* refined, int* info) {
  return checked(
      h, is_matrix(n, n, lda) && is_matrix(n, columns, ldb) && is_matrix(n, columns, ldx) && refined && info,
      [=] {
        touches(Matrix<const T>{a, lda}, n, n), touches(Matrix<const T>{b, ldb}, n, columns);
        touches(Matrix<T>{x, ldx}, n, columns), touches_info(pivots, n), touches_info(info);
        std::vector<T> copy(static_cast<size_t>(int64_t{n} * n));
        std::vector<int> own(static_cast<size_t>(n));
        for (int64_t j = 0; j < n; ++j) std::copy(a + j * lda, a + j * lda + n, copy.data() + j * n);
        for (int64_t j = 0; j < columns; ++j) std::copy(b + j * ldb, b + j * ldb + n, x + j * ldx);
        int* p = pivots ? pivots : own.data();
        *refined = 0;
        *info = factor_lu<T>(n, n, {copy.data(), n}, p);
        if (*info == 0) solve_lu<T>(Op::None, n, columns, {copy.data(), n}, p, {x, ldx});
      });
}

}  // namespace

#define WW_LU(letter, T)                                                                                     \
  WW_LIBRARY_API Status cusolverDn##letter##getrf_bufferSize(Handle* h, int m, int n, T*, int lda,           \
                                                             int* size) {                                    \
    return workspace(h, is_matrix(m, n, lda), size, n);                                                      \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##getrf(Handle* h, int m, int n, T* a, int lda, T*, int* pivots,   \
                                                  int* info) {                                               \
    return factor(h, m, n, a, lda, pivots, info);                                                            \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letter##getrs(Handle* h, Op op, int n, int columns, const T* a, int lda, \
                                                  const int* pivots, T* b, int ldb, int* info) {             \
    return solve(h, op, n, columns, a, lda, pivots, b, ldb, info);                                           \
  }
WW_LU(S, float)
WW_LU(D, double)
WW_LU(C, std::complex<float>)
WW_LU(Z, std::complex<double>)

#define WW_SYSTEM(letters, T)                                                                                \
  WW_LIBRARY_API Status cusolverDn##letters##gesv_bufferSize(Handle* h, int n, int, T*, int lda, int*, T*,   \
                                                             int, T*, int, void*, size_t* bytes) {           \
    return workspace(h, is_matrix(n, n, lda), bytes, n);                                                     \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letters##gesv(Handle* h, int n, int columns, T* a, int lda, int* pivots, \
                                                  T* b, int ldb, T* x, int ldx, void*, size_t, int* refined, \
                                                  int* info) {                                               \
    return solve_system(h, n, columns, a, lda, pivots, b, ldb, x, ldx, refined, info);                       \
  }
WW_PRECISIONS(WW_SYSTEM)
