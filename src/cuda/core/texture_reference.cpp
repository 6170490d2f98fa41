#include "cuda/core/texture_reference.h"

#include <cstring>
#include <map>
#include <mutex>

#include "cuda/core/array.h"
#include "cuda/core/backlog.h"
#include "cuda/core/texture.h"

namespace ww::cuda {

namespace {

struct ModuleReferences {
  std::mutex mutex;
  std::map<std::pair<const CodeModule*, u64>, std::unique_ptr<ModuleReference>> named;  ///< by variable
  std::map<const ModuleReference*, std::unique_ptr<ModuleReference>> created;
};
ModuleReferences& module_references() {
  static auto* all = new ModuleReferences;
  return *all;
}

}  // namespace

bool holds_small_integers(const ResourceDesc& r) {
  const ChannelDesc* d = r.type == ResourceType::Array ? (is_array(r.array) ? &r.array->desc : nullptr)
                         : r.type == ResourceType::MipmappedArray ? (r.mipmap ? &r.mipmap->desc : nullptr)
                         : r.type == ResourceType::Linear         ? &r.linear.desc
                                                                  : &r.pitch2d.desc;
  return d && d->f != ChannelKind::Float && d->x < 32;
}

Error reference_of(CodeModule& module, DeviceContext& device, const std::string& name, bool surface,
                   ModuleReference*& reference) {
  LoadedCode* code = nullptr;
  if (Error e = module.on(device, code); e != Error::Success) return e;
  const ir::Module& read = *code->loaded->module;
  const isa::Type wanted = surface ? isa::Type::surfref : isa::Type::texref;
  for (const auto& [symbol, address] : code->loaded->layout) {
    if (read.symbols[symbol].name != name || read.variable(symbol).type != wanted) continue;
    std::lock_guard lock(module_references().mutex);
    auto& at = module_references().named[{&module, address}];
    if (!at) {
      at = std::make_unique<ModuleReference>();
      at->surface = surface, at->variable = address;
    }
    reference = at.get();
    return Error::Success;
  }
  return Error::SymbolNotFound;
}

ModuleReference* make_reference() {
  auto made = std::make_unique<ModuleReference>();
  ModuleReference* reference = made.get();
  std::lock_guard lock(module_references().mutex);
  module_references().created[reference] = std::move(made);
  return reference;
}

Error destroy_reference(ModuleReference* reference) {
  std::lock_guard lock(module_references().mutex);
  return module_references().created.erase(reference) ? Error::Success : Error::InvalidValue;
}

bool is_reference(const ModuleReference* reference, bool surface) {
  std::lock_guard lock(module_references().mutex);
  if (module_references().created.contains(reference)) return !surface;
  for (const auto& [place, r] : module_references().named)
    if (r.get() == reference) return r->surface == surface;
  return false;
}

void forget_references(const CodeModule* module) {
  std::lock_guard lock(module_references().mutex);
  std::erase_if(module_references().named, [&](const auto& at) {
    if (at.first.first != module) return false;
    (void)destroy_texture(at.second->object, at.second->surface);
    return true;
  });
}

void show_reference(ModuleReference& r) {
  if (!r.variable) return;
  u64 object = 0;
  if (r.bound && r.surface) {
    (void)make_surface(r.resource, object);
  } else if (r.bound) {
    r.texture.read_mode = !(r.flags & 1) && holds_small_integers(r.resource);
    r.texture.normalized_coordinates = (r.flags & 2) != 0;
    r.texture.srgb = (r.flags & 0x10) != 0;
    // An error is none: settings come one by one.
    (void)make_texture(r.resource, r.texture, nullptr, FilteredIntegers::Taken, object);
  }
  Backlog::get().wait_for_all();  // kernels may still read the old one
  std::memcpy(Platform::get().engine().memory().host(r.variable), &object, sizeof object);
  std::swap(r.object, object);
  (void)destroy_texture(object, r.surface);
}

}  // namespace ww::cuda
