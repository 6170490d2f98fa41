// What probes of the kernels' library share.
#pragma once
#include "common.h"
#include "kernels_library/any.h"
#include "kernels_library/float32.h"
#include "kernels_library/tensor.h"
#include "warpwright/kernels.h"

namespace ww_ = warpwright;
using ww_::Accuracy;
using ww_::Layout;

#define WK(x)                                                                               \
  do {                                                                                      \
    ww_::Status s_ = (x);                                                                   \
    if (s_ != ww_::Status::ok) {                                                            \
      printf("%s (%d) at %s:%d\n", ww_::text(s_), ww_::driver_error(), __FILE__, __LINE__); \
      exit(3);                                                                              \
    }                                                                                       \
  } while (0)
