// What our other libraries ask of this one: which version of the runtime the program was made for; what
// `run --fidelity` wants to know of them.
#include "cuda/core/fidelity.h"
#include "cuda/core/platform.h"

using namespace ww::cuda;

WW_CUDA_API void ww_cuda_use_runtime(int version) { Platform::use_runtime(version); }
WW_CUDA_API void ww_cuda_library_called() {
  if (Fidelity* f = Fidelity::get()) f->library_called();
}
WW_CUDA_API void ww_cuda_refused(const char* name) {
  if (Fidelity* f = Fidelity::get()) f->refused(name, "");
}
