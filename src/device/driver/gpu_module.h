// A PTX module compiled by the driver, compiled again after its context died.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/driver/context.h"
#include "device/driver/ptx_header.h"

namespace ww::device::driver {

/// A kernel ready to launch. Handles live as long as the context's generation.
struct Kernel {
  CuFunction handle = nullptr;
  int registers = 0;                               ///< per thread
  int static_shared = 0, local = 0, constant = 0;  ///< bytes; local per thread
  int max_threads = 0;                             ///< per block, as its registers allow
};

class GpuModule : public Module {
 public:
  /// Compiles at once. Errors hold the compiler's log, or say which version the driver lacks.
  static Result<std::shared_ptr<GpuModule>> load(std::shared_ptr<Context> context, std::string name,
                                                 std::string ptx, int cc_major, int cc_minor,
                                                 bool optimise = true);
  ~GpuModule() override;

  std::vector<std::string> kernels() const override;
  std::vector<Value> attributes(const std::string& kernel) const override;

  const std::string& name() const { return name_; }
  bool belongs_to(const Context& context) const { return context_.get() == &context; }
  /// Errors: no such kernel (the nearest name is the hint), or what load() may say.
  Result<Kernel> kernel(const std::string& kernel) const;
  /// Number and sizes of the arguments against the kernel's parameters.
  Status check_arguments(const std::string& kernel, const std::vector<Argument>& arguments) const;

 private:
  GpuModule() = default;
  Status compile() const;
  Diagnostic compile_error(CuResult result, std::string log) const;

  std::shared_ptr<Context> context_;
  std::string name_, ptx_;
  PtxHeader header_;
  int cc_major_ = 0, cc_minor_ = 0;
  bool optimise_ = true;
  // What the driver holds for us; made anew in each generation of the context.
  mutable CuModule module_ = nullptr;
  mutable int generation_ = 0;
  mutable std::map<std::string, Kernel> kernels_;
};

}  // namespace ww::device::driver
