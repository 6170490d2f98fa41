// cuSPARSE: triangular systems, of matrices in any format.
#include <algorithm>

#include "cuda/sparse/touches.h"

using namespace ww::sparse;

/// cusparseSpSVDescr_t.
struct SolvePlan {
  bool analysed = false;
  SparseMatrix matrix;
  std::vector<int64_t> offsets, columns, places;  ///< row by row; places: of the values
  std::vector<char> values;  ///< in place of the matrix's, where the program has updated them
};
namespace {

/// Puts a matrix in order of its rows.
void order_rows(const SparseMatrix& a, SolvePlan& plan) {
  plan.offsets.assign(static_cast<size_t>(a.rows) + 1, 0);
  for_each(a, [&](int64_t i, int64_t, int64_t) { ++plan.offsets[static_cast<size_t>(i) + 1]; });
  for (size_t i = 1; i < plan.offsets.size(); ++i) plan.offsets[i] += plan.offsets[i - 1];
  std::vector<int64_t> next(plan.offsets.begin(), plan.offsets.end() - 1);
  plan.columns.resize(static_cast<size_t>(plan.offsets.back())), plan.places.resize(plan.columns.size());
  for_each(a, [&](int64_t i, int64_t j, int64_t k) {
    const auto at = static_cast<size_t>(next[static_cast<size_t>(i)]++);
    plan.columns[at] = j, plan.places[at] = k;
  });
}

/// Solves op(A) y = alpha x by substitution; only A's stated triangle counts.
template <class T>
void solve(const SparseMatrix& a, const SolvePlan& plan, Op op, T alpha, const T* x, T* y) {
  const bool lower = a.fill == 0, across = op != Op::None;
  const int64_t n = a.rows;
  // The program may have updated the values.
  const T* values = static_cast<const T*>(plan.values.empty() ? a.values : plan.values.data());
  for (int64_t i = 0; i < n; ++i) y[i] = alpha * x[i];
  // A lower triangle, or an upper one that is transposed, goes from the first row to the last.
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower != across ? step : n - 1 - step;
    // One that is not stored is zero: the system is singular, and its numbers say so (infinite, or not
    // numbers).
    T diagonal = a.diagonal == 0 ? T{0} : T{1};
    auto visit = [&](auto&& off_diagonal) {
      for (int64_t k = plan.offsets[static_cast<size_t>(i)]; k < plan.offsets[static_cast<size_t>(i) + 1];
           ++k) {
        const int64_t j = plan.columns[static_cast<size_t>(k)];
        const T value = conjugated(values[plan.places[static_cast<size_t>(k)]], op);
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

/// The pattern, and the values unless others have taken their place.
void touches_of(const SparseMatrix& a, const SolvePlan& plan) {
  (void)touches(a, plan.values.empty() ? Stored::Read : Stored::Left);
}

/// How many values there is room for.
int64_t stored(const SparseMatrix& a) {
  int64_t count = 0;
  for_each(a, [&](int64_t, int64_t, int64_t k) { count = std::max(count, k + 1); });
  return count;
}

Status analyse(Handle* h, const SparseMatrix* a, SolvePlan* plan) {
  if (!h) return Status::NotInitialized;
  if (!a || !plan || a->rows != a->columns) return Status::InvalidValue;
  plan->analysed = true;
  plan->matrix = *a;
  plan->values.clear();
  return submit(h, [a = *a, plan] {
    (void)touches(a, Stored::Left);
    order_rows(a, *plan);
  });
}

/// `part` 0: all values as they are stored; 1: those of the diagonal, by rows.
Status update(Handle* h, SolvePlan* plan, const void* values, int part) {
  if (!h) return Status::NotInitialized;
  if (!plan || !values || !plan->analysed || part < 0 || part > 1) return Status::InvalidValue;
  const SparseMatrix a = plan->matrix;
  return with_type(a.type, [&]<class T>(T) {
    return submit(h, [=] {
      const auto bytes = static_cast<size_t>(stored(a)) * sizeof(T);
      Span read = part == 0 ? all_of(stored(a)) : Span{};
      if (part == 1)
        for_each(a, [&](int64_t i, int64_t j, int64_t) {
          if (i == j) read.add(i);
        });
      touches(values, read, sizeof(T), false);
      const auto* from = static_cast<const char*>(part == 0 || plan->values.empty() ? a.values : nullptr);
      if (part == 0) from = static_cast<const char*>(values);
      if (from) plan->values.assign(from, from + bytes);
      if (part == 1)
        for_each(a, [&](int64_t i, int64_t j, int64_t k) {
          if (i == j) reinterpret_cast<T*>(plan->values.data())[k] = static_cast<const T*>(values)[i];
        });
    });
  });
}

}  // namespace

WW_LIBRARY_API Status cusparseSpSV_createDescr(SolvePlan** plan) {
  if (!plan) return Status::InvalidValue;
  *plan = new SolvePlan;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpSV_destroyDescr(SolvePlan* plan) {
  delete plan;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpSV_bufferSize(Handle* handle, Op, const void* alpha, const SparseMatrix* a,
                                              const DenseVector* x, DenseVector* y, Type, int,
                                              SolvePlan* plan, size_t* bytes) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !a || !x || !y || !plan || !bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpSV_analysis(Handle* handle, Op, const void* alpha, const SparseMatrix* a,
                                            const DenseVector* x, DenseVector* y, Type, int, SolvePlan* plan,
                                            void*) {
  if (handle && (!alpha || !x || !y)) return Status::InvalidValue;
  return analyse(handle, a, plan);
}
WW_LIBRARY_API Status cusparseSpSV_updateMatrix(Handle* handle, SolvePlan* plan, void* values, int part) {
  return update(handle, plan, values, part);
}
WW_LIBRARY_API Status cusparseSpSV_solve(Handle* handle, Op op, const void* alpha, const SparseMatrix* a,
                                         const DenseVector* x, DenseVector* y, Type compute, int,
                                         SolvePlan* plan) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !a || !x || !y || !plan || !plan->analysed || a->rows != a->columns || x->size != a->rows ||
      y->size != a->rows)
    return Status::InvalidValue;
  if (a->type != compute || x->type != compute || y->type != compute) return Status::NotSupported;
  return with_type(compute, [&]<class T>(T) {
    return submit(handle, [m = *a, plan, from = *x, to = *y, op, alpha = scalar<T>(handle, alpha)] {
      touches_of(m, *plan), touches(from, false), touches(to, true);
      solve<T>(m, *plan, op, alpha(), static_cast<const T*>(from.values), static_cast<T*>(to.values));
    });
  });
}

// The same for the columns of a matrix.
WW_LIBRARY_API Status cusparseSpSM_createDescr(SolvePlan** plan) { return cusparseSpSV_createDescr(plan); }
WW_LIBRARY_API Status cusparseSpSM_destroyDescr(SolvePlan* plan) { return cusparseSpSV_destroyDescr(plan); }
WW_LIBRARY_API Status cusparseSpSM_bufferSize(Handle* h, Op, Op, const void*, const SparseMatrix*,
                                              const DenseMatrix*, DenseMatrix*, Type, int, SolvePlan*,
                                              size_t* bytes) {
  if (!h) return Status::NotInitialized;
  if (!bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpSM_analysis(Handle* h, Op, Op, const void*, const SparseMatrix* a,
                                            const DenseMatrix*, DenseMatrix*, Type, int, SolvePlan* plan,
                                            void*) {
  return analyse(h, a, plan);
}
WW_LIBRARY_API Status cusparseSpSM_updateMatrix(Handle* h, SolvePlan* plan, void* values, int part) {
  return update(h, plan, values, part);
}
WW_LIBRARY_API Status cusparseSpSM_solve(Handle* h, Op op_a, Op op_b, const void* alpha,
                                         const SparseMatrix* a, const DenseMatrix* b, DenseMatrix* c,
                                         Type compute, int, SolvePlan* plan) {
  if (!h) return Status::NotInitialized;
  if (!alpha || !a || !b || !c || !plan || !plan->analysed || a->rows != a->columns)
    return Status::InvalidValue;
  const bool turned = op_b != Op::None;
  if (c->rows != a->rows || (turned ? b->columns : b->rows) != c->rows ||
      (turned ? b->rows : b->columns) != c->columns)
    return Status::InvalidValue;
  if (a->type != compute || b->type != compute || c->type != compute) return Status::NotSupported;
  return with_type(compute, [&]<class T>(T) {
    return submit(h, [=, a = *a, b = *b, c = *c, factor = scalar<T>(h, alpha)] {
      touches_of(a, *plan), touches(b, false), touches(c, true);
      std::vector<T> x(static_cast<size_t>(c.rows)), y(x);
      for (int64_t j = 0; j < c.columns; ++j) {
        for (int64_t i = 0; i < c.rows; ++i)
          x[static_cast<size_t>(i)] =
              conjugated(static_cast<const T*>(b.values)[turned ? b.at(j, i) : b.at(i, j)], op_b);
        solve(a, *plan, op_a, factor(), x.data(), y.data());
        for (int64_t i = 0; i < c.rows; ++i)
          static_cast<T*>(c.values)[c.at(i, j)] = y[static_cast<size_t>(i)];
      }
    });
  });
}
