#include "cuda/core/report.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <mutex>
#include <set>

#include "base/symbol_name.h"

namespace ww::cuda {

namespace {
std::mutex& said_mutex() {
  static auto* mutex = new std::mutex;  // never destroyed: threads may outlive main
  return *mutex;
}
}  // namespace

void say(const std::string& text) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    out += (at == 0 ? "warpwright: " : "warpwright:   ") + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  for (size_t done = 0; done < out.size();) {
    ssize_t n = write(STDERR_FILENO, out.data() + done, out.size() - done);
    if (n <= 0) return;
    done += static_cast<size_t>(n);
  }
}

void say_once(const std::string& key, const std::string& text) {
  {
    std::lock_guard lock(said_mutex());
    static auto* said = new std::set<std::string>;
    if (!said->insert(key).second) return;
  }
  say(text);
}

std::string place_of_caller(const void* return_address) {
  Dl_info info{};
  if (!dladdr(return_address, &info) || !info.dli_fname) return fmt::format("{}", return_address);
  std::string file = info.dli_fname;
  if (size_t slash = file.rfind('/'); slash != std::string::npos) file.erase(0, slash + 1);
  auto offset = [&](const void* from) {
    return reinterpret_cast<uintptr_t>(return_address) - reinterpret_cast<uintptr_t>(from);
  };
  if (info.dli_sname) {
    return fmt::format("{}({}+0x{:x})", file, demangled(info.dli_sname), offset(info.dli_saddr));
  }
  return fmt::format("{}(+0x{:x})", file, offset(info.dli_fbase));
}

}  // namespace ww::cuda
