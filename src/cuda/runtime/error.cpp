// CUDA Runtime API: Error Handling.
#include "cuda/core/checking.h"
#include "cuda/core/error_names.h"
#include "cuda/core/platform.h"

using namespace ww::cuda;

WW_CUDA_API Error cudaGetLastError() {
  if (Checking* checking = Checking::get()) checking->errors_asked();
  Error last = here().last;
  here().last = Error::Success;
  return last;
}
WW_CUDA_API Error cudaPeekAtLastError() {
  if (Checking* checking = Checking::get()) checking->errors_asked();
  return here().last;
}
WW_CUDA_API const char* cudaGetErrorName(Error error) {
  const ErrorName* name = error_name(static_cast<int>(error));
  return name ? name->runtime : "unrecognized error code";
}
WW_CUDA_API const char* cudaGetErrorString(Error error) {
  const ErrorName* name = error_name(static_cast<int>(error));
  return name ? name->text : "unrecognized error code";
}
