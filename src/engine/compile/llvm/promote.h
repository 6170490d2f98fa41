// Variables in memory become values. LLVM does that too, but walks the dominator tree below every place where
// a variable is written, for one variable after another: in a kernel of 3073 instructions of PTX that
// took 2.5 of the 3 seconds of all passes (2026-11-29). Here liveness is found for all variables at once.
#pragma once

namespace llvm {
class Module;
}

namespace ww::engine {

/// Makes values of the variables (`alloca`) of each function that are only loaded and stored whole. Others
/// stay.
void promote_variables(llvm::Module& module);

}  // namespace ww::engine
