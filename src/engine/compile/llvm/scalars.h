// What is the same in all lanes is computed by handlers for all lanes, in a frame of which one lane counts.
// LLVM leaves much of that arithmetic on vectors: here it becomes arithmetic on numbers.
#pragma once

namespace llvm {
class Module;
}

namespace ww::engine {

/// Computes single lanes that are taken out of vectors, or spread over them, as numbers.
void compute_lanes_alone(llvm::Module& module);

}  // namespace ww::engine
