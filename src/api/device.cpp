// Devices, memory and modules of the library.
#include <fmt/format.h>

#include "api/handles.h"
#include "device/engine_device.h"

namespace {
thread_local std::string last_error;

ww::engine::Settings settings_of(int threads, bool checked) {
  ww::engine::Settings settings;
  settings.threads = threads;
  if (checked) settings.gap = ww::checks::kGap;
  return settings;
}

/// Errors that are thrown below (no addresses are left) end here: C has none.
template <class F>
auto guarded(F&& body, decltype(body()) otherwise) {
  try {
    last_error.clear();
    return body();
  } catch (const std::exception& e) {
    ww::api::fail(e.what());
    return otherwise;
  }
}
int told(const ww::Status& status) { return status ? 0 : ww::api::fail(status.error()); }
}  // namespace

ww_device::ww_device(int threads, bool checked)
    : device(ww::device::make_engine_device(settings_of(threads, checked))),
      engine(ww::device::engine_of(*device)) {
  if (!checked) return;
  if (auto names = ww::checks::names_in("all")) checks = ww::checks::make(*names, findings);
  for (auto& check : checks) engine->memory().host_events().listen(*check);
}

ww_device::~ww_device() {
  for (auto& check : checks) engine->memory().host_events().ignore(*check);
}

namespace ww::api {

int fail(std::string why) {
  last_error = std::move(why);
  return 2;
}
int fail(const Diagnostics& why) { return fail(render(why)); }

ww_module* load(ww_device& device, const std::string& name, const std::string& ptx) {
  auto loaded = device.device->load(name, ptx);
  if (!loaded) {
    fail(render(loaded.error(), ptx));
    return nullptr;
  }
  auto module = std::make_unique<ww_module>();
  module->device = &device;
  module->module = *loaded;
  module->kernels = module->module->kernels();
  return module.release();
}

}  // namespace ww::api

const char* ww_error() { return last_error.c_str(); }

ww_device* ww_open(int threads) {
  return guarded(
      [&]() -> ww_device* {
        if (threads >= 0) return new ww_device(threads, true);
        ww::api::fail("threads are 0 (all cores) or more");
        return nullptr;
      },
      nullptr);
}
void ww_close(ww_device* device) { delete device; }

uint64_t ww_allocate(ww_device* device, uint64_t bytes) {
  return guarded(
      [&]() -> uint64_t {
        if (!device) return ww::api::fail("no device"), 0;
        auto address = device->device->allocate(bytes);
        return address ? *address : (ww::api::fail(address.error()), 0);
      },
      0);
}
int ww_free(ww_device* device, uint64_t address) {
  return guarded([&] { return device ? told(device->device->free(address)) : ww::api::fail("no device"); },
                 2);
}
int ww_write(ww_device* device, uint64_t to, const void* from, uint64_t bytes) {
  return guarded(
      [&] {
        if (!device || (!from && bytes)) return ww::api::fail("no device, or no memory");
        return told(device->device->write(to, {static_cast<const std::byte*>(from), bytes}));
      },
      2);
}
int ww_read(ww_device* device, void* to, uint64_t from, uint64_t bytes) {
  return guarded(
      [&] {
        if (!device || (!to && bytes)) return ww::api::fail("no device, or no memory");
        return told(device->device->read(from, {static_cast<std::byte*>(to), bytes}));
      },
      2);
}
int ww_share(ww_device* device, void* memory, uint64_t bytes) {
  return guarded(
      [&] {
        if (!device) return ww::api::fail("no device");
        return told(device->engine->memory().adopt(reinterpret_cast<uint64_t>(memory), bytes));
      },
      2);
}
int ww_unshare(ww_device* device, void* memory) {
  return guarded(
      [&] {
        if (!device) return ww::api::fail("no device");
        return told(device->engine->memory().disown(reinterpret_cast<uint64_t>(memory)));
      },
      2);
}

ww_module* ww_load(ww_device* device, const char* name, const char* ptx) {
  return guarded(
      [&]() -> ww_module* {
        if (!device || !ptx) return ww::api::fail("no device, or no PTX"), nullptr;
        std::lock_guard one(device->mutex);
        return ww::api::load(*device, name ? name : "PTX", ptx);
      },
      nullptr);
}
void ww_unload(ww_module* module) { delete module; }

const char* ww_kernel(const ww_module* module, int index) {
  const bool there = module && index >= 0 && static_cast<size_t>(index) < module->kernels.size();
  return there ? module->kernels[static_cast<size_t>(index)].c_str() : nullptr;
}
uint64_t ww_variable(const ww_module* module, const char* name, uint64_t* bytes) {
  if (!module || !name) return ww::api::fail("no module, or no name"), 0;
  auto at = module->module->variable(name);
  if (!at) return ww::api::fail(fmt::format("there is no variable {}", name)), 0;
  if (bytes) *bytes = at->bytes;
  return at->address;
}
