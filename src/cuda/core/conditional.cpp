#include "cuda/core/conditional.h"

#include <algorithm>
#include <cstring>

#include "cuda/core/graph.h"
#include "cuda/core/platform.h"

namespace ww::cuda {

namespace {

constexpr u32 kAssignDefault = 1;  // cudaGraphCondAssignDefault

u32 value_of(u64 handle) {
  u32 value;
  std::memcpy(&value, Platform::get().engine().memory().host(handle), sizeof value);
  return value;
}

}  // namespace

Conditional::~Conditional() {
  (void)Platform::get().memory().release(handle, BlockKind::Device, Error::InvalidValue);
}

Error make_conditional(Graph* graph, DeviceContext& device, u32 initial, u32 flags, u64& handle) {
  if (!is_graph(graph) || flags & ~kAssignDefault) return Error::InvalidValue;
  Error e = Platform::get().memory().allocate(BlockKind::Device, device, sizeof initial, 0, handle);
  if (e != Error::Success) return e;
  auto made = std::make_shared<Conditional>();
  made->handle = handle, made->initial = initial, made->assigned = flags == kAssignDefault;
  graph->conditionals.push_back(std::move(made));
  return Error::Success;
}

void assign_conditionals(const Graph& graph) {
  const engine::GlobalMemory& memory = Platform::get().engine().memory();
  for (const auto& c : graph.conditionals)
    if (c->assigned) std::memcpy(memory.host(c->handle), &c->initial, sizeof c->initial);
}

Error make_bodies(const Graph& graph, u64 handle, int type, u32 count, ConditionalCall& call) {
  const bool known = std::any_of(graph.conditionals.begin(), graph.conditionals.end(),
                                 [&](const auto& c) { return c->handle == handle; });
  if (!known || type < 0 || type > 2 || count == 0) return Error::InvalidValue;
  call = {handle, static_cast<ConditionalType>(type), {}};
  if (call.type == ConditionalType::While && count != 1) return Error::InvalidValue;
  if (call.type == ConditionalType::If && count > 2) return Error::InvalidValue;
  for (u32 k = 0; k < count; ++k) call.bodies.push_back(keep(std::make_unique<Graph>()));
  return Error::Success;
}

Error run_conditional(const ConditionalCall& call, Stream& stream) {
  if (call.type == ConditionalType::While) {
    while (value_of(call.handle) && stream.device->sticky.load() == Error::Success)
      if (Error e = run_graph(*call.bodies[0], stream); e != Error::Success) return e;
    return Error::Success;
  }
  const u32 value = value_of(call.handle);
  const size_t which = call.type == ConditionalType::Switch ? value : value == 0;
  return which < call.bodies.size() ? run_graph(*call.bodies[which], stream) : Error::Success;
}

}  // namespace ww::cuda
