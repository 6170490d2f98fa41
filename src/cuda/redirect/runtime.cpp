#include "redirect/runtime.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <iterator>
#include <string_view>

#include "image/elf.h"
#include "redirect/code_patch.h"
#include "redirect/file_map.h"
#include "redirect/late_binding.h"

namespace ww::redirect {

namespace {

using image::Elf;
using image::Symbol;

/// What every version of the runtime has, and nothing else.
constexpr std::string_view kMark = "__cudaRegisterFatBinary";
constexpr size_t kMostNames = 4096, kFunctionAlignment = 16;

bool is_runtime_name(std::string_view name) { return name.starts_with("cuda") || name.starts_with("__cuda"); }

struct Names {
  std::string_view name[kMostNames];
  size_t count = 0;
};

/// One of our libraries for a major version of the runtime.
struct OwnLibrary {
  const char* file;
  char path[PATH_MAX] = {};
  bool tried = false;
  Names* names = nullptr;  ///< sorted; they lie in the file, which stays mapped
};
OwnLibrary own_libraries[] = {{"libcudart.so.11.0"}, {"libcudart.so.12"}, {"libcudart.so.13"}};
Names own_names[std::size(own_libraries)];

OwnLibrary& loaded(OwnLibrary& library, const char* folder) {
  if (library.tried) return library;
  library.tried = true;
  library.names = &own_names[&library - own_libraries];
  size_t length = std::strlen(folder), name = std::strlen(library.file);
  if (length + name + 2 > sizeof library.path) return library;
  std::memcpy(library.path, folder, length);
  library.path[length] = '/';
  std::memcpy(library.path + length + 1, library.file, name);
  auto elf = Elf::read(map_file(library.path));
  if (!elf) return library;
  Names& names = *library.names;
  elf->for_each_symbol(Elf::kDynamicSymbols, [&](const Symbol& symbol) {
    if (symbol.defined_function() && is_runtime_name(symbol.name) && names.count < kMostNames)
      names.name[names.count++] = symbol.name;
  });
  std::sort(names.name, names.name + names.count);
  return library;
}

/// The symbol table that is there: of stripped objects the exported names alone.
uint32_t table_of(const Elf& elf) { return elf.section(".symtab") ? Elf::kSymbols : Elf::kDynamicSymbols; }

/// Which of our libraries has the struct layouts of this runtime. Names that came and went with major
/// versions (release notes of 12.0 and 13.0).
OwnLibrary* version_of(const Elf& elf) {
  bool runtime = false, properties_2 = false, by_version = false;
  elf.for_each_symbol(table_of(elf), [&](const Symbol& symbol) {
    if (!symbol.defined_function() || !is_runtime_name(symbol.name)) return;
    runtime |= symbol.name == kMark;
    properties_2 |= symbol.name == "cudaGetDeviceProperties_v2";
    by_version |= symbol.name == "cudaGetDriverEntryPointByVersion";
  });
  if (!runtime) return nullptr;
  return &own_libraries[properties_2 ? 1 : by_version ? 2 : 0];
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
    // The linker aligns functions, so that one of a single byte has room for a jump, too.
    if (found != end && *found == symbol.name && symbol.value % kFunctionAlignment == 0)
      visit(symbol, *found);
  });
}

void redirect_all(const Elf& elf, uintptr_t base, const OwnLibrary& own) {
  Span span;
  for_each_redirected(elf, *own.names, [&](const Symbol& symbol, std::string_view) {
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
  if (!pages || !open_code(base + span.first, span.last - span.first)) return;
  size_t number = 0;
  for_each_redirected(elf, *own.names, [&](const Symbol& symbol, std::string_view name) {
    std::byte *slot = pages + number * kPlaceSlot, *code = pages + slots + number * kPlaceCode;
    if (!write_place(code, slot, {own.path, name.data()})) return;
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
  if (auto elf = Elf::read(file))
    if (OwnLibrary* version = version_of(*elf)) redirect_all(*elf, base, loaded(*version, own_folder));
  unmap_file(file);
}

}  // namespace ww::redirect
