#include "cli/program/stand_in.h"

#include <gnu/libc-version.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace ww::cli {

namespace {

namespace fs = std::filesystem;
constexpr const char *kPreloaded = "libwarpwright_redirect.so", *kRuntime = "libwarpwright_cuda.so",
                     *kAuditor = "libwarpwright_search.so";

/// Puts `first` before what the variable holds, once.
void prepend(const char* variable, const std::string& first) {
  const char* old = std::getenv(variable);
  std::string rest = old ? old : "";
  if (rest == first || rest.starts_with(first + ":")) return;
  ::setenv(variable, (rest.empty() ? first : first + ":" + rest).c_str(), 1);
}

/// Before glibc 2.35 each call between the libraries of an audited process takes a detour.
bool audits_cheaply() {
  int major = 0, minor = 0;
  return std::sscanf(::gnu_get_libc_version(), "%d.%d", &major, &minor) == 2 &&
         (major > 2 || (major == 2 && minor >= 35));
}

}  // namespace

Result<std::string> stand_in_folder() {
  std::error_code none;
  fs::path self = fs::read_symlink("/proc/self/exe", none).parent_path();
  if (self.empty())
    return error("there is no /proc here, in which Warpwright finds its own folder",
                 "mount -t proc proc /proc");
  for (const fs::path& folder : {self / "lib-cuda", self.parent_path() / "lib" / "warpwright"})
    if (fs::exists(folder / kPreloaded, none) && fs::exists(folder / kRuntime, none)) {
      if (folder.string().find_first_of(":;") == std::string::npos) return folder.string();
      return error("the loader cannot load libraries from " + folder.string() +
                       ": its name contains a colon or a semicolon",
                   "move Warpwright to a folder without them");
    }
  return error("the libraries that replace CUDA's are not beside " + (self / "warpwright").string(),
               "in a build tree `cmake --build` without --target builds them; `cmake --install` puts them "
               "into lib/warpwright");
}

void use_stand_ins(const std::string& folder) {
  prepend("LD_LIBRARY_PATH", folder);
  // In LD_PRELOAD a blank ends a name: there the loader finds it in the folder above.
  prepend("LD_PRELOAD", folder.find(' ') == std::string::npos ? folder + "/" + kPreloaded : kPreloaded);
  std::error_code none;
  if (const std::string auditor = folder + "/" + kAuditor; audits_cheaply() && fs::exists(auditor, none))
    prepend("LD_AUDIT", auditor);
}

}  // namespace ww::cli
