// Functions of cuSOLVER that are not there.
#include "cuda/stubs/refused.h"
#include "cuda/solver/call.h"

#define WW_REFUSED(name) \
  WW_LIBRARY_API int name() { return ww::stubs::refuse(#name, "CUSOLVER_STATUS_NOT_SUPPORTED", 9); }
#include "cuda/solver/refused.inc"
