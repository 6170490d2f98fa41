// What the tests of uninitialised values have in common.
#pragma once

#include "checks/values.h"
#include "checks_lab.h"

namespace ww::checks::values_test {

using Lab = CheckLab<Values>;

/// A kernel k(p, q) with registers, in which %rd1 is p, %rd2 is q, %r1 is tid.x and %rd3 is p + 4 tid.x.
inline std::string kernel(const std::string& body, const std::string& outside = "") {
  return outside + R"(
.visible .entry k(.param .u64 p, .param .u64 q) {
  .reg .u64 %rd<20>; .reg .u32 %r<30>; .reg .f32 %f<10>; .reg .pred %p<10>; .reg .u16 %h<10>;
  .shared .align 16 .b8 tile[512];
  ld.param.u64 %rd1, [p];
  ld.param.u64 %rd2, [q];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd3, %rd1, %rd4;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.u32 %r3, %r3, %r2;
)" + body +
         "\n  ret;\n}\n";
}

inline std::string said(const std::string& body, u32 block = 32) {
  Lab lab(kernel(body));
  const u64 out = lab.words(1024), in = lab.lab.words(1024);  // `in` is uninitialised
  auto r = lab.run(1, block, {out, in});
  EXPECT_TRUE(r.faults.empty()) << r.faults[0].message;
  return lab.said();
}

using engine::says;

}  // namespace ww::checks::values_test
