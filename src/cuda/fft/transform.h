// Discrete Fourier transforms of any length, in double precision.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace ww::fft {

using Complex = std::complex<double>;

/// X[k] = sum over j of x[j] exp(-2 pi i j k / n), not scaled; `inverse`: exp(+…). Lengths whose prime
/// factors are small by the mixed-radix algorithm of Cooley and Tukey, with Bluestein's where a factor is
/// large.
class Transform {
 public:
  explicit Transform(int64_t n);
  /// In place, n values. May be called by several threads at once.
  void run(Complex* x, bool inverse) const;

 private:
  void forward(Complex* x) const;
  void recurse(const Complex* in, int64_t stride, Complex* out, int64_t n, int64_t step) const;
  void chirp(Complex* x) const;

  int64_t n_;
  std::vector<Complex> roots_;         ///< exp(-2 pi i k / n)
  std::unique_ptr<Transform> longer_;  ///< Bluestein: of a power of two
  std::vector<Complex> chirp_, kernel_;
};

/// Of up to three dimensions, the last one contiguous.
void transform(Complex* x, const std::vector<int64_t>& sizes, bool inverse);

}  // namespace ww::fft
