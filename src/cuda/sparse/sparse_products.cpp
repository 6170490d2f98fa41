// cuSPARSE: products whose result is sparse: of two sparse matrices (SpGEMM), and of two dense ones where a
// pattern is given (SDDMM).
#include <map>
#include <memory>

#include "cuda/sparse/touches.h"

using namespace ww::sparse;

/// cusparseSpGEMMDescr_t: the product between its calls, row by row.
struct ProductPlan {
  int64_t products = 0;
  std::vector<int64_t> ends;     ///< of each row
  std::vector<int64_t> columns;  ///< sorted within a row
  std::shared_ptr<void> values;
};

namespace {

Status check(const Handle* handle, Op op_a, Op op_b, const void* alpha, const SparseMatrix* a,
             const SparseMatrix* b, const void* beta, const SparseMatrix* c, Type compute,
             const ProductPlan* plan) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !beta || !a || !b || !c || !plan) return Status::InvalidValue;
  if (a->columns != b->rows || c->rows != a->rows || c->columns != b->columns) return Status::InvalidValue;
  const bool plain = op_a == Op::None && op_b == Op::None;
  const bool rows = a->format == Format::Csr && b->format == Format::Csr && c->format == Format::Csr;
  const bool types = a->type == compute && b->type == compute && c->type == compute;
  return plain && rows && types ? Status::Success : Status::NotSupported;
}

/// Where alpha and beta are not given yet.
Status check_pattern(const Handle* handle, Op op_a, Op op_b, const SparseMatrix* a, const SparseMatrix* b,
                     const SparseMatrix* c, const ProductPlan* plan) {
  if (handle && !a) return Status::InvalidValue;
  const int any = 0;
  return check(handle, op_a, op_b, &any, a, b, &any, c, a ? a->type : Type::R32, plan);
}

template <class F>
void of_row(const SparseMatrix& a, int64_t row, F&& visit) {
  const int64_t end = index_at(a.offsets, a.offset_type, row + 1) - a.base;
  for (int64_t k = index_at(a.offsets, a.offset_type, row) - a.base; k < end; ++k)
    visit(index_at(a.indices, a.index_type, k) - a.base, k);
}

/// Of B those rows that A's columns ask for.
void touches_factors(const SparseMatrix& a, const SparseMatrix& b, Stored values) {
  ww_cuda_library_called();
  const Span rows = touches(a, values).columns;
  if (rows.empty()) return;
  touches(b.offsets, {rows.first, rows.last + 1}, bytes_of(b.offset_type), false);
  Span met;
  for_each(a, [&](int64_t, int64_t l, int64_t) { of_row(b, l, [&](int64_t, int64_t k) { met.add(k); }); });
  touches(b.indices, met, bytes_of(b.index_type), false);
  if (values == Stored::Read) touches(b.values, met, bytes_of(b.type), false);
}

template <class T>
void multiply(const SparseMatrix& a, const SparseMatrix& b, T alpha, ProductPlan& plan) {
  auto values = std::make_shared<std::vector<T>>();
  plan = {};
  const T *va = static_cast<const T*>(a.values), *vb = static_cast<const T*>(b.values);
  for (int64_t i = 0; i < a.rows; ++i) {
    std::map<int64_t, T> row;
    of_row(a, i, [&](int64_t l, int64_t ka) {
      of_row(b, l, [&](int64_t j, int64_t kb) {
        row[j] += va[ka] * vb[kb];
        ++plan.products;
      });
    });
    for (const auto& [j, v] : row) plan.columns.push_back(j), values->push_back(alpha * v);
    plan.ends.push_back(static_cast<int64_t>(plan.columns.size()));
  }
  plan.values = std::shared_ptr<void>(values, values->data());
}

bool has_room(const SparseMatrix& c, const ProductPlan& plan) {
  return plan.ends.size() == static_cast<size_t>(c.rows) && c.offsets &&
         (!c.count || (c.indices && c.values));
}
void put_pattern(const SparseMatrix& to, const ProductPlan& p) {
  touches(to.offsets, all_of(to.rows + 1), bytes_of(to.offset_type), true);
  touches(to.indices, all_of(static_cast<int64_t>(p.columns.size())), bytes_of(to.index_type), true);
  put_index(to.offsets, to.offset_type, 0, to.base);
  for (size_t i = 0; i < p.ends.size(); ++i)
    put_index(to.offsets, to.offset_type, static_cast<int64_t>(i) + 1, p.ends[i] + to.base);
  for (size_t k = 0; k < p.columns.size(); ++k)
    put_index(to.indices, to.index_type, static_cast<int64_t>(k), p.columns[k] + to.base);
}
template <class T>
void put_values(const SparseMatrix& to, const ProductPlan& p, T beta) {
  const T* values = static_cast<const T*>(p.values.get());
  T* out = static_cast<T*>(to.values);
  touches(out, all_of(static_cast<int64_t>(p.columns.size())), sizeof(T), true);
  for (size_t k = 0; k < p.columns.size(); ++k) out[k] = values[k] + scaled(beta, out[k]);
}

/// The first call asks how large a buffer is, the second one brings it.
bool asks(size_t* bytes, const void* buffer) {
  if (!buffer && bytes) *bytes = 8;
  return !buffer;
}

}  // namespace

WW_LIBRARY_API Status cusparseSpGEMM_createDescr(ProductPlan** plan) {
  if (!plan) return Status::InvalidValue;
  *plan = new ProductPlan;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpGEMM_destroyDescr(ProductPlan* plan) {
  delete plan;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpGEMM_workEstimation(Handle* h, Op oa, Op ob, const void* alpha,
                                                    const SparseMatrix* a, const SparseMatrix* b,
                                                    const void* beta, SparseMatrix* c, Type compute, int,
                                                    ProductPlan* plan, size_t* bytes, void* buffer) {
  if (Status s = check(h, oa, ob, alpha, a, b, beta, c, compute, plan); s != Status::Success) return s;
  if (asks(bytes, buffer)) return Status::Success;
  touches_factors(*a, *b, Stored::Left);
  for_each(*a,
           [&](int64_t, int64_t l, int64_t) { of_row(*b, l, [&](int64_t, int64_t) { ++plan->products; }); });
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpGEMM_getNumProducts(const ProductPlan* plan, int64_t* products) {
  if (!plan || !products) return Status::InvalidValue;
  *products = plan->products;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpGEMM_compute(Handle* h, Op oa, Op ob, const void* alpha,
                                             const SparseMatrix* a, const SparseMatrix* b, const void* beta,
                                             SparseMatrix* c, Type compute, int, ProductPlan* plan,
                                             size_t* bytes, void* buffer) {
  if (Status s = check(h, oa, ob, alpha, a, b, beta, c, compute, plan); s != Status::Success) return s;
  if (asks(bytes, buffer)) return Status::Success;
  return with_type(compute, [&]<class T>(T) {
    touches_factors(*a, *b, Stored::Read);
    multiply<T>(*a, *b, scalar<T>(h, alpha)(), *plan);
    c->count = static_cast<int64_t>(plan->columns.size());  // for who asks the size, to make room
    return Status::Success;
  });
}
WW_LIBRARY_API Status cusparseSpGEMM_copy(Handle* h, Op oa, Op ob, const void* alpha, const SparseMatrix* a,
                                          const SparseMatrix* b, const void* beta, SparseMatrix* c,
                                          Type compute, int, ProductPlan* plan) {
  if (Status s = check(h, oa, ob, alpha, a, b, beta, c, compute, plan); s != Status::Success) return s;
  if (!has_room(*c, *plan)) return Status::InvalidValue;
  return with_type(compute, [&]<class T>(T) {
    return submit(h, [to = *c, p = *plan, factor = scalar<T>(h, beta)] {
      put_pattern(to, p);
      put_values<T>(to, p, factor());
    });
  });
}
/// A part of the products at a time: here all at once, whatever the fraction.
WW_LIBRARY_API Status cusparseSpGEMM_estimateMemory(Handle* h, Op oa, Op ob, const void* alpha,
                                                    const SparseMatrix* a, const SparseMatrix* b,
                                                    const void* beta, SparseMatrix* c, Type compute, int,
                                                    ProductPlan* plan, float, size_t* bytes, void* buffer,
                                                    size_t* compute_bytes) {
  if (Status s = check(h, oa, ob, alpha, a, b, beta, c, compute, plan); s != Status::Success) return s;
  if (!asks(bytes, buffer) && compute_bytes) *compute_bytes = 8;
  return Status::Success;
}

// The same with the pattern found once and the values computed any number of times.
WW_LIBRARY_API Status cusparseSpGEMMreuse_workEstimation(Handle* h, Op oa, Op ob, const SparseMatrix* a,
                                                         const SparseMatrix* b, SparseMatrix* c, int,
                                                         ProductPlan* plan, size_t* bytes, void* buffer) {
  if (Status s = check_pattern(h, oa, ob, a, b, c, plan); s != Status::Success) return s;
  asks(bytes, buffer);
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpGEMMreuse_nnz(Handle* h, Op oa, Op ob, const SparseMatrix* a,
                                              const SparseMatrix* b, SparseMatrix* c, int, ProductPlan* plan,
                                              size_t* bytes_2, void* buffer_2, size_t* bytes_3,
                                              void* buffer_3, size_t* bytes_4, void* buffer_4) {
  if (Status s = check_pattern(h, oa, ob, a, b, c, plan); s != Status::Success) return s;
  asks(bytes_3, buffer_3), asks(bytes_4, buffer_4);
  if (asks(bytes_2, buffer_2)) return Status::Success;
  return with_type(a->type, [&]<class T>(T) {
    touches_factors(*a, *b, Stored::Left);
    multiply<T>(*a, *b, T{1}, *plan);
    c->count = static_cast<int64_t>(plan->columns.size());
    return Status::Success;
  });
}
WW_LIBRARY_API Status cusparseSpGEMMreuse_copy(Handle* h, Op oa, Op ob, const SparseMatrix* a,
                                               const SparseMatrix* b, SparseMatrix* c, int, ProductPlan* plan,
                                               size_t* bytes, void* buffer) {
  if (Status s = check_pattern(h, oa, ob, a, b, c, plan); s != Status::Success) return s;
  if (asks(bytes, buffer)) return Status::Success;
  if (!has_room(*c, *plan)) return Status::InvalidValue;
  return submit(h, [to = *c, p = *plan] { put_pattern(to, p); });
}
WW_LIBRARY_API Status cusparseSpGEMMreuse_compute(Handle* h, Op oa, Op ob, const void* alpha,
                                                  const SparseMatrix* a, const SparseMatrix* b,
                                                  const void* beta, SparseMatrix* c, Type compute, int,
                                                  ProductPlan* plan) {
  if (Status s = check(h, oa, ob, alpha, a, b, beta, c, compute, plan); s != Status::Success) return s;
  if (!has_room(*c, *plan)) return Status::InvalidValue;
  return with_type(compute, [&]<class T>(T) {
    return submit(h,
                  [left = *a, right = *b, to = *c, first = scalar<T>(h, alpha), second = scalar<T>(h, beta)] {
                    ProductPlan now;
                    touches_factors(left, right, Stored::Read);
                    multiply<T>(left, right, first(), now);
                    put_values<T>(to, now, second());
                  });
  });
}

WW_LIBRARY_API Status cusparseSDDMM_bufferSize(Handle* h, Op, Op, const void*, const DenseMatrix*,
                                               const DenseMatrix*, const void*, SparseMatrix*, Type, int,
                                               size_t* bytes) {
  if (!h) return Status::NotInitialized;
  if (!bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSDDMM_preprocess(Handle* h, Op, Op, const void*, const DenseMatrix*,
                                               const DenseMatrix*, const void*, SparseMatrix*, Type, int,
                                               void*) {
  return h ? Status::Success : Status::NotInitialized;
}
WW_LIBRARY_API Status cusparseSDDMM(Handle* h, Op op_a, Op op_b, const void* alpha, const DenseMatrix* a,
                                    const DenseMatrix* b, const void* beta, SparseMatrix* c, Type compute,
                                    int, void*) {
  if (!h) return Status::NotInitialized;
  if (!alpha || !beta || !a || !b || !c) return Status::InvalidValue;
  const bool ta = op_a != Op::None, tb = op_b != Op::None;
  const int64_t inner = ta ? a->rows : a->columns;
  if (inner != (tb ? b->columns : b->rows) || c->rows != (ta ? a->columns : a->rows) ||
      c->columns != (tb ? b->rows : b->columns))
    return Status::InvalidValue;
  if (!goes_with(a->type, compute) || !goes_with(b->type, compute) || !goes_with(c->type, compute))
    return Status::NotSupported;
  if ((a->batches != 1 && a->batches != c->batches) || (b->batches != 1 && b->batches != c->batches))
    return Status::InvalidValue;
  return with_type(compute, [&]<class T>(T) {
    return submit(
        h, [=, all_a = *a, all_b = *b, all_c = *c, first = scalar<T>(h, alpha), second = scalar<T>(h, beta)] {
          const bool reads = first() != T{};
          if (reads) touches_batch(all_a, false), touches_batch(all_b, false);
          touches_batch(all_c, true);
          for (int batch = 0; batch < all_c.batches; ++batch) {
            const DenseMatrix p = of_batch(all_a, batch), q = of_batch(all_b, batch);
            const SparseMatrix to = of_batch(all_c, batch);
            const Values<T> left(p.values, p.type), right(q.values, q.type), out(to.values, to.type);
            const Met met = touches(to, Stored::Written);
            const Span all = all_of(inner);
            if (reads) {
              touches(p, ta ? all : met.rows, ta ? met.rows : all, false);
              touches(q, tb ? met.columns : all, tb ? all : met.columns, false);
            }
            for_each(to, [&](int64_t i, int64_t j, int64_t k) {
              T sum{};
              for (int64_t l = 0; reads && l < inner; ++l)
                sum += conjugated(left.get(ta ? p.at(l, i) : p.at(i, l)), op_a) *
                       conjugated(right.get(tb ? q.at(j, l) : q.at(l, j)), op_b);
              out.put(k, first() * sum + scaled(second(), out.get(k)));
            });
          }
        });
  });
}
