#include "checks/host_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ww::checks {

namespace {

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Of an entry of pagemap (Linux, Documentation/admin-guide/mm/pagemap.rst).
constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62;

/// Opened anew for each look: a program may close all files that it does not know, and what a child of a
/// process has inherited tells of its parent.
class PageMap {
 public:
  PageMap() : file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~PageMap() {
    if (file_ >= 0) close(file_);
  }
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;

  /// The entries of up to `count` pages from the nth on; how many were read.
  uint64_t read(uint64_t n, uint64_t count, uint64_t* entries) const {
    constexpr uint64_t kEntry = sizeof(uint64_t);
    const ssize_t got = pread(file_, entries, count * kEntry, static_cast<off_t>(n * kEntry));
    return got < 0 ? 0 : static_cast<uint64_t>(got) / kEntry;
  }

 private:
  int file_;
};

}  // namespace

bool HostPages::usable() {
  uint64_t entry = 0;
  return PageMap().read(reinterpret_cast<uint64_t>(&entry) / page_bytes(), 1, &entry) == 1 &&
         (entry & kPresent);
}

void HostPages::add(uint64_t address, uint64_t bytes) {
  // Else what is touched beside it would count as touched here.
  madvise(reinterpret_cast<void*>(address / page_bytes() * page_bytes()), bytes, MADV_NOHUGEPAGE);
  untouched_.push_back({address, bytes});
}

void HostPages::remove(uint64_t address, uint64_t bytes) {
  std::erase_if(untouched_, [&](const Range& r) { return r.address - address < bytes; });
}

void HostPages::settle(const std::function<void(uint64_t address, uint64_t bytes)>& touched) {
  const uint64_t page = page_bytes();
  const PageMap map;
  std::vector<Range> left;
  for (const Range& r : std::exchange(untouched_, {})) {
    const uint64_t end = r.address + r.bytes;
    std::array<uint64_t, 512> entries;
    for (uint64_t at = r.address; at < end;) {
      const uint64_t first = at / page,
                     wanted = std::min<uint64_t>((end - 1) / page - first + 1, entries.size());
      const uint64_t count = map.read(first, wanted, entries.data());
      if (count == 0) {  // it does not tell: the host may have
        touched(at, end - at);
        break;
      }
      for (uint64_t k = 0; k < count && at < end; ++k) {
        const uint64_t next = std::min(end, (first + k + 1) * page);
        if (entries[k] & (kPresent | kSwapped))
          touched(at, next - at);
        else if (!left.empty() && left.back().address + left.back().bytes == at)
          left.back().bytes += next - at;
        else
          left.push_back({at, next - at});
        at = next;
      }
    }
  }
  untouched_ = std::move(left);
}

void HostPages::give_up(const std::function<void(uint64_t address, uint64_t bytes)>& left) {
  for (const Range& r : std::exchange(untouched_, {})) left(r.address, r.bytes);
}

}  // namespace ww::checks
