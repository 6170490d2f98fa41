// The verifier's parts: what they share, and those that have a file of their own.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "ir/module.h"

namespace ww::ir {

/// Collects errors, with their places in the PTX text, up to a number one can read.
class Report {
 public:
  explicit Report(const Module& module) : module_(module) {}
  void error(const Place& place, std::string message, std::string hint = {});
  bool full() const { return found_.size() > 50; }
  Diagnostics take() { return std::move(found_); }

 private:
  const Module& module_;
  Diagnostics found_;
};

void verify_variables(const Module& module, Report& report);
void verify_call(const Module& module, const Function& function, const Instruction& instruction,
                 Report& report);

}  // namespace ww::ir
