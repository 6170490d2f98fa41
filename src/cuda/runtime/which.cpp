// What our other libraries tell this one: which version of the runtime the program was made for; that they
// work on the processor now (`profile`, `check`); what is refused (`run --fidelity`).
#include "cuda/core/backlog.h"
#include "cuda/core/checking.h"
#include "cuda/core/fidelity.h"
#include "cuda/core/platform.h"
#include "cuda/core/profile.h"

using namespace ww::cuda;

WW_CUDA_API void ww_cuda_use_runtime(int version) { Platform::use_runtime(version); }
WW_CUDA_API void ww_cuda_library_called() {
  Backlog::get().wait_for_all();  // what it reads may be written there
  if (Fidelity* f = Fidelity::get()) f->library_called();
  if (Profile* profile = Profile::get()) profile->library_called();
  if (Checking* checking = Checking::get()) checking->library_called();
}
WW_CUDA_API void ww_cuda_library_touches(const void* at, uint64_t bytes, int writes) {
  if (Checking* checking = Checking::get())
    checking->library_touches(reinterpret_cast<u64>(at), bytes, writes != 0);
}
WW_CUDA_API void ww_cuda_library_batch(const void* first, int64_t step, int64_t count, int writes) {
  if (Checking* checking = Checking::get())
    checking->library_batch(reinterpret_cast<u64>(first), step, count, writes != 0);
}
WW_CUDA_API void ww_cuda_refused(const char* name) {
  if (Fidelity* f = Fidelity::get()) f->refused(name, "");
}
