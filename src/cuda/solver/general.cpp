// cuSOLVER: eigenvalues of general matrices (Xgeev).
#include "cuda/solver/general_eigen.h"

using namespace ww::solver;

namespace {

using Z = std::complex<double>;

/// Where a column of the result comes from: an eigenvalue above the real axis gives two, itself and its
/// conjugate.
struct Column {
  int64_t from;
  bool real, conjugated;
};
std::vector<Column> in_pairs(const GeneralEigen& e) {
  double size = 0;
  for (const Z& w : e.values) size = std::max(size, std::abs(w));
  const double none = size * 1e-13;  // rounding errors of a real value
  std::vector<Column> columns;
  for (int64_t k = 0; k < e.n; ++k) {
    const double im = e.values[static_cast<size_t>(k)].imag();
    if (std::abs(im) <= none) columns.push_back({k, true, false});
    if (im > none) columns.push_back({k, false, false}), columns.push_back({k, false, true});
  }
  columns.resize(static_cast<size_t>(e.n), {0, true, false});
  return columns;
}
/// `w_complex`: the values as complex numbers; else the real parts, then the imaginary ones.
template <class R>
void put_real(const GeneralEigen& e, bool w_complex, void* w, Matrix<R> vectors) {
  const auto columns = in_pairs(e);
  for (int64_t k = 0; k < e.n; ++k) {
    const Column& c = columns[static_cast<size_t>(k)];
    Z v = e.values[static_cast<size_t>(c.from)];
    if (c.real) v = v.real();
    if (c.conjugated) v = std::conj(v);
    if (w_complex) {
      static_cast<std::complex<R>*>(w)[k] = std::complex<R>(v);
    } else {
      static_cast<R*>(w)[k] = static_cast<R>(v.real());
      static_cast<R*>(w)[e.n + k] = static_cast<R>(v.imag());
    }
    if (!vectors.data) continue;
    for (int64_t i = 0; i < e.n; ++i) {
      const Z x = e.vectors[static_cast<size_t>(i + c.from * e.n)];
      vectors(i, k) = static_cast<R>(c.conjugated ? x.imag() : x.real());
    }
  }
}
/// `w_type`: of the values. Complex vectors of a real matrix are not there, nor are left ones.
template <class T>
Status general(Handle* h, int64_t n, const void* a, int64_t lda, int w_type, void* w, bool want, void* vr,
               int64_t ldvr, int* info) {
  const bool good = n >= 0 && lda >= std::max<int64_t>(1, n) && w && info && (!want || (vr && ldvr >= n));
  return checked(h, good, [=] {
    const Matrix<const T> from{static_cast<const T*>(a), lda};
    touches(from, n, n), touches_info(info);
    if (want) touches(Matrix<T>{static_cast<T*>(vr), ldvr}, n, n);
    touches(static_cast<Real<T>*>(w), 2 * n);  // real and imaginary parts
    std::vector<Z> all;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < n; ++i) all.emplace_back(from(i, j));
    const GeneralEigen e(n, std::move(all), want);
    *info = e.converged ? 0 : 1;
    const Matrix<T> to{want ? static_cast<T*>(vr) : nullptr, ldvr};
    if constexpr (kComplex<T>) {
      for (int64_t k = 0; k < n; ++k) static_cast<T*>(w)[k] = T(e.values[static_cast<size_t>(k)]);
      for (int64_t j = 0; want && j < n; ++j)
        for (int64_t i = 0; i < n; ++i) to(i, j) = T(e.vectors[static_cast<size_t>(i + j * n)]);
    } else {
      put_real<T>(e, w_type >= 4, w, to);
    }
  });
}

}  // namespace

WW_LIBRARY_API Status cusolverDnXgeev_bufferSize(Handle* h, void*, Vectors, Vectors, int64_t n, int,
                                                 const void*, int64_t lda, int, const void*, int, const void*,
                                                 int64_t, int, const void*, int64_t, int, size_t* device,
                                                 size_t* host) {
  if (host) *host = 1;
  return workspace(h, n >= 0 && lda >= std::max<int64_t>(1, n), device, n);
}
WW_LIBRARY_API Status cusolverDnXgeev(Handle* h, void*, Vectors left, Vectors right, int64_t n, int type,
                                      void* a, int64_t lda, int w_type, void* w, int, void*, int64_t,
                                      int vr_type, void* vr, int64_t ldvr, int, void*, size_t, void*, size_t,
                                      int* info) {
  const bool want = right == Vectors::Wanted;
  if (left == Vectors::Wanted || (want && vr_type != type)) return Status::NotSupported;
  switch (type) {
    case 0:
      return general<float>(h, n, a, lda, w_type, w, want, vr, ldvr, info);
    case 1:
      return general<double>(h, n, a, lda, w_type, w, want, vr, ldvr, info);
    case 4:
      return general<std::complex<float>>(h, n, a, lda, w_type, w, want, vr, ldvr, info);
    case 5:
      return general<std::complex<double>>(h, n, a, lda, w_type, w, want, vr, ldvr, info);
    default:
      return Status::NotSupported;
  }
}
