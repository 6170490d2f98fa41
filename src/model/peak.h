// The fastest that a GPU could do a kernel's arithmetic.
#pragma once

#include <string_view>

#include "gpus/gpu.h"
#include "model/activity.h"

namespace ww::model {

struct Peak {
  std::string_view name;      ///< fp32, fp64, tensor fp16
  double flop_per_clock = 0;  ///< of an SM, a multiply-add as two
};

/// Of the units that do most of it.
Peak peak_of(const gpus::Gpu& gpu, const Activity& activity);

}  // namespace ww::model
