// QR by Householder reflections, as LAPACK stores them: H = 1 - tau v v*, v(first) = 1, the rest of v below
// the diagonal; Q = H1 H2 … (LAPACK Users' Guide, Orthogonal Factorizations).
#pragma once

#include <algorithm>
#include <cmath>

#include "cuda/solver/call.h"

namespace ww::solver {

/// The reflection that takes x (x[0] in front, n elements) to (beta, 0, …) with a real beta: x[0] becomes
/// beta, the rest v's. Returns tau.
template <class T>
T reflection(int64_t n, T* x) {
  Real<T> rest = 0, largest = 0;
  for (int64_t i = 1; i < n; ++i) largest = std::max<Real<T>>(largest, std::abs(x[i]));
  const Real<T> imaginary = kComplex<T> ? std::abs(x[0] - T(real_part(x[0]))) : 0;
  if (largest == 0 && imaginary == 0) return T{};
  largest = std::max<Real<T>>(largest, std::abs(x[0]));
  for (int64_t i = 1; i < n; ++i) rest += squared(x[i] / largest);
  const Real<T> length = largest * std::sqrt(rest + squared(x[0] / largest));
  const Real<T> beta = real_part(x[0]) >= 0 ? -length : length;
  const T tau = (T(beta) - x[0]) / beta;
  const T scale = T(1) / (x[0] - T(beta));
  for (int64_t i = 1; i < n; ++i) x[i] *= scale;
  x[0] = beta;
  return tau;
}

/// C = (1 - tau v v*) C for the n by `columns` matrix C; v[0] counts as 1.
template <class T>
void reflect(int64_t n, const T* v, T tau, int64_t columns, Matrix<T> c) {
  if (tau == T{}) return;
  in_parallel(columns, 4 * double(n), [&](int64_t first, int64_t end) {
    for (int64_t j = first; j < end; ++j) {
      T* x = c.column(j);
      T sum = x[0];
      for (int64_t i = 1; i < n; ++i) sum += conjugate(v[i]) * x[i];
      sum *= tau;
      x[0] -= sum;
      for (int64_t i = 1; i < n; ++i) x[i] -= v[i] * sum;
    }
  });
}

template <class T>
void factor_qr(int64_t m, int64_t n, Matrix<T> a, T* tau) {
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    tau[k] = reflection(m - k, a.column(k) + k);
    if (k + 1 < n) reflect(m - k, a.column(k) + k, conjugate(tau[k]), n - k - 1, a.at(k, k + 1));
  }
}

/// C = op(Q) C for the m by n matrix C, Q of k reflections.
template <class T>
void apply_q(Op op, int64_t m, int64_t n, int64_t k, Matrix<const T> a, const T* tau, Matrix<T> c) {
  for (int64_t step = 0; step < k; ++step) {
    const int64_t i = op == Op::None ? k - 1 - step : step;
    reflect(m - i, a.column(i) + i, op == Op::None ? tau[i] : conjugate(tau[i]), n, c.at(i, 0));
  }
}

/// C = C op(Q): the adjoint of op(Q)* C*.
template <class T>
void apply_q_right(Op op, int64_t m, int64_t n, int64_t k, Matrix<const T> a, const T* tau, Matrix<T> c) {
  std::vector<T> turned(static_cast<size_t>(m * n));
  const Matrix<T> t{turned.data(), n};
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) t(j, i) = conjugate(c(i, j));
  apply_q(op == Op::None ? Op::Adjoint : Op::None, n, m, k, a, tau, t);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) c(i, j) = conjugate(t(j, i));
}

/// The first n columns of Q, in place of the reflections.
template <class T>
void make_q(int64_t m, int64_t n, int64_t k, Matrix<T> a, const T* tau) {
  std::vector<T> made(static_cast<size_t>(m * n));
  const Matrix<T> q{made.data(), m};
  for (int64_t j = 0; j < n; ++j) q(j, j) = T(1);
  apply_q(Op::None, m, n, k, Matrix<const T>{a.data, a.lead}, tau, q);
  for (int64_t j = 0; j < n; ++j) std::copy(q.column(j), q.column(j) + m, a.column(j));
}

}  // namespace ww::solver
