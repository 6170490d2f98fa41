// cuSPARSE: products of sparse matrices with vectors and matrices, and sparse ones written out.
#include <vector>

#include "cuda/sparse/touches.h"

using namespace ww::sparse;

WW_LIBRARY_API Status cusparseSpMV_bufferSize(Handle* handle, Op, const void* alpha, const SparseMatrix* a,
                                              const DenseVector* x, const void* beta, DenseVector* y, Type,
                                              int, size_t* bytes) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !beta || !a || !x || !y || !bytes) return Status::InvalidValue;
  *bytes = 8;  // programs do not expect 0
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpMV_preprocess(Handle* handle, Op, const void*, const SparseMatrix*,
                                              const DenseVector*, const void*, DenseVector*, Type, int,
                                              void*) {
  return handle ? Status::Success : Status::NotInitialized;
}
WW_LIBRARY_API Status cusparseSpMV(Handle* handle, Op op, const void* alpha, const SparseMatrix* a,
                                   const DenseVector* x, const void* beta, DenseVector* y, Type compute, int,
                                   void*) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !beta || !a || !x || !y) return Status::InvalidValue;
  const bool across = op != Op::None;
  if (x->size != (across ? a->rows : a->columns) || y->size != (across ? a->columns : a->rows))
    return Status::InvalidValue;
  if (!goes_with(a->type, compute) || !goes_with(x->type, compute) || !goes_with(y->type, compute))
    return Status::NotSupported;
  return with_compute(compute, [&]<class T>(T) {
    return submit(handle, [m = *a, from = *x, to = *y, op, across, alpha = scalar<T>(handle, alpha),
                           beta = scalar<T>(handle, beta)] {
      const bool reads = alpha() != T{};
      if (reads) {
        const Met met = touches(m);
        touches(from.values, across ? met.rows : met.columns, bytes_of(from.type), false);
      }
      if (reads || beta() != T(1)) touches(to, true);
      const Values<T> values(m.values, m.type), in(from.values, from.type), out(to.values, to.type);
      std::vector<T> sums(static_cast<size_t>(to.size));
      if (reads)
        for_each(m, [&](int64_t i, int64_t j, int64_t k) {
          if (across) std::swap(i, j);
          sums[static_cast<size_t>(i)] += conjugated(values.get(k), op) * in.get(j);
        });
      for (int64_t i = 0; i < to.size; ++i)
        out.put(i, alpha() * sums[static_cast<size_t>(i)] + scaled(beta(), out.get(i)));
    });
  });
}

namespace {

template <class T>
void multiply(const SparseMatrix& m, const DenseMatrix& b, const DenseMatrix& c, Op op_a, Op op_b, T alpha,
              T beta) {
  const bool across = op_a != Op::None, turned = op_b != Op::None;
  const Values<T> values(m.values, m.type), in(b.values, b.type), out(c.values, c.type);
  const auto n = static_cast<size_t>(c.columns);
  const bool reads = alpha != T{};
  if (reads) {
    const Met met = touches(m);
    const Span inner = across ? met.rows : met.columns, all = all_of(c.columns);
    touches(b, turned ? all : inner, turned ? inner : all, false);
  }
  if (reads || beta != T(1)) touches(c, true);
  std::vector<T> sums(static_cast<size_t>(c.rows) * n);
  if (reads)
    for_each(m, [&](int64_t i, int64_t j, int64_t k) {
      if (across) std::swap(i, j);
      const T value = conjugated(values.get(k), op_a);
      T* row = &sums[static_cast<size_t>(i) * n];
      for (int64_t q = 0; q < c.columns; ++q)
        row[q] += value * conjugated(in.get(turned ? b.at(q, j) : b.at(j, q)), op_b);
    });
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t q = 0; q < c.columns; ++q)
      out.put(c.at(i, q), alpha * sums[static_cast<size_t>(i) * n + static_cast<size_t>(q)] +
                              scaled(beta, out.get(c.at(i, q))));
}

}  // namespace

WW_LIBRARY_API Status cusparseSpMM_preprocess(Handle* handle, Op, Op, const void*, const SparseMatrix*,
                                              const DenseMatrix*, const void*, DenseMatrix*, Type, int,
                                              void*) {
  return handle ? Status::Success : Status::NotInitialized;
}
WW_LIBRARY_API Status cusparseSpMM_bufferSize(Handle* handle, Op, Op, const void* alpha,
                                              const SparseMatrix* a, const DenseMatrix* b, const void* beta,
                                              DenseMatrix* c, Type, int, size_t* bytes) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !beta || !a || !b || !c || !bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpMM(Handle* handle, Op op_a, Op op_b, const void* alpha, const SparseMatrix* a,
                                   const DenseMatrix* b, const void* beta, DenseMatrix* c, Type compute, int,
                                   void*) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !beta || !a || !b || !c) return Status::InvalidValue;
  const bool across = op_a != Op::None, turned = op_b != Op::None;
  if (c->rows != (across ? a->columns : a->rows) || c->columns != (turned ? b->rows : b->columns) ||
      (across ? a->rows : a->columns) != (turned ? b->columns : b->rows))
    return Status::InvalidValue;
  if (!goes_with(a->type, compute) || !goes_with(b->type, compute) || !goes_with(c->type, compute))
    return Status::NotSupported;
  if ((a->batches != 1 && a->batches != c->batches) || (b->batches != 1 && b->batches != c->batches))
    return Status::InvalidValue;
  return with_compute(compute, [&]<class T>(T) {
    return submit(handle, [m = *a, from = *b, to = *c, op_a, op_b, alpha = scalar<T>(handle, alpha),
                           beta = scalar<T>(handle, beta)] {
      const bool reads = alpha() != T{};
      if (reads) touches_batch(m, false), touches_batch(from, false);
      if (reads || beta() != T(1)) touches_batch(to, true);
      for (int batch = 0; batch < to.batches; ++batch)
        multiply<T>(of_batch(m, batch), of_batch(from, batch), of_batch(to, batch), op_a, op_b, alpha(),
                    beta());
    });
  });
}

WW_LIBRARY_API Status cusparseSparseToDense_bufferSize(Handle* handle, const SparseMatrix* a, DenseMatrix* b,
                                                       int, size_t* bytes) {
  if (!handle) return Status::NotInitialized;
  if (!a || !b || !bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSparseToDense(Handle* handle, const SparseMatrix* a, DenseMatrix* b, int,
                                            void*) {
  if (!handle) return Status::NotInitialized;
  if (!a || !b || a->rows != b->rows || a->columns != b->columns || a->type != b->type)
    return Status::InvalidValue;
  return with_type(a->type, [&]<class T>(T) {
    return submit(handle, [m = *a, to = *b] {
      T* out = static_cast<T*>(to.values);
      (void)touches(m);
      touches(to, true);
      for (int64_t i = 0; i < to.rows; ++i)
        for (int64_t j = 0; j < to.columns; ++j) out[to.at(i, j)] = T{};
      for_each(
          m, [&](int64_t i, int64_t j, int64_t k) { out[to.at(i, j)] = static_cast<const T*>(m.values)[k]; });
    });
  });
}
