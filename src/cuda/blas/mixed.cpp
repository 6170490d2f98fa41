// cuBLAS: products whose matrices are stored in other types than they are multiplied in.
#include <algorithm>

#include "cuda/blas/product.h"
#include "cuda/blas/stored.h"

using namespace ww::blas;

namespace {

// cublasComputeType_t.
enum {
  kCompute16 = 64,
  kCompute16Exact = 65,
  kCompute64 = 70,
  kCompute64Exact = 71,
  kCompute32I = 72,
  kCompute32IExact = 73
};

struct Matrices {
  Op op_a, op_b;
  int64_t m, n, k;
  const void *alpha, *a;
  int type_a;
  int64_t lda;
  const void* b;
  int type_b;
  int64_t ldb;
  const void *beta, *c;
  int type_c;
  int64_t ldc;
};

template <class T, class TA, class TC>
void multiply(const Matrices& p, T alpha, T beta, int64_t a, int64_t b, int64_t c) {
  programs_product(p.op_a, p.op_b, p.m, p.n, p.k, alpha, static_cast<const TA*>(p.a) + a, p.lda,
                   static_cast<const TA*>(p.b) + b, p.ldb, beta, static_cast<TC*>(const_cast<void*>(p.c)) + c,
                   p.ldc);
}

/// CUDA_C_8I, whose sums are of CUDA_C_32F.
void multiply_complex_bytes(const Matrices& p, int64_t a, int64_t b, int64_t c) {
  const bool plain_a = p.op_a == Op::None, plain_b = p.op_b == Op::None;
  const int64_t rows_a = plain_a ? p.m : p.k, rows_b = plain_b ? p.k : p.n;
  if (p.m && p.n && p.k) {
    touches(p.op_a, static_cast<const ComplexByte*>(p.a) + a, p.m, p.k, p.lda);
    touches(p.op_b, static_cast<const ComplexByte*>(p.b) + b, p.k, p.n, p.ldb);
  }
  const auto left = floats_of(static_cast<const ComplexByte*>(p.a) + a, rows_a, plain_a ? p.k : p.m, p.lda);
  const auto right = floats_of(static_cast<const ComplexByte*>(p.b) + b, rows_b, plain_b ? p.n : p.k, p.ldb);
  Matrices wide = p;
  wide.a = left.data(), wide.lda = rows_a;
  wide.b = right.data(), wide.ldb = rows_b;
  using C = std::complex<float>;
  multiply<C, C, C>(wide, *static_cast<const C*>(p.alpha), *static_cast<const C*>(p.beta), 0, 0, c);
}

/// Multiplies where the types fit; the offsets are elements. False: such types are not there.
bool multiply(const Matrices& p, int compute, int64_t a, int64_t b, int64_t c) {
  if (p.type_a != p.type_b) return false;
  if (compute == kCompute32I || compute == kCompute32IExact) {
    if (p.type_a != kS8 || p.type_c != kS32) return false;
    multiply<int32_t, int8_t, int32_t>(p, *static_cast<const int32_t*>(p.alpha),
                                       *static_cast<const int32_t*>(p.beta), a, b, c);
    return true;
  }
  if (p.type_a == kC8) {
    if (p.type_c != kC32) return false;
    multiply_complex_bytes(p, a, b, c);
    return true;
  }
  if (p.type_a == kC32 || p.type_a == kC64) {
    if (p.type_c != p.type_a) return false;
    auto run = [&](auto number) {
      using T = decltype(number);
      multiply<T, T, T>(p, *static_cast<const T*>(p.alpha), *static_cast<const T*>(p.beta), a, b, c);
    };
    p.type_a == kC32 ? run(std::complex<float>{}) : run(std::complex<double>{});
    return true;
  }
  if (compute == kCompute64 || compute == kCompute64Exact) {
    if (p.type_a != kF64 || p.type_c != kF64) return false;
    multiply<double, double, double>(p, *static_cast<const double*>(p.alpha),
                                     *static_cast<const double*>(p.beta), a, b, c);
    return true;
  }
  // Everything else is summed in float; the factors are halves where the computation is in halves.
  const bool half = compute == kCompute16 || compute == kCompute16Exact;
  auto factor = [&](const void* v) {
    return half ? float(*static_cast<const Half*>(v)) : *static_cast<const float*>(v);
  };
  const float alpha = factor(p.alpha), beta = factor(p.beta);
  auto to = [&](auto stored) {
    using TA = decltype(stored);
    if (p.type_c == kF32)
      multiply<float, TA, float>(p, alpha, beta, a, b, c);
    else if (p.type_c == kF16)
      multiply<float, TA, Half>(p, alpha, beta, a, b, c);
    else if (p.type_c == kBF16)
      multiply<float, TA, BFloat>(p, alpha, beta, a, b, c);
    else
      return false;
    return true;
  };
  if (p.type_a == kF32) return to(float{});
  if (p.type_a == kF16) return to(Half{});
  if (p.type_a == kBF16) return to(BFloat{});
  if (p.type_a == kS8 && p.type_c == kF32) return to(int8_t{});
  return false;
}
/// Before CUDA 11 the type of the computation was a cudaDataType; those numbers mean the same as ever.
int compute_of(int given) {
  constexpr int kEmulated64 = 79;  // CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT: natively, which it may be
  return given == kF64 || given == kC64 || given == kEmulated64 ? kCompute64
         : given == kF16                                        ? kCompute16
                                                                : given;
}

/// Of alpha and beta.
size_t factor_bytes(int compute, int type_c) {
  const int way = compute_of(compute);
  const bool wide = way == kCompute64 || way == kCompute64Exact || type_c == kC64;
  const bool half = way == kCompute16 || way == kCompute16Exact;
  return static_cast<size_t>((wide ? 8 : half ? 2 : 4) * (is_complex(type_c) ? 2 : 1));
}

Status strided(Handle* h, const Matrices& p, int compute, long long sa, long long sb, long long sc,
               int count) {
  if (!is_handle(h)) return Status::NotInitialized;
  if (!p.alpha || !p.beta || count < 0 || !good_product(p.op_a, p.op_b, p.m, p.n, p.k, p.lda, p.ldb, p.ldc))
    return Status::InvalidValue;
  Matrices none = p;  // the types, before anything is put into a graph
  none.m = none.n = 0;
  if (!multiply(none, compute_of(compute), 0, 0, 0))
    return unsupported("cuBLAS's product of " + type_name(p.type_a) + " and " + type_name(p.type_b) +
                       " into " + type_name(p.type_c) + ", computed as cublasComputeType_t " +
                       std::to_string(compute_of(compute)) + ",");
  const bool on_device = h->pointer_mode == 1;
  const size_t bytes = factor_bytes(compute, p.type_c);
  return submit(
      *h, [=, alpha = KeptFactor(on_device, p.alpha, bytes), beta = KeptFactor(on_device, p.beta, bytes)] {
        Matrices now = p;
        now.alpha = alpha.at(), now.beta = beta.at();
        const auto counts = [&](const void* factor) {
          const auto* b = static_cast<const char*>(factor);
          return std::any_of(b, b + bytes, [](char c) { return c != 0; });
        };
        const auto step = [](int type, int64_t elements) { return elements * int64_t(type_bytes(type)); };
        const bool some = p.m && p.n, reads = some && p.k && counts(now.alpha);
        if (reads) {
          ww::stubs::touches_batch_bytes(p.a, step(p.type_a, sa), count, false);
          ww::stubs::touches_batch_bytes(p.b, step(p.type_b, sb), count, false);
        }
        if (some) ww::stubs::touches_batch_bytes(p.c, step(p.type_c, sc), count, true);
        for (int64_t i = 0; i < count; ++i) multiply(now, compute_of(compute), i * sa, i * sb, i * sc);
      });
}

}  // namespace

WW_LIBRARY_API Status cublasGemmEx(Handle* h, Op oa, Op ob, int m, int n, int k, const void* alpha,
                                   const void* a, int ta, int lda, const void* b, int tb, int ldb,
                                   const void* beta, void* c, int tc, int ldc, int compute, int) {
  return strided(h, {oa, ob, m, n, k, alpha, a, ta, lda, b, tb, ldb, beta, c, tc, ldc}, compute, 0, 0, 0, 1);
}
WW_LIBRARY_API Status cublasGemmStridedBatchedEx(Handle* h, Op oa, Op ob, int m, int n, int k,
                                                 const void* alpha, const void* a, int ta, int lda,
                                                 long long sa, const void* b, int tb, int ldb, long long sb,
                                                 const void* beta, void* c, int tc, int ldc, long long sc,
                                                 int count, int compute, int) {
  return strided(h, {oa, ob, m, n, k, alpha, a, ta, lda, b, tb, ldb, beta, c, tc, ldc}, compute, sa, sb, sc,
                 count);
}
WW_LIBRARY_API Status cublasGemmBatchedEx(Handle* h, Op oa, Op ob, int m, int n, int k, const void* alpha,
                                          const void* const* a, int ta, int lda, const void* const* b, int tb,
                                          int ldb, const void* beta, void* const* c, int tc, int ldc,
                                          int count, int compute, int) {
  for (int i = 0; i < count; ++i) {
    Status s = strided(h, {oa, ob, m, n, k, alpha, a[i], ta, lda, b[i], tb, ldb, beta, c[i], tc, ldc},
                       compute, 0, 0, 0, 1);
    if (s != Status::Success) return s;
  }
  return Status::Success;
}
WW_LIBRARY_API Status cublasGemmGroupedBatchedEx(Handle* h, const Op* oa, const Op* ob, const int* m,
                                                 const int* n, const int* k, const void* alpha,
                                                 const void* const* a, int ta, const int* lda,
                                                 const void* const* b, int tb, const int* ldb,
                                                 const void* beta, void* const* c, int tc, const int* ldc,
                                                 int groups, const int* sizes, int compute) {
  const auto step = static_cast<int64_t>(factor_bytes(compute, tc));
  for (int g = 0, first = 0; g < groups; first += sizes[g++]) {
    const Status s = cublasGemmBatchedEx(h, oa[g], ob[g], m[g], n[g], k[g],
                                         static_cast<const char*>(alpha) + g * step, a + first, ta, lda[g],
                                         b + first, tb, ldb[g], static_cast<const char*>(beta) + g * step,
                                         c + first, tc, ldc[g], sizes[g], compute, 0);
    if (s != Status::Success) return s;
  }
  return Status::Success;
}
WW_LIBRARY_API Status cublasHgemmBatched(Handle* h, Op oa, Op ob, int m, int n, int k, const void* alpha,
                                         const void* const* a, int lda, const void* const* b, int ldb,
                                         const void* beta, void* const* c, int ldc, int count) {
  return cublasGemmBatchedEx(h, oa, ob, m, n, k, alpha, a, kF16, lda, b, kF16, ldb, beta, c, kF16, ldc, count,
                             kCompute16, 0);
}
#define WW_COMPLEX_EX(name)                                                                                  \
  WW_LIBRARY_API Status name(Handle* h, Op oa, Op ob, int m, int n, int k, const void* alpha, const void* a, \
                             int ta, int lda, const void* b, int tb, int ldb, const void* beta, void* c,     \
                             int tc, int ldc) {                                                              \
    return strided(h, {oa, ob, m, n, k, alpha, a, ta, lda, b, tb, ldb, beta, c, tc, ldc}, kF32, 0, 0, 0, 1); \
  }
WW_COMPLEX_EX(cublasCgemmEx)
WW_COMPLEX_EX(cublasCgemm3mEx)
WW_LIBRARY_API Status cublasSgemmEx(Handle* h, Op oa, Op ob, int m, int n, int k, const float* alpha,
                                    const void* a, int ta, int lda, const void* b, int tb, int ldb,
                                    const float* beta, void* c, int tc, int ldc) {
  return strided(h, {oa, ob, m, n, k, alpha, a, ta, lda, b, tb, ldb, beta, c, tc, ldc}, kF32, 0, 0, 0, 1);
}
WW_LIBRARY_API Status cublasHgemm(Handle* h, Op oa, Op ob, int m, int n, int k, const void* alpha,
                                  const void* a, int lda, const void* b, int ldb, const void* beta, void* c,
                                  int ldc) {
  return strided(h, {oa, ob, m, n, k, alpha, a, kF16, lda, b, kF16, ldb, beta, c, kF16, ldc}, kCompute16, 0,
                 0, 0, 1);
}
WW_LIBRARY_API Status cublasHgemmStridedBatched(Handle* h, Op oa, Op ob, int m, int n, int k,
                                                const void* alpha, const void* a, int lda, long long sa,
                                                const void* b, int ldb, long long sb, const void* beta,
                                                void* c, int ldc, long long sc, int count) {
  return strided(h, {oa, ob, m, n, k, alpha, a, kF16, lda, b, kF16, ldb, beta, c, kF16, ldc}, kCompute16, sa,
                 sb, sc, count);
}
