#include "model/tensor_work.h"

#include "counters/products.h"

namespace ww::model {

namespace {

/// Of FP16's rate (A100 whitepaper, table of peak rates: FP64 19.5, TF32 156, FP16 312, INT8 624, INT4 1248,
/// binary 4992 TFLOP/s or TOP/s; H100 whitepaper: the same, FP8 as INT8). Where older cores take a type, it
/// is at these rates, too (Turing whitepaper: INT8, INT4).
double rate_of(isa::Type factor) {
  switch (isa::bits(factor)) {
    case 64:
      return 1.0 / 16;
    case 32:
      return 0.5;
    case 8:
      return 2;
    case 4:
      return 4;
    case 1:
      return 16;
    default:
      return 1;
  }
}

}  // namespace

double tensor_multiplies(const engine::RunResult& run, const gpus::Gpu& gpu) {
  double sum = 0;
  for (size_t k = 0; k < run.executions.size(); ++k) {
    const ir::Instruction& in = *run.program->infos[k].instruction;
    const auto each = static_cast<double>(counters::multiply_adds(in));
    if (each == 0 || run.executions[k].warps == 0) continue;
    // wmma of .f16 names no type of its factors.
    const isa::Type factor = in.type(isa::Slot::atype);
    double rate = factor == isa::Type::none ? 1 : rate_of(factor);
    if (gpu.tensor_f32_sums && isa::bits(factor) <= 32 && in.type(isa::Slot::dtype) == isa::Type::f32)
      rate *= *gpu.tensor_f32_sums;
    if (gpu.tensor_mma && in.form().mnemonic != "wgmma") rate *= *gpu.tensor_mma;
    sum += each * static_cast<double>(run.executions[k].warps) / rate;
  }
  return sum;
}

}  // namespace ww::model
