#include "device/driver/gpu_module.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.h"

namespace ww::device::driver {

Result<std::shared_ptr<GpuModule>> GpuModule::load(std::shared_ptr<Context> context, std::string name,
                                                   std::string ptx, int cc_major, int cc_minor,
                                                   bool optimise) {
  std::shared_ptr<GpuModule> module(new GpuModule);
  module->context_ = std::move(context);
  module->name_ = std::move(name);
  module->ptx_ = std::move(ptx);
  module->header_ = read_ptx_header(module->ptx_);
  module->cc_major_ = cc_major;
  module->cc_minor_ = cc_minor;
  module->optimise_ = optimise;
  if (auto ok = module->compile(); !ok) return ok.error();
  return module;
}

GpuModule::~GpuModule() {
  if (module_ && generation_ == context_->generation() && context_->enter())
    context_->driver().module_unload(module_);
}

Status GpuModule::compile() const {
  if (auto ok = context_->enter(); !ok) return ok;
  if (module_ && generation_ == context_->generation()) return {};
  std::string log(16 * 1024, '\0');
  CuJitOption options[] = {kJitErrorLog, kJitErrorLogBytes, kJitOptimizationLevel};
  void* option_values[] = {log.data(), reinterpret_cast<void*>(log.size()), nullptr};  // level 0
  module_ = nullptr;
  kernels_.clear();
  CuResult result =
      context_->driver().module_load(&module_, ptx_.c_str(), optimise_ ? 2 : 3, options, option_values);
  if (result == kSuccess) {
    generation_ = context_->generation();
    return {};
  }
  module_ = nullptr;
  if (trouble(result) == Trouble::DeviceLost) return context_->check("load " + name_, result);
  log.resize(std::min(log.find('\0'), log.size()));
  return compile_error(result, std::move(log));
}

Diagnostic GpuModule::compile_error(CuResult result, std::string log) const {
  const Driver& driver = context_->driver();
  while (!log.empty() && log.back() == '\n') log.pop_back();
  std::string message, hint;
  switch (result) {
    case kUnsupportedPtxVersion:
      message = fmt::format("the driver (CUDA {}) is too old for PTX {}", version_text(driver.version),
                            header_.version);
      hint = "a newer driver, or a toolkit not newer than the driver to make the PTX";
      break;
    case kNoBinaryForGpu:
    case kInvalidPtx:
    case kInvalidImage:
      message = fmt::format("the driver cannot compile it for {} (compute capability {}.{}): {}",
                            context_->name(), cc_major_, cc_minor_, driver.words(result));
      hint = fmt::format("the module's target is {}",
                         header_.target.empty() ? "missing: is it PTX?" : header_.target);
      break;
    case kJitCompilerNotFound:
      message = fmt::format("the driver's PTX compiler is missing: {}", driver.words(result));
      hint = "libnvidia-ptxjitcompiler.so.1 belongs to the driver and must be installed beside libcuda.so.1";
      break;
    default:
      message = fmt::format("cannot load it on {}: {}", context_->name(), driver.words(result));
  }
  if (!log.empty()) message += "\n" + log;
  return error_at({name_}, std::move(message), std::move(hint));
}

std::vector<std::string> GpuModule::kernels() const {
  std::vector<std::string> out;
  for (const auto& entry : header_.entries) out.push_back(entry.name);
  return out;
}

Result<Kernel> GpuModule::kernel(const std::string& name) const {
  if (auto ok = compile(); !ok) return ok.error();
  if (auto it = kernels_.find(name); it != kernels_.end()) return it->second;
  if (!header_.find(name)) {
    std::string near = nearest(name, kernels());
    return error_at({name_}, fmt::format("there is no kernel '{}'", name),
                    near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }
  const Driver& driver = context_->driver();
  Kernel kernel;
  auto ok = context_->check(fmt::format("find kernel '{}'", name),
                            driver.module_function(&kernel.handle, module_, name.c_str()));
  auto get = [&](int& value, CuFunctionAttribute attribute) {
    if (ok)
      ok = context_->check(fmt::format("ask for the resources of kernel '{}'", name),
                           driver.function_attribute(&value, attribute, kernel.handle));
  };
  get(kernel.registers, kFunctionRegisters);
  get(kernel.static_shared, kFunctionSharedBytes);
  get(kernel.local, kFunctionLocalBytes);
  get(kernel.constant, kFunctionConstBytes);
  get(kernel.max_threads, kFunctionMaxThreadsPerBlock);
  if (!ok) return ok.error();
  kernels_[name] = kernel;
  return kernel;
}

std::vector<Value> GpuModule::attributes(const std::string& name) const {
  auto found = kernel(name);
  if (!found) return {};
  auto value = [](std::string tag, int number, std::string unit, std::string description) {
    return Value{std::move(tag), int64_t{number}, std::move(unit), Provenance::Measured,
                 std::move(description)};
  };
  return {value("registers_per_thread", found->registers, "register/thread",
                "registers the driver's compiler gave"),
          value("static_shared_bytes", found->static_shared, "byte/block",
                "shared memory declared in the kernel"),
          value("local_bytes_per_thread", found->local, "byte/thread", "stack and spilled registers"),
          value("constant_bytes", found->constant, "byte", "constants the kernel itself declares"),
          value("max_threads_per_block", found->max_threads, "thread/block",
                "largest block its registers allow")};
}

Status GpuModule::check_arguments(const std::string& name, const std::vector<Argument>& arguments) const {
  const PtxEntry* entry = header_.find(name);
  if (!entry) return {};  // kernel() says so
  const auto& wanted = entry->parameter_bytes;
  if (arguments.size() != wanted.size())
    return error_at({name_},
                    fmt::format("kernel '{}' takes {}, {} {} given", name,
                                counted(static_cast<int64_t>(wanted.size()), "argument"), arguments.size(),
                                plural(static_cast<int64_t>(arguments.size()), "was", "were")));
  for (size_t i = 0; i < wanted.size(); ++i)
    if (arguments[i].bytes.size() != wanted[i])
      return error_at({name_},
                      fmt::format("argument {} of kernel '{}' is {}, {} {} given", i, name,
                                  counted(static_cast<int64_t>(wanted[i]), "byte"), arguments[i].bytes.size(),
                                  plural(static_cast<int64_t>(arguments[i].bytes.size()), "was", "were")));
  return {};
}

}  // namespace ww::device::driver
