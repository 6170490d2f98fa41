// What the handles of warpwright.h are.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/warpwright.h"
#include "base/result.h"
#include "base/table.h"
#include "checks/all.h"
#include "device/device.h"
#include "engine/engine.h"

struct ww_device {
  /// `checked`: its checks hear of memory from the beginning, so that a launch can be checked.
  ww_device(int threads, bool checked);
  ~ww_device();
  ww_device(const ww_device&) = delete;

  std::unique_ptr<ww::device::Device> device;
  ww::engine::Engine* engine = nullptr;
  ww::checks::Findings findings;
  std::vector<std::unique_ptr<ww::checks::Check>> checks;
  uint64_t launches = 0;
  std::mutex mutex;  ///< one call at a time
};

struct ww_module {
  ww_device* device = nullptr;
  ww::device::ModuleRef module;
  std::vector<std::string> kernels;
};

struct ww_report {
  std::string printed;
  std::vector<ww::Value> values;
  std::vector<std::string> findings, findings_json;
};

namespace ww::api {

/// Remembers for ww_error() why a call fails, and gives 2.
int fail(std::string why);
int fail(const Diagnostics& why);

/// Parsed, verified and placed; remembers why not.
ww_module* load(ww_device& device, const std::string& name, const std::string& ptx);
/// The bytes of each argument from pointers to them. Errors: no such kernel, no pointer.
Result<std::vector<device::Argument>> arguments_of(const ww_module& module, const std::string& kernel,
                                                   const void* const* pointers);

}  // namespace ww::api
