// What becomes of one by a square root.
#pragma once

namespace llvm {
class Module;
}

namespace ww::engine {

/// For AVX-512: f32 numbers that are 1 / sqrt(f32), by way of f64 (rsqrt.approx), come from the processor's
/// estimate and two of Newton's steps. The numbers are the same: whatever the estimate, the steps end within
/// 2^-52.4 of the exact value, and no f32 number's is nearer than 2^-51.7 to where rounding changes (all 2^24
/// from 1 to 4 were tried; 4 times the number is half the root). A root and a quotient of 8 f64 numbers take
/// some 35 cycles, this 7.
void estimate_roots(llvm::Module& module);

}  // namespace ww::engine
