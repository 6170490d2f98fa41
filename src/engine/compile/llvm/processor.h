// What LLVM has to be told for each kind of processor: names of registers, pieces of assembler.
#pragma once

#include <string>

#include "engine/engine.h"
#include "isa/form.h"

namespace ww::engine::processor {

#if defined(__x86_64__)
inline constexpr char kLeast[] =
    "x86-64-v3";  ///< the least one that code is made for; functions may say more
// A vector that stays as it is (constraints of inline assembler), and the largest there is everywhere.
inline constexpr char kSameVector[] = "=x,0";
inline constexpr unsigned kVectorBits = 256;
// A call that keeps all registers but that of its result (whole.h: WholeState::find and tell_quietly). The
// function's address stands `offset` behind the first argument.
inline std::string quiet_call(unsigned offset) { return "call *" + std::to_string(offset) + "(%rdi)"; }
inline constexpr char kFindArguments[] =
    "={ax},{di},{si},{dx},{cx},{r8},{r9},~{memory},~{dirflag},~{fpsr},~{flags}";
inline constexpr char kTellArguments[] = "{di},~{rax},~{memory},~{dirflag},~{fpsr},~{flags}";

/// Arithmetic that rounds as a register says: MXCSR, which is written from memory. What `set`, `sum`,
/// `product` and `fused` return is assembler; they are given its operands.
struct Rounding {
  static constexpr unsigned kVector = 8;   ///< numbers of a register (AVX)
  static constexpr u32 kUsual = 0x1f80;    ///< to nearest, exceptions masked, denormal numbers as they are
  static constexpr bool kInMemory = true;  ///< where the words for the register are
  static constexpr unsigned kTied = 0;     ///< of a fused product and sum: what the result replaces
  static constexpr char kResult[] = "=&x,", kOperand[] = "x,", kWords[] = "*m,*m,~{dirflag},~{fpsr},~{flags}";
  static u32 bits(isa::Mod mode) { return (mode == isa::Mod::rm ? 1u : mode == isa::Mod::rp ? 2 : 3) << 13; }
  using Text = const std::string&;
  static std::string set(unsigned word) { return "\n\tldmxcsr $" + std::to_string(word); }
  static std::string sum(Text a, Text b) { return "\n\tvaddps " + b + ", " + a + ", " + a; }
  static std::string product(Text a, Text b) { return "\n\tvmulps " + b + ", " + a + ", " + a; }
  static std::string fused(Text a, Text b, Text c) { return "\n\tvfmadd213ps " + c + ", " + b + ", " + a; }
};
#elif defined(__aarch64__)
inline constexpr char kLeast[] = "generic";
inline constexpr char kSameVector[] = "=w,0";
inline constexpr unsigned kVectorBits = 128;
inline std::string quiet_call(unsigned offset) {
  return "ldr x16, [x0, #" + std::to_string(offset) + "]\n\tblr x16";
}
inline constexpr char kFindArguments[] =
    "={x0},{x0},{x1},{x2},{x3},{x4},{x5},~{memory},~{x16},~{x17},~{lr},~{cc}";
inline constexpr char kTellArguments[] = "{x0},~{memory},~{x16},~{x17},~{lr},~{cc}";

struct Rounding {
  static constexpr unsigned kVector = 4;
  static constexpr u32 kUsual = 0;  ///< FPCR: to nearest, denormal numbers as they are
  static constexpr bool kInMemory = false;
  static constexpr unsigned kTied = 2;
  static constexpr char kResult[] = "=&w,", kOperand[] = "w,", kWords[] = "r,r";
  static u32 bits(isa::Mod mode) { return (mode == isa::Mod::rp ? 1u : mode == isa::Mod::rm ? 2 : 3) << 22; }
  using Text = const std::string&;
  static std::string set(unsigned word) { return "\n\tmsr fpcr, $" + std::to_string(word); }
  static std::string rows(Text name) { return name + ".4s"; }
  static std::string sum(Text a, Text b) { return "\n\tfadd " + rows(a) + ", " + rows(a) + ", " + rows(b); }
  static std::string product(Text a, Text b) {
    return "\n\tfmul " + rows(a) + ", " + rows(a) + ", " + rows(b);
  }
  static std::string fused(Text a, Text b, Text c) {
    return "\n\tfmla " + rows(c) + ", " + rows(a) + ", " + rows(b);
  }
};
#endif

}  // namespace ww::engine::processor
