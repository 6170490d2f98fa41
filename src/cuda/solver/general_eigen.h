// Eigenvalues and right eigenvectors of general matrices: rotations to Hessenberg form, the QR algorithm with
// Wilkinson's shifts, back-substitution (Golub and Van Loan, Matrix Computations, chapter 7). In complex
// double.
#pragma once

#include <cmath>
#include <limits>

#include "cuda/solver/call.h"

namespace ww::solver {

struct GeneralEigen {
  using Z = std::complex<double>;
  int64_t n = 0;
  std::vector<Z> values, vectors;  ///< vectors by columns, of length 1, their largest component real
  bool converged = false;

  explicit GeneralEigen(int64_t size, std::vector<Z> matrix, bool want_vectors)
      : n(size), h_(std::move(matrix)), z_(want_vectors ? h_.size() : 0) {
    for (int64_t i = 0; want_vectors && i < n; ++i) z(i, i) = 1;
    to_hessenberg();
    converged = iterate();
    for (int64_t i = 0; i < n; ++i) values.push_back(h(i, i));
    if (want_vectors) find_vectors();
  }

 private:
  /// [c s; −s* c] turns (a, b) into (r, 0).
  struct Turn {
    double c = 1;
    Z s;
    Turn(Z a, Z b) {
      const double size = std::abs(a), r = std::hypot(size, std::abs(b));
      if (r == 0) return;
      c = size / r;
      s = (size > 0 ? a / size : Z(1)) * std::conj(b) / r;
    }
  };
  Z& h(int64_t i, int64_t j) { return h_[static_cast<size_t>(i + j * n)]; }
  Z& z(int64_t i, int64_t j) { return z_[static_cast<size_t>(i + j * n)]; }
  /// Rows p and p + 1 from column `from` on.
  void rows(const Turn& t, int64_t p, int64_t from) {
    for (int64_t j = from; j < n; ++j) {
      const Z a = h(p, j), b = h(p + 1, j);
      h(p, j) = t.c * a + t.s * b;
      h(p + 1, j) = t.c * b - std::conj(t.s) * a;
    }
  }
  /// Columns p and p + 1 of the first `end` rows, and of what becomes the vectors.
  void columns(const Turn& t, int64_t p, int64_t end) {
    const auto turn = [&](Z& x, Z& y) {
      const Z a = x, b = y;
      x = t.c * a + std::conj(t.s) * b;
      y = t.c * b - t.s * a;
    };
    for (int64_t i = 0; i < end; ++i) turn(h(i, p), h(i, p + 1));
    for (int64_t i = 0; !z_.empty() && i < n; ++i) turn(z(i, p), z(i, p + 1));
  }
  void to_hessenberg() {
    for (int64_t k = 0; k + 2 < n; ++k)
      for (int64_t i = n - 1; i >= k + 2; --i) {
        if (h(i, k) == Z{}) continue;
        const Turn t(h(i - 1, k), h(i, k));
        rows(t, i - 1, k);
        h(i, k) = Z{};
        columns(t, i - 1, n);
      }
  }
  /// The eigenvalue of the last two rows up to `high` that is nearer to the last.
  Z shift(int64_t high) {
    const Z a = h(high - 1, high - 1), b = h(high - 1, high), c = h(high, high - 1), d = h(high, high);
    const Z half = (a + d) * 0.5, root = std::sqrt((a - d) * (a - d) * 0.25 + b * c);
    return std::abs(half + root - d) < std::abs(half - root - d) ? half + root : half - root;
  }
  bool iterate() {
    std::vector<Turn> turns;
    int tries = 0;
    for (int64_t high = n - 1; high > 0;) {
      int64_t low = high;
      for (; low > 0; --low) {
        const double beside = std::abs(h(low - 1, low - 1)) + std::abs(h(low, low));
        if (std::abs(h(low, low - 1)) > std::numeric_limits<double>::epsilon() * beside) continue;
        h(low, low - 1) = Z{};
        break;
      }
      if (low == high) {
        --high, tries = 0;
        continue;
      }
      if (++tries > 60) return false;
      const Z mu = tries % 11 ? shift(high) : h(high, high) + std::abs(h(high, high - 1));
      for (int64_t i = low; i <= high; ++i) h(i, i) -= mu;
      turns.clear();
      for (int64_t k = low; k < high; ++k) {
        turns.emplace_back(h(k, k), h(k + 1, k));
        rows(turns.back(), k, k);
        h(k + 1, k) = Z{};
      }
      for (int64_t k = low; k < high; ++k) columns(turns[static_cast<size_t>(k - low)], k, k + 2);
      for (int64_t i = low; i <= high; ++i) h(i, i) += mu;
    }
    return true;
  }
  void find_vectors() {
    double size = 0;
    for (const Z& x : h_) size = std::max(size, std::abs(x));
    const double least =
        std::max(size, std::numeric_limits<double>::min()) * std::numeric_limits<double>::epsilon();
    vectors.resize(h_.size());
    std::vector<Z> y(static_cast<size_t>(n));
    for (int64_t k = 0; k < n; ++k) {
      const auto at = [&](int64_t i) -> Z& { return y[static_cast<size_t>(i)]; };
      at(k) = 1;
      for (int64_t i = k - 1; i >= 0; --i) {
        Z sum{};
        for (int64_t j = i + 1; j <= k; ++j) sum += h(i, j) * at(j);
        Z distance = h(i, i) - h(k, k);
        if (std::abs(distance) < least) distance = least;
        at(i) = -sum / distance;
      }
      Z* x = &vectors[static_cast<size_t>(k * n)];
      double length = 0, most = 0;
      Z largest = 1;
      for (int64_t i = 0; i < n; ++i) {
        x[i] = Z{};
        for (int64_t j = 0; j <= k; ++j) x[i] += z(i, j) * at(j);
        length = std::hypot(length, std::abs(x[i]));
        // Of equals the first, whatever their last bits are.
        if (std::abs(x[i]) > most * (1 + 1e-12)) most = std::abs(x[i]), largest = x[i];
      }
      if (length > 0)
        for (int64_t i = 0; i < n; ++i) x[i] *= std::conj(largest) / (most * length);
    }
  }
  std::vector<Z> h_, z_;
};

}  // namespace ww::solver
