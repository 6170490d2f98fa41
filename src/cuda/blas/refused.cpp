// Functions of cuBLAS that are not there: each says so once and returns CUBLAS_STATUS_NOT_SUPPORTED.
#include "cuda/stubs/refused.h"
#include "cuda/blas/call.h"

#define WW_REFUSED(name) \
  WW_LIBRARY_API int name() { return ww::stubs::refuse(#name, "CUBLAS_STATUS_NOT_SUPPORTED", 15); }
#include "cuda/blas/refused.inc"
