// cuSPARSE's handles, matrices and vectors (cuSPARSE manual, "cuSPARSE Types Reference" and "Generic APIs").
// Device memory lies where the host sees it (docs/cuda.md): the bodies are plain loops.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "cuda/stubs/submit.h"

#define WW_SPARSE_API extern "C" __attribute__((visibility("default")))

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
/// cusparseOperation_t.
enum class Op : int { None = 0, Transposed = 1, Adjoint = 2 };
/// cusparseIndexType_t; cudaDataType, those that are taken.
enum class Index : int { I32 = 2, I64 = 3 };
enum class Type : int { R32 = 0, R64 = 1, C32 = 4, C64 = 5 };
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
  int64_t at(int64_t i, int64_t j) const { return order == Order::Columns ? i + j * ld : i * ld + j; }
};
struct SparseVector {
  int64_t size = 0, count = 0;
  void *indices = nullptr, *values = nullptr;
  Index index = Index::I32;
  int base = 0;
  Type type = Type::R32;
};

enum class Format { Csr, Csc, Coo };
struct SparseMatrix {
  Format format = Format::Csr;
  int64_t rows = 0, columns = 0, count = 0;
  void *offsets = nullptr, *indices = nullptr, *values = nullptr;  ///< Coo: offsets are the rows
  Index offset_type = Index::I32, index_type = Index::I32;
  int base = 0, fill = 0, diagonal = 0;
  Type type = Type::R32;
};

inline int64_t index_at(const void* all, Index type, int64_t k) {
  return type == Index::I32 ? static_cast<const int32_t*>(all)[k] : static_cast<const int64_t*>(all)[k];
}

/// Calls visit(row, column, k) for all that is stored, values[k] being its value.
template <class F>
void for_each(const SparseMatrix& a, F&& visit) {
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
  }
  return Status::NotSupported;
}

template <class T>
T conjugated(T v, Op op) {
  if constexpr (std::is_floating_point_v<T>)
    return v;
  else
    return op == Op::Adjoint ? std::conj(v) : v;
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
