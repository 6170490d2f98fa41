// The product of two matrices, by columns, for all types.
#pragma once

#include <algorithm>
#include <vector>

#include "cuda/blas/call.h"

namespace ww::blas {

/// C = alpha op(A) op(B) + beta C; op(A) is m by k. TA, TB, TC: as stored; T: as computed. Rows are taken in
/// pieces that stay in the cache.
template <class T, class TA, class TB, class TC>
void product(Op op_a, Op op_b, int64_t m, int64_t n, int64_t k, T alpha, const TA* a, int64_t lda,
             const TB* b, int64_t ldb, T beta, TC* c, int64_t ldc) {
  if (m <= 0 || n <= 0) return;
  if (alpha == T{}) k = 0;  // A and B are not read
  constexpr int64_t kRows = 256, kDepth = 256;
  in_parallel(n, double(m) * double(std::max<int64_t>(k, 1)), [&](int64_t first, int64_t end) {
    std::vector<T> left(static_cast<size_t>(kRows * kDepth)), sums;
    const int64_t columns = end - first;
    for (int64_t i0 = 0; i0 < m; i0 += kRows) {
      const int64_t rows = std::min(kRows, m - i0);
      sums.assign(static_cast<size_t>(rows * columns), T{});
      for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
        const int64_t depth = std::min(kDepth, k - p0);
        for (int64_t p = 0; p < depth; ++p)
          for (int64_t i = 0; i < rows; ++i)
            left[static_cast<size_t>(p * rows + i)] = T(element(a, lda, op_a, i0 + i, p0 + p));
        for (int64_t j = 0; j < columns; ++j) {
          T* sum = &sums[static_cast<size_t>(j * rows)];
          for (int64_t p = 0; p < depth; ++p) {
            const T factor = T(element(b, ldb, op_b, p0 + p, first + j));
            const T* column = &left[static_cast<size_t>(p * rows)];
            for (int64_t i = 0; i < rows; ++i) sum[i] += column[i] * factor;
          }
        }
      }
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < rows; ++i) {
          TC& to = c[i0 + i + (first + j) * ldc];
          // With beta 0 what was there does not count, were it NaN.
          to = TC(alpha * sums[static_cast<size_t>(j * rows + i)] + (beta == T{} ? T{} : beta * T(to)));
        }
    }
  });
}

/// The same of matrices of the program, of which `check` is told.
template <class T, class TA, class TB, class TC>
void programs_product(Op op_a, Op op_b, int64_t m, int64_t n, int64_t k, T alpha, const TA* a, int64_t lda,
                      const TB* b, int64_t ldb, T beta, TC* c, int64_t ldc) {
  const bool reads = alpha != T{} && k > 0;
  if (m <= 0 || n <= 0 || (!reads && beta == T(1))) return;
  if (reads) touches(op_a, a, m, k, lda), touches(op_b, b, k, n, ldb);
  stubs::touches(c, m, n, ldc);
  product(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// And the batches of such products, whose matrices begin so many elements apart.
template <class T, class TA, class TB, class TC>
void touches_batches(int64_t m, int64_t n, int64_t k, T alpha, const TA* a, int64_t sa, const TB* b,
                     int64_t sb, T beta, TC* c, int64_t sc, int64_t count) {
  const bool reads = alpha != T{} && k > 0;
  if (m <= 0 || n <= 0 || (!reads && beta == T(1))) return;
  if (reads) stubs::touches_batch(a, sa, count), stubs::touches_batch(b, sb, count);
  stubs::touches_batch(c, sc, count);
}

inline bool good_product(Op op_a, Op op_b, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                         int64_t ldc) {
  return m >= 0 && n >= 0 && k >= 0 && lda >= std::max<int64_t>(1, op_a == Op::None ? m : k) &&
         ldb >= std::max<int64_t>(1, op_b == Op::None ? k : n) && ldc >= std::max<int64_t>(1, m);
}

}  // namespace ww::blas
