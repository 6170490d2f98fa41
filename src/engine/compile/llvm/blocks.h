// Some of LLVM's algorithms take time that grows with the square of a basic block's length: turning memory
// into values looks through a block for each piece of memory, scheduling compares accesses pair by pair.
#pragma once

namespace llvm {
class Module;
}

namespace ww::engine {

/// Makes several blocks, one behind another, of each block that is longer than so many instructions.
void split_long_blocks(llvm::Module& module, unsigned most);

}  // namespace ww::engine
