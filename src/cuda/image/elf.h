// Sections and symbols of an ELF file (64 bit, little-endian: executables, shared libraries, machine code of
// GPUs). Needs nothing but the headers of the C++ library, so that the small library which is loaded into
// every process can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "image/reader.h"

namespace ww::image {

enum class ElfClass : uint8_t { NotElf, Bits32, Bits64, Other };
/// What the first bytes of a file say it is. Other: big-endian, or cut off.
ElfClass elf_class(Bytes file);

struct Section {
  std::string_view name;
  uint32_t type = 0;
  uint32_t link = 0;     ///< of symbol tables: the section with their names
  uint64_t address = 0;  ///< where it lies in memory, relative to the object's base; 0: nowhere
  Bytes bytes;           ///< empty for those that occupy nothing in the file
};

struct Symbol {
  std::string_view name;
  uint64_t value = 0, size = 0;
  uint8_t type = 0, binding = 0;
  uint16_t section = 0;  ///< 0: not defined here

  static constexpr uint8_t kFunction = 2;
  bool defined_function() const { return type == kFunction && section != 0 && value != 0; }
};

/// Looks into the file's bytes, which must outlive it. Whatever does not lie inside of them is left out.
class Elf {
 public:
  /// Nothing where it is no 64-bit little-endian ELF file.
  static std::optional<Elf> read(Bytes file);

  uint16_t machine() const { return machine_; }  ///< 62: x86-64, 190: NVIDIA's GPUs
  uint32_t flags() const { return flags_; }
  size_t sections() const { return sections_; }
  /// Empty for an index or a section that is not there.
  Section section(size_t index) const;
  std::optional<Section> section(std::string_view name) const;
  /// Whether the dynamic loader starts it (without, nothing can be preloaded).
  bool has_interpreter() const;

  /// Calls `visit(Symbol)` for each symbol of the symbol tables of that type.
  template <class F>
  void for_each_symbol(uint32_t table_type, F visit) const;
  static constexpr uint32_t kSymbols = 2, kDynamicSymbols = 11;

 private:
  Bytes file_, table_, segments_, names_;
  size_t sections_ = 0;
  uint16_t machine_ = 0;
  uint32_t flags_ = 0;

  static Symbol symbol_at(Bytes table, size_t index, Bytes names);
  static constexpr size_t kSymbolSize = 24;
};

template <class F>
void Elf::for_each_symbol(uint32_t table_type, F visit) const {
  for (size_t i = 0; i < sections_; i++) {
    Section table = section(i);
    if (table.type != table_type) continue;
    Bytes names = section(table.link).bytes;
    for (size_t j = 0; j < table.bytes.size() / kSymbolSize; j++) visit(symbol_at(table.bytes, j, names));
  }
}

}  // namespace ww::image
