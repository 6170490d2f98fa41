// A kernel around a few instructions, for tests of what holds of loops.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "ptx/parser.h"

namespace ww::analysis {

inline constexpr int kLinesBeforeBody = 7;

/// Kernel k(p) whose body, from line kLinesBeforeBody + 1 on, has predicates %p0 to %p3, registers %r0 to %r7
/// and the parameter in %a.
inline ir::Module module_of_body(const std::string& body) {
  const std::string head = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %a;
  ld.param.u64 %a, [p];
)";
  auto module = ptx::parse("k.ptx", head + body + "\nret;\n}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : render(module.error()));
  return std::move(*module);
}

}  // namespace ww::analysis
