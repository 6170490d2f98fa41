// cuBLAS: level 3 in one type, and the batched products.
#include "cuda/blas/product.h"
#include "cuda/blas/stored_parts.h"

using namespace ww::blas;

namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

template <class T>
Status gemm(Handle* h, Op oa, Op ob, int64_t m, int64_t n, int64_t k, const T* alpha, const T* a, int64_t lda,
            const T* b, int64_t ldb, const T* beta, T* c, int64_t ldc) {
  if (Status wrong = ready(h, alpha && beta); wrong != Status::Success) return wrong;
  return checked(h, good_product(oa, ob, m, n, k, lda, ldb, ldc),
                 [=, first = scalar(h, alpha), second = scalar(h, beta)] {
                   const T al = first(), be = second();
                   programs_product(oa, ob, m, n, k, al, a, lda, b, ldb, be, c, ldc);
                 });
}
template <class T>
Status gemm_strided(Handle* h, Op oa, Op ob, int m, int n, int k, const T* alpha, const T* a, int lda,
                    long long sa, const T* b, int ldb, long long sb, const T* beta, T* c, int ldc,
                    long long sc, int count) {
  if (Status wrong = ready(h, alpha && beta && count >= 0); wrong != Status::Success) return wrong;
  return checked(h, good_product(oa, ob, m, n, k, lda, ldb, ldc),
                 [=, first = scalar(h, alpha), second = scalar(h, beta)] {
                   const T al = first(), be = second();
                   touches_batches(m, n, k, al, a, sa, b, sb, be, c, sc, count);
                   for (int64_t i = 0; i < count; ++i)
                     programs_product(oa, ob, m, n, k, al, a + i * sa, lda, b + i * sb, ldb, be, c + i * sc,
                                      ldc);
                 });
}
template <class T>
Status gemm_batched(Handle* h, Op oa, Op ob, int m, int n, int k, const T* alpha, const T* const* a, int lda,
                    const T* const* b, int ldb, const T* beta, T* const* c, int ldc, int count) {
  if (Status wrong = ready(h, alpha && beta && count >= 0); wrong != Status::Success) return wrong;
  return checked(h, good_product(oa, ob, m, n, k, lda, ldb, ldc),
                 [=, first = scalar(h, alpha), second = scalar(h, beta)] {
                   const T al = first(), be = second();
                   const bool reads = al != T{} && k > 0;
                   if (!m || !n || (!reads && be == T(1))) return;
                   touches_pointers(count, c);
                   if (reads) touches_pointers(count, a, b);
                   for (int64_t i = 0; i < count; ++i)
                     programs_product(oa, ob, m, n, k, al, reads ? a[i] : nullptr, lda,
                                      reads ? b[i] : nullptr, ldb, be, c[i], ldc);
                 });
}

/// A triangle made whole: symmetric, or Hermitian.
template <class T>
std::vector<T> whole(const T* a, int64_t lda, int64_t n, Fill fill, bool hermitian) {
  std::vector<T> all(static_cast<size_t>(n * n));
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) {
      const bool stored = fill == Fill::Upper ? i <= j : i >= j;
      T v = stored ? a[i + j * lda] : a[j + i * lda];
      if (hermitian) v = i == j ? T(std::real(v)) : stored ? v : conjugate(v);
      all[static_cast<size_t>(i + j * n)] = v;
    }
  return all;
}
template <class T, bool kHermitian>
Status symm(Handle* h, Side side, Fill fill, int m, int n, const T* alpha, const T* a, int lda, const T* b,
            int ldb, const T* beta, T* c, int ldc) {
  if (Status wrong = ready(h, alpha && beta); wrong != Status::Success) return wrong;
  const int64_t size = side == Side::Left ? m : n;
  return checked(h, m >= 0 && n >= 0 && lda >= size && ldb >= m && ldc >= m,
                 [=, first = scalar(h, alpha), second = scalar(h, beta)] {
                   const T al = first(), be = second();
                   if (!m || !n || (al == T{} && be == T(1))) return;
                   std::vector<T> s;
                   if (al != T{}) {
                     touches(a, Triangle{fill, lda}, size, size);
                     ww::stubs::touches(b, m, n, ldb);
                     s = whole(a, int64_t{lda}, size, fill, kHermitian);
                   }
                   ww::stubs::touches(c, m, n, ldc);
                   if (side == Side::Left)
                     product(Op::None, Op::None, m, n, m, al, s.data(), size, b, ldb, be, c, ldc);
                   else
                     product(Op::None, Op::None, m, n, n, al, b, ldb, s.data(), size, be, c, ldc);
                 });
}
/// C = alpha op(A) op(B)' + beta C, of which one triangle is written; with both: + its mirror image.
template <class T, class S>
Status rank_k(Handle* h, Fill fill, Op op, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,
              S beta, T* c, int ldc, bool hermitian, bool both) {
  return checked(h, n >= 0 && k >= 0 && ldc >= n, [=] {
    const bool reads = alpha != T{} && k;
    if (!reads && beta == S(1)) return;
    if (reads) touches(op, a, n, k, lda), touches(op, b, n, k, ldb);
    touches(c, Triangle{fill, ldc}, n, n);
    std::vector<T> sums(static_cast<size_t>(int64_t{n} * n));
    const Op turned = hermitian ? Op::Adjoint : Op::Transposed;
    auto add = [&](T factor, const T* x, int ldx, const T* y, int ldy) {
      product(op == Op::None ? Op::None : turned, op == Op::None ? turned : Op::None, n, n, k, factor, x, ldx,
              y, ldy, T(1), sums.data(), int64_t{n});
    };
    add(alpha, a, lda, b, ldb);
    if (both) add(hermitian ? conjugate(alpha) : alpha, b, ldb, a, lda);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = fill == Fill::Upper ? 0 : j; i < (fill == Fill::Upper ? j + 1 : n); ++i) {
        T& to = c[i + j * ldc];
        to = sums[static_cast<size_t>(i + j * n)] + (beta == S{} ? T{} : beta * to);
        if (hermitian && i == j) to = T(std::real(to));
      }
  });
}

/// B := alpha op(A)^-1 B or alpha B op(A)^-1; A triangular.
template <class T>
void solve(Side side, Fill fill, Op op, Diagonal diagonal, int64_t m, int64_t n, T alpha, const T* a,
           int64_t lda, T* b, int64_t ldb) {
  const bool upper = (fill == Fill::Upper) == (op == Op::None);
  const int64_t size = side == Side::Left ? m : n, systems = side == Side::Left ? n : m;
  if (!m || !n) return;
  ww::stubs::touches(b, m, n, ldb);
  if (alpha == T{}) {  // A is not read
    for (int64_t j = 0; j < n; ++j) std::fill_n(b + j * ldb, m, T{});
    return;
  }
  touches(a, Triangle{fill, lda}, size, size, diagonal != Diagonal::Unit);
  auto at = [&](int64_t i, int64_t j) {
    return i == j && diagonal == Diagonal::Unit ? T(1) : element(a, lda, op, i, j);
  };
  // From the right it is the transposed system of each row.
  const bool from_end = side == Side::Left ? upper : !upper;
  in_parallel(systems, double(size) * double(size), [&](int64_t first, int64_t end) {
    for (int64_t s = first; s < end; ++s) {
      auto x = [&](int64_t i) -> T& { return side == Side::Left ? b[i + s * ldb] : b[s + i * ldb]; };
      for (int64_t step = 0; step < size; ++step) {
        const int64_t i = from_end ? size - 1 - step : step;
        T sum = alpha * x(i);
        for (int64_t j = from_end ? i + 1 : 0; j < (from_end ? size : i); ++j)
          sum -= (side == Side::Left ? at(i, j) : at(j, i)) * x(j);
        x(i) = sum / at(i, i);
      }
    }
  });
}
template <class T>
Status trsm(Handle* h, Side side, Fill fill, Op op, Diagonal d, int m, int n, const T* alpha, const T* a,
            int lda, T* b, int ldb) {
  if (Status wrong = ready(h, alpha); wrong != Status::Success) return wrong;
  return checked(h, m >= 0 && n >= 0 && ldb >= m, [=, first = scalar(h, alpha)] {
    const T al = first();
    solve(side, fill, op, d, m, n, al, a, lda, b, ldb);
  });
}
template <class T>
Status trsm_batched(Handle* h, Side side, Fill fill, Op op, Diagonal d, int m, int n, const T* alpha,
                    const T* const* a, int lda, T* const* b, int ldb, int count) {
  if (Status wrong = ready(h, alpha); wrong != Status::Success) return wrong;
  return checked(h, m >= 0 && n >= 0 && ldb >= m, [=, first = scalar(h, alpha)] {
    const T al = first();
    if (!m || !n) return;
    touches_pointers(count, b);
    if (al != T{}) touches_pointers(count, a);
    for (int k = 0; k < count; ++k)
      solve(side, fill, op, d, m, n, al, al != T{} ? a[k] : nullptr, lda, b[k], ldb);
  });
}
template <class T>
Status trmm(Handle* h, Side side, Fill fill, Op op, Diagonal d, int m, int n, const T* alpha, const T* a,
            int lda, const T* b, int ldb, T* c, int ldc) {
  if (Status wrong = ready(h, alpha); wrong != Status::Success) return wrong;
  const int64_t size = side == Side::Left ? m : n;
  return checked(h, m >= 0 && n >= 0 && ldb >= m && ldc >= m, [=, first = scalar(h, alpha)] {
    const T al = first();
    if (!m || !n) return;
    ww::stubs::touches(c, m, n, ldc);
    if (al == T{}) {  // A and B are not read
      for (int64_t j = 0; j < n; ++j) std::fill_n(c + j * ldc, m, T{});
      return;
    }
    touches(a, Triangle{fill, lda}, size, size, d != Diagonal::Unit);
    ww::stubs::touches(b, m, n, ldb);
    std::vector<T> t(static_cast<size_t>(size * size)), in(static_cast<size_t>(int64_t{m} * n));
    for (int64_t j = 0; j < size; ++j)
      for (int64_t i = 0; i < size; ++i)
        if (i == j)
          t[static_cast<size_t>(i + j * size)] = d == Diagonal::Unit ? T(1) : a[i + j * lda];
        else if (fill == Fill::Upper ? i < j : i > j)
          t[static_cast<size_t>(i + j * size)] = a[i + j * lda];
    for (int64_t j = 0; j < n; ++j)  // B and C may be the same
      for (int64_t i = 0; i < m; ++i) in[static_cast<size_t>(i + j * m)] = b[i + j * ldb];
    if (side == Side::Left)
      product(op, Op::None, m, n, m, al, t.data(), size, in.data(), m, T{}, c, ldc);
    else
      product(Op::None, op, m, n, n, al, in.data(), m, t.data(), size, T{}, c, ldc);
  });
}
template <class T>
Status geam(Handle* h, Op oa, Op ob, int m, int n, const T* alpha, const T* a, int lda, const T* beta,
            const T* b, int ldb, T* c, int ldc) {
  if (Status wrong = ready(h, alpha && beta); wrong != Status::Success) return wrong;
  return checked(h, m >= 0 && n >= 0 && ldc >= m, [=, first = scalar(h, alpha), second = scalar(h, beta)] {
    const T al = first(), be = second();
    if (!m || !n) return;
    if (al != T{}) touches(oa, a, m, n, lda);
    if (be != T{}) touches(ob, b, m, n, ldb);
    ww::stubs::touches(c, m, n, ldc);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i)
        c[i + j * ldc] = (al == T{} ? T{} : al * element(a, int64_t{lda}, oa, i, j)) +
                         (be == T{} ? T{} : be * element(b, int64_t{ldb}, ob, i, j));
  });
}
template <class T>
Status dgmm(Handle* h, Side side, int m, int n, const T* a, int lda, const T* x, int dx, T* c, int ldc) {
  return checked(h, m >= 0 && n >= 0 && lda >= m && ldc >= m, [=] {
    if (!m || !n) return;
    const T* v = begin(x, side == Side::Left ? m : n, dx);
    ww::stubs::touches(a, m, n, lda);
    ww::stubs::touches(c, m, n, ldc);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) c[i + j * ldc] = a[i + j * lda] * v[(side == Side::Left ? i : j) * dx];
  });
}

}  // namespace

#define WW_LEVEL3(L, T)                                                                                      \
  WW_LIBRARY_API Status cublas##L##gemm_v2(Handle* h, Op oa, Op ob, int m, int n, int k, const T* al,        \
                                           const T* a, int lda, const T* b, int ldb, const T* be, T* c,      \
                                           int ldc) {                                                        \
    return gemm(h, oa, ob, m, n, k, al, a, lda, b, ldb, be, c, ldc);                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##gemm_v2_64(Handle* h, Op oa, Op ob, int64_t m, int64_t n, int64_t k,      \
                                              const T* al, const T* a, int64_t lda, const T* b, int64_t ldb, \
                                              const T* be, T* c, int64_t ldc) {                              \
    return gemm(h, oa, ob, m, n, k, al, a, lda, b, ldb, be, c, ldc);                                         \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##gemmStridedBatched(                                                       \
      Handle* h, Op oa, Op ob, int m, int n, int k, const T* al, const T* a, int lda, long long sa,          \
      const T* b, int ldb, long long sb, const T* be, T* c, int ldc, long long sc, int count) {              \
    return gemm_strided(h, oa, ob, m, n, k, al, a, lda, sa, b, ldb, sb, be, c, ldc, sc, count);              \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##gemmBatched(Handle* h, Op oa, Op ob, int m, int n, int k, const T* al,    \
                                               const T* const* a, int lda, const T* const* b, int ldb,       \
                                               const T* be, T* const* c, int ldc, int count) {               \
    return gemm_batched(h, oa, ob, m, n, k, al, a, lda, b, ldb, be, c, ldc, count);                          \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##symm_v2(Handle* h, Side s, Fill f, int m, int n, const T* al, const T* a, \
                                           int lda, const T* b, int ldb, const T* be, T* c, int ldc) {       \
    return symm<T, false>(h, s, f, m, n, al, a, lda, b, ldb, be, c, ldc);                                    \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##syrk_v2(Handle* h, Fill f, Op o, int n, int k, const T* al, const T* a,   \
                                           int lda, const T* be, T* c, int ldc) {                            \
    if (Status wrong = ready(h, al && be); wrong != Status::Success) return wrong;                           \
    return rank_k(h, f, o, n, k, *al, a, lda, a, lda, *be, c, ldc, false, false);                            \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##syr2k_v2(Handle* h, Fill f, Op o, int n, int k, const T* al, const T* a,  \
                                            int lda, const T* b, int ldb, const T* be, T* c, int ldc) {      \
    if (Status wrong = ready(h, al && be); wrong != Status::Success) return wrong;                           \
    return rank_k(h, f, o, n, k, *al, a, lda, b, ldb, *be, c, ldc, false, true);                             \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##syrkx(Handle* h, Fill f, Op o, int n, int k, const T* al, const T* a,     \
                                         int lda, const T* b, int ldb, const T* be, T* c, int ldc) {         \
    if (Status wrong = ready(h, al && be); wrong != Status::Success) return wrong;                           \
    return rank_k(h, f, o, n, k, *al, a, lda, b, ldb, *be, c, ldc, false, false);                            \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##gemmGroupedBatched(                                                       \
      Handle* h, const Op* oa, const Op* ob, const int* m, const int* n, const int* k, const T* al,          \
      const T* const* a, const int* lda, const T* const* b, const int* ldb, const T* be, T* const* c,        \
      const int* ldc, int groups, const int* sizes) {                                                        \
    if (Status wrong = ready(h, groups >= 0); wrong != Status::Success) return wrong;                        \
    for (int g = 0, first = 0; g < groups; first += sizes[g++])                                              \
      if (Status s = gemm_batched(h, oa[g], ob[g], m[g], n[g], k[g], al + g, a + first, lda[g], b + first,   \
                                  ldb[g], be + g, c + first, ldc[g], sizes[g]);                              \
          s != Status::Success)                                                                              \
        return s;                                                                                            \
    return Status::Success;                                                                                  \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##trsm_v2(Handle* h, Side s, Fill f, Op o, Diagonal d, int m, int n,        \
                                           const T* al, const T* a, int lda, T* b, int ldb) {                \
    return trsm(h, s, f, o, d, m, n, al, a, lda, b, ldb);                                                    \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##trsmBatched(Handle* h, Side s, Fill f, Op o, Diagonal d, int m, int n,    \
                                               const T* al, const T* const* a, int lda, T* const* b,         \
                                               int ldb, int count) {                                         \
    return trsm_batched(h, s, f, o, d, m, n, al, a, lda, b, ldb, count);                                     \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##trmm_v2(Handle* h, Side s, Fill f, Op o, Diagonal d, int m, int n,        \
                                           const T* al, const T* a, int lda, const T* b, int ldb, T* c,      \
                                           int ldc) {                                                        \
    return trmm(h, s, f, o, d, m, n, al, a, lda, b, ldb, c, ldc);                                            \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##geam(Handle* h, Op oa, Op ob, int m, int n, const T* al, const T* a,      \
                                        int lda, const T* be, const T* b, int ldb, T* c, int ldc) {          \
    return geam(h, oa, ob, m, n, al, a, lda, be, b, ldb, c, ldc);                                            \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##dgmm(Handle* h, Side s, int m, int n, const T* a, int lda, const T* x,    \
                                        int dx, T* c, int ldc) {                                             \
    return dgmm(h, s, m, n, a, lda, x, dx, c, ldc);                                                          \
  }
WW_LEVEL3(S, float)
WW_LEVEL3(D, double)
WW_LEVEL3(C, C)
WW_LEVEL3(Z, Z)

#define WW_HERMITIAN(L, T, R)                                                                                \
  WW_LIBRARY_API Status cublas##L##hemm_v2(Handle* h, Side s, Fill f, int m, int n, const T* al, const T* a, \
                                           int lda, const T* b, int ldb, const T* be, T* c, int ldc) {       \
    return symm<T, true>(h, s, f, m, n, al, a, lda, b, ldb, be, c, ldc);                                     \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##herk_v2(Handle* h, Fill f, Op o, int n, int k, const R* al, const T* a,   \
                                           int lda, const R* be, T* c, int ldc) {                            \
    if (Status wrong = ready(h, al && be); wrong != Status::Success) return wrong;                           \
    return rank_k(h, f, o, n, k, T(*al), a, lda, a, lda, *be, c, ldc, true, false);                          \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##her2k_v2(Handle* h, Fill f, Op o, int n, int k, const T* al, const T* a,  \
                                            int lda, const T* b, int ldb, const R* be, T* c, int ldc) {      \
    if (Status wrong = ready(h, al && be); wrong != Status::Success) return wrong;                           \
    return rank_k(h, f, o, n, k, *al, a, lda, b, ldb, *be, c, ldc, true, true);                              \
  }                                                                                                          \
  WW_LIBRARY_API Status cublas##L##herkx(Handle* h, Fill f, Op o, int n, int k, const T* al, const T* a,     \
                                         int lda, const T* b, int ldb, const R* be, T* c, int ldc) {         \
    if (Status wrong = ready(h, al && be); wrong != Status::Success) return wrong;                           \
    return rank_k(h, f, o, n, k, *al, a, lda, b, ldb, *be, c, ldc, true, false);                             \
  }
WW_HERMITIAN(C, C, float)
WW_HERMITIAN(Z, Z, double)

// Three real products instead of four are a way to compute the same; here it is computed as ever.
WW_LIBRARY_API Status cublasCgemm3m(Handle* h, Op oa, Op ob, int m, int n, int k, const C* al, const C* a,
                                    int lda, const C* b, int ldb, const C* be, C* c, int ldc) {
  return gemm(h, oa, ob, m, n, k, al, a, lda, b, ldb, be, c, ldc);
}
WW_LIBRARY_API Status cublasZgemm3m(Handle* h, Op oa, Op ob, int m, int n, int k, const Z* al, const Z* a,
                                    int lda, const Z* b, int ldb, const Z* be, Z* c, int ldc) {
  return gemm(h, oa, ob, m, n, k, al, a, lda, b, ldb, be, c, ldc);
}
WW_LIBRARY_API Status cublasCgemm3mStridedBatched(Handle* h, Op oa, Op ob, int m, int n, int k, const C* al,
                                                  const C* a, int lda, long long sa, const C* b, int ldb,
                                                  long long sb, const C* be, C* c, int ldc, long long sc,
                                                  int count) {
  return gemm_strided(h, oa, ob, m, n, k, al, a, lda, sa, b, ldb, sb, be, c, ldc, sc, count);
}
WW_LIBRARY_API Status cublasCgemm3mBatched(Handle* h, Op oa, Op ob, int m, int n, int k, const C* al,
                                           const C* const* a, int lda, const C* const* b, int ldb,
                                           const C* be, C* const* c, int ldc, int count) {
  return gemm_batched(h, oa, ob, m, n, k, al, a, lda, b, ldb, be, c, ldc, count);
}
// Of the types that these take, CUDA_C_32F; complex bytes are refused.
#define WW_RANK_EX(name, S, hermitian)                                                                  \
  WW_LIBRARY_API Status name(Handle* h, Fill f, Op o, int n, int k, const S* al, const void* a, int ta, \
                             int lda, const S* be, void* c, int tc, int ldc) {                          \
    if (Status wrong = ready(h, al && be); wrong != Status::Success) return wrong;                      \
    if (ta != 4 || tc != 4) return unsupported(#name " of other types than CUDA_C_32F");                \
    const C* from = static_cast<const C*>(a);                                                           \
    return rank_k(h, f, o, n, k, C(*al), from, lda, from, lda, *be, static_cast<C*>(c), ldc, hermitian, \
                  false);                                                                               \
  }
WW_RANK_EX(cublasCherkEx, float, true)
WW_RANK_EX(cublasCherk3mEx, float, true)
WW_RANK_EX(cublasCsyrkEx, C, false)
WW_RANK_EX(cublasCsyrk3mEx, C, false)
