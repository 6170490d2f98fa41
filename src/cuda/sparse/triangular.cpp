// cuSPARSE: triangular systems, and the incomplete factorization that gives them. Of matrices in CSR form.
#include "cuda/sparse/types.h"

using namespace ww::sparse;

/// cusparseSpSVDescr_t: what an analysis would know.
struct SolvePlan {
  bool analysed = false;
};
/// csrilu02Info_t.
struct FactorPlan {
  int64_t zero_pivot = -1;  ///< row, from the index base
};

namespace {

/// Solves op(A) y = alpha x by substitution; only A's stated triangle counts.
template <class T>
void solve(const SparseMatrix& a, Op op, T alpha, const T* x, T* y) {
  const T* values = static_cast<const T*>(a.values);
  const bool lower = a.fill == 0, across = op != Op::None;
  const int64_t n = a.rows;
  for (int64_t i = 0; i < n; ++i) y[i] = alpha * x[i];
  // A lower triangle, or an upper one that is transposed, goes from the first row to the last.
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower != across ? step : n - 1 - step;
    const int64_t begin = index_at(a.offsets, a.offset_type, i) - a.base;
    const int64_t end = index_at(a.offsets, a.offset_type, i + 1) - a.base;
    T diagonal{1};
    auto visit = [&](auto&& off_diagonal) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t j = index_at(a.indices, a.index_type, k) - a.base;
        const T value = conjugated(values[k], op);
        if (j == i && a.diagonal == 0) diagonal = value;
        if (j != i && (j < i) == lower) off_diagonal(j, value);
      }
    };
    if (!across) {
      visit([&](int64_t j, T value) { y[i] -= value * y[j]; });
      y[i] /= diagonal;
    } else {
      visit([](int64_t, T) {});
      y[i] /= diagonal;
      visit([&](int64_t j, T value) { y[j] -= value * y[i]; });
    }
  }
}

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

template <class T>
Status factor_at(Handle* handle, int n, const Description* a, T* values, const int* offsets,
                 const int* columns, FactorPlan* plan) {
  if (!handle) return Status::NotInitialized;
  if (n < 0 || !a || !plan || (n && (!values || !offsets || !columns))) return Status::InvalidValue;
  return submit(handle,
                [=, base = a->base] { plan->zero_pivot = factor(n, values, offsets, columns, base); });
}
Status buffer_size(const Handle* handle, int* bytes) {
  if (!handle) return Status::NotInitialized;
  if (!bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}

}  // namespace

WW_SPARSE_API Status cusparseSpSV_createDescr(SolvePlan** plan) {
  if (!plan) return Status::InvalidValue;
  *plan = new SolvePlan;
  return Status::Success;
}
WW_SPARSE_API Status cusparseSpSV_destroyDescr(SolvePlan* plan) {
  delete plan;
  return Status::Success;
}
WW_SPARSE_API Status cusparseSpSV_bufferSize(Handle* handle, Op, const void* alpha, const SparseMatrix* a,
                                             const DenseVector* x, DenseVector* y, Type, int, SolvePlan* plan,
                                             size_t* bytes) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !a || !x || !y || !plan || !bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}
WW_SPARSE_API Status cusparseSpSV_analysis(Handle* handle, Op, const void* alpha, const SparseMatrix* a,
                                           const DenseVector* x, DenseVector* y, Type, int, SolvePlan* plan,
                                           void*) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !a || !x || !y || !plan) return Status::InvalidValue;
  if (a->format != Format::Csr) return Status::NotSupported;
  plan->analysed = true;
  return Status::Success;
}
WW_SPARSE_API Status cusparseSpSV_solve(Handle* handle, Op op, const void* alpha, const SparseMatrix* a,
                                        const DenseVector* x, DenseVector* y, Type compute, int,
                                        SolvePlan* plan) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !a || !x || !y || !plan || !plan->analysed || a->rows != a->columns || x->size != a->rows ||
      y->size != a->rows)
    return Status::InvalidValue;
  if (a->format != Format::Csr || a->type != compute || x->type != compute || y->type != compute)
    return Status::NotSupported;
  return with_type(compute, [&]<class T>(T) {
    return submit(handle, [m = *a, from = *x, to = *y, op, alpha = scalar<T>(handle, alpha)] {
      solve<T>(m, op, alpha(), static_cast<const T*>(from.values), static_cast<T*>(to.values));
    });
  });
}

WW_SPARSE_API Status cusparseCreateCsrilu02Info(FactorPlan** plan) {
  if (!plan) return Status::InvalidValue;
  *plan = new FactorPlan;
  return Status::Success;
}
WW_SPARSE_API Status cusparseDestroyCsrilu02Info(FactorPlan* plan) {
  delete plan;
  return Status::Success;
}
WW_SPARSE_API Status cusparseXcsrilu02_zeroPivot(Handle* handle, FactorPlan* plan, int* row) {
  if (!handle) return Status::NotInitialized;
  if (!plan || !row) return Status::InvalidValue;
  *row = static_cast<int>(plan->zero_pivot);
  return plan->zero_pivot < 0 ? Status::Success : Status::ZeroPivot;
}
#define WW_FACTOR(letter, T)                                                                               \
  WW_SPARSE_API Status cusparse##letter##csrilu02_bufferSize(                                              \
      Handle* handle, int, int, const Description*, T*, const int*, const int*, FactorPlan*, int* bytes) { \
    return buffer_size(handle, bytes);                                                                     \
  }                                                                                                        \
  WW_SPARSE_API Status cusparse##letter##csrilu02_analysis(Handle* handle, int, int, const Description*,   \
                                                           const T*, const int*, const int*, FactorPlan*,  \
                                                           int, void*) {                                   \
    return handle ? Status::Success : Status::NotInitialized;                                              \
  }                                                                                                        \
  WW_SPARSE_API Status cusparse##letter##csrilu02(Handle* handle, int n, int, const Description* a,        \
                                                  T* values, const int* offsets, const int* columns,       \
                                                  FactorPlan* plan, int, void*) {                          \
    return factor_at(handle, n, a, values, offsets, columns, plan);                                        \
  }
WW_FACTOR(S, float)
WW_FACTOR(D, double)
WW_FACTOR(C, std::complex<float>)
WW_FACTOR(Z, std::complex<double>)

// The same for the columns of a matrix.
WW_SPARSE_API Status cusparseSpSM_createDescr(SolvePlan** plan) { return cusparseSpSV_createDescr(plan); }
WW_SPARSE_API Status cusparseSpSM_destroyDescr(SolvePlan* plan) { return cusparseSpSV_destroyDescr(plan); }
WW_SPARSE_API Status cusparseSpSM_bufferSize(Handle* h, Op, Op, const void*, const SparseMatrix*,
                                             const DenseMatrix*, DenseMatrix*, Type, int, SolvePlan*,
                                             size_t* bytes) {
  if (!h) return Status::NotInitialized;
  if (!bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}
WW_SPARSE_API Status cusparseSpSM_analysis(Handle* h, Op, Op, const void*, const SparseMatrix*,
                                           const DenseMatrix*, DenseMatrix*, Type, int, SolvePlan* plan,
                                           void*) {
  if (!h) return Status::NotInitialized;
  if (!plan) return Status::InvalidValue;
  plan->analysed = true;
  return Status::Success;
}
WW_SPARSE_API Status cusparseSpSM_solve(Handle* h, Op op_a, Op op_b, const void* alpha, const SparseMatrix* a,
                                        const DenseMatrix* b, DenseMatrix* c, Type compute, int,
                                        SolvePlan* plan) {
  if (!h) return Status::NotInitialized;
  if (!alpha || !a || !b || !c || !plan || !plan->analysed || a->rows != a->columns)
    return Status::InvalidValue;
  const bool turned = op_b != Op::None;
  if (c->rows != a->rows || (turned ? b->columns : b->rows) != c->rows ||
      (turned ? b->rows : b->columns) != c->columns)
    return Status::InvalidValue;
  if (a->format != Format::Csr || a->type != compute || b->type != compute || c->type != compute)
    return Status::NotSupported;
  return with_type(compute, [&]<class T>(T) {
    return submit(h, [=, a = *a, b = *b, c = *c, factor = scalar<T>(h, alpha)] {
      std::vector<T> x(static_cast<size_t>(c.rows)), y(x);
      for (int64_t j = 0; j < c.columns; ++j) {
        for (int64_t i = 0; i < c.rows; ++i)
          x[static_cast<size_t>(i)] =
              conjugated(static_cast<const T*>(b.values)[turned ? b.at(j, i) : b.at(i, j)], op_b);
        solve(a, op_a, factor(), x.data(), y.data());
        for (int64_t i = 0; i < c.rows; ++i)
          static_cast<T*>(c.values)[c.at(i, j)] = y[static_cast<size_t>(i)];
      }
    });
  });
}
