// Entry points that are not there: each says so once, by name and place, and returns cudaErrorNotSupported.
// And those that are another one's under a second name.
#include <string>

#include "cuda/core/platform.h"
#include "cuda/core/report.h"

namespace ww::cuda {
namespace {
Error refuse(const char* name, const char* error, const void* caller) {
  say_once(name, std::string(name) + " is not there; it returns " + error + " (called from " +
                     place_of_caller(caller) + ")");
  if (Fidelity* fidelity = Fidelity::get()) fidelity->refused(name, "");
  return Error::NotSupported;
}
}  // namespace
}  // namespace ww::cuda

#if defined(__x86_64__)
#define WW_JUMP "jmp "
#elif defined(__aarch64__)
#define WW_JUMP "b "
#endif

#define WW_CHAPTER(file, title)
#define WW_ENTRY(name)
// A jump, whatever the arguments are.
#define WW_SAME(name, other) \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name ": " WW_JUMP #other "\n");
// Likewise, but a stream that is null becomes kPerThreadStream on the way, in its register or on the stack.
#if defined(__x86_64__)
#define WW_IN_REGISTER(r) "test %" r ", %" r "\n mov $2, %r11d\n cmove %r11, %" r "\n"
#define WW_ON_STACK(offset) "cmpq $0, " offset "(%rsp)\n jne 1f\n movq $2, " offset "(%rsp)\n1: "
#define WW_STREAM_0 WW_IN_REGISTER("rdi")
#define WW_STREAM_1 WW_IN_REGISTER("rsi")
#define WW_STREAM_2 WW_IN_REGISTER("rdx")
#define WW_STREAM_3 WW_IN_REGISTER("rcx")
#define WW_STREAM_4 WW_IN_REGISTER("r8")
#define WW_STREAM_5 WW_IN_REGISTER("r9")
#define WW_STREAM_6 WW_ON_STACK("8")
#define WW_STREAM_7 WW_ON_STACK("16")
#define WW_STREAM_8 WW_ON_STACK("24")
#elif defined(__aarch64__)
#define WW_IN_REGISTER(r) "cmp " r ", #0\n mov x16, #2\n csel " r ", x16, " r ", eq\n"
#define WW_STREAM_0 WW_IN_REGISTER("x0")
#define WW_STREAM_1 WW_IN_REGISTER("x1")
#define WW_STREAM_2 WW_IN_REGISTER("x2")
#define WW_STREAM_3 WW_IN_REGISTER("x3")
#define WW_STREAM_4 WW_IN_REGISTER("x4")
#define WW_STREAM_5 WW_IN_REGISTER("x5")
#define WW_STREAM_6 WW_IN_REGISTER("x6")
#define WW_STREAM_7 WW_IN_REGISTER("x7")
#define WW_STREAM_8 "ldr x16, [sp]\n cbnz x16, 1f\n mov x16, #2\n str x16, [sp]\n1: "
#endif
#define WW_OF_THREAD(name, other, place)                                                                  \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name ": " WW_STREAM_##place WW_JUMP #other \
      "\n");
#define WW_REFUSED(name)                                                                      \
  WW_CUDA_API ww::cuda::Error name() {                                                        \
    return ww::cuda::here().last =                                                            \
               ww::cuda::refuse(#name, "cudaErrorNotSupported", __builtin_return_address(0)); \
  }
#include "cuda/table/runtime.inc"
#undef WW_REFUSED
#define WW_REFUSED(name)                                                                     \
  WW_CUDA_API ww::cuda::Error name() {                                                       \
    return ww::cuda::refuse(#name, "CUDA_ERROR_NOT_SUPPORTED", __builtin_return_address(0)); \
  }
#include "cuda/table/driver.inc"
