// cuSPARSE's handles, matrices and vectors (cuSPARSE manual, "cuSPARSE Types Reference" and "Generic APIs").
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "cuda/blas/stored.h"
#include "cuda/stubs/complex.h"
#include "cuda/stubs/library.h"
#include "cuda/stubs/submit.h"

namespace ww::sparse {

/// cusparseStatus_t.
enum class Status : int {
  Success = 0,
  NotInitialized = 1,
  InvalidValue = 3,
  ExecutionFailed = 6,
  ZeroPivot = 9,
  NotSupported = 10
};
using stubs::Op;
/// cusparseIndexType_t; cudaDataType, those that are taken.
enum class Index : int { I32 = 2, I64 = 3 };
enum class Type : int { R32 = 0, R64 = 1, R16 = 2, I8 = 3, C32 = 4, C64 = 5, I32 = 10, BF16 = 14 };
/// cusparseOrder_t.
enum class Order : int { Columns = 1, Rows = 2 };

struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0;  ///< 1: alpha and beta lie on the device
};

/// cusparseMatDescr_t: of the functions that take a matrix in pieces.
struct Description {
  int type = 0, fill = 0, diagonal = 0, base = 0;
};

struct DenseVector {
  int64_t size = 0;
  void* values = nullptr;
  Type type = Type::R32;
};
struct DenseMatrix {
  int64_t rows = 0, columns = 0, ld = 0;
  void* values = nullptr;
  Type type = Type::R32;
  Order order = Order::Columns;
  int batches = 1;
  int64_t batch_step = 0;  ///< in elements
  int64_t at(int64_t i, int64_t j) const { return order == Order::Columns ? i + j * ld : i * ld + j; }
};
struct SparseVector {
  int64_t size = 0, count = 0;
  void *indices = nullptr, *values = nullptr;
  Index index = Index::I32;
  int base = 0;
  Type type = Type::R32;
};

enum class Format { Csr, Csc, Coo, Bsr, BlockedEll, SlicedEll };
struct SparseMatrix {
  Format format = Format::Csr;
  int64_t rows = 0, columns = 0, count = 0;
  void *offsets = nullptr, *indices = nullptr, *values = nullptr;  ///< Coo: offsets are the rows
  Index offset_type = Index::I32, index_type = Index::I32;
  int base = 0, fill = 0, diagonal = 0;
  Type type = Type::R32;
  /// Bsr: the block. BlockedEll: its side, and how many columns are stored. SlicedEll: rows of a slice, and
  /// how many values are stored.
  int64_t block_rows = 0, block_columns = 0;
  Order order = Order::Rows;  ///< within a block of Bsr
  int batches = 1;
  int64_t offset_step = 0, index_step = 0, value_step = 0;  ///< from batch to batch, in elements
};

inline int64_t index_at(const void* all, Index type, int64_t k) {
  return type == Index::I32 ? static_cast<const int32_t*>(all)[k] : static_cast<const int64_t*>(all)[k];
}

inline void put_index(void* all, Index type, int64_t k, int64_t v) {
  if (type == Index::I32)
    static_cast<int32_t*>(all)[k] = static_cast<int32_t>(v);
  else
    static_cast<int64_t*>(all)[k] = v;
}

template <class F>
void for_each_of_blocks(const SparseMatrix& a, F&& visit);

/// Calls visit(row, column, k) for all that is stored, values[k] being its value.
template <class F>
void for_each(const SparseMatrix& a, F&& visit) {
  if (a.format >= Format::Bsr) return for_each_of_blocks(a, visit);
  if (a.format == Format::Coo) {
    for (int64_t k = 0; k < a.count; ++k)
      visit(index_at(a.offsets, a.index_type, k) - a.base, index_at(a.indices, a.index_type, k) - a.base, k);
    return;
  }
  const int64_t outer = a.format == Format::Csr ? a.rows : a.columns;
  for (int64_t o = 0; o < outer; ++o) {
    const int64_t end = index_at(a.offsets, a.offset_type, o + 1) - a.base;
    for (int64_t k = index_at(a.offsets, a.offset_type, o) - a.base; k < end; ++k) {
      const int64_t inner = index_at(a.indices, a.index_type, k) - a.base;
      a.format == Format::Csr ? visit(o, inner, k) : visit(inner, o, k);
    }
  }
}

/// The same for the formats that store more than what is not zero.
template <class F>
void for_each_of_blocks(const SparseMatrix& a, F&& visit) {
  const int64_t h = a.block_rows, w = a.block_columns;
  if (a.format == Format::Bsr) {
    for (int64_t o = 0; o < a.rows / h; ++o) {
      const int64_t end = index_at(a.offsets, a.offset_type, o + 1) - a.base;
      for (int64_t k = index_at(a.offsets, a.offset_type, o) - a.base; k < end; ++k) {
        const int64_t first = (index_at(a.indices, a.index_type, k) - a.base) * w;
        for (int64_t i = 0; i < h; ++i)
          for (int64_t j = 0; j < w; ++j)
            visit(o * h + i, first + j, k * h * w + (a.order == Order::Rows ? i * w + j : j * h + i));
      }
    }
  } else if (a.format ==
             Format::BlockedEll) {  // values are a matrix by rows; block columns of -1 are padding
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < w; ++j) {
        const int64_t block = index_at(a.indices, a.index_type, i / h * (w / h) + j / h) - a.base;
        if (block >= 0) visit(i, block * h + j % h, i * w + j);
      }
  } else {  // a slice's values lie by columns; columns of -1 are padding
    for (int64_t i = 0; i < a.rows; ++i) {
      const int64_t end = index_at(a.offsets, a.offset_type, i / h + 1) - a.base;
      for (int64_t k = index_at(a.offsets, a.offset_type, i / h) - a.base + i % h; k < end; k += h)
        if (const int64_t j = index_at(a.indices, a.index_type, k); j >= a.base) visit(i, j - a.base, k);
    }
  }
}

inline int64_t bytes_of(Index type) { return type == Index::I32 ? 4 : 8; }
inline int64_t bytes_of(Type type) {
  switch (type) {
    case Type::I8:
      return 1;
    case Type::R16:
    case Type::BF16:
      return 2;
    case Type::R64:
    case Type::C32:
      return 8;
    case Type::C64:
      return 16;
    default:
      return 4;
  }
}
inline void* moved(void* p, int64_t bytes) { return p ? static_cast<char*>(p) + bytes : p; }
/// One matrix of a batch; a single one stands for all.
inline SparseMatrix of_batch(SparseMatrix a, int64_t b) {
  if (a.batches == 1) return a;
  const Index outer = a.format == Format::Coo ? a.index_type : a.offset_type;
  a.offsets = moved(a.offsets, b * a.offset_step * bytes_of(outer));
  a.indices = moved(a.indices, b * a.index_step * bytes_of(a.index_type));
  a.values = moved(a.values, b * a.value_step * bytes_of(a.type));
  return a;
}
inline DenseMatrix of_batch(DenseMatrix a, int64_t b) {
  if (a.batches > 1) a.values = moved(a.values, b * a.batch_step * bytes_of(a.type));
  return a;
}

/// Values as they are stored, read and written as T, in which is computed.
template <class T>
struct Values {
  void* at;
  Type type;
  bool same;
  Values(void* p, Type t) : at(p), type(t), same(t == own()) {}
  static constexpr Type own() {
    if (std::is_same_v<T, float>) return Type::R32;
    if (std::is_same_v<T, double>) return Type::R64;
    if (std::is_same_v<T, int32_t>) return Type::I32;
    return std::is_same_v<T, std::complex<float>> ? Type::C32 : Type::C64;
  }
  T get(int64_t k) const {
    if (same) return static_cast<const T*>(at)[k];
    const std::complex<double> v = blas::number_at(static_cast<int>(type), at, k);
    if constexpr (std::is_arithmetic_v<T>)
      return static_cast<T>(v.real());
    else
      return T(v);
  }
  void put(int64_t k, T v) const {
    if (same)
      static_cast<T*>(at)[k] = v;
    else
      blas::put_number(static_cast<int>(type), at, k, std::complex<double>(v));
  }
};
/// Whether values of the type can be read and written when it is computed in `compute` (cuSPARSE manual,
/// "cusparseSpMV", the tables of types).
inline bool goes_with(Type type, Type compute) {
  if (type == compute) return true;
  if (compute == Type::I32) return type == Type::I8;
  return compute == Type::R32 && (type == Type::R16 || type == Type::BF16 || type == Type::I8);
}

/// beta y, where y of before does not count with beta 0, were it NaN.
template <class T>
T scaled(T beta, T y) {
  return beta == T{} ? T{} : beta * y;
}

/// Calls body with a value of the type. NotSupported: another one.
template <class F>
Status with_type(Type type, F&& body) {
  switch (type) {
    case Type::R32:
      return body(float{});
    case Type::R64:
      return body(double{});
    case Type::C32:
      return body(std::complex<float>{});
    case Type::C64:
      return body(std::complex<double>{});
    default:
      return Status::NotSupported;
  }
}
/// The same where it may be computed in whole numbers.
template <class F>
Status with_compute(Type type, F&& body) {
  return type == Type::I32 ? body(int32_t{}) : with_type(type, body);
}

template <class T>
T conjugated(T v, Op op) {
  return op == Op::Adjoint ? stubs::conjugate(v) : v;
}

inline Status submit(Handle* handle, std::function<void()> work) {
  return stubs::submit(handle->stream, std::move(work)) ? Status::Success : Status::ExecutionFailed;
}

/// alpha or beta when the work is done: on the host it is read now, on the device then.
template <class T>
std::function<T()> scalar(const Handle* handle, const void* at) {
  if (handle->pointer_mode == 1) return [at] { return *static_cast<const T*>(at); };
  return [value = *static_cast<const T*>(at)] { return value; };
}

}  // namespace ww::sparse
