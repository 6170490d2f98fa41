// cuSPARSE: handles, descriptions, vectors and matrices.
#include <new>

#include "cuda/sparse/types.h"

using namespace ww::sparse;

namespace {
template <class T, class... Values>
Status make(T** to, Values... values) {
  if (!to) return Status::InvalidValue;
  *to = new T{values...};
  return Status::Success;
}
template <class T>
Status end(const T* object) {
  delete object;
  return Status::Success;
}
}  // namespace

WW_LIBRARY_API Status cusparseCreate(Handle** handle) { return make(handle); }
WW_LIBRARY_API Status cusparseDestroy(Handle* handle) { return end(handle); }
WW_LIBRARY_API Status cusparseGetVersion(Handle*, int* version) {
  if (!version) return Status::InvalidValue;
  *version = 12600;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseGetProperty(int which, int* value) {
  if (!value || which < 0 || which > 2) return Status::InvalidValue;
  *value = which == 0 ? 12 : which == 1 ? 6 : 0;
  return Status::Success;
}
WW_LIBRARY_API const char* cusparseGetErrorName(Status status) {
  switch (status) {
    case Status::Success:
      return "CUSPARSE_STATUS_SUCCESS";
    case Status::NotInitialized:
      return "CUSPARSE_STATUS_NOT_INITIALIZED";
    case Status::InvalidValue:
      return "CUSPARSE_STATUS_INVALID_VALUE";
    case Status::ExecutionFailed:
      return "CUSPARSE_STATUS_EXECUTION_FAILED";
    case Status::ZeroPivot:
      return "CUSPARSE_STATUS_ZERO_PIVOT";
    case Status::NotSupported:
      return "CUSPARSE_STATUS_NOT_SUPPORTED";
  }
  return "unknown error";
}
WW_LIBRARY_API const char* cusparseGetErrorString(Status status) {
  switch (status) {
    case Status::Success:
      return "success";
    case Status::NotInitialized:
      return "initialization error";
    case Status::InvalidValue:
      return "invalid value";
    case Status::ExecutionFailed:
      return "kernel launch failure";
    case Status::ZeroPivot:
      return "zero pivot";
    case Status::NotSupported:
      return "operation not supported";
  }
  return "unknown error";
}

// A field of an object, set and asked for.
#define WW_FIELD(object, set, get, type, field)          \
  WW_LIBRARY_API Status set(object* to, type value) {    \
    if (!to) return Status::InvalidValue;                \
    to->field = value;                                   \
    return Status::Success;                              \
  }                                                      \
  WW_LIBRARY_API Status get(object* from, type* value) { \
    if (!from || !value) return Status::InvalidValue;    \
    *value = from->field;                                \
    return Status::Success;                              \
  }
#define WW_DESCRIBED(set, get, field)                     \
  WW_LIBRARY_API Status set(Description* to, int value) { \
    if (!to) return Status::InvalidValue;                 \
    to->field = value;                                    \
    return Status::Success;                               \
  }                                                       \
  WW_LIBRARY_API int get(const Description* from) { return from->field; }
WW_FIELD(Handle, cusparseSetStream, cusparseGetStream, void*, stream)
WW_FIELD(Handle, cusparseSetPointerMode, cusparseGetPointerMode, int, pointer_mode)
WW_FIELD(DenseVector, cusparseDnVecSetValues, cusparseDnVecGetValues, void*, values)
WW_FIELD(DenseMatrix, cusparseDnMatSetValues, cusparseDnMatGetValues, void*, values)
WW_FIELD(SparseMatrix, cusparseSpMatSetValues, cusparseSpMatGetValues, void*, values)
WW_FIELD(SparseVector, cusparseSpVecSetValues, cusparseSpVecGetValues, void*, values)
WW_DESCRIBED(cusparseSetMatType, cusparseGetMatType, type)
WW_DESCRIBED(cusparseSetMatFillMode, cusparseGetMatFillMode, fill)
WW_DESCRIBED(cusparseSetMatDiagType, cusparseGetMatDiagType, diagonal)
WW_DESCRIBED(cusparseSetMatIndexBase, cusparseGetMatIndexBase, base)

WW_LIBRARY_API Status cusparseCreateMatDescr(Description** description) { return make(description); }
WW_LIBRARY_API Status cusparseDestroyMatDescr(Description* description) { return end(description); }

WW_LIBRARY_API Status cusparseCreateDnVec(DenseVector** v, int64_t size, void* values, Type type) {
  return make(v, size, values, type);
}
WW_LIBRARY_API Status cusparseCreateConstDnVec(DenseVector** v, int64_t size, void* values, Type type) {
  return make(v, size, values, type);
}
WW_LIBRARY_API Status cusparseDestroyDnVec(const DenseVector* v) { return end(v); }
WW_LIBRARY_API Status cusparseCreateDnMat(DenseMatrix** m, int64_t rows, int64_t columns, int64_t ld,
                                          void* values, Type type, Order order) {
  if (ld < (order == Order::Columns ? rows : columns)) return Status::InvalidValue;
  return make(m, rows, columns, ld, values, type, order);
}
WW_LIBRARY_API Status cusparseCreateConstDnMat(DenseMatrix** m, int64_t rows, int64_t columns, int64_t ld,
                                               void* values, Type type, Order order) {
  return cusparseCreateDnMat(m, rows, columns, ld, values, type, order);
}
WW_LIBRARY_API Status cusparseDestroyDnMat(const DenseMatrix* m) { return end(m); }
WW_LIBRARY_API Status cusparseCreateSpVec(SparseVector** v, int64_t size, int64_t count, void* indices,
                                          void* values, Index index, int base, Type type) {
  return make(v, size, count, indices, values, index, base, type);
}
WW_LIBRARY_API Status cusparseCreateConstSpVec(SparseVector** v, int64_t size, int64_t count, void* indices,
                                               void* values, Index index, int base, Type type) {
  return make(v, size, count, indices, values, index, base, type);
}
WW_LIBRARY_API Status cusparseDestroySpVec(const SparseVector* v) { return end(v); }

// The same, asked by who may only read.
WW_LIBRARY_API Status cusparseConstDnVecGetValues(DenseVector* v, void** values) {
  return cusparseDnVecGetValues(v, values);
}
WW_LIBRARY_API Status cusparseConstDnMatGetValues(DenseMatrix* m, void** values) {
  return cusparseDnMatGetValues(m, values);
}
WW_LIBRARY_API Status cusparseConstSpMatGetValues(SparseMatrix* m, void** values) {
  return cusparseSpMatGetValues(m, values);
}
WW_LIBRARY_API Status cusparseConstSpVecGetValues(SparseVector* v, void** values) {
  return cusparseSpVecGetValues(v, values);
}
WW_LIBRARY_API Status cusparseSpVecGetIndexBase(const SparseVector* v, int* base) {
  if (!v || !base) return Status::InvalidValue;
  *base = v->base;
  return Status::Success;
}
#define WW_ASK_SPARSE(name)                                                                        \
  WW_LIBRARY_API Status name(const SparseVector* v, int64_t* size, int64_t* count, void** indices, \
                             void** values, Index* index, int* base, Type* type) {                 \
    if (!v || !size || !count || !indices || !values || !index || !base || !type)                  \
      return Status::InvalidValue;                                                                 \
    *size = v->size, *count = v->count, *indices = v->indices, *values = v->values;                \
    *index = v->index, *base = v->base, *type = v->type;                                           \
    return Status::Success;                                                                        \
  }
WW_ASK_SPARSE(cusparseSpVecGet)
WW_ASK_SPARSE(cusparseConstSpVecGet)
#define WW_ASK_VECTOR(name)                                                                    \
  WW_LIBRARY_API Status name(const DenseVector* v, int64_t* size, void** values, Type* type) { \
    if (!v || !size || !values || !type) return Status::InvalidValue;                          \
    *size = v->size, *values = v->values, *type = v->type;                                     \
    return Status::Success;                                                                    \
  }
WW_ASK_VECTOR(cusparseDnVecGet)
WW_ASK_VECTOR(cusparseConstDnVecGet)
#define WW_ASK_MATRIX(name)                                                                        \
  WW_LIBRARY_API Status name(const DenseMatrix* m, int64_t* rows, int64_t* columns, int64_t* ld,   \
                             void** values, Type* type, Order* order) {                            \
    if (!m || !rows || !columns || !ld || !values || !type || !order) return Status::InvalidValue; \
    *rows = m->rows, *columns = m->columns, *ld = m->ld, *values = m->values;                      \
    *type = m->type, *order = m->order;                                                            \
    return Status::Success;                                                                        \
  }
WW_ASK_MATRIX(cusparseDnMatGet)
WW_ASK_MATRIX(cusparseConstDnMatGet)
WW_LIBRARY_API Status cusparseDnMatSetStridedBatch(DenseMatrix* m, int count, int64_t step) {
  if (!m || count < 1) return Status::InvalidValue;
  m->batches = count, m->batch_step = step;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseDnMatGetStridedBatch(const DenseMatrix* m, int* count, int64_t* step) {
  if (!m || !count || !step) return Status::InvalidValue;
  *count = m->batches, *step = m->batch_step;
  return Status::Success;
}
