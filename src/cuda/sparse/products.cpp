// cuSPARSE: products of sparse matrices with vectors and matrices, and what moves between sparse and dense.
#include <vector>

#include "cuda/sparse/types.h"

using namespace ww::sparse;

namespace {

/// y = beta y, where y of before does not count with beta 0, were it NaN.
template <class T>
T scaled(T beta, T y) {
  return beta == T{} ? T{} : beta * y;
}

}  // namespace

WW_SPARSE_API Status cusparseSpMV_bufferSize(Handle* handle, Op, const void* alpha, const SparseMatrix* a,
                                             const DenseVector* x, const void* beta, DenseVector* y, Type,
                                             int, size_t* bytes) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !beta || !a || !x || !y || !bytes) return Status::InvalidValue;
  *bytes = 8;  // programs do not expect 0
  return Status::Success;
}
WW_SPARSE_API Status cusparseSpMV_preprocess(Handle* handle, Op, const void*, const SparseMatrix*,
                                             const DenseVector*, const void*, DenseVector*, Type, int,
                                             void*) {
  return handle ? Status::Success : Status::NotInitialized;
}
WW_SPARSE_API Status cusparseSpMV(Handle* handle, Op op, const void* alpha, const SparseMatrix* a,
                                  const DenseVector* x, const void* beta, DenseVector* y, Type compute, int,
                                  void*) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !beta || !a || !x || !y) return Status::InvalidValue;
  const bool across = op != Op::None;
  if (x->size != (across ? a->rows : a->columns) || y->size != (across ? a->columns : a->rows))
    return Status::InvalidValue;
  if (a->type != compute || x->type != compute || y->type != compute) return Status::NotSupported;
  return with_type(compute, [&]<class T>(T) {
    return submit(handle, [m = *a, from = *x, to = *y, op, across, alpha = scalar<T>(handle, alpha),
                           beta = scalar<T>(handle, beta)] {
      const T* values = static_cast<const T*>(m.values);
      const T* in = static_cast<const T*>(from.values);
      T* out = static_cast<T*>(to.values);
      std::vector<T> sums(static_cast<size_t>(to.size));
      for_each(m, [&](int64_t i, int64_t j, int64_t k) {
        if (across) std::swap(i, j);
        sums[static_cast<size_t>(i)] += conjugated(values[k], op) * in[j];
      });
      for (int64_t i = 0; i < to.size; ++i)
        out[i] = alpha() * sums[static_cast<size_t>(i)] + scaled(beta(), out[i]);
    });
  });
}

WW_SPARSE_API Status cusparseSpMM_bufferSize(Handle* handle, Op, Op, const void* alpha, const SparseMatrix* a,
                                             const DenseMatrix* b, const void* beta, DenseMatrix* c, Type,
                                             int, size_t* bytes) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !beta || !a || !b || !c || !bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}
WW_SPARSE_API Status cusparseSpMM(Handle* handle, Op op_a, Op op_b, const void* alpha, const SparseMatrix* a,
                                  const DenseMatrix* b, const void* beta, DenseMatrix* c, Type compute, int,
                                  void*) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !beta || !a || !b || !c) return Status::InvalidValue;
  const bool across = op_a != Op::None, turned = op_b != Op::None;
  if (c->rows != (across ? a->columns : a->rows) || c->columns != (turned ? b->rows : b->columns) ||
      (across ? a->rows : a->columns) != (turned ? b->columns : b->rows))
    return Status::InvalidValue;
  if (a->type != compute || b->type != compute || c->type != compute) return Status::NotSupported;
  return with_type(compute, [&]<class T>(T) {
    return submit(handle, [m = *a, from = *b, to = *c, op_a, op_b, across, turned,
                           alpha = scalar<T>(handle, alpha), beta = scalar<T>(handle, beta)] {
      const T* values = static_cast<const T*>(m.values);
      const T* in = static_cast<const T*>(from.values);
      T* out = static_cast<T*>(to.values);
      const auto n = static_cast<size_t>(to.columns);
      std::vector<T> sums(static_cast<size_t>(to.rows) * n);
      for_each(m, [&](int64_t i, int64_t j, int64_t k) {
        if (across) std::swap(i, j);
        const T value = conjugated(values[k], op_a);
        T* row = &sums[static_cast<size_t>(i) * n];
        for (int64_t q = 0; q < to.columns; ++q)
          row[q] += value * conjugated(in[turned ? from.at(q, j) : from.at(j, q)], op_b);
      });
      for (int64_t i = 0; i < to.rows; ++i)
        for (int64_t q = 0; q < to.columns; ++q) {
          T& y = out[to.at(i, q)];
          y = alpha() * sums[static_cast<size_t>(i) * n + static_cast<size_t>(q)] + scaled(beta(), y);
        }
    });
  });
}

// y = alpha x + beta y, with a sparse x; parts of y to x, and of x to y.
WW_SPARSE_API Status cusparseAxpby(Handle* handle, const void* alpha, const SparseVector* x, const void* beta,
                                   DenseVector* y) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !beta || !x || !y || x->type != y->type) return Status::InvalidValue;
  return with_type(y->type, [&]<class T>(T) {
    return submit(handle,
                  [from = *x, to = *y, alpha = scalar<T>(handle, alpha), beta = scalar<T>(handle, beta)] {
                    T* out = static_cast<T*>(to.values);
                    for (int64_t i = 0; i < to.size; ++i) out[i] = scaled(beta(), out[i]);
                    for (int64_t k = 0; k < from.count; ++k)
                      out[index_at(from.indices, from.index, k) - from.base] +=
                          alpha() * static_cast<const T*>(from.values)[k];
                  });
  });
}
WW_SPARSE_API Status cusparseGather(Handle* handle, const DenseVector* y, SparseVector* x) {
  if (!handle) return Status::NotInitialized;
  if (!x || !y || x->type != y->type) return Status::InvalidValue;
  return with_type(y->type, [&]<class T>(T) {
    return submit(handle, [to = *x, from = *y] {
      for (int64_t k = 0; k < to.count; ++k)
        static_cast<T*>(to.values)[k] =
            static_cast<const T*>(from.values)[index_at(to.indices, to.index, k) - to.base];
    });
  });
}
WW_SPARSE_API Status cusparseScatter(Handle* handle, const SparseVector* x, DenseVector* y) {
  if (!handle) return Status::NotInitialized;
  if (!x || !y || x->type != y->type) return Status::InvalidValue;
  return with_type(y->type, [&]<class T>(T) {
    return submit(handle, [from = *x, to = *y] {
      for (int64_t k = 0; k < from.count; ++k)
        static_cast<T*>(to.values)[index_at(from.indices, from.index, k) - from.base] =
            static_cast<const T*>(from.values)[k];
    });
  });
}

WW_SPARSE_API Status cusparseSparseToDense_bufferSize(Handle* handle, const SparseMatrix* a, DenseMatrix* b,
                                                      int, size_t* bytes) {
  if (!handle) return Status::NotInitialized;
  if (!a || !b || !bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}
WW_SPARSE_API Status cusparseSparseToDense(Handle* handle, const SparseMatrix* a, DenseMatrix* b, int,
                                           void*) {
  if (!handle) return Status::NotInitialized;
  if (!a || !b || a->rows != b->rows || a->columns != b->columns || a->type != b->type)
    return Status::InvalidValue;
  return with_type(a->type, [&]<class T>(T) {
    return submit(handle, [m = *a, to = *b] {
      T* out = static_cast<T*>(to.values);
      for (int64_t i = 0; i < to.rows; ++i)
        for (int64_t j = 0; j < to.columns; ++j) out[to.at(i, j)] = T{};
      for_each(
          m, [&](int64_t i, int64_t j, int64_t k) { out[to.at(i, j)] = static_cast<const T*>(m.values)[k]; });
    });
  });
}
