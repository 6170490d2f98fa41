#include "cuda/fft/transform.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace ww::fft {

namespace {

constexpr int64_t kLargestFactor = 61;  // beyond, Bluestein's is quicker

int64_t smallest_factor(int64_t n) {
  if (n % 4 == 0) return 4;
  for (int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

int64_t largest_factor(int64_t n) {
  int64_t most = 1;
  for (int64_t p = 2; n > 1; ++p)
    for (; n % p == 0 || p * p > n; n /= p) {
      if (p * p > n) return std::max(most, n);
      most = p;
    }
  return most;
}

/// Exact to the last bit for whole and quarter turns.
Complex root(int64_t k, int64_t n) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace

Transform::Transform(int64_t n) : n_(n) {
  if (largest_factor(n) <= kLargestFactor) {
    for (int64_t k = 0; k < n; ++k) roots_.push_back(root(k, n));
    return;
  }
  // jk = (j^2 + k^2 - (k - j)^2) / 2 makes of it a convolution with exp(pi i j^2 / n).
  int64_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  longer_ = std::make_unique<Transform>(m);
  chirp_.resize(static_cast<size_t>(n)), kernel_.resize(static_cast<size_t>(m));
  for (int64_t j = 0; j < n; ++j) {
    const Complex c = root(static_cast<int64_t>(static_cast<__int128>(j) * j % (2 * n)), 2 * n);
    chirp_[static_cast<size_t>(j)] = c;
    kernel_[static_cast<size_t>(j)] = kernel_[static_cast<size_t>((m - j) % m)] = std::conj(c);
  }
  longer_->run(kernel_.data(), false);
}

void Transform::chirp(Complex* x) const {
  const auto n = static_cast<size_t>(n_), m = kernel_.size();
  std::vector<Complex> y(m);
  for (size_t j = 0; j < n; ++j) y[j] = x[j] * chirp_[j];
  longer_->run(y.data(), false);
  for (size_t j = 0; j < m; ++j) y[j] *= kernel_[j];
  longer_->run(y.data(), true);
  for (size_t j = 0; j < n; ++j) x[j] = y[j] * chirp_[j] / static_cast<double>(m);
}

void Transform::recurse(const Complex* in, int64_t stride, Complex* out, int64_t n, int64_t step) const {
  if (n == 1) {
    *out = *in;
    return;
  }
  const int64_t p = smallest_factor(n), m = n / p;
  for (int64_t r = 0; r < p; ++r) recurse(in + r * stride, stride * p, out + r * m, m, step * p);
  Complex part[kLargestFactor];
  for (int64_t k = 0; k < m; ++k) {
    for (int64_t r = 0; r < p; ++r) part[r] = out[r * m + k] * roots_[static_cast<size_t>(r * k * step)];
    if (p == 2) {
      out[k] = part[0] + part[1], out[m + k] = part[0] - part[1];
    } else if (p == 4) {
      const Complex a = part[0] + part[2], b = part[0] - part[2], c = part[1] + part[3];
      const Complex d = part[1] - part[3], turned(d.imag(), -d.real());  // -i d
      out[k] = a + c, out[m + k] = b + turned, out[2 * m + k] = a - c, out[3 * m + k] = b - turned;
    } else {
      for (int64_t q = 0; q < p; ++q) {
        Complex sum = part[0];
        for (int64_t r = 1; r < p; ++r) sum += part[r] * roots_[static_cast<size_t>(q * r % p * (n_ / p))];
        out[q * m + k] = sum;
      }
    }
  }
}

void Transform::forward(Complex* x) const {
  if (longer_) return chirp(x);
  std::vector<Complex> from(x, x + n_);
  recurse(from.data(), 1, x, n_, 1);
}

void Transform::run(Complex* x, bool inverse) const {
  if (inverse) std::transform(x, x + n_, x, [](Complex c) { return std::conj(c); });
  forward(x);
  if (inverse) std::transform(x, x + n_, x, [](Complex c) { return std::conj(c); });
}

void transform(Complex* x, const std::vector<int64_t>& sizes, bool inverse) {
  int64_t all = 1, inner = 1;
  for (int64_t n : sizes) all *= n;
  std::map<int64_t, Transform> of_length;
  for (size_t d = sizes.size(); d-- > 0; inner *= sizes[d]) {
    const int64_t n = sizes[d];
    const Transform& line = of_length.try_emplace(n, n).first->second;
    std::vector<Complex> values(static_cast<size_t>(n));
    for (int64_t at = 0; at < all; at += n * inner)
      for (int64_t k = 0; k < inner; ++k) {
        Complex* first = x + at + k;
        for (int64_t j = 0; j < n; ++j) values[static_cast<size_t>(j)] = first[j * inner];
        line.run(values.data(), inverse);
        for (int64_t j = 0; j < n; ++j) first[j * inner] = values[static_cast<size_t>(j)];
      }
  }
}

}  // namespace ww::fft
