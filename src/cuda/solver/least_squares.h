// Least squares by QR.
#pragma once

#include "cuda/solver/reflect.h"

namespace ww::solver {

/// min |A x − b| for the m by n matrix A, m >= n, which becomes its QR; x lies in the first n rows of b's
/// place. Returns 0, or k where R(k, k), counted from 1, is the first zero: there is no x then.
template <class T>
int least_squares(int64_t m, int64_t n, int64_t columns, Matrix<T> a, Matrix<T> b) {
  std::vector<T> tau(static_cast<size_t>(n));
  factor_qr(m, n, a, tau.data());
  for (int64_t k = 0; k < n; ++k)
    if (a(k, k) == T{}) return static_cast<int>(k + 1);
  apply_q<T>(Op::Adjoint, m, columns, n, {a.data, a.lead}, tau.data(), b);
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t k = n; k-- > 0;) {
      b(k, c) /= a(k, k);
      for (int64_t i = 0; i < k; ++i) b(i, c) -= a(i, k) * b(k, c);
    }
  return 0;
}

}  // namespace ww::solver
