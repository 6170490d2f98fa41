// Where the elements of matrices lie that are stored in part: triangles, triangles packed, and bands.
#pragma once

#include "cuda/blas/call.h"

namespace ww::blas {

/// A general matrix's band: `below` diagonals under the main one and `above` over it, diagonal by diagonal in
/// rows (cuBLAS manual, "cublas<t>gbmv").
struct GeneralBand {
  int64_t lead, below, above;
  /// -1: not stored.
  int64_t at(int64_t i, int64_t j) const {
    return i - j > below || j - i > above ? -1 : above + i - j + j * lead;
  }
};
/// One triangle of a square matrix, whole.
struct Triangle {
  Fill fill;
  int64_t lead;
  int64_t at(int64_t i, int64_t j) const {
    return (fill == Fill::Upper ? i <= j : i >= j) ? i + j * lead : -1;
  }
};
/// One triangle, of which `width` diagonals beside the main one are stored ("cublas<t>sbmv").
struct TriangleBand {
  Fill fill;
  int64_t lead, width;
  int64_t at(int64_t i, int64_t j) const {
    if (fill == Fill::Upper) return i > j || j - i > width ? -1 : width + i - j + j * lead;
    return i < j || i - j > width ? -1 : i - j + j * lead;
  }
};
/// One triangle, its columns one behind the other ("cublas<t>spmv").
struct Packed {
  Fill fill;
  int64_t n;
  int64_t at(int64_t i, int64_t j) const {
    if (fill == Fill::Upper) return i > j ? -1 : i + j * (j + 1) / 2;
    return i < j ? -1 : i + (2 * n - j - 1) * j / 2;
  }
};

/// A part of a matrix is about to be gone through, with or without its main diagonal. Within a column, and
/// from column to column, all of them are stored in ascending order.
template <class T, class Where>
void touches(T* a, const Where& where, int64_t rows, int64_t columns, bool diagonal = true) {
  const auto at = [&](int64_t i, int64_t j) { return i == j && !diagonal ? -1 : where.at(i, j); };
  int64_t first = -1, last = -1;
  for (int64_t j = 0; j < columns && first < 0; ++j)
    for (int64_t i = 0; i < rows && first < 0; ++i) first = at(i, j);
  for (int64_t j = columns; j-- > 0 && last < 0;)
    for (int64_t i = rows; i-- > 0 && last < 0;) last = at(i, j);
  if (first >= 0) stubs::touches(a + first, last - first + 1);
}

/// The element of a symmetric or Hermitian matrix.
template <class T, class Where>
T mirrored(const T* a, const Where& where, int64_t i, int64_t j, bool hermitian) {
  if (const int64_t k = where.at(i, j); k >= 0) return hermitian && i == j ? T(std::real(a[k])) : a[k];
  const int64_t k = where.at(j, i);
  if (k < 0) return T{};
  return hermitian ? conjugate(a[k]) : a[k];
}

}  // namespace ww::blas
