#include "cuda/core/registry.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <set>

#include "cuda/core/platform.h"
#include "cuda/core/report.h"

namespace ww::cuda {

Registry& Registry::get() {
  static Registry* registry = new Registry;
  return *registry;
}

CodeModule* Registry::add_binary(const void* wrapper) {
  Dl_info where{};
  std::string file = dladdr(wrapper, &where) && where.dli_fname ? where.dli_fname : "program";
  if (size_t slash = file.rfind('/'); slash != std::string::npos) file.erase(0, slash + 1);
  auto module = std::make_unique<CodeModule>(file);
  auto read = image::read_wrapper(wrapper);
  if (!read) {
    say(file + ": " + read.error()[0].message);
  } else {
    std::vector<image::CodeImage> images;
    if (!read->fatbin.empty()) {
      auto found = image::read_fatbins(read->fatbin);
      if (found)
        images = std::move(*found);
      else
        say(file + ": " + found.error()[0].message);
    }
    module->set_images(std::move(images));
    std::vector<std::vector<image::CodeImage>> files;
    for (const image::Bytes& file : read->prelinked)
      if (auto found = image::read_fatbins(file)) files.push_back(std::move(*found));
    module->set_prelinked(std::move(files));
  }
  std::lock_guard lock(mutex_);
  modules_.push_back(std::move(module));
  return modules_.back().get();
}

void Registry::remove_binary(CodeModule* module) {
  std::lock_guard lock(mutex_);
  std::erase_if(functions_, [&](const auto& f) { return f.second->module == module; });
  std::erase_if(variables_, [&](const auto& v) { return v.second.module == module; });
  std::erase_if(managed_, [&](const auto& m) { return m.module == module; });
  std::erase_if(modules_, [&](const auto& m) { return m.get() == module; });
}

void Registry::add_function(CodeModule* module, const void* host, const char* name) {
  std::lock_guard lock(mutex_);
  functions_[host] = module->declare_function(name);
}

void Registry::add_variable(CodeModule* module, const void* host, const char* name, size_t bytes) {
  std::lock_guard lock(mutex_);
  variables_[host] = {module, name, bytes};
  for (const auto& [begin, end] : shared_)
    if (host >= begin && host < end) module->place(name, reinterpret_cast<u64>(host));
}

void Registry::add_shared_range(const void* begin, const void* end) {
  std::lock_guard lock(mutex_);
  shared_.emplace_back(begin, end);
}

void Registry::complete(CodeModule* module) {
  LoadedCode* code = nullptr;
  if (module->has_placed())
    (void)module->on(Platform::get().current(), code);  // the host may read its variables before any call
}

void Registry::add_managed(CodeModule* module, void** pointer, const char* name, size_t bytes) {
  std::lock_guard lock(mutex_);
  managed_.push_back({module, name, pointer, bytes});
}

Function* Registry::function(const void* host) {
  std::lock_guard lock(mutex_);
  auto it = functions_.find(host);
  return it == functions_.end() ? nullptr : it->second;
}

const void* Registry::host_function(const Function* kernel) {
  std::lock_guard lock(mutex_);
  for (const auto& [host, function] : functions_)
    if (function == kernel) return host;
  return nullptr;
}

Error Registry::symbol(DeviceContext& device, const void* host, u64& address, u64& bytes) {
  Variable v;
  {
    std::lock_guard lock(mutex_);
    auto it = variables_.find(host);
    if (it == variables_.end()) {
      // A managed variable: the program's pointer to it, or what that points to.
      init_managed(device);
      for (const Managed& m : managed_)
        if (m.pointer == host || *m.pointer == host) {
          address = reinterpret_cast<u64>(*m.pointer);
          bytes = m.bytes;
          return Error::Success;
        }
      return Error::InvalidSymbol;
    }
    v = it->second;
  }
  Error e = v.module->variable(device, v.name, address, bytes);
  return e == Error::SymbolNotFound ? Error::InvalidSymbol : e;
}

void Registry::init_managed(DeviceContext& device) {
  std::lock_guard lock(mutex_);
  for (Managed& m : managed_) {
    if (m.ready) continue;
    m.ready = true;
    u64 address = 0, bytes = 0;
    if (m.module->variable(device, m.name, address, bytes) == Error::Success) {
      *m.pointer = reinterpret_cast<void*>(address);
      Platform::get().memory().alter(address, [](Block& b) { b.kind = BlockKind::Managed, b.flags = 1; });
    } else {
      say(fmt::format("the managed variable {} is not in the code of {}", m.name, m.module->name()));
    }
  }
}

void Registry::unload_all(int device) {
  std::lock_guard lock(mutex_);
  std::set<CodeModule*> keep;  // the program holds pointers to managed variables
  for (Managed& m : managed_)
    if (m.ready) keep.insert(m.module);
  for (auto& m : modules_)
    if (!keep.count(m.get()) && !m->has_placed()) m->unload(device);
}

std::vector<CodeModule*> Registry::modules() {
  std::lock_guard lock(mutex_);
  std::vector<CodeModule*> all;
  for (auto& m : modules_) all.push_back(m.get());
  return all;
}

Function* function_of(const void* handle) {
  if (Function* f = Registry::get().function(handle)) return f;
  return live_function(handle);
}
Function* function_of_kernel(const void* handle) {
  if (Function* f = live_function(handle)) return f;
  return Registry::get().function(handle);
}

Error no_function(const void* handle) {
  return handle && Platform::get().runtime_version() >= 13000 ? Error::InvalidResourceHandle
                                                              : Error::InvalidDeviceFunction;
}

}  // namespace ww::cuda
