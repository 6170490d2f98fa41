// cuSPARSE: from dense to sparse, between formats, and indices in order.
#include <algorithm>
#include <numeric>

#include "cuda/sparse/types.h"

using namespace ww::sparse;

namespace {

/// Visits what of A is not zero in the order of B's format.
template <class T, class F>
void nonzeros(const DenseMatrix& a, Format format, F&& visit) {
  const T* values = static_cast<const T*>(a.values);
  const bool by_columns = format == Format::Csc;
  for (int64_t o = 0; o < (by_columns ? a.columns : a.rows); ++o) {
    for (int64_t i = 0; i < (by_columns ? a.rows : a.columns); ++i) {
      const T v = values[by_columns ? a.at(i, o) : a.at(o, i)];
      if (v != T{}) visit(o, i, v);
    }
  }
}

Status good(const Handle* h, const DenseMatrix* a, const SparseMatrix* b) {
  if (!h) return Status::NotInitialized;
  return a && b && a->rows == b->rows && a->columns == b->columns && a->type == b->type
             ? Status::Success
             : Status::InvalidValue;
}
/// The place of each element once they are in order; equal ones stay as they are.
template <class Less>
std::vector<int> order_of(int count, Less&& less) {
  std::vector<int> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}
void apply(const std::vector<int>& order, int begin, int* values) {
  if (!values) return;
  std::vector<int> before(values + begin, values + begin + static_cast<int>(order.size()));
  for (size_t k = 0; k < order.size(); ++k)
    values[begin + static_cast<int>(k)] = before[static_cast<size_t>(order[k])];
}
Status small_buffer(const Handle* h, size_t* bytes) {
  if (!h) return Status::NotInitialized;
  if (!bytes) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}

}  // namespace

WW_LIBRARY_API Status cusparseDenseToSparse_bufferSize(Handle* h, const DenseMatrix* a, SparseMatrix* b, int,
                                                       size_t* bytes) {
  if (Status s = good(h, a, b); s != Status::Success) return s;
  return small_buffer(h, bytes);
}
/// Counts, so that the program can make room.
WW_LIBRARY_API Status cusparseDenseToSparse_analysis(Handle* h, const DenseMatrix* a, SparseMatrix* b, int,
                                                     void*) {
  if (Status s = good(h, a, b); s != Status::Success) return s;
  return with_type(a->type, [&]<class T>(T) {
    if (b->format >= Format::Bsr) return Status::Success;  // the pattern is given
    b->count = 0;
    nonzeros<T>(*a, b->format, [&](int64_t, int64_t, T) { ++b->count; });
    return Status::Success;
  });
}
WW_LIBRARY_API Status cusparseDenseToSparse_convert(Handle* h, const DenseMatrix* a, SparseMatrix* b, int,
                                                    void*) {
  if (Status s = good(h, a, b); s != Status::Success) return s;
  return with_type(a->type, [&]<class T>(T) {
    return submit(h, [a = *a, b = *b] {
      if (b.format >= Format::Bsr)
        return for_each(b, [&](int64_t i, int64_t j, int64_t k) {
          static_cast<T*>(b.values)[k] = static_cast<const T*>(a.values)[a.at(i, j)];
        });
      int64_t k = 0, outer = -1;
      const auto begin_up_to = [&](int64_t o) {
        if (b.format != Format::Coo)
          for (; outer < o; ++outer) put_index(b.offsets, b.offset_type, outer + 1, k + b.base);
      };
      nonzeros<T>(a, b.format, [&](int64_t o, int64_t i, T v) {
        begin_up_to(o);
        if (b.format == Format::Coo) put_index(b.offsets, b.index_type, k, o + b.base);
        put_index(b.indices, b.index_type, k, i + b.base);
        static_cast<T*>(b.values)[k++] = v;
      });
      begin_up_to(b.format == Format::Csc ? b.columns : b.rows);
    });
  });
}

WW_LIBRARY_API Status cusparseCsr2cscEx2_bufferSize(Handle* h, int, int, int, const void*, const int*,
                                                    const int*, void*, int*, int*, Type, int, int, int,
                                                    size_t* bytes) {
  return small_buffer(h, bytes);
}
WW_LIBRARY_API Status cusparseCsr2cscEx2(Handle* h, int m, int n, int count, const void* values,
                                         const int* rows, const int* columns, void* to_values,
                                         int* to_columns, int* to_rows, Type type, int with_values, int base,
                                         int, void*) {
  if (!h) return Status::NotInitialized;
  if (m < 0 || n < 0 || count < 0 || !rows || !to_columns || (count && (!columns || !to_rows)))
    return Status::InvalidValue;
  return with_type(type, [&]<class T>(T) {
    return submit(h, [=] {
      std::vector<int> next(static_cast<size_t>(n) + 1);
      for (int k = 0; k < count; ++k) ++next[static_cast<size_t>(columns[k] - base) + 1];
      std::partial_sum(next.begin(), next.end(), next.begin());
      for (int j = 0; j <= n; ++j) to_columns[j] = next[static_cast<size_t>(j)] + base;
      for (int i = 0; i < m; ++i)
        for (int k = rows[i] - base; k < rows[i + 1] - base; ++k) {
          const int at = next[static_cast<size_t>(columns[k] - base)]++;
          to_rows[at] = i + base;
          if (with_values) static_cast<T*>(to_values)[at] = static_cast<const T*>(values)[k];
        }
    });
  });
}
WW_LIBRARY_API Status cusparseXcoo2csr(Handle* h, const int* rows, int count, int m, int* offsets, int base) {
  if (!h) return Status::NotInitialized;
  if (m < 0 || count < 0 || !offsets || (count && !rows)) return Status::InvalidValue;
  return submit(h, [=] {
    for (int i = 0, k = 0; i <= m; ++i) {
      while (k < count && rows[k] - base < i) ++k;
      offsets[i] = k + base;
    }
  });
}
WW_LIBRARY_API Status cusparseXcsr2coo(Handle* h, const int* offsets, int, int m, int* rows, int base) {
  if (!h) return Status::NotInitialized;
  if (m < 0 || !offsets) return Status::InvalidValue;
  return submit(h, [=] {
    for (int i = 0; i < m; ++i) std::fill(rows + offsets[i] - base, rows + offsets[i + 1] - base, i + base);
  });
}

// Indices in order, and with them a permutation, by which the program moves its values.
WW_LIBRARY_API Status cusparseCreateIdentityPermutation(Handle* h, int n, int* permutation) {
  if (!h) return Status::NotInitialized;
  if (n < 0 || (n && !permutation)) return Status::InvalidValue;
  return submit(h, [=] { std::iota(permutation, permutation + n, 0); });
}
WW_LIBRARY_API Status cusparseXcsrsort_bufferSizeExt(Handle* h, int, int, int, const int*, const int*,
                                                     size_t* bytes) {
  return small_buffer(h, bytes);
}
WW_LIBRARY_API Status cusparseXcsrsort(Handle* h, int m, int, int, const Description* a, const int* offsets,
                                       int* columns, int* permutation, void*) {
  if (!h) return Status::NotInitialized;
  if (!a || !offsets || !columns) return Status::InvalidValue;
  return submit(h, [=, base = a->base] {
    for (int i = 0; i < m; ++i) {
      const int begin = offsets[i] - base;
      const auto order = order_of(offsets[i + 1] - offsets[i],
                                  [&](int p, int q) { return columns[begin + p] < columns[begin + q]; });
      apply(order, begin, permutation), apply(order, begin, columns);
    }
  });
}
WW_LIBRARY_API Status cusparseXcoosort_bufferSizeExt(Handle* h, int, int, int, const int*, const int*,
                                                     size_t* bytes) {
  return small_buffer(h, bytes);
}
WW_LIBRARY_API Status cusparseXcscsort_bufferSizeExt(Handle* h, int, int, int, const int*, const int*,
                                                     size_t* bytes) {
  return small_buffer(h, bytes);
}
WW_LIBRARY_API Status cusparseXcscsort(Handle* h, int m, int n, int count, const Description* a,
                                       const int* offsets, int* rows, int* permutation, void* buffer) {
  return cusparseXcsrsort(h, n, m, count, a, offsets, rows, permutation, buffer);
}
namespace {
Status sort_coo(Handle* h, int count, int* first, int* second, int* permutation) {
  if (!h) return Status::NotInitialized;
  if (count < 0 || (count && (!first || !second))) return Status::InvalidValue;
  return submit(h, [=] {
    const auto order = order_of(count, [&](int p, int q) {
      return first[p] != first[q] ? first[p] < first[q] : second[p] < second[q];
    });
    for (int* all : {permutation, second, first}) apply(order, 0, all);
  });
}
}  // namespace
WW_LIBRARY_API Status cusparseXcoosortByRow(Handle* h, int, int, int count, int* rows, int* columns,
                                            int* permutation, void*) {
  return sort_coo(h, count, rows, columns, permutation);
}
WW_LIBRARY_API Status cusparseXcoosortByColumn(Handle* h, int, int, int count, int* rows, int* columns,
                                               int* permutation, void*) {
  return sort_coo(h, count, columns, rows, permutation);
}

namespace {
template <class T>
Status count_nonzeros(Handle* h, bool by_columns, int m, int n, const T* a, int lead, int* each, int* all) {
  if (!h) return Status::NotInitialized;
  if (m < 0 || n < 0 || lead < m || !each || !all) return Status::InvalidValue;
  return submit(h, [=] {
    *all = 0;
    std::fill(each, each + (by_columns ? n : m), 0);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i)
        if (a[i + j * lead] != T{}) ++each[by_columns ? j : i], ++*all;
  });
}
}  // namespace
#define WW_NNZ(L, T)                                                                                 \
  WW_LIBRARY_API Status cusparse##L##nnz(Handle* h, int direction, int m, int n, const Description*, \
                                         const T* a, int lead, int* each, int* all) {                \
    return count_nonzeros(h, direction == 1, m, n, a, lead, each, all);                              \
  }
WW_NNZ(S, float)
WW_NNZ(D, double)
WW_NNZ(C, std::complex<float>)
WW_NNZ(Z, std::complex<double>)
