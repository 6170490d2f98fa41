#include "cuda/table/table.h"

// Only addresses are wanted here: the types stand at the definitions.
#define WW_CHAPTER(file, title)
#define WW_ENTRY(name) extern "C" void name();
#define WW_SAME(name, other) extern "C" void name();
#define WW_REFUSED(name) extern "C" void name();
#include "cuda/table/runtime.inc"
#undef WW_CHAPTER
#undef WW_ENTRY
#undef WW_SAME
#undef WW_REFUSED

namespace ww::cuda {

const std::vector<Entry>& runtime_entries() {
  static const auto* all = [] {
    auto* list = new std::vector<Entry>;
    std::string_view chapter;
#define WW_CHAPTER(file, title) chapter = file;
#define WW_ENTRY(name) list->push_back({#name, chapter, Support::Implemented, reinterpret_cast<void*>(name)});
#define WW_SAME(name, other) list->push_back({#name, chapter, Support::Same, reinterpret_cast<void*>(name)});
#define WW_REFUSED(name) list->push_back({#name, chapter, Support::Refused, reinterpret_cast<void*>(name)});
#include "cuda/table/runtime.inc"
#undef WW_CHAPTER
#undef WW_ENTRY
#undef WW_SAME
#undef WW_REFUSED
    return list;
  }();
  return *all;
}

}  // namespace ww::cuda
