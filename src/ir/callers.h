// A function of CUDA's headers for each line of the user that calls it, so that whatever happens in one can
// be told with its caller: nvcc -G inlines none of them.
#pragma once

#include "ir/module.h"

namespace ww::ir {

/// Copies functions that lie in CUDA's headers alone, until each has one line of the user that calls it,
/// maybe through others of them; calls go to the copies. Functions keep their places in the list, copies come
/// behind. Those that are called from very many lines are left as they are.
void copy_for_callers(Module& module);

}  // namespace ww::ir
