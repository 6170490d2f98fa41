// Functions of a library that are not there: each says so once.
#pragma once

#include <unistd.h>

#include <mutex>
#include <set>
#include <string>

// For `run --fidelity`; not there in libraries that need nothing of the runtime.
extern "C" __attribute__((weak)) void ww_cuda_refused(const char* name);

namespace ww::stubs {

/// Gives `code` back, which `meaning` names.
inline int refuse(const std::string& name, const char* meaning, int code) {
  static std::mutex mutex;
  static auto* said = new std::set<std::string>;
  if (ww_cuda_refused) ww_cuda_refused(name.c_str());
  std::lock_guard lock(mutex);
  if (said->insert(name).second) {
    std::string line = "warpwright: " + name + " is not there; it returns " + meaning + "\n";
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return code;
  }
  return code;
}

}  // namespace ww::stubs
