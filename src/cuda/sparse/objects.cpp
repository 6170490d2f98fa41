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

WW_SPARSE_API Status cusparseCreate(Handle** handle) { return make(handle); }
WW_SPARSE_API Status cusparseDestroy(Handle* handle) { return end(handle); }
WW_SPARSE_API Status cusparseGetVersion(Handle*, int* version) {
  if (!version) return Status::InvalidValue;
  *version = 12600;
  return Status::Success;
}
WW_SPARSE_API Status cusparseGetProperty(int which, int* value) {
  if (!value || which < 0 || which > 2) return Status::InvalidValue;
  *value = which == 0 ? 12 : which == 1 ? 6 : 0;
  return Status::Success;
}
WW_SPARSE_API const char* cusparseGetErrorName(Status status) {
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
WW_SPARSE_API const char* cusparseGetErrorString(Status status) {
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
#define WW_FIELD(object, set, get, type, field)         \
  WW_SPARSE_API Status set(object* to, type value) {    \
    if (!to) return Status::InvalidValue;               \
    to->field = value;                                  \
    return Status::Success;                             \
  }                                                     \
  WW_SPARSE_API Status get(object* from, type* value) { \
    if (!from || !value) return Status::InvalidValue;   \
    *value = from->field;                               \
    return Status::Success;                             \
  }
#define WW_DESCRIBED(set, get, field)                    \
  WW_SPARSE_API Status set(Description* to, int value) { \
    if (!to) return Status::InvalidValue;                \
    to->field = value;                                   \
    return Status::Success;                              \
  }                                                      \
  WW_SPARSE_API int get(const Description* from) { return from->field; }
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

WW_SPARSE_API Status cusparseCreateMatDescr(Description** description) { return make(description); }
WW_SPARSE_API Status cusparseDestroyMatDescr(Description* description) { return end(description); }

WW_SPARSE_API Status cusparseCreateDnVec(DenseVector** v, int64_t size, void* values, Type type) {
  return make(v, size, values, type);
}
WW_SPARSE_API Status cusparseCreateConstDnVec(DenseVector** v, int64_t size, void* values, Type type) {
  return make(v, size, values, type);
}
WW_SPARSE_API Status cusparseDestroyDnVec(const DenseVector* v) { return end(v); }
WW_SPARSE_API Status cusparseCreateDnMat(DenseMatrix** m, int64_t rows, int64_t columns, int64_t ld,
                                         void* values, Type type, Order order) {
  if (ld < (order == Order::Columns ? rows : columns)) return Status::InvalidValue;
  return make(m, rows, columns, ld, values, type, order);
}
WW_SPARSE_API Status cusparseDestroyDnMat(const DenseMatrix* m) { return end(m); }
WW_SPARSE_API Status cusparseCreateSpVec(SparseVector** v, int64_t size, int64_t count, void* indices,
                                         void* values, Index index, int base, Type type) {
  return make(v, size, count, indices, values, index, base, type);
}
WW_SPARSE_API Status cusparseDestroySpVec(const SparseVector* v) { return end(v); }
WW_SPARSE_API Status cusparseCreateCsr(SparseMatrix** m, int64_t rows, int64_t columns, int64_t count,
                                       void* offsets, void* indices, void* values, Index offset_type,
                                       Index index_type, int base, Type type) {
  return make(m, Format::Csr, rows, columns, count, offsets, indices, values, offset_type, index_type, base,
              0, 0, type);
}
WW_SPARSE_API Status cusparseCreateConstCsr(SparseMatrix** m, int64_t rows, int64_t columns, int64_t count,
                                            void* offsets, void* indices, void* values, Index offset_type,
                                            Index index_type, int base, Type type) {
  return cusparseCreateCsr(m, rows, columns, count, offsets, indices, values, offset_type, index_type, base,
                           type);
}
WW_SPARSE_API Status cusparseCreateCsc(SparseMatrix** m, int64_t rows, int64_t columns, int64_t count,
                                       void* offsets, void* indices, void* values, Index offset_type,
                                       Index index_type, int base, Type type) {
  return make(m, Format::Csc, rows, columns, count, offsets, indices, values, offset_type, index_type, base,
              0, 0, type);
}
WW_SPARSE_API Status cusparseCreateCoo(SparseMatrix** m, int64_t rows, int64_t columns, int64_t count,
                                       void* row_indices, void* column_indices, void* values,
                                       Index index_type, int base, Type type) {
  return make(m, Format::Coo, rows, columns, count, row_indices, column_indices, values, index_type,
              index_type, base, 0, 0, type);
}
WW_SPARSE_API Status cusparseDestroySpMat(const SparseMatrix* m) { return end(m); }
WW_SPARSE_API Status cusparseCsrSetPointers(SparseMatrix* m, void* offsets, void* indices, void* values) {
  if (!m) return Status::InvalidValue;
  m->offsets = offsets, m->indices = indices, m->values = values;
  return Status::Success;
}
WW_SPARSE_API Status cusparseSpMatGetSize(const SparseMatrix* m, int64_t* rows, int64_t* columns,
                                          int64_t* count) {
  if (!m || !rows || !columns || !count) return Status::InvalidValue;
  *rows = m->rows, *columns = m->columns, *count = m->count;
  return Status::Success;
}
WW_SPARSE_API Status cusparseSpMatSetAttribute(SparseMatrix* m, int attribute, const void* data,
                                               size_t bytes) {
  if (!m || !data || bytes != sizeof(int) || attribute < 0 || attribute > 1) return Status::InvalidValue;
  (attribute == 0 ? m->fill : m->diagonal) = *static_cast<const int*>(data);
  return Status::Success;
}
