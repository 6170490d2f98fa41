// Functions of cuSPARSE that are not there.
#include "cuda/stubs/refused.h"

#define WW_REFUSED(name)                                                  \
  extern "C" __attribute__((visibility("default"))) int name() {          \
    return ww::stubs::refuse(#name, "CUSPARSE_STATUS_NOT_SUPPORTED", 10); \
  }
#include "cuda/sparse/refused.inc"
