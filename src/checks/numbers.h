// Arithmetic that goes wrong: division by zero, and the first numbers that are not finite.
#pragma once

#include <set>

#include "checks/check.h"

namespace ww::checks {

/// Integers divided by zero, whose result PTX leaves open.
class Divisions : public Check {
 public:
  explicit Divisions(Findings& findings) : Check(findings) {}
  std::string name() const override { return "divisions"; }
  u32 wants() const override { return events::kDivisors; }
  void launch_begins(const engine::Program& program, int workers) override;
  void zero_divisor(int worker, const events::ZeroDivisor& event) override;

 private:
  const engine::Program* program_ = nullptr;
  std::vector<std::set<std::pair<u64, u32>>> told_;  ///< by worker: block and instruction
};

/// Instructions whose operands are finite and whose result is not, and sums that keep hardly any bit of what
/// was added. Many programs do so on purpose, so this check runs only when it is asked for.
class Floats : public Check {
 public:
  explicit Floats(Findings& findings) : Check(findings) {}
  std::string name() const override { return "numbers"; }
  u32 wants() const override { return events::kFloats; }
  void launch_begins(const engine::Program& program, int workers) override;
  void not_finite(int worker, const events::NotFinite& event) override;
  void lost_bits(int worker, const events::LostBits& event) override;

 private:
  const engine::Program* program_ = nullptr;
  std::vector<std::set<std::pair<u64, u32>>> told_;
};

/// 32-bit products that do not fit and then become addresses.
class Overflows : public Check {
 public:
  explicit Overflows(Findings& findings) : Check(findings) {}
  std::string name() const override { return "overflows"; }
  u32 wants() const override { return events::kOverflows; }
  void launch_begins(const engine::Program& program, int workers) override;
  void overflow(int worker, const events::Overflow& event) override;

 private:
  const engine::Program* program_ = nullptr;
  std::vector<std::set<std::pair<u64, u32>>> told_;
};

}  // namespace ww::checks
