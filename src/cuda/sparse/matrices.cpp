// cuSPARSE: sparse matrices made, asked, changed and ended.
#include <new>

#include "cuda/sparse/types.h"

using namespace ww::sparse;

namespace {

Status make(SparseMatrix** to, const SparseMatrix& m) {
  if (!to || m.rows < 0 || m.columns < 0 || m.count < 0) return Status::InvalidValue;
  *to = new SparseMatrix(m);
  return Status::Success;
}
Status set(SparseMatrix* m, Format format, void* offsets, void* indices, void* values) {
  if (!m || m->format != format) return Status::InvalidValue;
  m->offsets = offsets, m->indices = indices, m->values = values;
  return Status::Success;
}
Status set_batches(SparseMatrix* m, Format format, int count, int64_t offsets, int64_t indices,
                   int64_t values) {
  if (!m || m->format != format || count < 1) return Status::InvalidValue;
  m->batches = count;
  m->offset_step = offsets, m->index_step = indices, m->value_step = values;
  return Status::Success;
}
/// What an asker wants to know: it may leave things out.
template <class T, class V>
void tell(T* to, V value) {
  if (to) *to = static_cast<T>(value);
}
Status get(const SparseMatrix* m, Format format, int64_t* rows, int64_t* columns, int64_t* count,
           void** offsets, void** indices, void** values, Index* offset_type, Index* index_type, int* base,
           Type* type) {
  if (!m || m->format != format) return Status::InvalidValue;
  tell(rows, m->rows), tell(columns, m->columns), tell(count, m->count);
  tell(offsets, m->offsets), tell(indices, m->indices), tell(values, m->values);
  tell(offset_type, m->offset_type), tell(index_type, m->index_type), tell(base, m->base);
  tell(type, m->type);
  return Status::Success;
}

}  // namespace

// Each has a second name for matrices that are only read.
#define WW_BY_OFFSETS(name, format, ask)                                                                    \
  WW_LIBRARY_API Status name(SparseMatrix** m, int64_t rows, int64_t columns, int64_t count, void* offsets, \
                             void* indices, void* values, Index offset_type, Index index_type, int base,    \
                             Type type) {                                                                   \
    return make(m, {format, rows, columns, count, offsets, indices, values, offset_type, index_type, base,  \
                    0, 0, type});                                                                           \
  }                                                                                                         \
  WW_LIBRARY_API Status ask(const SparseMatrix* m, int64_t* rows, int64_t* columns, int64_t* count,         \
                            void** offsets, void** indices, void** values, Index* offset_type,              \
                            Index* index_type, int* base, Type* type) {                                     \
    return get(m, format, rows, columns, count, offsets, indices, values, offset_type, index_type, base,    \
               type);                                                                                       \
  }
WW_BY_OFFSETS(cusparseCreateCsr, Format::Csr, cusparseCsrGet)
WW_BY_OFFSETS(cusparseCreateConstCsr, Format::Csr, cusparseConstCsrGet)
WW_BY_OFFSETS(cusparseCreateCsc, Format::Csc, cusparseCscGet)
WW_BY_OFFSETS(cusparseCreateConstCsc, Format::Csc, cusparseConstCscGet)

#define WW_COO(name, ask)                                                                                    \
  WW_LIBRARY_API Status name(SparseMatrix** m, int64_t rows, int64_t columns, int64_t count, void* all_rows, \
                             void* all_columns, void* values, Index index_type, int base, Type type) {       \
    return make(m, {Format::Coo, rows, columns, count, all_rows, all_columns, values, index_type,            \
                    index_type, base, 0, 0, type});                                                          \
  }                                                                                                          \
  WW_LIBRARY_API Status ask(const SparseMatrix* m, int64_t* rows, int64_t* columns, int64_t* count,          \
                            void** all_rows, void** all_columns, void** values, Index* index_type,           \
                            int* base, Type* type) {                                                         \
    return get(m, Format::Coo, rows, columns, count, all_rows, all_columns, values, nullptr, index_type,     \
               base, type);                                                                                  \
  }
WW_COO(cusparseCreateCoo, cusparseCooGet)
WW_COO(cusparseCreateConstCoo, cusparseConstCooGet)

#define WW_BSR(name)                                                                                         \
  WW_LIBRARY_API Status name(SparseMatrix** m, int64_t rows, int64_t columns, int64_t count, int64_t height, \
                             int64_t width, void* offsets, void* indices, void* values, Index offset_type,   \
                             Index index_type, int base, Type type, Order order) {                           \
    if (height < 1 || width < 1) return Status::InvalidValue;                                                \
    return make(m, {Format::Bsr, rows * height, columns * width, count, offsets, indices, values,            \
                    offset_type, index_type, base, 0, 0, type, height, width, order});                       \
  }
WW_BSR(cusparseCreateBsr)
WW_BSR(cusparseCreateConstBsr)

#define WW_BLOCKED_ELL(name, ask)                                                                           \
  WW_LIBRARY_API Status name(SparseMatrix** m, int64_t rows, int64_t columns, int64_t side, int64_t stored, \
                             void* indices, void* values, Index index_type, int base, Type type) {          \
    if (side < 1 || stored % side || rows % side || columns % side) return Status::InvalidValue;            \
    return make(m, {Format::BlockedEll, rows, columns, rows * stored, nullptr, indices, values, index_type, \
                    index_type, base, 0, 0, type, side, stored});                                           \
  }                                                                                                         \
  WW_LIBRARY_API Status ask(const SparseMatrix* m, int64_t* rows, int64_t* columns, int64_t* side,          \
                            int64_t* stored, void** indices, void** values, Index* index_type, int* base,   \
                            Type* type) {                                                                   \
    if (!m || m->format != Format::BlockedEll) return Status::InvalidValue;                                 \
    tell(side, m->block_rows), tell(stored, m->block_columns);                                              \
    return get(m, m->format, rows, columns, nullptr, nullptr, indices, values, nullptr, index_type, base,   \
               type);                                                                                       \
  }
WW_BLOCKED_ELL(cusparseCreateBlockedEll, cusparseBlockedEllGet)
WW_BLOCKED_ELL(cusparseCreateConstBlockedEll, cusparseConstBlockedEllGet)

#define WW_SLICED_ELL(name)                                                                                  \
  WW_LIBRARY_API Status name(SparseMatrix** m, int64_t rows, int64_t columns, int64_t count, int64_t stored, \
                             int64_t slice, void* offsets, void* indices, void* values, Index offset_type,   \
                             Index index_type, int base, Type type) {                                        \
    if (slice < 1) return Status::InvalidValue;                                                              \
    return make(m, {Format::SlicedEll, rows, columns, count, offsets, indices, values, offset_type,          \
                    index_type, base, 0, 0, type, slice, stored});                                           \
  }
WW_SLICED_ELL(cusparseCreateSlicedEll)
WW_SLICED_ELL(cusparseCreateConstSlicedEll)

WW_LIBRARY_API Status cusparseDestroySpMat(const SparseMatrix* m) {
  delete m;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseCsrSetPointers(SparseMatrix* m, void* offsets, void* indices, void* values) {
  return set(m, Format::Csr, offsets, indices, values);
}
WW_LIBRARY_API Status cusparseCscSetPointers(SparseMatrix* m, void* offsets, void* indices, void* values) {
  return set(m, Format::Csc, offsets, indices, values);
}
WW_LIBRARY_API Status cusparseCooSetPointers(SparseMatrix* m, void* rows, void* columns, void* values) {
  return set(m, Format::Coo, rows, columns, values);
}
WW_LIBRARY_API Status cusparseCsrSetStridedBatch(SparseMatrix* m, int count, int64_t offsets,
                                                 int64_t others) {
  return set_batches(m, Format::Csr, count, offsets, others, others);
}
WW_LIBRARY_API Status cusparseCooSetStridedBatch(SparseMatrix* m, int count, int64_t step) {
  return set_batches(m, Format::Coo, count, step, step, step);
}
WW_LIBRARY_API Status cusparseBsrSetStridedBatch(SparseMatrix* m, int count, int64_t offsets, int64_t columns,
                                                 int64_t values) {
  return set_batches(m, Format::Bsr, count, offsets, columns, values);
}
WW_LIBRARY_API Status cusparseSpMatGetStridedBatch(const SparseMatrix* m, int* count) {
  if (!m || !count) return Status::InvalidValue;
  *count = m->batches;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpMatGetSize(const SparseMatrix* m, int64_t* rows, int64_t* columns,
                                           int64_t* count) {
  if (!m || !rows || !columns || !count) return Status::InvalidValue;
  *rows = m->rows, *columns = m->columns, *count = m->count;
  return Status::Success;
}
/// cusparseFormat_t.
WW_LIBRARY_API Status cusparseSpMatGetFormat(const SparseMatrix* m, int* format) {
  if (!m || !format) return Status::InvalidValue;
  switch (m->format) {
    case Format::Csr:
      return *format = 1, Status::Success;
    case Format::Csc:
      return *format = 2, Status::Success;
    case Format::Coo:
      return *format = 3, Status::Success;
    case Format::BlockedEll:
      return *format = 5, Status::Success;
    case Format::Bsr:
      return *format = 6, Status::Success;
    case Format::SlicedEll:
      return *format = 7, Status::Success;
  }
  return Status::InvalidValue;
}
WW_LIBRARY_API Status cusparseSpMatGetIndexBase(const SparseMatrix* m, int* base) {
  if (!m || !base) return Status::InvalidValue;
  *base = m->base;
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpMatSetAttribute(SparseMatrix* m, int attribute, const void* data,
                                                size_t bytes) {
  if (!m || !data || bytes != sizeof(int) || attribute < 0 || attribute > 1) return Status::InvalidValue;
  (attribute == 0 ? m->fill : m->diagonal) = *static_cast<const int*>(data);
  return Status::Success;
}
WW_LIBRARY_API Status cusparseSpMatGetAttribute(const SparseMatrix* m, int attribute, void* data,
                                                size_t bytes) {
  if (!m || !data || bytes != sizeof(int) || attribute < 0 || attribute > 1) return Status::InvalidValue;
  *static_cast<int*>(data) = attribute == 0 ? m->fill : m->diagonal;
  return Status::Success;
}
