#if defined(__aarch64__)
#include <cstring>

#include "redirect/jumps.h"

namespace ww::redirect {

// In w17: the place's number. x16 and x17 are those that code between a caller and its function may change
// (Procedure Call Standard for the Arm 64-bit Architecture, 6.1.1).
asm(R"(
.text
.hidden ww_redirect_bind
.globl ww_redirect_bind
.type ww_redirect_bind, @function
ww_redirect_bind:
  stp x29, x30, [sp, #-224]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov w0, w17
  bl ww_redirect_resolve
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  br x16
.size ww_redirect_bind, .-ww_redirect_bind
)");

namespace {

constexpr uint32_t kBranch = 0x14000000;     // b: imm26, in words
constexpr uint32_t kBranchX16 = 0xd61f0200;  // br x16
constexpr uint32_t kLoadX16 = 0x58000010;    // ldr x16, label: imm19 from bit 5, in words
constexpr uint32_t kLoadW17 = 0x18000011;    // ldr w17, label

uint32_t words(const std::byte* from, const std::byte* to, int bits) {
  return uint32_t((to - from) / 4) & ((uint32_t{1} << bits) - 1);
}
uint32_t load(uint32_t instruction, const std::byte* at, const std::byte* label) {
  return instruction | words(at, label, 19) << 5;
}
void put(std::byte* at, uint32_t instruction) { std::memcpy(at, &instruction, sizeof instruction); }

}  // namespace

void write_jump(std::byte* at, const std::byte* to) { put(at, kBranch | words(at, to, 26)); }

void write_far_jump(std::byte* at, const void* to) {
  auto target = reinterpret_cast<uint64_t>(to);
  put(at, load(kLoadX16, at, at + 8));
  put(at + 4, kBranchX16);
  std::memcpy(at + 8, &target, sizeof target);
}

const std::byte* write_place_code(std::byte* code, std::byte* slot, uint32_t number) {
  // ldr x16, slot; br x16; first: ldr w17, number; a far jump to ww_redirect_bind; number
  std::byte *const first = code + 8, *const kept = code + 28;
  put(code, load(kLoadX16, code, slot));
  put(code + 4, kBranchX16);
  put(first, load(kLoadW17, first, kept));
  write_far_jump(first + 4, reinterpret_cast<const void*>(&ww_redirect_bind));
  std::memcpy(kept, &number, sizeof number);
  return first;
}

}  // namespace ww::redirect
#endif
