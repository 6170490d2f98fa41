// Work that one thread does for a call that another made.
#pragma once

#include "cuda/core/host_trace.h"

namespace ww::cuda {

/// While it lives, raw_trace() of this thread is this trace, of the call that asked for the work; with an
/// empty one its own.
class OnBehalf {
 public:
  explicit OnBehalf(const RawTrace& trace);
  ~OnBehalf();
  OnBehalf(const OnBehalf&) = delete;
  OnBehalf& operator=(const OnBehalf&) = delete;
};

}  // namespace ww::cuda
