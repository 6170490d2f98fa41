// cudaGraphExecUpdate: the same graph with other arguments.
#pragma once

#include "cuda/core/graph.h"

namespace ww::cuda {

/// Errors: InvalidValue; GraphExecUpdateFailure, with why and where in `info` (may be null).
Error update_exec(GraphExec* exec, Graph* graph, GraphExecUpdateResultInfo* info);

}  // namespace ww::cuda
