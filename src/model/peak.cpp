#include "model/peak.h"

namespace ww::model {

Peak peak_of(const gpus::Gpu& gpu, const Activity& a) {
  if (a.tensor > 0 && 2 * a.tensor_multiplies > a.flop / 2 && gpu.tensor_fp16)
    return {"tensor fp16", 2 * *gpu.tensor_fp16};
  if (a.fp64 > a.fp32 && gpu.fp64) return {"fp64", 2 * *gpu.fp64};
  return {"fp32", 2 * gpu.fp32};
}

}  // namespace ww::model
