// What `warpwright run` gives the loader as an auditor (LD_AUDIT, rtld-audit(7)): where a program asks for
// one of CUDA's libraries by its path, or its RPATH leads to the toolkit, the loader opens ours of the same
// name. It is in every process, in a namespace of its own, where a C library would have to be loaded once
// more: it uses none.
#include <link.h>
#include <linux/limits.h>  // PATH_MAX, which clang's <climits> leaves out without a C library
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

namespace {

/// Beside it lie our libraries. LD_PRELOAD names it, so that it is opened before what it depends on, and the
/// program's.
constexpr char kBeside[] = "libwarpwright_redirect.so";
char folder[PATH_MAX];  ///< with its slash at the end; "" until it is known
size_t folder_length = 0;

size_t length_of(const char* text) {
  size_t n = 0;
  while (text[n]) ++n;
  return n;
}

bool same(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

bool starts_with(const char* text, const char* start) {
  while (*start && *text == *start) ++text, ++start;
  return !*start;
}

/// The last part of a path.
const char* file_of(const char* path) {
  const char* file = path;
  for (; *path; ++path)
    if (*path == '/') file = path + 1;
  return file;
}

long call(long number, long a, long b, long c, long d) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
#endif
}

constexpr long kFromHere = -100;  // AT_FDCWD

bool is_there(const char* path) {
  return call(SYS_faccessat, kFromHere, reinterpret_cast<long>(path), 0, 0) == 0;
}

bool is_ours(const char* path) {
  return folder_length && starts_with(path, folder) && file_of(path) == path + folder_length;
}

/// A path of a library that CUDA has, as far as the start of a name tells.
bool may_be_cuda(const char* file) { return starts_with(file, "libcu") || starts_with(file, "libnv"); }

/// Our library of that name; null where there is none. The text stays until the next call: the loader, which
/// calls under a lock, makes its copy.
char* ours(const char* file) {
  static char path[PATH_MAX];
  const size_t length = length_of(file);
  if (folder_length + length + 1 > sizeof path) return nullptr;
  for (size_t k = 0; k < folder_length; ++k) path[k] = folder[k];
  for (size_t k = 0; k <= length; ++k) path[folder_length + k] = file[k];
  return is_there(path) ? path : nullptr;
}

/// "libcublas.so" in a toolkit is a link to "libcublas.so.13" (or one more step behind): our library of that
/// name.
char* ours_behind_link(const char* path) {
  static char target[PATH_MAX];
  const long bytes = call(SYS_readlinkat, kFromHere, reinterpret_cast<long>(path),
                          reinterpret_cast<long>(target), sizeof target - 1);
  if (bytes <= 0) return nullptr;
  target[bytes] = '\0';
  return ours(file_of(target));
}

}  // namespace

#define WW_AUDIT extern "C" __attribute__((visibility("default"), used))

WW_AUDIT unsigned la_version(unsigned) { return LAV_CURRENT; }

WW_AUDIT unsigned la_objopen(link_map* object, Lmid_t, uintptr_t* cookie) {
  const char* path = object->l_name;
  if (!folder_length && same(file_of(path), kBeside)) {
    const size_t length = static_cast<size_t>(file_of(path) - path);
    if (length < sizeof folder) {
      for (size_t k = 0; k < length; ++k) folder[k] = path[k];
      folder_length = length;
    }
  }
  *cookie = is_ours(path);  // who asks, in la_objsearch
  return 0;
}

WW_AUDIT char* la_objsearch(const char* name, uintptr_t* cookie, unsigned stage) {
  char* given = const_cast<char*>(name);
  const char* file = file_of(name);
  // Ours ask for the toolkit's by its path where they stand in front of it (NVRTC, cuRAND).
  if (stage != LA_SER_ORIG || *cookie == 1 || !folder_length || !may_be_cuda(file) || is_ours(name))
    return given;
  char* path = ours(file);
  if (!path && file != name) path = ours_behind_link(name);
  return path ? path : given;
}
