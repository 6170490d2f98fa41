// Products of small matrices of doubles, for the matrix instructions.
#include <cmath>

#include "engine/lanes/lanes.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace ww::lane::WW_TARGET {

void products(double* sums, const double* a, const double* b, int rows, int columns, int depth, bool exact);

namespace {

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
/// Some columns of a row.
struct Part {
#if defined(__AVX512F__)
  static constexpr int kColumns = 8;
  __m512d v;
  static Part at(const double* p) { return {_mm512_loadu_pd(p)}; }
  static Part all(double x) { return {_mm512_set1_pd(x)}; }
  Part plus_product(Part x, Part y) const { return {_mm512_fmadd_pd(x.v, y.v, v)}; }
  void store(double* p) const { _mm512_storeu_pd(p, v); }
#else
  static constexpr int kColumns = 4;
  __m256d v;
  static Part at(const double* p) { return {_mm256_loadu_pd(p)}; }
  static Part all(double x) { return {_mm256_set1_pd(x)}; }
  Part plus_product(Part x, Part y) const { return {_mm256_fmadd_pd(x.v, y.v, v)}; }
  void store(double* p) const { _mm256_storeu_pd(p, v); }
#endif
};

/// R rows by P parts of columns, which stay in registers meanwhile.
template <int R, int P>
inline __attribute__((always_inline)) void tile(double* sums, const double* a, const double* b, int columns,
                                                int depth) {
  Part sum[R][P];
  for (int r = 0; r < R; ++r)
    for (int p = 0; p < P; ++p) sum[r][p] = Part::at(sums + r * columns + p * Part::kColumns);
  for (int at = 0; at < depth; ++at) {
    Part row[P];
    for (int p = 0; p < P; ++p) row[p] = Part::at(b + at * columns + p * Part::kColumns);
    for (int r = 0; r < R; ++r) {
      const Part factor = Part::all(a[r * depth + at]);
      for (int p = 0; p < P; ++p) sum[r][p] = sum[r][p].plus_product(factor, row[p]);
    }
  }
  for (int r = 0; r < R; ++r)
    for (int p = 0; p < P; ++p) sum[r][p].store(sums + r * columns + p * Part::kColumns);
}
#endif

}  // namespace

/// sums (rows × columns) += a (rows × depth) · b (depth × columns), row-major; rows and columns are multiples
/// of 8. The terms of a sum come in the order of depth, each rounded once in the present rounding mode;
/// `exact`: so are the products by themselves, as they are of all types shorter than f64.
void products(double* sums, const double* a, const double* b, int rows, int columns, int depth, bool exact) {
#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
  static_cast<void>(exact);
  // 8 registers of sums, so that a sum is ready again when its next term comes.
  constexpr int kRows = 8 / (16 / Part::kColumns);
  for (int r = 0; r < rows; r += kRows) {
    int c = 0;
    for (; c + 16 <= columns; c += 16)
      tile<kRows, 16 / Part::kColumns>(sums + r * columns + c, a + r * depth, b + c, columns, depth);
    for (; c < columns; c += 8)
      tile<kRows, 8 / Part::kColumns>(sums + r * columns + c, a + r * depth, b + c, columns, depth);
  }
#else
  for (int r = 0; r < rows; ++r)
    for (int at = 0; at < depth; ++at) {
      const double factor = a[r * depth + at];
      double* sum = sums + r * columns;
      const double* row = b + at * columns;
      if (exact)
        for (int c = 0; c < columns; ++c) sum[c] += factor * row[c];
      else
        for (int c = 0; c < columns; ++c) sum[c] = std::fma(factor, row[c], sum[c]);
    }
#endif
}

}  // namespace ww::lane::WW_TARGET
