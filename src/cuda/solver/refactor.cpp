// cuSOLVER's refactorization: one LU's pattern for many matrices of the same pattern, without pivoting
// (cuSOLVER manual, "cuSolverRF Reference").
#include <cstdlib>
#include <cstring>

#include "cuda/solver/sparse_matrix.h"
#include "cuda/stubs/submit.h"

using namespace ww::solver;

/// cusolverRfHandle_t.
struct Refactor {
  int format = 0, unit = 0, fast = 0, factorization = 0, triangular = 1, boosted = 0;
  double zero = 0, boost = 0;
  Sparse<double> both;                        ///< L below the diagonal, U on and above it
  std::vector<int> diagonal;                  ///< where U's lies
  std::vector<std::vector<double>> values{};  ///< for each matrix of a batch
  std::vector<int> zero_pivots;               ///< of each, or −1
  int count = 0;                              ///< values of A
};

namespace {

// What is not obeyed is refused: matrices by columns, ones on U's diagonal.
bool understood(const Refactor* r) { return r->format == 0 && (r->unit == 0 || r->unit == 2); }

Status setup(int batch, int n, int count, const int* offsets, const int* inner, const double* const* values,
             int lower_count, const int* lo, const int* li, int upper_count, const int* uo, const int* ui,
             const int* p, const int* q, Refactor* r);

/// values = P A Qᵀ, zeros elsewhere.
Status reset(Refactor* r, int batch, int n, int count, const int* offsets, const int* inner,
             const double* const* values, const int* p, const int* q) {
  if (!r) return Status::NotInitialized;
  if (n != r->both.rows || count != r->count || batch != static_cast<int>(r->values.size()) || !values ||
      !holds(n, n, count, 0, offsets, inner) || !is_permutation(p, n) || !is_permutation(q, n))
    return Status::InvalidValue;
  std::vector<int> at(slot(n), -1), place(slot(n));
  for (int j = 0; j < n; ++j) place[slot(q[j])] = j;
  for (auto& all : r->values) std::fill(all.begin(), all.end(), 0);
  for (int i = 0; i < n; ++i) {
    for (int k = r->both.begin(i); k < r->both.end(i); ++k) at[slot(r->both.inner[slot(k)])] = k;
    for (int k = offsets[p[i]]; k < offsets[p[i] + 1]; ++k) {
      const int to = at[slot(place[slot(inner[k])])];
      if (to < r->both.begin(i)) return Status::InvalidValue;  // not in L + U
      for (int b = 0; b < batch; ++b) r->values[slot(b)][slot(to)] += values[b][k];
    }
  }
  return Status::Success;
}

Status setup(int batch, int n, int count, const int* offsets, const int* inner, const double* const* values,
             int lower_count, const int* lo, const int* li, int upper_count, const int* uo, const int* ui,
             const int* p, const int* q, Refactor* r) {
  if (!r) return Status::NotInitialized;
  if (!understood(r)) return Status::NotSupported;
  if (n <= 0 || batch <= 0 || !holds(n, n, count, 0, offsets, inner) ||
      !holds(n, n, lower_count, 0, lo, li) || !holds(n, n, upper_count, 0, uo, ui))
    return Status::InvalidValue;
  ww_cuda_library_called();
  r->both = {};
  r->both.rows = r->both.columns = n;
  r->diagonal.assign(slot(n), -1);
  for (int i = 0; i < n; ++i) {
    std::vector<int> row;
    for (int k = lo[i]; k < lo[i + 1]; ++k)
      if (li[k] < i) row.push_back(li[k]);
    for (int k = uo[i]; k < uo[i + 1]; ++k)
      if (ui[k] >= i) row.push_back(ui[k]);
    std::sort(row.begin(), row.end());
    for (int j : row) {
      if (j == i) r->diagonal[slot(i)] = r->both.count();
      r->both.add(j, 0);
    }
    r->both.end_row();
    if (r->diagonal[slot(i)] < 0) return Status::InvalidValue;
  }
  r->count = count;
  r->values.assign(slot(batch), std::vector<double>(r->both.inner.size()));
  return reset(r, batch, n, count, offsets, inner, values, p, q);
}

/// Row by row; a pivot of at most `zero` becomes `boost`.
void factor(Refactor* r, std::vector<double>& v, int& zero_pivot) {
  const Pattern& m = r->both;
  std::vector<int> at(slot(m.rows), -1);
  zero_pivot = -1;
  for (int i = 0; i < m.rows; ++i) {
    for (int k = m.begin(i); k < m.end(i); ++k) at[slot(m.inner[slot(k)])] = k;
    for (int k = m.begin(i); k < r->diagonal[slot(i)]; ++k) {
      const int j = m.inner[slot(k)];
      const double known = v[slot(k)] /= v[slot(r->diagonal[slot(j)])];
      for (int s = r->diagonal[slot(j)] + 1; s < m.end(j); ++s)
        if (int to = at[slot(m.inner[slot(s)])]; to >= m.begin(i)) v[slot(to)] -= known * v[slot(s)];
    }
    double& pivot = v[slot(r->diagonal[slot(i)])];
    if (std::abs(pivot) <= r->zero) {
      if (r->boost != 0) pivot = r->boost, r->boosted = 1;
      if (pivot == 0 && zero_pivot < 0) zero_pivot = i;
    }
  }
}

Status factor_all(Refactor* r) {
  if (!r) return Status::NotInitialized;
  if (r->values.empty()) return Status::InvalidValue;
  ww_cuda_library_called();
  r->zero_pivots.assign(r->values.size(), -1);
  for (size_t b = 0; b < r->values.size(); ++b) factor(r, r->values[b], r->zero_pivots[b]);
  return Status::Success;
}

Status solve(const Refactor* r, int batch, const int* p, const int* q, int columns, double* const* x,
             int lead) {
  if (!r) return Status::NotInitialized;
  const int n = r->both.rows;
  if (batch != static_cast<int>(r->values.size()) || columns < 1 || lead < n || !x || !is_permutation(p, n) ||
      !is_permutation(q, n))
    return Status::InvalidValue;
  std::vector<double> y(slot(n));
  for (int b = 0; b < batch; ++b)
    for (int c = 0; c < columns; ++c) {
      const auto& v = r->values[slot(b)];
      double* to = x[b] + int64_t{c} * lead;
      for (int i = 0; i < n; ++i) {
        y[slot(i)] = to[p[i]];
        for (int k = r->both.begin(i); k < r->diagonal[slot(i)]; ++k)
          y[slot(i)] -= v[slot(k)] * y[slot(r->both.inner[slot(k)])];
      }
      for (int i = n - 1; i >= 0; --i) {
        for (int k = r->diagonal[slot(i)] + 1; k < r->both.end(i); ++k)
          y[slot(i)] -= v[slot(k)] * y[slot(r->both.inner[slot(k)])];
        y[slot(i)] /= v[slot(r->diagonal[slot(i)])];
      }
      for (int i = 0; i < n; ++i) to[q[i]] = y[slot(i)];
    }
  return Status::Success;
}

/// A copy that the program frees.
template <class T>
T* handed_over(const std::vector<T>& v) {
  auto* copy = static_cast<T*>(std::malloc(std::max<size_t>(1, v.size() * sizeof(T))));
  if (copy) std::memcpy(copy, v.data(), v.size() * sizeof(T));
  return copy;
}
void hand_over(const Sparse<double>& m, int* count, int** offsets, int** inner, double** values) {
  *count = m.count();
  *offsets = handed_over(m.offsets), *inner = handed_over(m.inner), *values = handed_over(m.values);
}

}  // namespace

WW_LIBRARY_API Status cusolverRfCreate(Refactor** r) {
  if (!r) return Status::InvalidValue;
  *r = new Refactor;
  return Status::Success;
}
WW_LIBRARY_API Status cusolverRfDestroy(const Refactor* r) {
  if (!r) return Status::NotInitialized;
  delete r;
  return Status::Success;
}

// Options that come in pairs, with what they may be.
#define WW_RF_PAIR(name, T, U, first, second, good)                          \
  WW_LIBRARY_API Status cusolverRfSet##name(Refactor* r, T a, U b) {         \
    if (!r) return Status::NotInitialized;                                   \
    if (!(good)) return Status::InvalidValue;                                \
    r->first = a, r->second = b;                                             \
    return Status::Success;                                                  \
  }                                                                          \
  WW_LIBRARY_API Status cusolverRfGet##name(const Refactor* r, T* a, U* b) { \
    if (!r) return Status::NotInitialized;                                   \
    if (!a || !b) return Status::InvalidValue;                               \
    *a = r->first, *b = r->second;                                           \
    return Status::Success;                                                  \
  }
WW_RF_PAIR(MatrixFormat, int, int, format, unit, (a == 0 || a == 1) && b >= 0 && b <= 3)
WW_RF_PAIR(NumericProperties, double, double, zero, boost, a >= 0)
WW_RF_PAIR(Algs, int, int, factorization, triangular, a >= 0 && a <= 2 && b >= 1 && b <= 3)
WW_LIBRARY_API Status cusolverRfSetResetValuesFastMode(Refactor* r, int fast) {
  if (!r) return Status::NotInitialized;
  r->fast = fast;
  return Status::Success;
}
WW_LIBRARY_API Status cusolverRfGetResetValuesFastMode(const Refactor* r, int* fast) {
  if (!r) return Status::NotInitialized;
  if (!fast) return Status::InvalidValue;
  *fast = r->fast;
  return Status::Success;
}
WW_LIBRARY_API Status cusolverRfGetNumericBoostReport(const Refactor* r, int* boosted) {
  if (!r) return Status::NotInitialized;
  if (!boosted) return Status::InvalidValue;
  *boosted = r->boosted;
  return Status::Success;
}

#define WW_RF_SETUP(name)                                                                                  \
  WW_LIBRARY_API Status cusolverRfSetup##name(int n, int count, int* offsets, int* inner, double* values,  \
                                              int nl, int* lo, int* li, double*, int nu, int* uo, int* ui, \
                                              double*, int* p, int* q, Refactor* r) {                      \
    return setup(1, n, count, offsets, inner, &values, nl, lo, li, nu, uo, ui, p, q, r);                   \
  }
WW_RF_SETUP(Host)
WW_RF_SETUP(Device)
WW_LIBRARY_API Status cusolverRfBatchSetupHost(int batch, int n, int count, int* offsets, int* inner,
                                               double* values[], int nl, int* lo, int* li, double*, int nu,
                                               int* uo, int* ui, double*, int* p, int* q, Refactor* r) {
  return setup(batch, n, count, offsets, inner, values, nl, lo, li, nu, uo, ui, p, q, r);
}
WW_LIBRARY_API Status cusolverRfResetValues(int n, int count, int* offsets, int* inner, double* values,
                                            int* p, int* q, Refactor* r) {
  return reset(r, 1, n, count, offsets, inner, &values, p, q);
}
WW_LIBRARY_API Status cusolverRfBatchResetValues(int batch, int n, int count, int* offsets, int* inner,
                                                 double* values[], int* p, int* q, Refactor* r) {
  return reset(r, batch, n, count, offsets, inner, values, p, q);
}
WW_LIBRARY_API Status cusolverRfAnalyze(const Refactor* r) {
  return r ? Status::Success : Status::NotInitialized;
}
WW_LIBRARY_API Status cusolverRfBatchAnalyze(const Refactor* r) { return cusolverRfAnalyze(r); }
WW_LIBRARY_API Status cusolverRfRefactor(Refactor* r) { return factor_all(r); }
WW_LIBRARY_API Status cusolverRfBatchRefactor(Refactor* r) { return factor_all(r); }
WW_LIBRARY_API Status cusolverRfSolve(Refactor* r, int* p, int* q, int columns, double*, int, double* x,
                                      int lead) {
  return solve(r, 1, p, q, columns, &x, lead);
}
WW_LIBRARY_API Status cusolverRfBatchSolve(Refactor* r, int* p, int* q, int columns, double*, int,
                                           double* x[], int lead) {
  return solve(r, r ? static_cast<int>(r->values.size()) : 0, p, q, columns, x, lead);
}
WW_LIBRARY_API Status cusolverRfBatchZeroPivot(const Refactor* r, int* position) {
  if (!r) return Status::NotInitialized;
  if (!position) return Status::InvalidValue;
  std::copy(r->zero_pivots.begin(), r->zero_pivots.end(), position);
  return Status::Success;
}

WW_LIBRARY_API Status cusolverRfExtractBundledFactorsHost(const Refactor* r, int* count, int** offsets,
                                                          int** inner, double** values) {
  if (!r) return Status::NotInitialized;
  if (r->values.empty() || !count || !offsets || !inner || !values) return Status::InvalidValue;
  Sparse<double> m = r->both;
  m.values = r->values[0];
  hand_over(m, count, offsets, inner, values);
  return Status::Success;
}
WW_LIBRARY_API Status cusolverRfExtractSplitFactorsHost(const Refactor* r, int* nl, int** lo, int** li,
                                                        double** lv, int* nu, int** uo, int** ui,
                                                        double** uv) {
  if (!r) return Status::NotInitialized;
  if (r->values.empty() || !nl || !lo || !li || !lv || !nu || !uo || !ui || !uv) return Status::InvalidValue;
  Sparse<double> lower, upper;
  for (int i = 0; i < r->both.rows; ++i) {
    for (int k = r->both.begin(i); k < r->both.end(i); ++k) {
      const int j = r->both.inner[slot(k)];
      (j < i ? lower : upper).add(j, r->values[0][slot(k)]);
    }
    if (r->unit == 0) lower.add(i, 1);
    lower.end_row(), upper.end_row();
  }
  hand_over(lower, nl, lo, li, lv);
  hand_over(upper, nu, uo, ui, uv);
  return Status::Success;
}
