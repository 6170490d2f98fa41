// What LLVM makes of conversions from f16.
#pragma once

namespace llvm {
class Module;
}

namespace ww::engine {

/// Compares vectors of halves as f32. LLVM takes the conversion away in front of a test for NaN, and then,
/// for processors that only convert halves, compares lane by lane: a load, a conversion and a sum took 43 ns
/// for a warp, with this 2.1 (2026-11-27, LLVM 19, AVX-512).
void widen_half_comparisons(llvm::Module& module);

}  // namespace ww::engine
