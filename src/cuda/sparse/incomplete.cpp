// cuSPARSE: incomplete factorizations, which are not zero where A is not: LU and Cholesky, in CSR form.
#include <cmath>

#include "cuda/sparse/touches.h"

using namespace ww::sparse;

/// csrilu02Info_t and csric02Info_t.
struct FactorPlan {
  int64_t zero_pivot = -1;  ///< row, from the index base; -1: none
};

namespace {

/// A = LU where A is not zero, in place; L has ones on its diagonal.
template <class T>
int64_t factor(int n, T* values, const int* offsets, const int* columns, int base) {
  int64_t zero = -1;
  std::vector<int> at(static_cast<size_t>(n), -1), diagonal(static_cast<size_t>(n), -1);
  for (int i = 0; i < n; ++i) {
    const int begin = offsets[i] - base, end = offsets[i + 1] - base;
    for (int k = begin; k < end; ++k) {
      at[static_cast<size_t>(columns[k] - base)] = k;
      if (columns[k] - base == i) diagonal[static_cast<size_t>(i)] = k;
    }
    for (int k = begin; k < end; ++k) {
      const int j = columns[k] - base;
      if (j >= i || diagonal[static_cast<size_t>(j)] < 0) continue;
      const int pivot = diagonal[static_cast<size_t>(j)];
      values[k] /= values[pivot];
      for (int p = pivot + 1; p < offsets[j + 1] - base; ++p)
        if (int to = at[static_cast<size_t>(columns[p] - base)]; to >= 0) values[to] -= values[k] * values[p];
    }
    for (int k = begin; k < end; ++k) at[static_cast<size_t>(columns[k] - base)] = -1;
    const int d = diagonal[static_cast<size_t>(i)];
    if (zero < 0 && (d < 0 || values[d] == T{})) zero = i + base;
  }
  return zero;
}

/// A = L L^H where A's lower triangle is not zero, in place; what is stored above it stays as it is.
template <class T>
int64_t cholesky(int n, T* values, const int* offsets, const int* columns, int base) {
  int64_t zero = -1;
  std::vector<int> at(static_cast<size_t>(n), -1), diagonal(static_cast<size_t>(n), -1);
  for (int i = 0; i < n; ++i) {
    const int begin = offsets[i] - base, end = offsets[i + 1] - base;
    for (int k = begin; k < end; ++k)
      if (columns[k] - base <= i) at[static_cast<size_t>(columns[k] - base)] = k;
    for (int k = begin; k < end; ++k) {
      const int j = columns[k] - base;
      if (j > i) continue;
      if (j == i) diagonal[static_cast<size_t>(i)] = k;
      const int last = j < i ? offsets[j + 1] - base : k;
      // Over what row j has left of its diagonal and row i has, too. Rows are sorted.
      for (int p = offsets[j] - base; p < last && columns[p] - base < j; ++p)
        if (const int with = at[static_cast<size_t>(columns[p] - base)]; with >= 0)
          values[k] -= values[with] * conjugated(values[p], Op::Adjoint);
      const int pivot = diagonal[static_cast<size_t>(j)];
      if (j == i)
        values[k] = std::sqrt(values[k]);
      else if (pivot >= 0)
        values[k] /= values[pivot];
    }
    for (int k = begin; k < end; ++k) at[static_cast<size_t>(columns[k] - base)] = -1;
    const int d = diagonal[static_cast<size_t>(i)];
    if (zero < 0 && (d < 0 || !(std::abs(values[d]) > 0))) zero = i + base;
  }
  return zero;
}

template <class T>
using Factor = int64_t (*)(int, T*, const int*, const int*, int);

template <class T>
Status factor_at(Handle* handle, int n, const Description* a, T* values, const int* offsets,
                 const int* columns, FactorPlan* plan, Factor<T> factor) {
  if (!handle) return Status::NotInitialized;
  if (n < 0 || !a || !plan || (n && (!values || !offsets || !columns))) return Status::InvalidValue;
  return submit(handle, [=, base = a->base] {
    if (n) {
      touches(offsets, all_of(n + 1), sizeof(int), false);
      const Span stored{offsets[0] - base, offsets[n] - base - 1};
      touches(columns, stored, sizeof(int), false), touches(values, stored, sizeof(T), true);
    }
    plan->zero_pivot = factor(n, values, offsets, columns, base);
  });
}
Status buffer_size(const Handle* handle, int* bytes) {
  if (!handle) return Status::NotInitialized;
  if (!bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}

Status new_plan(FactorPlan** plan) {
  if (!plan) return Status::InvalidValue;
  *plan = new FactorPlan;
  return Status::Success;
}
Status zero_pivot(const Handle* handle, const FactorPlan* plan, int* row) {
  if (!handle) return Status::NotInitialized;
  if (!plan || !row) return Status::InvalidValue;
  *row = static_cast<int>(plan->zero_pivot);
  return plan->zero_pivot < 0 ? Status::Success : Status::ZeroPivot;
}

}  // namespace

WW_LIBRARY_API Status cusparseCreateCsrilu02Info(FactorPlan** plan) { return new_plan(plan); }
WW_LIBRARY_API Status cusparseCreateCsric02Info(FactorPlan** plan) { return new_plan(plan); }
WW_LIBRARY_API Status cusparseDestroyCsrilu02Info(FactorPlan* plan) {
  delete plan;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseDestroyCsric02Info(FactorPlan* plan) {
  delete plan;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseXcsrilu02_zeroPivot(Handle* handle, FactorPlan* plan, int* row) {
  return zero_pivot(handle, plan, row);
}
WW_LIBRARY_API Status cusparseXcsric02_zeroPivot(Handle* handle, FactorPlan* plan, int* row) {
  return zero_pivot(handle, plan, row);
}
#define WW_FACTOR(name, T, factor)                                                                        \
  WW_LIBRARY_API Status cusparse##name##_bufferSize(Handle* handle, int, int, const Description*, T*,     \
                                                    const int*, const int*, FactorPlan*, int* bytes) {    \
    return buffer_size(handle, bytes);                                                                    \
  }                                                                                                       \
  WW_LIBRARY_API Status cusparse##name##_analysis(Handle* handle, int, int, const Description*, const T*, \
                                                  const int*, const int*, FactorPlan* plan, int, void*) { \
    if (plan) plan->zero_pivot = -1;                                                                      \
    return handle ? Status::Success : Status::NotInitialized;                                             \
  }                                                                                                       \
  WW_LIBRARY_API Status cusparse##name(Handle* handle, int n, int, const Description* a, T* values,       \
                                       const int* offsets, const int* columns, FactorPlan* plan, int,     \
                                       void*) {                                                           \
    return factor_at<T>(handle, n, a, values, offsets, columns, plan, factor<T>);                         \
  }
WW_FACTOR(Scsrilu02, float, factor)
WW_FACTOR(Dcsrilu02, double, factor)
WW_FACTOR(Ccsrilu02, std::complex<float>, factor)
WW_FACTOR(Zcsrilu02, std::complex<double>, factor)
WW_FACTOR(Scsric02, float, cholesky)
WW_FACTOR(Dcsric02, double, cholesky)
WW_FACTOR(Ccsric02, std::complex<float>, cholesky)
WW_FACTOR(Zcsric02, std::complex<double>, cholesky)
