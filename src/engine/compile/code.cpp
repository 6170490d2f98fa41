#include "engine/compile/code.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace ww::engine {

namespace {

/// Memory for code: written, then sealed.
struct Pages {
  void* begin = MAP_FAILED;
  size_t bytes = 0;

  explicit Pages(size_t wanted) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    bytes = (wanted + page - 1) / page * page;
    begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  ~Pages() {
    if (begin != MAP_FAILED) munmap(begin, bytes);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
};

void* function_of_c(const char* name) {
  // By their own names: a program's replacements are not meant.
  static void* const libraries[] = {dlopen("libm.so.6", RTLD_LAZY), dlopen("libc.so.6", RTLD_LAZY)};
  for (void* library : libraries)
    if (void* found = library ? dlsym(library, name) : nullptr) return found;
  return nullptr;
}

}  // namespace

std::shared_ptr<const void> place_code(std::span<const u8> bytes, const CompileUnit& unit,
                                       std::vector<Handler>& entries, std::string& why) {
  CodeHeader header;
  why = "the compiled code is damaged";
  if (bytes.size() < sizeof header) return nullptr;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != CodeHeader::kMagic || header.instructions != unit.count) return nullptr;
  const size_t lists =
      sizeof header + size_t{header.instructions} * sizeof(u32) + size_t{header.slots} * sizeof(CodeSlot);
  if (bytes.size() < lists || bytes.size() - lists != header.code_bytes) return nullptr;
  const u8* at = bytes.data() + sizeof header;
  std::vector<u32> entry(header.instructions);
  std::memcpy(entry.data(), at, entry.size() * sizeof(u32));
  at += entry.size() * sizeof(u32);
  for (u32 e : entry)
    if (e != kNoEntry && e >= header.code_bytes) return nullptr;

  auto pages = std::make_shared<Pages>(header.code_bytes);
  if (pages->begin == MAP_FAILED) {
    why = "there is no memory for code";
    return nullptr;
  }
  u8* code = static_cast<u8*>(pages->begin);
  std::memcpy(code, bytes.data() + lists, header.code_bytes);
  for (u32 k = 0; k < header.slots; ++k, at += sizeof(CodeSlot)) {
    CodeSlot slot;
    std::memcpy(&slot, at, sizeof slot);
    slot.name[sizeof slot.name - 1] = 0;
    if (slot.at > header.code_bytes - sizeof(u64)) return nullptr;
    const void* address = nullptr;
    if (slot.native < 2 * unit.count)
      address = reinterpret_cast<const void*>(
          unit.steps[slot.native % unit.count].ways[unit.masked || slot.native >= unit.count].native);
    else if (slot.native == kNoEntry)
      address = function_of_c(slot.name);
    if (!address) {
      why = "compiled code needs the function " + std::string(slot.name) + ", which is not there";
      return nullptr;
    }
    std::memcpy(code + slot.at, &address, sizeof address);
  }
  __builtin___clear_cache(static_cast<char*>(pages->begin), static_cast<char*>(pages->begin) + pages->bytes);
  if (mprotect(pages->begin, pages->bytes, PROT_READ | PROT_EXEC) != 0) {
    why = "the system lets no memory be executed that was written";
    return nullptr;
  }
  entries.assign(unit.count, nullptr);
  for (u32 k = 0; k < unit.count; ++k)
    if (entry[k] != kNoEntry) entries[k] = reinterpret_cast<Handler>(code + entry[k]);
  why.clear();
  return pages;
}

}  // namespace ww::engine
