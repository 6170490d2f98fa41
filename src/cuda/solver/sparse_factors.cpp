// cuSOLVER: sparse LU, QR and Cholesky step by step (cusolverSp_LOWLEVEL_PREVIEW.h): analysis, factors,
// solves.
#include <any>

#include "cuda/solver/sparse_call.h"
#include "cuda/solver/sparse_cholesky.h"
#include "cuda/solver/sparse_lu.h"
#include "cuda/solver/sparse_qr.h"
#include "cuda/stubs/submit.h"

using namespace ww::solver;

/// csrluInfoHost_t, csrqrInfo_t, csrcholInfo_t and their kin: the factors, of whatever type.
struct Factors {
  int rows = 0, columns = 0, count = -1;  ///< of the matrix that was analysed
  std::any matrix, factors, shift;        ///< of QR: the matrix is kept until it is factored
};

namespace {

Status make(Factors** info) {
  if (!info) return Status::InvalidValue;
  *info = new Factors;
  return Status::Success;
}
Status drop(const Factors* info) {
  delete info;
  return Status::Success;
}
Status analyse(Handle* h, int rows, int columns, int count, const Description* d, const int* offsets,
               const int* inner, Factors* info) {
  if (Status s = taken(h, rows, columns, count, d, offsets, inner); s != Status::Success) return s;
  if (!info || rows < columns) return Status::InvalidValue;
  *info = {rows, columns, count, {}, {}, {}};
  return Status::Success;
}
Status sizes(Handle* h, const Factors* info, size_t* inside, size_t* work) {
  if (!is_handle(h)) return Status::NotInitialized;
  if (!info || info->count < 0 || !inside || !work) return Status::InvalidValue;
  *inside = *work = 8;
  return Status::Success;
}
template <class F>
Status zero_pivot(Handle* h, const Factors* info, double tolerance, int* position) {
  if (!is_handle(h)) return Status::NotInitialized;
  const auto* f = info ? std::any_cast<F>(&info->factors) : nullptr;
  if (!f || !position) return Status::InvalidValue;
  *position = f->zero_pivot(tolerance);
  return Status::Success;
}
template <class F, class T>
Status solve_with(Handle* h, int rows, int columns, const T* b, T* x, Factors* info) {
  const auto* f = info ? std::any_cast<F>(&info->factors) : nullptr;
  return checked(h, f && rows == info->rows && columns == info->columns && b && x, [=] {
    if (const auto* now = std::any_cast<F>(&info->factors)) now->solve(b, x);
  });
}
/// Reads the matrix when the work is done, and keeps what `factor` makes of it.
template <class T, class F>
Status factor_into(Handle* h, int rows, int columns, int count, const Description* d, const T* values,
                   const int* offsets, const int* inner, Factors* info, F factor) {
  if (Status s = taken(h, rows, columns, count, d, offsets, inner); s != Status::Success) return s;
  const bool same = info && info->rows == rows && info->columns == columns && info->count == count;
  return checked(h, same && values, [=, base = d->base] {
    info->factors = factor(sparse(rows, columns, base, values, offsets, inner));
  });
}

/// P, and L and U by rows.
template <class T>
Status extract(Handle* h, const Factors* info, int* p, int* q, const Description* dl, T* lv, int* lo, int* li,
               const Description* du, T* uv, int* uo, int* ui) {
  if (!is_handle(h)) return Status::NotInitialized;
  const auto* f = info ? std::any_cast<SparseLu<T>>(&info->factors) : nullptr;
  if (!f || !p || !q || !dl || !du || !lv || !lo || !li || !uv || !uo || !ui) return Status::InvalidValue;
  std::copy(f->rows.begin(), f->rows.end(), p);
  std::iota(q, q + f->n, 0);
  const auto give = [](const Sparse<T>& by_columns, int base, T* values, int* offsets, int* inner) {
    const Sparse<T> m = transposed(by_columns);
    std::copy(m.values.begin(), m.values.end(), values);
    std::transform(m.offsets.begin(), m.offsets.end(), offsets, [=](int k) { return k + base; });
    std::transform(m.inner.begin(), m.inner.end(), inner, [=](int j) { return j + base; });
  };
  give(f->lower, dl->base, lv, lo, li);
  give(f->upper, du->base, uv, uo, ui);
  return Status::Success;
}
template <class T>
bool count_in(const Factors* info, int* lower, int* upper) {
  const auto* f = std::any_cast<SparseLu<T>>(&info->factors);
  if (f) *lower = f->lower.count(), *upper = f->upper.count();
  return f;
}

template <class T>
Status shift(Handle* h, int rows, int columns, int count, const Description* d, const T* values,
             const int* offsets, const int* inner, T mu, Factors* info) {
  if (Status s = taken(h, rows, columns, count, d, offsets, inner); s != Status::Success) return s;
  const bool same = info && info->rows == rows && info->columns == columns && info->count == count;
  return checked(h, same && values, [=, base = d->base] {
    info->matrix = sparse(rows, columns, base, values, offsets, inner);
    info->shift = mu;
  });
}
template <class T>
Status factor_qr(Handle* h, int rows, int columns, int count, const T* b, T* x, Factors* info) {
  const bool same = info && info->rows == rows && info->columns == columns && info->count == count;
  return checked(h, same && std::any_cast<Sparse<T>>(&info->matrix) && !b == !x, [=] {
    auto f = SparseQr<T>::factor(*std::any_cast<Sparse<T>>(&info->matrix), std::any_cast<T>(info->shift));
    if (b) f.solve(b, x);
    info->factors = std::move(f);
  });
}

}  // namespace

#define WW_INFO(name, at)                                                                          \
  WW_LIBRARY_API Status cusolverSpCreateCsr##name##Info##at(Factors** info) { return make(info); } \
  WW_LIBRARY_API Status cusolverSpDestroyCsr##name##Info##at(const Factors* info) { return drop(info); }
#define WW_ANALYSIS(name, at)                                                                        \
  WW_LIBRARY_API Status cusolverSpXcsr##name##Analysis##at(Handle* h, int n, int count,              \
                                                           const Description* d, const int* offsets, \
                                                           const int* inner, Factors* info) {        \
    return analyse(h, n, n, count, d, offsets, inner, info);                                         \
  }
#define WW_QR_ANALYSIS(at)                                                                     \
  WW_LIBRARY_API Status cusolverSpXcsrqrAnalysis##at(Handle* h, int m, int n, int count,       \
                                                     const Description* d, const int* offsets, \
                                                     const int* inner, Factors* info) {        \
    return analyse(h, m, n, count, d, offsets, inner, info);                                   \
  }
WW_INFO(lu, Host)
WW_INFO(qr, Host)
WW_INFO(qr, )
WW_INFO(chol, Host)
WW_INFO(chol, )
WW_ANALYSIS(lu, Host)
WW_ANALYSIS(chol, Host)
WW_ANALYSIS(chol, )
WW_QR_ANALYSIS(Host)
WW_QR_ANALYSIS()

WW_LIBRARY_API Status cusolverSpXcsrluNnzHost(Handle* h, int* lower, int* upper, const Factors* info) {
  if (!is_handle(h)) return Status::NotInitialized;
  if (!lower || !upper || !info) return Status::InvalidValue;
  const bool found = count_in<float>(info, lower, upper) || count_in<double>(info, lower, upper) ||
                     count_in<std::complex<float>>(info, lower, upper) ||
                     count_in<std::complex<double>>(info, lower, upper);
  return found ? Status::Success : Status::InvalidValue;
}

#define WW_FACTORS(letter, T, name, at, Kind)                                                            \
  WW_LIBRARY_API Status cusolverSp##letter##csr##name##BufferInfo##at(                                   \
      Handle* h, int, int, const Description*, const T*, const int*, const int*, const Factors* info,    \
      size_t* inside, size_t* work) {                                                                    \
    return sizes(h, info, inside, work);                                                                 \
  }                                                                                                      \
  WW_LIBRARY_API Status cusolverSp##letter##csr##name##ZeroPivot##at(Handle* h, const Factors* info,     \
                                                                     Real<T> tolerance, int* position) { \
    return zero_pivot<Kind<T>>(h, info, tolerance, position);                                            \
  }                                                                                                      \
  WW_LIBRARY_API Status cusolverSp##letter##csr##name##Solve##at(Handle* h, int n, const T* b, T* x,     \
                                                                 Factors* info, void*) {                 \
    return solve_with<Kind<T>>(h, n, n, b, x, info);                                                     \
  }
#define WW_CHOLESKY(letter, T, at)                                                                  \
  WW_FACTORS(letter, T, chol, at, SparseCholesky)                                                   \
  WW_LIBRARY_API Status cusolverSp##letter##csrcholFactor##at(                                      \
      Handle* h, int n, int count, const Description* d, const T* values, const int* offsets,       \
      const int* inner, Factors* info, void*) {                                                     \
    return factor_into(h, n, n, count, d, values, offsets, inner, info, SparseCholesky<T>::factor); \
  }
#define WW_SPARSE_QR(letter, T, at)                                                                         \
  WW_LIBRARY_API Status cusolverSp##letter##csrqrBufferInfo##at(                                            \
      Handle* h, int, int, int, const Description*, const T*, const int*, const int*, const Factors* info,  \
      size_t* inside, size_t* work) {                                                                       \
    return sizes(h, info, inside, work);                                                                    \
  }                                                                                                         \
  WW_LIBRARY_API Status cusolverSp##letter##csrqrSetup##at(                                                 \
      Handle* h, int m, int n, int count, const Description* d, const T* values, const int* offsets,        \
      const int* inner, T mu, Factors* info) {                                                              \
    return shift(h, m, n, count, d, values, offsets, inner, mu, info);                                      \
  }                                                                                                         \
  WW_LIBRARY_API Status cusolverSp##letter##csrqrFactor##at(Handle* h, int m, int n, int count, T* b, T* x, \
                                                            Factors* info, void*) {                         \
    return factor_qr(h, m, n, count, b, x, info);                                                           \
  }                                                                                                         \
  WW_LIBRARY_API Status cusolverSp##letter##csrqrZeroPivot##at(Handle* h, const Factors* info,              \
                                                               Real<T> tolerance, int* position) {          \
    return zero_pivot<SparseQr<T>>(h, info, tolerance, position);                                           \
  }                                                                                                         \
  WW_LIBRARY_API Status cusolverSp##letter##csrqrSolve##at(Handle* h, int m, int n, T* b, T* x,             \
                                                           Factors* info, void*) {                          \
    return solve_with<SparseQr<T>>(h, m, n, b, x, info);                                                    \
  }
#define WW_LOW_LEVEL(letter, T)                                                                            \
  WW_FACTORS(letter, T, lu, Host, SparseLu)                                                                \
  WW_LIBRARY_API Status cusolverSp##letter##csrluFactorHost(                                               \
      Handle* h, int n, int count, const Description* d, const T* values, const int* offsets,              \
      const int* inner, Factors* info, Real<T> threshold, void*) {                                         \
    return factor_into(h, n, n, count, d, values, offsets, inner, info,                                    \
                       [=](const Sparse<T>& a) { return SparseLu<T>::factor(transposed(a), threshold); }); \
  }                                                                                                        \
  WW_LIBRARY_API Status cusolverSp##letter##csrluExtractHost(                                              \
      Handle* h, int* p, int* q, const Description* dl, T* lv, int* lo, int* li, const Description* du,    \
      T* uv, int* uo, int* ui, const Factors* info, void*) {                                               \
    return extract(h, info, p, q, dl, lv, lo, li, du, uv, uo, ui);                                         \
  }                                                                                                        \
  WW_CHOLESKY(letter, T, Host)                                                                             \
  WW_CHOLESKY(letter, T, )                                                                                 \
  WW_SPARSE_QR(letter, T, Host)                                                                            \
  WW_SPARSE_QR(letter, T, )
WW_LOW_LEVEL(S, float)
WW_LOW_LEVEL(D, double)
WW_LOW_LEVEL(C, std::complex<float>)
WW_LOW_LEVEL(Z, std::complex<double>)
