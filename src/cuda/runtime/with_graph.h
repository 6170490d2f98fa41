// Runs a call of the runtime on a graph that it names.
#pragma once

#include <utility>

#include "cuda/core/graph.h"
#include "cuda/core/platform.h"

namespace ww::cuda {

/// What `body(graph, device)` returns, or InvalidValue if there is no such graph.
template <class F>
Error with_graph(Graph* graph, F&& body) {
  return api(
      [&](DeviceContext& d) -> Error { return is_graph(graph) ? body(*graph, d) : Error::InvalidValue; });
}

}  // namespace ww::cuda
