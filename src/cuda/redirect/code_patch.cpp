#include "redirect/code_patch.h"

#include <sys/mman.h>
#include <unistd.h>

#include "redirect/jumps.h"

namespace ww::redirect {

namespace {

constexpr uintptr_t kReach = kJumpReach - (uintptr_t{8} << 20);  // less for what the pages themselves hold
constexpr uintptr_t kStep = uintptr_t{1} << 20;
constexpr uintptr_t kLowest = uintptr_t{1} << 16;  // the kernel's default for vm.mmap_min_addr

uintptr_t page_size() { return uintptr_t(::sysconf(_SC_PAGESIZE)); }

std::byte* map_at(uintptr_t address, size_t bytes) {
  void* pages = ::mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (pages == reinterpret_cast<void*>(address)) return static_cast<std::byte*>(pages);
  ::munmap(pages, bytes);  // a kernel before 4.17 takes the address for a hint
  return nullptr;
}

bool protect(uintptr_t start, size_t size, int how) {
  uintptr_t page = page_size(), first = start & ~(page - 1);
  return ::mprotect(reinterpret_cast<void*>(first), start + size - first, how) == 0;
}

/// The CPU fetches what has been written there.
void fetch_anew(uintptr_t start, size_t size) {
  __builtin___clear_cache(reinterpret_cast<char*>(start), reinterpret_cast<char*>(start + size));
}

}  // namespace

std::byte* map_near(uintptr_t start, size_t size, size_t bytes) {
  uintptr_t page = page_size();
  bytes = (bytes + page - 1) & ~(page - 1);
  uintptr_t below = (start & ~(page - 1)) - bytes, above = (start + size + page - 1) & ~(page - 1);
  // Below first: above a program lies its heap.
  for (uintptr_t far = kStep; far < kReach; far += kStep) {
    if (below > far + kLowest && start + size - (below - far) < kReach)
      if (std::byte* pages = map_at(below - far, bytes)) return pages;
    if (above + far + bytes - start < kReach)
      if (std::byte* pages = map_at(above + far, bytes)) return pages;
  }
  return nullptr;
}

bool make_executable(std::byte* pages, size_t bytes, size_t writable) {
  uintptr_t page = page_size(),
            start = reinterpret_cast<uintptr_t>(pages) + ((writable + page - 1) & ~(page - 1));
  return close_code(start, reinterpret_cast<uintptr_t>(pages) + bytes - start);
}

bool open_code(uintptr_t start, size_t size) { return protect(start, size, PROT_READ | PROT_WRITE); }
bool close_code(uintptr_t start, size_t size) {
  fetch_anew(start, size);
  return protect(start, size, PROT_READ | PROT_EXEC);
}

}  // namespace ww::redirect
