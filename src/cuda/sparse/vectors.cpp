// cuSPARSE: sparse vectors with dense ones.
#include "cuda/sparse/touches.h"

using namespace ww::sparse;

WW_LIBRARY_API Status cusparseAxpby(Handle* handle, const void* alpha, const SparseVector* x,
                                    const void* beta, DenseVector* y) {
  if (!handle) return Status::NotInitialized;
  if (!alpha || !beta || !x || !y || x->type != y->type) return Status::InvalidValue;
  return with_type(y->type, [&]<class T>(T) {
    return submit(handle,
                  [from = *x, to = *y, alpha = scalar<T>(handle, alpha), beta = scalar<T>(handle, beta)] {
                    T* out = static_cast<T*>(to.values);
                    if (alpha() != T{}) touches(from, false, to, true);
                    if (beta() != T(1)) touches(to, true);
                    for (int64_t i = 0; i < to.size; ++i) out[i] = scaled(beta(), out[i]);
                    for (int64_t k = 0; k < from.count; ++k)
                      out[index_at(from.indices, from.index, k) - from.base] +=
                          alpha() * static_cast<const T*>(from.values)[k];
                  });
  });
}
WW_LIBRARY_API Status cusparseGather(Handle* handle, const DenseVector* y, SparseVector* x) {
  if (!handle) return Status::NotInitialized;
  if (!x || !y || x->type != y->type) return Status::InvalidValue;
  return with_type(y->type, [&]<class T>(T) {
    return submit(handle, [to = *x, from = *y] {
      touches(to, true, from, false);
      for (int64_t k = 0; k < to.count; ++k)
        static_cast<T*>(to.values)[k] =
            static_cast<const T*>(from.values)[index_at(to.indices, to.index, k) - to.base];
    });
  });
}
WW_LIBRARY_API Status cusparseScatter(Handle* handle, const SparseVector* x, DenseVector* y) {
  if (!handle) return Status::NotInitialized;
  if (!x || !y || x->type != y->type) return Status::InvalidValue;
  return with_type(y->type, [&]<class T>(T) {
    return submit(handle, [from = *x, to = *y] {
      touches(from, false, to, true);
      for (int64_t k = 0; k < from.count; ++k)
        static_cast<T*>(to.values)[index_at(from.indices, from.index, k) - from.base] =
            static_cast<const T*>(from.values)[k];
    });
  });
}

/// (x, y) turned by the angle with that cosine and sine, where x has elements.
WW_LIBRARY_API Status cusparseRot(Handle* handle, const void* cosine, const void* sine, SparseVector* x,
                                  DenseVector* y) {
  if (!handle) return Status::NotInitialized;
  if (!cosine || !sine || !x || !y || x->type != y->type) return Status::InvalidValue;
  return with_type(y->type, [&]<class T>(T) {
    return submit(handle, [a = *x, b = *y, c = scalar<T>(handle, cosine), s = scalar<T>(handle, sine)] {
      touches(a, true, b, true);
      for (int64_t k = 0; k < a.count; ++k) {
        T& p = static_cast<T*>(a.values)[k];
        T& q = static_cast<T*>(b.values)[index_at(a.indices, a.index, k) - a.base];
        const T before = p;
        p = c() * before + s() * q;
        q = c() * q - s() * before;
      }
    });
  });
}
WW_LIBRARY_API Status cusparseSpVV_bufferSize(Handle* handle, Op, const SparseVector* x, const DenseVector* y,
                                              const void* result, Type, size_t* bytes) {
  if (!handle) return Status::NotInitialized;
  if (!x || !y || !result || !bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpVV(Handle* handle, Op op, const SparseVector* x, const DenseVector* y,
                                   void* result, Type compute, void*) {
  if (!handle) return Status::NotInitialized;
  if (!x || !y || !result || x->size != y->size) return Status::InvalidValue;
  if (!goes_with(x->type, compute) || !goes_with(y->type, compute)) return Status::NotSupported;
  return with_compute(compute, [&]<class T>(T) {
    return submit(handle, [a = *x, b = *y, op, result] {
      touches(a, false, b, false);
      const Values<T> left(a.values, a.type), right(b.values, b.type);
      T sum{};
      for (int64_t k = 0; k < a.count; ++k)
        sum += conjugated(left.get(k), op) * right.get(index_at(a.indices, a.index, k) - a.base);
      *static_cast<T*>(result) = sum;
    });
  });
}
