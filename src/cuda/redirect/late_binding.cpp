#include "redirect/late_binding.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "redirect/jumps.h"

namespace ww::redirect {

namespace {

struct Place {
  LateFunction function;
  void** slot;
};
// Reserved once; the system gives pages as they are touched. 65536 places are some 150 libraries with a
// runtime of their own.
constexpr size_t kMostPlaces = 1 << 16;
Place* places = nullptr;
size_t place_count = 0;

void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

[[noreturn]] void give_up(const LateFunction& function) {
  const char* why = ::dlerror();
  say("warpwright: error: ");
  say(function.name);
  say(" cannot be found: ");
  say(why ? why : function.library);
  say("\n");
  ::_exit(127);
}

}  // namespace

extern "C" {

/// Called by ww_redirect_bind (jumps.h) with the number of the place.
__attribute__((visibility("hidden"), used)) void* ww_redirect_resolve(uint64_t number) {
  int kept = errno;
  Place& place = places[number];
  void* library = ::dlopen(place.function.library, RTLD_NOW | RTLD_LOCAL);
  void* target = library ? ::dlsym(library, place.function.name) : nullptr;
  if (!target) give_up(place.function);
  __atomic_store_n(place.slot, target, __ATOMIC_RELEASE);
  errno = kept;
  return target;
}
}

bool write_place(std::byte* code, std::byte* slot, LateFunction function) {
  if (!places) {
    void* pages = ::mmap(nullptr, kMostPlaces * sizeof(Place), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return false;
    places = static_cast<Place*>(pages);
  }
  if (place_count == kMostPlaces) return false;
  auto number = uint32_t(place_count++);
  places[number] = {function, reinterpret_cast<void**>(slot)};

  const std::byte* first = write_place_code(code, slot, number);
  std::memcpy(slot, &first, sizeof first);
  return true;
}

}  // namespace ww::redirect
