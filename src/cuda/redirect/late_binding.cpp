#include "redirect/late_binding.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

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

/// Called by ww_redirect_bind with the number of the place.
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

__attribute__((visibility("hidden"))) void ww_redirect_bind();
}

// On the stack: the place's number, then the return address of the caller, whose arguments are in registers.
asm(R"(
.text
.hidden ww_redirect_bind
.globl ww_redirect_bind
.type ww_redirect_bind, @function
ww_redirect_bind:
  endbr64
  pushq %rax
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  subq $136, %rsp
  movups %xmm0, 0(%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq 192(%rsp), %rdi
  call ww_redirect_resolve
  movq %rax, %r11
  movups 0(%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $136, %rsp
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rax
  addq $8, %rsp
  jmp *%r11
.size ww_redirect_bind, .-ww_redirect_bind
)");

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

  // endbr64; jmp *slot(%rip); first: push number; movabs $bind, %r11; jmp *%r11
  auto put = [at = size_t{0}, code](const void* bytes, size_t size) mutable {
    std::memcpy(code + at, bytes, size);
    at += size;
  };
  auto distance = int32_t(slot - (code + 10));
  auto bind = reinterpret_cast<uint64_t>(&ww_redirect_bind);
  put("\xF3\x0F\x1E\xFA\xFF\x25", 6);
  put(&distance, 4);
  put("\x68", 1);
  put(&number, 4);
  put("\x49\xBB", 2);
  put(&bind, 8);
  put("\x41\xFF\xE3", 3);
  const std::byte* first = code + 10;
  std::memcpy(slot, &first, sizeof first);
  return true;
}

}  // namespace ww::redirect
