// cuSOLVER: least squares.
#include "cuda/solver/least_squares.h"

#include "cuda/solver/precisions.h"

using namespace ww::solver;

namespace {

bool good(int m, int n, int columns, int lda, int ldb, int ldx) {
  return n >= 0 && m >= n && columns >= 0 && lda >= std::max(1, m) && ldb >= std::max(1, m) &&
         ldx >= std::max(1, n);
}
template <class T>
Status solve(Handle* h, int m, int n, int columns, const T* a, int lda, const T* b, int ldb, T* x, int ldx,
             int* refined, int* info) {
  if (refined) *refined = 0;
  return checked(h, good(m, n, columns, lda, ldb, ldx) && a && b && x && refined && info, [=] {
    std::vector<T> qr(static_cast<size_t>(int64_t{m} * n)), c(static_cast<size_t>(int64_t{m} * columns));
    for (int64_t j = 0; j < n; ++j) std::copy(a + j * lda, a + j * lda + m, qr.data() + j * m);
    for (int64_t j = 0; j < columns; ++j) std::copy(b + j * ldb, b + j * ldb + m, c.data() + j * m);
    *info = least_squares<T>(m, n, columns, {qr.data(), m}, {c.data(), m});
    for (int64_t j = 0; !*info && j < columns; ++j)
      std::copy(c.data() + j * m, c.data() + j * m + n, x + j * ldx);
  });
}

}  // namespace

#define WW_LEAST_SQUARES(letters, T)                                                                         \
  WW_LIBRARY_API Status cusolverDn##letters##gels_bufferSize(                                                \
      Handle* h, int m, int n, int columns, T*, int lda, T*, int ldb, T*, int ldx, void*, size_t* bytes) {   \
    return workspace(h, good(m, n, columns, lda, ldb, ldx), bytes, n);                                       \
  }                                                                                                          \
  WW_LIBRARY_API Status cusolverDn##letters##gels(Handle* h, int m, int n, int columns, T* a, int lda, T* b, \
                                                  int ldb, T* x, int ldx, void*, size_t, int* refined,       \
                                                  int* info) {                                               \
    return solve<T>(h, m, n, columns, a, lda, b, ldb, x, ldx, refined, info);                                \
  }
WW_PRECISIONS(WW_LEAST_SQUARES)
