// Whether a float32 answer lies within the error bound around the float64 one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/reference.h"

namespace ww::kernels {

/// The factor of the error bound |computed − exact| ≤ γ·Σ|terms| for results whose terms meet at most
/// `roundings` float32 roundings each: γ_m = m·u / (1 − m·u), u = 2^-24 (Higham, Accuracy and Stability of
/// Numerical Algorithms, 2nd edition, lemma 3.1). Infinite where m·u ≥ 1.
double error_factor(int64_t roundings);

struct Verification {
  uint64_t elements = 0;
  uint64_t wrong = 0;         ///< outside the bound, unwritten ones included
  uint64_t unwritten = 0;     ///< still poisoned
  double max_error = 0;       ///< largest |computed − exact|; NaN if any computed element is one
  double error_of_bound = 0;  ///< largest |computed − exact| / bound; NaN likewise
  std::string first_wrong;    ///< "element (3, 17) is 4.5, must be 4.2 ± 1e-06"
  bool ok() const { return wrong == 0; }
};

class Verifier {
 public:
  /// The factor has to be finite.
  Verifier(const Reference& reference, double factor) : reference_(reference), factor_(factor) {}
  /// Checks rows first, first + 1, … as many as `computed` holds.
  void check(uint64_t first, std::span<const float> computed);
  const Verification& result() const { return result_; }

 private:
  void note_wrong(uint64_t row, uint64_t column, float computed, double exact, double bound);

  const Reference& reference_;
  double factor_;
  Verification result_;
  std::vector<double> exact_, magnitude_;
};

}  // namespace ww::kernels
