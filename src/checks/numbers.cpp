#include "checks/numbers.h"

#include <fmt/format.h>

#include "base/symbol_name.h"

namespace ww::checks {

void Divisions::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  told_.assign(static_cast<size_t>(workers), {});
}

void Divisions::zero_divisor(int worker, const events::ZeroDivisor& e) {
  if (!told_[static_cast<size_t>(worker)].insert({e.block, e.instruction}).second) return;
  Finding f;
  f.kind = "division by zero";
  f.kernel = demangled(program_->module->symbols[program_->entry->symbol].name);
  f.message = "an integer is divided by zero";
  f.parties.push_back(party(*program_, e, __builtin_ctz(e.mask), "divides by 0"));
  f.more = {"PTX does not specify the result"};
  findings_.add(std::move(f));
}

void Floats::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  told_.assign(static_cast<size_t>(workers), {});
}

void Floats::not_finite(int worker, const events::NotFinite& e) {
  if (!told_[static_cast<size_t>(worker)].insert({e.block, e.instruction}).second) return;
  const bool nan = e.nan != 0;
  Finding f;
  f.kind = "numbers";
  f.severity = Severity::Warning;
  f.kernel = demangled(program_->module->symbols[program_->entry->symbol].name);
  f.message = nan ? "finite numbers give a NaN" : "finite numbers give an infinity";
  f.parties.push_back(party(*program_, e, __builtin_ctz(nan ? e.nan : e.mask), "calculates"));
  findings_.add(std::move(f));
}

void Floats::lost_bits(int worker, const events::LostBits& e) {
  if (!told_[static_cast<size_t>(worker)].insert({e.block, e.instruction}).second) return;
  Finding f;
  f.kind = "numbers";
  f.severity = Severity::Warning;
  f.kernel = demangled(program_->module->symbols[program_->entry->symbol].name);
  f.message = e.left == 0
                  ? fmt::format("a fused difference of nearly equal numbers keeps none of {} bits", e.of)
                  : fmt::format("a difference of nearly equal numbers keeps {} of {} bits", e.left, e.of);
  f.parties.push_back(party(*program_, e, __builtin_ctz(e.mask), "calculates"));
  f.more = {e.left == 0
                ? "the product is not rounded, but where the numbers were before, the result is what "
                  "their errors left"
                : "where the two were rounded before, the result is mostly the difference of their errors"};
  findings_.add(std::move(f));
}

void Overflows::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  told_.assign(static_cast<size_t>(workers), {});
}

void Overflows::overflow(int worker, const events::Overflow& e) {
  if (!told_[static_cast<size_t>(worker)].insert({e.block, e.instruction}).second) return;
  Finding f;
  f.kind = "index overflow";
  f.severity = Severity::Warning;
  f.kernel = demangled(program_->module->symbols[program_->entry->symbol].name);
  f.message = "a 32-bit product that becomes part of an address overflows";
  f.parties.push_back(party(*program_, e, __builtin_ctz(e.mask), "multiplies"));
  f.more = {"compute it in 64 bits: static_cast<size_t>(row) * columns"};
  findings_.add(std::move(f));
}

}  // namespace ww::checks
