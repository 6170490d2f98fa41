// gpuocelot's one call: a PTX text, the values of its arguments, pointers of the host.
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "api/handles.h"
#include "api/host_memory.h"

namespace ww::api {

namespace {

/// Made at the first call and never destroyed: other threads may still run when the process ends.
struct Runner {
  ww_device device{0, false};
  HostMemory memory;
  std::map<std::string, std::unique_ptr<ww_module>> modules;  ///< by their text: programs repeat themselves
};
constexpr size_t kMostModules = 1024;

void write_all(int file, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written <= 0) return;
    at += static_cast<size_t>(written);
  }
}

int refuse(const std::string& why) {
  write_all(STDERR_FILENO, "warpwright: ptx_run: " + why + (why.ends_with('\n') ? "" : "\n"));
  return fail(why);
}

int run(Runner& runner, const char* source, int count, void* const* values, device::Launch launch) {
  auto& module = runner.modules[source];
  if (!module) module.reset(load(runner.device, "ptx_run", source));
  if (!module || module->kernels.empty()) {
    const std::string why = module ? "there is no kernel in the PTX" : ww_error();
    runner.modules.erase(source);
    return refuse(why);
  }
  launch.module = module->module;
  launch.kernel = module->kernels[0];
  std::vector<const void*> pointers;
  for (int k = 0; k < count; ++k) pointers.push_back(&values[k]);
  pointers.push_back(nullptr);  // too few arguments end here
  auto arguments = arguments_of(*module, launch.kernel, pointers.data());
  if (!arguments) return refuse(render(arguments.error()));
  if (arguments->size() != static_cast<size_t>(count))
    return refuse(fmt::format("{} takes {} arguments, not {}", launch.kernel, arguments->size(), count));
  for (const auto& argument : *arguments)
    if (argument.bytes.size() > sizeof(void*)) return refuse("an argument is larger than a word");
  launch.arguments = std::move(arguments).value();
  if (auto ok = runner.memory.refresh(runner.device.engine->memory()); !ok) return refuse(render(ok.error()));
  auto ended = runner.device.device->launch(launch);
  if (!ended) return refuse(render(ended.error()));
  write_all(STDOUT_FILENO, ended->printed);
  if (ended->faults.empty()) return 0;
  refuse(ended->faults[0].message);
  return 1;
}

}  // namespace
}  // namespace ww::api

int ptx_run(const char* source, int count, void* const* arguments, int block_x, int block_y, int block_z,
            int grid_x, int grid_y, int grid_z, int dynamic_shared) {
  using ww::api::refuse;
  if (!source || count < 0 || (count && !arguments)) return refuse("no PTX, or no arguments");
  if (block_x < 1 || block_y < 1 || block_z < 1 || grid_x < 1 || grid_y < 1 || grid_z < 1 ||
      dynamic_shared < 0)
    return refuse("blocks and grids have at least one of each, shared memory no bytes below 0");
  auto n = [](int v) { return static_cast<uint32_t>(v); };
  ww::device::Launch launch;
  launch.block = {n(block_x), n(block_y), n(block_z)};
  launch.grid = {n(grid_x), n(grid_y), n(grid_z)};
  launch.dynamic_shared = n(dynamic_shared);
  try {
    static auto* runner = new ww::api::Runner;
    std::lock_guard one(runner->device.mutex);
    if (runner->modules.size() > ww::api::kMostModules) runner->modules.clear();
    return ww::api::run(*runner, source, count, arguments, std::move(launch));
  } catch (const std::exception& e) {
    return refuse(e.what());
  }
}
