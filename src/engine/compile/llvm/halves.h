// What LLVM makes of conversions from and to f16.
#pragma once

namespace llvm {
class Module;
}

namespace ww::engine {

/// Widens vectors of halves that are compared or computed with to f32. LLVM takes conversions away where the
/// result is the same without (NaN is NaN), and then, for processors that only convert halves, does the lanes
/// one by one: 90 ns in the place of 3 for a warp's conversion (2026-11-27, LLVM 19).
void widen_halves(llvm::Module& module);

}  // namespace ww::engine
