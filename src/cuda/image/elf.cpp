#include "image/elf.h"

#include <elf.h>

namespace ww::image {

namespace {

/// The text that begins at `offset`, up to the zero behind it; empty where there is none.
std::string_view name_at(Bytes names, uint64_t offset) {
  if (offset >= names.size()) return {};
  const char* start = reinterpret_cast<const char*>(names.data()) + offset;
  const void* end = std::memchr(start, 0, names.size() - offset);
  return end ? std::string_view(start, size_t(static_cast<const char*>(end) - start)) : std::string_view{};
}

}  // namespace

ElfClass elf_class(Bytes file) {
  auto ident = part_of(file, 0, EI_NIDENT);
  if (!ident || std::memcmp(ident->data(), ELFMAG, SELFMAG) != 0) return ElfClass::NotElf;
  auto byte = [&](size_t i) { return static_cast<unsigned char>((*ident)[i]); };
  if (byte(EI_DATA) != ELFDATA2LSB) return ElfClass::Other;
  return byte(EI_CLASS) == ELFCLASS64   ? ElfClass::Bits64
         : byte(EI_CLASS) == ELFCLASS32 ? ElfClass::Bits32
                                        : ElfClass::Other;
}

std::optional<Elf> Elf::read(Bytes file) {
  auto header = read_at<Elf64_Ehdr>(file, 0);
  if (elf_class(file) != ElfClass::Bits64 || !header) return std::nullopt;
  Elf elf;
  elf.file_ = file;
  elf.machine_ = header->e_machine;
  elf.flags_ = header->e_flags;
  auto none = Bytes{};
  if (header->e_phentsize == sizeof(Elf64_Phdr))
    elf.segments_ =
        part_of(file, header->e_phoff, uint64_t{header->e_phnum} * sizeof(Elf64_Phdr)).value_or(none);
  if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff == 0) return elf;
  // A file with very many sections keeps their number, and the index of their names, in the first of them.
  auto first = read_at<Elf64_Shdr>(file, header->e_shoff);
  uint64_t count = header->e_shnum ? header->e_shnum : first ? first->sh_size : 0;
  if (count > file.size() / sizeof(Elf64_Shdr)) return elf;
  elf.table_ = part_of(file, header->e_shoff, count * sizeof(Elf64_Shdr)).value_or(none);
  elf.sections_ = elf.table_.size() / sizeof(Elf64_Shdr);
  uint32_t names = header->e_shstrndx == SHN_XINDEX && first ? first->sh_link : header->e_shstrndx;
  elf.names_ = elf.section(names).bytes;
  return elf;
}

Section Elf::section(size_t index) const {
  auto header = index < sections_ ? read_at<Elf64_Shdr>(table_, index * sizeof(Elf64_Shdr))
                                  : std::optional<Elf64_Shdr>{};
  if (!header) return {};
  Section result;
  result.name = name_at(names_, header->sh_name);
  result.type = header->sh_type;
  result.link = header->sh_link;
  result.address = header->sh_addr;
  if (header->sh_type != SHT_NOBITS)
    result.bytes = part_of(file_, header->sh_offset, header->sh_size).value_or(Bytes{});
  return result;
}

std::optional<Section> Elf::section(std::string_view name) const {
  for (size_t i = 0; i < sections_; i++)
    if (Section found = section(i); found.name == name) return found;
  return std::nullopt;
}

bool Elf::has_interpreter() const {
  for (uint64_t at = 0; auto header = read_at<Elf64_Phdr>(segments_, at); at += sizeof(Elf64_Phdr))
    if (header->p_type == PT_INTERP) return true;
  return false;
}

Symbol Elf::symbol_at(Bytes table, size_t index, Bytes names) {
  auto raw = read_at<Elf64_Sym>(table, index * kSymbolSize);
  if (!raw) return {};
  return {
      name_at(names, raw->st_name),         raw->st_value, raw->st_size, uint8_t(ELF64_ST_TYPE(raw->st_info)),
      uint8_t(ELF64_ST_BIND(raw->st_info)), raw->st_shndx};
}

}  // namespace ww::image
