// A library of the installed toolkit behind ours of the same name.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace ww::installed {

inline void say(const std::string& text) {
  std::string line = "warpwright: " + text + "\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

/// Where the loader looks for the program's libraries, and where toolkits lie.
inline std::vector<std::string> folders() {
  std::vector<std::string> all;
  void* program = ::dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (program && ::dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0) {
    std::vector<char> bytes(size.dls_size);
    auto* info = reinterpret_cast<Dl_serinfo*>(bytes.data());
    info->dls_size = size.dls_size, info->dls_cnt = size.dls_cnt;
    if (::dlinfo(program, RTLD_DI_SERINFO, info) == 0)
      for (unsigned k = 0; k < info->dls_cnt; ++k) all.emplace_back(info->dls_serpath[k].dls_name);
  }
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(name)) all.push_back(std::string(root) + "/lib64");
  all.emplace_back("/usr/local/cuda/lib64");
  all.emplace_back("/usr/lib/x86_64-linux-gnu");
  return all;
}

/// The first file of that name outside of our own folder, opened; null where there is none.
inline void* open(const char* file) {
  static const int here = 0;
  Dl_info self{};
  std::string own = ::dladdr(&here, &self) && self.dli_fname ? self.dli_fname : "";
  own = own.substr(0, own.rfind('/'));
  for (const std::string& folder : folders())
    if (folder != own)
      // "/./": where the program asked for this path and got ours (redirect/search), the loader has the
      // path's text as a name of ours.
      if (void* found = ::dlopen((folder + "/./" + file).c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
  return nullptr;
}

}  // namespace ww::installed
