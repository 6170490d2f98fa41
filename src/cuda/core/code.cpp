#include "cuda/core/code.h"

#include <fmt/format.h>
#include <cstring>

#include <algorithm>
#include <set>

#include "base/round.h"
#include "cuda/core/attributes.h"
#include "cuda/core/checking.h"
#include "cuda/core/device_groups.h"
#include "cuda/core/host_wait.h"
#include "cuda/core/platform.h"
#include "cuda/core/report.h"
#include "ir/callers.h"
#include "ir/link.h"
#include "ir/verify.h"
#include "ptx/parser.h"
#include "ptxas/fuse_products.h"

namespace ww::cuda {

namespace {
struct Functions {
  std::mutex mutex;
  std::set<const void*> live;
};
Functions& functions() {
  static auto* all = new Functions;
  return *all;
}
}  // namespace

Function* live_function(const void* handle) {
  std::lock_guard lock(functions().mutex);
  return functions().live.count(handle) ? static_cast<Function*>(const_cast<void*>(handle)) : nullptr;
}

CodeModule::~CodeModule() {
  std::lock_guard lock(mutex_);
  {
    std::lock_guard all(functions().mutex);
    for (auto& [name, f] : functions_) functions().live.erase(f.get());
  }
  while (!loaded_.empty()) unload(loaded_.begin()->first);
}

void CodeModule::tell(const std::string& why) {
  why_ = why;
  say(why);
}

Error CodeModule::best_text(DeviceContext& device, const std::vector<image::CodeImage>& images,
                            std::string& ptx) {
  const int capability = 10 * device.gpu->cc_major + device.gpu->cc_minor;
  const image::CodeImage* best = image::best_ptx(images, capability);
  if (!best) {
    Diagnostic why = image::no_ptx(images, capability);
    tell(name_ + ": " + why.message + (why.hint.empty() ? "" : "\n" + why.hint));
    return Error::NoKernelImageForDevice;
  }
  auto read = best->text();
  if (!read) {
    tell(name_ + ": " + read.error()[0].message);
    return Error::InvalidKernelImage;
  }
  ptx = *read;
  return Error::Success;
}

Error CodeModule::texts(DeviceContext& device, std::vector<std::string>& ptx) {
  if (files_.empty()) {
    ptx.assign(1, ptx_);
    return ptx_.empty() ? best_text(device, images_, ptx[0]) : Error::Success;
  }
  const int capability = 10 * device.gpu->cc_major + device.gpu->cc_minor;
  for (const auto& images : files_) {
    if (!image::best_ptx(images, capability) && image::is_device_runtime(images)) continue;
    if (Error e = best_text(device, images, ptx.emplace_back()); e != Error::Success) return e;
  }
  return Error::Success;
}

namespace {

/// Whether the text is of a PTX version that nobody knew when this was written.
bool too_new(const std::string& text) {
  const size_t at = text.find(".version");
  return at != text.npos && std::atoi(text.c_str() + at + std::strlen(".version")) > 9;
}

/// "sm_90a" as fatbins say it.
image::Target target_of(const std::string& target) {
  image::Target t;
  const size_t at = target.find('_');
  if (at == target.npos) return t;
  t.number = std::atoi(target.c_str() + at + 1);
  if (const char last = target.back(); last == 'a' || last == 'f') t.suffix = last;
  return t;
}

}  // namespace

Error CodeModule::read(const DeviceContext& device, const std::vector<std::string>& texts,
                       ir::Module& module) {
  const int capability = 10 * device.gpu->cc_major + device.gpu->cc_minor;
  std::vector<ir::Module> modules;
  for (size_t k = 0; k < texts.size(); ++k) {
    auto parsed = ptx::parse(texts.size() == 1 ? name_ : fmt::format("{} ({})", name_, k + 1), texts[k]);
    if (!parsed) {
      tell("the code of the program cannot be read:\n" + render(parsed.error(), texts[k]));
      return too_new(texts[k]) ? Error::UnsupportedPtxVersion : Error::InvalidPtx;
    }
    if (!target_of(parsed->target).runs_on(capability)) {
      tell(
          fmt::format("{}: PTX for {}, which a GPU of compute capability {}.{} does not take; choose another "
                      "with --gpu",
                      name_, parsed->target, device.gpu->cc_major, device.gpu->cc_minor));
      return Error::InvalidPtx;
    }
    if (Diagnostics wrong = ir::verify(*parsed); !wrong.empty()) {
      tell("the code of the program is wrong:\n" + render(wrong, texts[k]));
      return Error::InvalidPtx;
    }
    ptxas::fuse_products(*parsed);
    modules.push_back(std::move(parsed).value());
  }
  if (modules.empty()) return Error::NoKernelImageForDevice;
  auto linked = files_.empty() ? Result<ir::Module>(std::move(modules[0])) : ir::link(std::move(modules));
  if (linked) linked = with_device_groups(std::move(linked).value());
  if (!linked) {
    tell("the code of the program's files cannot be linked:\n" + render(linked.error()));
    return Error::InvalidPtx;
  }
  module = std::move(linked).value();
  return Error::Success;
}

Error CodeModule::on(DeviceContext& device, LoadedCode*& code) {
  std::lock_guard lock(mutex_);
  if (auto it = loaded_.find(device.number); it != loaded_.end()) {
    code = &it->second;
    return Error::Success;
  }
  if (auto it = failed_.find(device.number); it != failed_.end()) return it->second;
  auto fail = [&](Error e) { return failed_[device.number] = e; };
  LoadedCode fresh;
  std::vector<std::string> ptx;
  if (Error e = texts(device, ptx); e != Error::Success) return fail(e);
  ir::Module whole;
  if (Error e = read(device, ptx, whole); e != Error::Success) return fail(e);
  if (ptx.size() == 1) fresh.ptx = std::move(ptx[0]);
  if (Checking::get()) ir::copy_for_callers(whole);
  auto module = std::make_shared<const ir::Module>(std::move(whole));
  Platform& platform = Platform::get();
  auto loaded = platform.engine().load(module);
  if (!loaded) {
    tell(name_ + ": " + render(loaded.error(), fresh.ptx));
    return fail(Error::InvalidKernelImage);
  }
  fresh.loaded = *loaded;
  for (auto& [symbol, at] : fresh.loaded->layout) {
    const ir::Variable& v = module->variable(symbol);
    if (auto place = placed_.find(module->symbols[symbol].name); place != placed_.end()) {
      // Nothing of the code has been decoded yet, so that it will find the variable there.
      if (platform.memory().adopt(place->second, v.bytes, device, 1, BlockKind::Managed) == Error::Success)
        std::memcpy(reinterpret_cast<void*>(place->second), platform.engine().memory().host(at), v.bytes);
      at = place->second;
      continue;
    }
    u64 base = v.space == ir::Space::Const ? fresh.loaded->constants + at : at;
    platform.memory().add_variable(base, v.bytes, device.number, v.managed);
  }
  code = &(loaded_[device.number] = std::move(fresh));
  return Error::Success;
}

void CodeModule::unload(int device) {
  std::lock_guard lock(mutex_);
  auto it = loaded_.find(device);
  failed_.erase(device);
  if (it == loaded_.end()) return;
  Platform& platform = Platform::get();
  engine::LoadedModule& m = *it->second.loaded;
  for (const auto& [symbol, at] : m.layout)
    platform.memory().remove_variable(m.module->variable(symbol).space == ir::Space::Const ? m.constants + at
                                                                                           : at);
  platform.engine().unload(m);
  for (auto& [name, f] : functions_)
    if (const LoadedKernel* last = f->last; last && last->code == &it->second) f->last = nullptr;
  loaded_.erase(it);
}

namespace {

/// The kernel's declaration in the loaded code; null: there is none.
const ir::Function* declaration(const LoadedCode& code, const std::string& name) {
  const ir::Function* f = code.loaded->module->find_function(name);
  return f && f->entry && f->defined ? f : nullptr;
}

std::vector<Parameter> parameters_of(const ir::Module& module, const ir::Function& kernel) {
  std::vector<Parameter> parameters;
  size_t offset = 0;
  for (const ir::Param& p : kernel.params) {
    const ir::Variable& v = module.variable(p.symbol);
    offset = round_up(offset, std::max<size_t>(1, v.alignment));
    parameters.push_back({offset, static_cast<size_t>(v.bytes)});
    offset += v.bytes;
  }
  return parameters;
}

}  // namespace

Error CodeModule::kernel(DeviceContext& device, Function& function, const LoadedKernel*& kernel) {
  std::lock_guard lock(mutex_);
  LoadedCode* code = nullptr;
  if (Error e = on(device, code); e != Error::Success) return e;
  if (auto it = code->kernels.find(&function); it != code->kernels.end()) {
    function.last = kernel = &it->second;
    return Error::Success;
  }
  const ir::Function* f = declaration(*code, function.name);
  if (!f) return Error::InvalidDeviceFunction;
  const ir::Module& module = *code->loaded->module;
  LoadedKernel& fresh = code->kernels[&function];
  fresh = {
      &device, code, f, parameters_of(module, *f), static_shared(module, *f), HostWait::polls_at(module, *f)};
  function.last = kernel = &fresh;
  return Error::Success;
}

Error loaded_kernel(DeviceContext& device, Function& function, const LoadedKernel*& kernel) {
  kernel = function.last;
  if (kernel && kernel->device == &device) return Error::Success;
  return function.module->kernel(device, function, kernel);
}

Function* CodeModule::declare_function(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto& f = functions_[name];
  if (!f) {
    f = std::make_unique<Function>();
    f->module = this;
    f->name = name;
    std::lock_guard all(functions().mutex);
    functions().live.insert(f.get());
  }
  return f.get();
}

Function* CodeModule::find_function(DeviceContext& device, const std::string& name, Error& why) {
  LoadedCode* code = nullptr;
  why = on(device, code);
  if (why != Error::Success) return nullptr;
  if (!declaration(*code, name)) {
    why = Error::SymbolNotFound;
    return nullptr;
  }
  return declare_function(name);
}

std::vector<std::string> CodeModule::kernels(DeviceContext& device) {
  LoadedCode* code = nullptr;
  std::vector<std::string> names;
  if (on(device, code) != Error::Success) return names;
  for (const auto& f : code->loaded->module->functions)
    if (f.entry && f.defined) names.push_back(code->loaded->module->symbols[f.symbol].name);
  return names;
}

Error CodeModule::variable(DeviceContext& device, const std::string& name, u64& address, u64& bytes) {
  LoadedCode* code = nullptr;
  if (Error e = on(device, code); e != Error::Success) return e;
  const ir::Module& module = *code->loaded->module;
  for (const auto& [symbol, at] : code->loaded->layout) {
    if (module.symbols[symbol].name != name) continue;
    const ir::Variable& v = module.variable(symbol);
    address = v.space == ir::Space::Const ? code->loaded->constants + at : at;
    bytes = v.bytes;
    return Error::Success;
  }
  return Error::SymbolNotFound;
}

}  // namespace ww::cuda
