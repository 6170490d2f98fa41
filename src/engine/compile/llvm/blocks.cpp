#include "engine/compile/llvm/blocks.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

void split_long_blocks(Module& module, unsigned most) {
  for (Function& f : module)
    for (auto block = f.begin(); block != f.end(); ++block) {
      unsigned length = 0;
      for (Instruction& i : *block) {
        // What follows in the function is the second part, which may be too long as well.
        if (++length > most && !llvm::isa<PHINode>(i) && !llvm::isa<AllocaInst>(i) && !i.isTerminator()) {
          block->splitBasicBlock(i.getIterator());
          break;
        }
      }
    }
}

}  // namespace ww::engine
