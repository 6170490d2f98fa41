// What every call of cuSOLVER does around its body.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "cuda/stubs/complex.h"
#include "cuda/stubs/library.h"
#include "cuda/stubs/touches.h"

namespace ww::solver {

/// cusolverStatus_t.
enum class Status : int {
  Success = 0,
  NotInitialized = 1,
  InvalidValue = 3,
  ExecutionFailed = 6,
  MatrixTypeNotSupported = 8,
  NotSupported = 9
};
using stubs::conjugate;
using stubs::in_parallel;
using stubs::kComplex;
using stubs::Op;
using stubs::Real;
using stubs::Side;
/// cublasFillMode_t, cusolverEigMode_t.
enum class Fill : int { Lower = 0, Upper = 1 };
enum class Vectors : int { None = 0, Wanted = 1 };

struct Handle {
  void* stream = nullptr;
};
bool is_handle(const Handle* handle);

/// Whether these are the sizes of a matrix stored by columns, `lda` elements from one to the next.
inline bool is_matrix(int64_t rows, int64_t columns, int64_t lda) {
  return rows >= 0 && columns >= 0 && lda >= std::max<int64_t>(1, rows);
}
inline bool is_square(int64_t n, int64_t lda) { return is_matrix(n, n, lda); }

/// Runs it at once, or puts it into the graph that is being captured. Errors: NotInitialized, InvalidValue.
Status checked(Handle* handle, bool good, std::function<void()> work);
/// Answers how large a workspace is: ours are made when they are needed, so any size will do.
template <class Size>
Status workspace(Handle* handle, bool good, Size* size, int64_t elements) {
  if (!is_handle(handle)) return Status::NotInitialized;
  if (!good || !size) return Status::InvalidValue;
  *size = static_cast<Size>(elements > 1 ? elements : 1);
  return Status::Success;
}

/// Calls body(T{}) for the type behind a cudaDataType. Error: NotSupported.
template <class F>
Status typed(int type, F&& body) {
  switch (type) {
    case 0:
      return body(float{});
    case 1:
      return body(double{});
    case 4:
      return body(std::complex<float>{});
    case 5:
      return body(std::complex<double>{});
    default:
      return Status::NotSupported;
  }
}

template <class T>
Real<T> real_part(T v) {
  if constexpr (kComplex<T>)
    return v.real();
  else
    return v;
}
template <class T>
Real<T> squared(T v) {
  if constexpr (kComplex<T>)
    return std::norm(v);
  else
    return v * v;
}

/// A matrix by columns: rows and columns count from 0.
template <class T>
struct Matrix {
  T* data = nullptr;
  int64_t lead = 0;  ///< elements from one column to the next
  T& operator()(int64_t i, int64_t j) const { return data[i + j * lead]; }
  T* column(int64_t j) const { return data + j * lead; }
  Matrix at(int64_t i, int64_t j) const { return {data + i + j * lead, lead}; }
};

using stubs::touches;
/// Of one triangle with its diagonal, too: it has the first and the last element of the square.
template <class T>
void touches(Matrix<T> a, int64_t rows, int64_t columns) {
  touches(a.data, rows, columns, a.lead);
}
/// What a call says about itself, and, where there are any, what it says about columns (rows exchanged,
/// reflections, values).
template <class N>
void touches_info(N* info, int64_t count = 1) {
  if (info) touches(info, count);
}

}  // namespace ww::solver
