#if defined(__x86_64__)
#include <cstring>

#include "redirect/jumps.h"

namespace ww::redirect {

// On the stack: the place's number, then the return address of the caller, whose arguments are in registers.
asm(R"(
.text
.hidden ww_redirect_bind
.globl ww_redirect_bind
.type ww_redirect_bind, @function
ww_redirect_bind:
  endbr64
  pushq %rax
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  subq $136, %rsp
  movups %xmm0, 0(%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq 192(%rsp), %rdi
  call ww_redirect_resolve
  movq %rax, %r11
  movups 0(%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $136, %rsp
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rax
  addq $8, %rsp
  jmp *%r11
.size ww_redirect_bind, .-ww_redirect_bind
)");

void write_jump(std::byte* at, const std::byte* to) {
  auto distance = int32_t(to - (at + kJump));
  at[0] = std::byte{0xE9};  // jmp rel32
  std::memcpy(at + 1, &distance, sizeof distance);
}

void write_far_jump(std::byte* at, const void* to) {
  auto target = reinterpret_cast<uint64_t>(to);
  std::memcpy(at, "\x49\xBB", 2);  // movabs $target, %r11; jmp *%r11
  std::memcpy(at + 2, &target, 8);
  std::memcpy(at + 10, "\x41\xFF\xE3", 3);
}

const std::byte* write_place_code(std::byte* code, std::byte* slot, uint32_t number) {
  // endbr64; jmp *slot(%rip); first: push number; a far jump to ww_redirect_bind
  constexpr size_t kFirst = 10, kPush = 5;
  auto distance = int32_t(slot - (code + kFirst));
  std::memcpy(code, "\xF3\x0F\x1E\xFA\xFF\x25", 6);
  std::memcpy(code + 6, &distance, sizeof distance);
  code[kFirst] = std::byte{0x68};
  std::memcpy(code + kFirst + 1, &number, sizeof number);
  write_far_jump(code + kFirst + kPush, reinterpret_cast<const void*>(&ww_redirect_bind));
  return code + kFirst;
}

}  // namespace ww::redirect
#endif
