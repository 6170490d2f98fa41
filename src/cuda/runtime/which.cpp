// Which version of the runtime the program was made for.
#include "cuda/core/platform.h"

WW_CUDA_API void ww_cuda_use_runtime(int version) { ww::cuda::Platform::use_runtime(version); }
