// The load of matrix instructions on the tensor cores.
#pragma once

#include "engine/engine.h"
#include "gpus/gpu.h"

namespace ww::model {

/// All products of a launch, as so many multiply-adds of FP16 with FP16 sums by wgmma (where the GPU has it)
/// as would take as long there.
double tensor_multiplies(const engine::RunResult& run, const gpus::Gpu& gpu);

}  // namespace ww::model
