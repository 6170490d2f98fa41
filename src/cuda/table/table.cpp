#include "cuda/table/table.h"

#include <unordered_map>

// Only addresses are wanted here: the types stand at the definitions.
#define WW_CHAPTER(file, title)
#define WW_ENTRY(name) extern "C" void name();
#define WW_SAME(name, other) extern "C" void name();
#define WW_OF_THREAD(name, other, place) extern "C" void name();
#define WW_REFUSED(name) extern "C" void name();
#include "cuda/table/driver.inc"
#include "cuda/table/runtime.inc"
#undef WW_CHAPTER
#undef WW_ENTRY
#undef WW_SAME
#undef WW_OF_THREAD
#undef WW_REFUSED

#define WW_CHAPTER(file, title) chapter = file;
#define WW_ENTRY(name) list->push_back({#name, chapter, Support::Implemented, reinterpret_cast<void*>(name)});
#define WW_SAME(name, other) list->push_back({#name, chapter, Support::Same, reinterpret_cast<void*>(name)});
#define WW_OF_THREAD(name, other, place) WW_SAME(name, other)
#define WW_REFUSED(name) list->push_back({#name, chapter, Support::Refused, reinterpret_cast<void*>(name)});

namespace ww::cuda {

const std::vector<Entry>& runtime_entries() {
  static const auto* all = [] {
    auto* list = new std::vector<Entry>;
    std::string_view chapter;
#include "cuda/table/runtime.inc"
    return list;
  }();
  return *all;
}

const std::vector<Entry>& driver_entries() {
  static const auto* all = [] {
    auto* list = new std::vector<Entry>;
    std::string_view chapter;
#include "cuda/table/driver.inc"
    return list;
  }();
  return *all;
}

const Entry* find_driver_entry(std::string_view name) {
  static const auto* all = [] {
    auto* map = new std::unordered_map<std::string_view, const Entry*>;
    for (const Entry& e : driver_entries()) (*map)[e.name] = &e;
    return map;
  }();
  auto it = all->find(name);
  return it == all->end() ? nullptr : it->second;
}

int driver_entry_since(std::string_view name) {
  static const auto* all = new std::unordered_map<std::string_view, int>{
#define WW_SINCE(name, version) {#name, version},
#include "cuda/table/driver_since.inc"
#undef WW_SINCE
  };
  auto it = all->find(name);
  return it == all->end() ? 0 : it->second;
}

}  // namespace ww::cuda
