// What every call of cuBLAS does around its body.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "cuda/stubs/complex.h"
#include "cuda/stubs/library.h"
#include "cuda/stubs/refused.h"
#include "cuda/stubs/touches.h"

namespace ww::blas {

/// cublasStatus_t.
enum class Status : int {
  Success = 0,
  NotInitialized = 1,
  InvalidValue = 7,
  ExecutionFailed = 13,
  NotSupported = 15
};
/// Says once that this is not there.
inline Status unsupported(const std::string& what) {
  return static_cast<Status>(
      stubs::refuse(what, "CUBLAS_STATUS_NOT_SUPPORTED", static_cast<int>(Status::NotSupported)));
}
using stubs::conjugate;
using stubs::in_parallel;
using stubs::kComplex;
using stubs::Op;
using stubs::Real;
using stubs::Side;
/// cublasFillMode_t, cublasDiagType_t.
enum class Fill : int { Lower = 0, Upper = 1, Full = 2 };
enum class Diagonal : int { NonUnit = 0, Unit = 1 };

struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0, math_mode = 0, atomics_mode = 0, sm_target = 0;
  struct {
    int strategy = 0, special_values = 0, control = 0, most_bits = 0, offset = 0;
    int* bits = nullptr;
  } emulation;  ///< kept for who asks
};
bool is_handle(const Handle* handle);

/// Runs it at once, or puts it into the graph that is being captured.
Status submit(Handle& handle, std::function<void()> work);

/// Errors: NotInitialized, InvalidValue.
inline Status ready(const Handle* handle, bool good) {
  if (!is_handle(handle)) return Status::NotInitialized;
  return good ? Status::Success : Status::InvalidValue;
}
template <class F>
Status checked(Handle* handle, bool good, F&& work) {
  if (Status s = ready(handle, good); s != Status::Success) return s;
  return submit(*handle, std::forward<F>(work));
}

/// alpha or beta when the work is done: on the host it is read now, on the device then.
template <class T>
std::function<T()> scalar(const Handle* h, const T* at) {
  if (h->pointer_mode == 1)
    return [at] {
      stubs::touches(at, 1);
      return *at;
    };
  return [value = *at] { return value; };
}

/// The same for a factor of any type, of at most 16 bytes.
class KeptFactor {
 public:
  KeptFactor(bool on_device, const void* at, size_t bytes) : there_(on_device ? at : nullptr) {
    if (!on_device && at) std::memcpy(here_, at, bytes);
  }
  const void* at() const { return there_ ? there_ : here_; }

 private:
  const void* there_;
  alignas(16) unsigned char here_[16] = {};
};

/// The element (i, j) of op(A), A stored by columns.
template <class T>
T element(const T* a, int64_t lda, Op op, int64_t i, int64_t j) {
  if (op == Op::None) return a[i + j * lda];
  return op == Op::Transposed ? a[j + i * lda] : conjugate(a[j + i * lda]);
}
/// op(A) of so many rows and columns is about to be read.
template <class T>
void touches(Op op, const T* a, int64_t rows, int64_t columns, int64_t lda) {
  stubs::touches(a, op == Op::None ? rows : columns, op == Op::None ? columns : rows, lda);
}
/// The pointers to the matrices of a batch are about to be read.
template <class... P>
void touches_pointers(int64_t count, P... all) {
  (stubs::touches(all, count), ...);
}
/// Where a vector with that increment begins: at its end where the increment is negative. It is about to be
/// gone through.
template <class T>
T* begin(T* x, int64_t n, int64_t step) {
  if (n > 0) stubs::touches(x, (n - 1) * std::abs(step) + 1);
  return step < 0 ? x - (n - 1) * step : x;
}

}  // namespace ww::blas
