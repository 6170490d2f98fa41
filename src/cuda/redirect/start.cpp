// What happens before the program's constructors, and whenever the loader adds a library later.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <climits>
#include <cstring>

#include "redirect/code_patch.h"
#include "redirect/jumps.h"
#include "redirect/runtime.h"

namespace ww::redirect {

namespace {

char own_folder[PATH_MAX];

/// The objects that were looked at, as the loader names them.
constexpr size_t kMostObjects = 1 << 16;
const link_map** seen = nullptr;
size_t seen_count = 0;

bool find_own_folder() {
  Dl_info self{};
  if (!::dladdr(own_folder, &self) || !self.dli_fname) return false;
  const char* slash = std::strrchr(self.dli_fname, '/');
  if (!slash || size_t(slash - self.dli_fname) >= sizeof own_folder) return false;
  std::memcpy(own_folder, self.dli_fname, size_t(slash - self.dli_fname));
  return true;
}

bool was_seen(const link_map* object, size_t before) {
  for (size_t i = 0; i < before; i++)
    if (seen[i] == object) return true;
  return false;
}

/// Looks at the objects that came since the last call, and forgets those that went.
void look_at_objects() {
  size_t before = seen_count, kept = 0;
  for (const link_map* object = _r_debug.r_map; object && kept < kMostObjects / 2; object = object->l_next) {
    if (!was_seen(object, before)) {
      bool program = object == _r_debug.r_map;  // it has no name
      redirect_runtime(program ? "/proc/self/exe" : object->l_name, object->l_addr, own_folder);
    }
    seen[kMostObjects / 2 + kept++] = object;
  }
  std::memcpy(seen, seen + kMostObjects / 2, kept * sizeof *seen);
  seen_count = kept;
}

/// The loader calls this in place of its function for debuggers, which does nothing: once new objects are in
/// memory, and before any of their constructors run.
void on_objects_changed() {
  if (_r_debug.r_state == r_debug::RT_CONSISTENT) look_at_objects();
}

void watch_the_loader() {
  auto* breakpoint = reinterpret_cast<std::byte*>(_r_debug.r_brk);
  auto address = reinterpret_cast<uintptr_t>(breakpoint);
  if (!breakpoint || address % kRoomForJump != 0) return;
  std::byte* far_jump = map_near(address, kJump, kFarJump);
  if (!far_jump) return;
  write_far_jump(far_jump, reinterpret_cast<const void*>(&on_objects_changed));
  if (!make_executable(far_jump, kFarJump, 0) || !open_code(address, kJump)) return;
  write_jump(breakpoint, far_jump);
  close_code(address, kJump);
}

__attribute__((constructor)) void start() {
  if (!find_own_folder()) return;
  void* pages = ::mmap(nullptr, kMostObjects * sizeof *seen, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return;
  seen = static_cast<const link_map**>(pages);
  look_at_objects();
  watch_the_loader();
}

}  // namespace

}  // namespace ww::redirect
