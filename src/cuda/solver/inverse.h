// What Cholesky's and the symmetric factors have in common: sizes, and inverses into the factored triangle.
#pragma once

#include "cuda/solver/call.h"

namespace ww::solver {

/// The inverse of what was factored in `a`, into the triangle that was factored. `info`: the first column
/// (from 1) whose diagonal is 0 and where `alone(column)` says that nothing else stands in for it. `solve(x)`
/// solves for the columns of x.
template <class T, class Alone, class Solve>
Status invert(Handle* h, Fill fill, int n, T* a, int lda, int* info, Alone&& alone, Solve&& solve) {
  return checked(h, is_square(n, lda) && info, [=] {
    touches(Matrix<T>{a, lda}, n, n), touches_info(info);
    const int64_t size = n;
    std::vector<T> inverse(static_cast<size_t>(size * size));
    const Matrix<T> x{inverse.data(), size};
    *info = 0;
    for (int64_t j = 0; j < n; ++j) {
      x(j, j) = T(1);
      if (a[j + j * int64_t{lda}] == T{} && alone(j) && !*info) *info = static_cast<int>(j + 1);
    }
    if (*info) return;
    solve(x);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = fill == Fill::Lower ? j : 0; i < (fill == Fill::Lower ? n : j + 1); ++i)
        a[i + j * int64_t{lda}] = x(i, j);
  });
}

}  // namespace ww::solver
