#include "api/host_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>

namespace ww::api {

namespace {

using engine::u64;
/// Behind the reserved addresses of the device (engine/memory/memory.h).
constexpr u64 kArenaEnd = engine::kMemoryBase + (u64{1} << 44);

std::string map_of_process() {
  std::string text;
  int file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char buffer[1 << 16];
  for (ssize_t got; (got = ::read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  ::close(file);
  return text;
}

}  // namespace

std::map<u64, u64> readable_ranges(const std::string& maps) {
  std::map<u64, u64> ranges;
  for (size_t at = 0; at < maps.size();) {
    size_t line_end = std::min(maps.find('\n', at), maps.size());
    u64 first = 0, end = 0;
    char rights[5] = "";
    const std::string line = maps.substr(at, line_end - at);
    at = line_end + 1;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &first, &end, rights) != 3) continue;
    // Pages of the kernel (vsyscall) lie in the upper half.
    if (rights[0] != 'r' || end > u64{1} << 47 || (first < kArenaEnd && end > engine::kMemoryBase)) continue;
    if (!ranges.empty() && ranges.rbegin()->second == first)
      ranges.rbegin()->second = end;
    else
      ranges[first] = end;
  }
  return ranges;
}

Status HostMemory::refresh(engine::GlobalMemory& memory) {
  if (!memory.unified()) return error("memory of the host cannot be seen by kernels in this process");
  auto now = readable_ranges(map_of_process());
  if (now.empty()) return error("/proc/self/maps cannot be read");
  for (auto it = lent_.begin(); it != lent_.end();) {
    auto same = now.find(it->first);
    if (same != now.end() && same->second == it->second) {
      ++it;
      continue;
    }
    if (auto ok = memory.disown(it->first); !ok) return ok;
    it = lent_.erase(it);
  }
  for (auto [first, end] : now) {
    if (lent_.count(first)) continue;
    if (auto ok = memory.adopt(first, end - first); !ok) return ok;
    lent_[first] = end;
  }
  return {};
}

}  // namespace ww::api
