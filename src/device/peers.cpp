#include "device/peers.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <sstream>

#include "device/driver/library.h"
#include "device/gpu.h"

namespace ww::device {

namespace {

namespace fs = std::filesystem;
constexpr const char* kFile = "libwarpwright_peers.so";

struct Plugin {
  decltype(&ww_peers_list) list = nullptr;
  decltype(&ww_peers_prepare) prepare = nullptr;
  decltype(&ww_peers_start) start = nullptr;
  decltype(&ww_peers_release) release = nullptr;
};

Result<std::string> find_plugin() {
  std::error_code none;
  const fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const fs::path& path :
       {folder / kFile, folder / "peers" / kFile, folder / ".." / "lib" / "warpwright" / kFile})
    if (fs::is_regular_file(path, none)) return path.string();
  return error(fmt::format("{} is not beside the program, so cuBLAS and others are not measured", kFile),
               "scripts/build_peers makes it, with a CUDA toolkit");
}

Result<Plugin> load(const std::string& path) {
  auto library = driver::Library::open(path);
  if (!library) return library.error();
  Plugin plugin;
  decltype(&ww_peers_abi) abi = nullptr;
  const auto get = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library->symbol(name));
    return function != nullptr;
  };
  if (!get("ww_peers_abi", abi) || abi() != WW_PEERS_ABI || !get("ww_peers_list", plugin.list) ||
      !get("ww_peers_prepare", plugin.prepare) || !get("ww_peers_start", plugin.start) ||
      !get("ww_peers_release", plugin.release))
    return error(fmt::format("{} does not fit this program: it has interface {}, {} is wanted", path,
                             abi ? abi() : 0, WW_PEERS_ABI),
                 "build it again with scripts/build_peers");
  return plugin;
}

Result<Timing> time_peer(const Plugin& plugin, Device& gpu, const std::string& name,
                         const ww_peers_task& task, const TimingOptions& options) {
  bool prepared = false;
  const auto failed = [&](const char* why) { return error(fmt::format("{} failed: {}", name, why)); };
  const auto start = [&]() -> Status {
    // Within time_work, because that makes the context current. The first run is a warm-up.
    if (!prepared)
      if (const char* why = plugin.prepare(name.c_str(), &task)) return failed(why);
    prepared = true;
    if (const char* why = plugin.start(name.c_str(), &task)) return failed(why);
    return {};
  };
  auto timing = time_work(gpu, name, start, options);
  plugin.release();
  return timing;
}

}  // namespace

Result<Peers> open_peers(const std::string& path) {
  auto file = path.empty() ? find_plugin() : Result<std::string>(path);
  if (!file) return file.error();
  auto plugin = load(*file);
  if (!plugin) return plugin.error();
  Peers peers;
  std::stringstream lines(plugin->list());
  for (std::string name, what; std::getline(lines, name, '\t') && std::getline(lines, what);)
    peers.list.push_back({name, what});
  peers.time = [plugin = *plugin](Device& gpu, const std::string& name, const ww_peers_task& task,
                                  const TimingOptions& options) {
    return time_peer(plugin, gpu, name, task, options);
  };
  return peers;
}

}  // namespace ww::device
