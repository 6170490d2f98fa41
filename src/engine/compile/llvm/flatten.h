// From the object file that LLVM writes to code that can be placed anywhere (engine/compile/code.h).
#pragma once

#include <llvm/Support/MemoryBufferRef.h>

#include <vector>

#include "engine/compile/code.h"

namespace ww::engine {

/// `count`: instructions of the unit. Throws Failure where the object holds what cannot be placed so.
std::vector<u8> flatten(llvm::MemoryBufferRef object, u32 count);

}  // namespace ww::engine
