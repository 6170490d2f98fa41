#include "engine/compile/llvm/bitcode.h"

#include <cstring>

// The files themselves, put here by the assembler (the build says where they are).
#define WW_BITCODE_ROW(target, table, name, path)                                    \
  asm(".section .rodata\n.balign 16\n" #name "_begin:\n.incbin \"" path "\"\n" #name \
      "_end:\n.balign 4\n.text\n");                                                  \
  extern "C" [[gnu::visibility("hidden")]] const char name##_begin[], name##_end[];  // not by way of the GOT
#include "bitcode_rows.inc"
#undef WW_BITCODE_ROW

namespace ww::engine {

Bitcode bitcode_of(const char* target, unsigned table) {
#define WW_BITCODE_ROW(of, number, name, path)         \
  if (table == number && std::strcmp(target, of) == 0) \
    return {name##_begin, static_cast<size_t>(name##_end - name##_begin)};
#include "bitcode_rows.inc"
#undef WW_BITCODE_ROW
  return {};
}

}  // namespace ww::engine
