// Predicates leave their handlers as one byte for each lane. LLVM does not see that these are truth values
// which it had before: here they are taken from there.
#pragma once

namespace llvm {
class Module;
}

namespace ww::engine {

/// Replaces comparisons of such bytes with 0 by the truth values that the bytes were made of. Then a mask is
/// a compare instruction or two, and of one that is the same in all lanes a comparison of two numbers is
/// left.
void find_truth_values(llvm::Module& module);

/// Makes vectors of truth values in which two are those of many lanes, as of a condition on %tid.y where rows
/// have 16 threads, from two numbers: LLVM would put in one lane after another.
void join_truth_values(llvm::Module& module);

/// Gives each block masks of its own, made of numbers, where some are combined: LLVM 19 never comes to an end
/// of choosing instructions for the `or` of two that other blocks need, too.
void keep_masks_in_blocks(llvm::Module& module);

}  // namespace ww::engine
