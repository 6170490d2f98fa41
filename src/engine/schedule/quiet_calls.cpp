// ww_find_site and ww_tell_notes (whole_warp.cpp) for compiled code that expects all registers to stay as
// they are: "quietly". For each processor in its assembler.
#if defined(__x86_64__)
// Saves what a function may change: numbers on the stack, vectors by XSAVE (in its standard format up to the
// end of AVX-512: 2688 bytes, the 64 from 512 on zero at first; x87 is left out).
asm(R"(
.macro ww_quietly what
.pushsection .text
.p2align 4
.hidden \what\()_quietly
.globl \what\()_quietly
.type \what\()_quietly, @function
\what\()_quietly:
  pushq %rbp
  movq %rsp, %rbp
  pushq %rdx
  pushq %rcx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  subq $2760, %rsp
  andq $-64, %rsp
  xorl %eax, %eax
  movq %rax, 512(%rsp)
  movq %rax, 520(%rsp)
  movq %rax, 528(%rsp)
  movq %rax, 536(%rsp)
  movq %rax, 544(%rsp)
  movq %rax, 552(%rsp)
  movq %rax, 560(%rsp)
  movq %rax, 568(%rsp)
  xorl %edx, %edx
  movl $0xe6, %eax
  xsave64 (%rsp)
  movq -8(%rbp), %rdx
  call \what
  movq %rax, %rcx
  xorl %edx, %edx
  movl $0xe6, %eax
  xrstor64 (%rsp)
  movq %rcx, %rax
  leaq -64(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rcx
  popq %rdx
  popq %rbp
  ret
.size \what\()_quietly, .-\what\()_quietly
.popsection
.endm
ww_quietly ww_find_site
ww_quietly ww_tell_notes
)");
#elif defined(__aarch64__)
// The same but for x16 and x17, which the call itself changes. x0 is the result where there is one.
asm(R"(
.macro ww_quietly what, keeps
.pushsection .text
.p2align 4
.hidden \what\()_quietly
.globl \what\()_quietly
.type \what\()_quietly, %function
\what\()_quietly:
  sub sp, sp, #656
  stp x29, x30, [sp]
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  stp x8, x9, [sp, #80]
  stp x10, x11, [sp, #96]
  stp x12, x13, [sp, #112]
  stp x14, x15, [sp, #128]
  stp q0, q1, [sp, #144]
  stp q2, q3, [sp, #176]
  stp q4, q5, [sp, #208]
  stp q6, q7, [sp, #240]
  stp q8, q9, [sp, #272]
  stp q10, q11, [sp, #304]
  stp q12, q13, [sp, #336]
  stp q14, q15, [sp, #368]
  stp q16, q17, [sp, #400]
  stp q18, q19, [sp, #432]
  stp q20, q21, [sp, #464]
  stp q22, q23, [sp, #496]
  stp q24, q25, [sp, #528]
  stp q26, q27, [sp, #560]
  stp q28, q29, [sp, #592]
  stp q30, q31, [sp, #624]
  bl \what
  .if \keeps
  ldr x0, [sp, #16]
  .endif
  ldr x1, [sp, #24]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldp x8, x9, [sp, #80]
  ldp x10, x11, [sp, #96]
  ldp x12, x13, [sp, #112]
  ldp x14, x15, [sp, #128]
  ldp q0, q1, [sp, #144]
  ldp q2, q3, [sp, #176]
  ldp q4, q5, [sp, #208]
  ldp q6, q7, [sp, #240]
  ldp q8, q9, [sp, #272]
  ldp q10, q11, [sp, #304]
  ldp q12, q13, [sp, #336]
  ldp q14, q15, [sp, #368]
  ldp q16, q17, [sp, #400]
  ldp q18, q19, [sp, #432]
  ldp q20, q21, [sp, #464]
  ldp q22, q23, [sp, #496]
  ldp q24, q25, [sp, #528]
  ldp q26, q27, [sp, #560]
  ldp q28, q29, [sp, #592]
  ldp q30, q31, [sp, #624]
  ldp x29, x30, [sp]
  add sp, sp, #656
  ret
.size \what\()_quietly, .-\what\()_quietly
.popsection
.endm
ww_quietly ww_find_site, 0
ww_quietly ww_tell_notes, 1
)");
#endif
