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
