#include "cuda/core/context.h"

#include <map>
#include <set>

namespace ww::cuda {

namespace {
struct Contexts {
  std::mutex mutex;
  std::map<int, std::unique_ptr<Context>> primary;
  std::set<const Context*> live;
  u64 next_id = 1;
  std::atomic<bool> ready{false};
};
Contexts& contexts() {
  static auto* all = new Contexts;
  return *all;
}

/// The runtime's device follows the context.
void follow() {
  auto& stack = here().contexts;
  if (!stack.empty()) here().device = stack.back()->device->number;
}
}  // namespace

bool driver_ready() {
  if (contexts().ready || here().runtime) return true;
  // The runtime initializes it for all threads.
  for (size_t k = 0; k < Platform::get().device_count(); ++k)
    if (Platform::get().device(static_cast<int>(k))->active) return true;
  return false;
}
void set_driver_ready() { contexts().ready = true; }

Context& primary_context(DeviceContext& device) {
  std::lock_guard lock(contexts().mutex);
  auto& c = contexts().primary[device.number];
  if (!c) {
    c = std::make_unique<Context>();
    c->device = &device, c->primary = true, c->id = contexts().next_id++;
    contexts().live.insert(c.get());
  }
  return *c;
}

Context* make_context(DeviceContext& device, u32 flags) {
  auto* c = new Context;
  c->device = &device, c->flags = flags;
  std::lock_guard lock(contexts().mutex);
  c->id = contexts().next_id++;
  contexts().live.insert(c);
  return c;
}

Error destroy_context(Context* context) {
  {
    std::lock_guard lock(contexts().mutex);
    if (!contexts().live.count(context) || context->primary) return Error::InvalidValue;
    contexts().live.erase(context);
  }
  std::erase(here().contexts, context);
  follow();
  context->device->sticky = Error::Success;  // a fault ends with its context
  delete context;
  return Error::Success;
}

bool is_context(const Context* context) {
  std::lock_guard lock(contexts().mutex);
  return contexts().live.count(context) > 0;
}

Context* current_context() {
  auto& stack = here().contexts;
  if (!stack.empty()) return stack.back();
  if (!here().runtime || !Platform::get().device_count()) return nullptr;
  return &primary_context(Platform::get().current());
}

void set_context(Context* context) {
  auto& stack = here().contexts;
  if (!stack.empty()) stack.pop_back();
  if (context) stack.push_back(context);
  if (!context && stack.empty()) here().runtime = false;
  follow();
}

void push_context(Context* context) {
  here().contexts.push_back(context);
  follow();
}

Context* pop_context() {
  Context* c = current_context();
  set_context(nullptr);
  return c;
}

}  // namespace ww::cuda
