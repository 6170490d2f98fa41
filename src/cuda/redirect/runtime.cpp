#include "redirect/runtime.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "image/elf.h"
#include "redirect/code_patch.h"
#include "redirect/file_map.h"
#include "redirect/jumps.h"
#include "redirect/late_binding.h"

namespace ww::redirect {

namespace {

using image::Elf;
using image::Symbol;

/// What every version of the runtime has, and nothing else.
constexpr std::string_view kMark = "__cudaRegisterFatBinary";
constexpr size_t kMostNames = 4096;

bool is_runtime_name(std::string_view name) { return name.starts_with("cuda") || name.starts_with("__cuda"); }

struct Names {
  std::string_view name[kMostNames];
  size_t count = 0;
};

/// Our runtime: everything is in one library; those for each major version lead to it.
constexpr const char* kImplementation = "libwarpwright_cuda.so";
constexpr const char* kVersions[] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};
Names own_names;  ///< sorted; they lie in the implementation's file, which stays mapped
char own_paths[std::size(kVersions)][PATH_MAX];

bool join(char (&path)[PATH_MAX], const char* folder, const char* file) {
  size_t length = std::strlen(folder), name = std::strlen(file);
  if (length + name + 2 > sizeof path) return false;
  std::memcpy(path, folder, length);
  path[length] = '/';
  std::memcpy(path + length + 1, file, name + 1);
  return true;
}

/// The names of our functions; none where our library cannot be read.
const Names& names_of_ours(const char* folder) {
  static bool tried = false;
  if (std::exchange(tried, true)) return own_names;
  char path[PATH_MAX];
  auto elf = join(path, folder, kImplementation) ? Elf::read(map_file(path)) : std::nullopt;
  if (!elf) return own_names;
  elf->for_each_symbol(Elf::kDynamicSymbols, [](const Symbol& symbol) {
    if (symbol.defined_function() && is_runtime_name(symbol.name) && own_names.count < kMostNames)
      own_names.name[own_names.count++] = symbol.name;
  });
  std::sort(own_names.name, own_names.name + own_names.count);
  return own_names;
}

/// The symbol table that is there: of stripped objects the exported names alone.
uint32_t table_of(const Elf& elf) { return elf.section(".symtab") ? Elf::kSymbols : Elf::kDynamicSymbols; }

/// Which of our libraries (an index of kVersions) has the struct layouts of this runtime; nothing where there
/// is no runtime. Names that came and went with major versions (release notes of 12.0 and 13.0).
std::optional<size_t> version_of(const Elf& elf) {
  bool runtime = false, properties_2 = false, by_version = false;
  elf.for_each_symbol(table_of(elf), [&](const Symbol& symbol) {
    if (!symbol.defined_function() || !is_runtime_name(symbol.name)) return;
    runtime |= symbol.name == kMark;
    properties_2 |= symbol.name == "cudaGetDeviceProperties_v2";
    by_version |= symbol.name == "cudaGetDriverEntryPointByVersion";
  });
  if (!runtime) return std::nullopt;
  return properties_2 ? 1 : by_version ? 2 : 0;
}

/// Whether kernels register with a runtime whose names are gone: it is neither another object's nor to be
/// found.
bool has_nameless_runtime(const Elf& elf) {
  if (!elf.section(".nvFatBinSegment") || elf.section(".symtab")) return false;
  bool named = false;
  elf.for_each_symbol(Elf::kDynamicSymbols, [&](const Symbol& symbol) { named |= symbol.name == kMark; });
  return !named;
}

/// The last part of a path.
const char* file_of(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/// To standard error in one piece, without the C library's buffers: the program has not started.
void tell_nameless(const char* path) {
  char program[PATH_MAX], text[PATH_MAX + 256];
  ssize_t length = ::readlink(path, program, sizeof program - 1);  // of /proc/self/exe
  if (length > 0) program[length] = '\0';
  int bytes =
      std::snprintf(text, sizeof text,
                    "warpwright: note: %s has a static CUDA runtime and no symbols, so Warpwright cannot "
                    "replace the runtime; build it with nvcc -cudart shared, or do not strip it\n",
                    file_of(length > 0 ? program : path));
  if (::write(STDERR_FILENO, text, size_t(bytes)) < 0) return;  // nobody listens
}

struct Span {
  uint64_t first = UINT64_MAX, last = 0;
  size_t count = 0;
};

template <class F>
void for_each_redirected(const Elf& elf, const Names& names, F visit) {
  elf.for_each_symbol(table_of(elf), [&](const Symbol& symbol) {
    if (!symbol.defined_function() || !is_runtime_name(symbol.name)) return;
    auto end = names.name + names.count, found = std::lower_bound(names.name, end, symbol.name);
    // Functions are aligned, so that the shortest has room for a jump, too.
    if (found != end && *found == symbol.name && symbol.value % kRoomForJump == 0) visit(symbol, *found);
  });
}

void redirect_all(const Elf& elf, uintptr_t base, const Names& names, const char* library) {
  Span span;
  for_each_redirected(elf, names, [&](const Symbol& symbol, std::string_view) {
    span.first = std::min(span.first, symbol.value);
    span.last = std::max(span.last, symbol.value + kJump);
    span.count++;
  });
  if (span.count == 0) return;
  // Slots first, then the code behind them on pages of their own.
  constexpr size_t kPage = 1 << 16;  // at least a page everywhere
  size_t slots = (span.count * kPlaceSlot + kPage - 1) / kPage * kPage,
         bytes = slots + span.count * kPlaceCode;
  std::byte* pages = map_near(base + span.first, span.last - span.first, bytes);
  static_assert(kMostNames * (kPlaceSlot + kPlaceCode) + kPage <= kSlotReach);
  if (!pages || !open_code(base + span.first, span.last - span.first)) return;
  size_t number = 0;
  for_each_redirected(elf, names, [&](const Symbol& symbol, std::string_view name) {
    std::byte *slot = pages + number * kPlaceSlot, *code = pages + slots + number * kPlaceCode;
    if (!write_place(code, slot, {library, name.data()})) return;
    write_jump(reinterpret_cast<std::byte*>(base + symbol.value), code);
    number++;
  });
  make_executable(pages, bytes, slots);
  close_code(base + span.first, span.last - span.first);
}

bool lies_in(const char* path, const char* folder) {
  const char* slash = std::strrchr(path, '/');
  return slash && size_t(slash - path) == std::strlen(folder) &&
         std::memcmp(path, folder, size_t(slash - path)) == 0;
}

}  // namespace

void redirect_runtime(const char* path, uintptr_t base, const char* own_folder) {
  if (lies_in(path, own_folder)) return;
  image::Bytes file = map_file(path);
  if (auto elf = Elf::read(file)) {
    if (auto version = version_of(*elf)) {
      if (char(&library)[PATH_MAX] = own_paths[*version]; join(library, own_folder, kVersions[*version]))
        redirect_all(*elf, base, names_of_ours(own_folder), library);
    } else if (char ours[PATH_MAX]; has_nameless_runtime(*elf) &&
                                    !(join(ours, own_folder, file_of(path)) && ::access(ours, F_OK) == 0)) {
      tell_nameless(path);  // unless one of ours stands in front of that library (cuRAND)
    }
  }
  unmap_file(file);
}

}  // namespace ww::redirect
