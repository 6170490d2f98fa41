// Files as read-only data of the program, for sources that CMake writes.
#pragma once

#include <string_view>

/// The bytes of the file at `path` under a name.
#define WW_EMBED(symbol, path)                                                                              \
  asm(".pushsection .rodata\n.hidden ww_" #symbol "_begin\n.hidden ww_" #symbol "_end\n.global ww_" #symbol \
      "_begin\n.global ww_" #symbol "_end\nww_" #symbol "_begin:\n.incbin \"" path "\"\nww_" #symbol        \
      "_end:\n.popsection\n");                                                                              \
  extern "C" const char ww_##symbol##_begin[], ww_##symbol##_end[];
/// As a std::string_view.
#define WW_TEXT(symbol) \
  std::string_view(ww_##symbol##_begin, static_cast<size_t>(ww_##symbol##_end - ww_##symbol##_begin))
