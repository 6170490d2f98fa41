// The ELF reader on this test's own executable, whose symbols and sections are known, and on damaged copies
// of its parts.
#include "image/elf.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

extern "C" __attribute__((noinline, used)) int a_function_of_this_test(int x) { return x * 3 + 1; }

namespace {

using namespace ww::image;

std::string file_bytes(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Bytes view(const std::string& text) { return {reinterpret_cast<const std::byte*>(text.data()), text.size()}; }

/// Reads everything there is to read, and gives a number that depends on it.
size_t read_all(Bytes bytes) {
  auto elf = Elf::read(bytes);
  if (!elf) return 0;
  size_t seen = elf->has_interpreter();
  for (size_t i = 0; i < elf->sections(); i++)
    seen += elf->section(i).name.size() + elf->section(i).bytes.size();
  for (uint32_t type : {Elf::kSymbols, Elf::kDynamicSymbols})
    elf->for_each_symbol(type, [&](const Symbol& symbol) { seen += symbol.name.size(); });
  return seen;
}

TEST(Elf, FindsAFunctionOfThisProgram) {
  std::string self = file_bytes("/proc/self/exe");
  auto elf = Elf::read(view(self));
  ASSERT_TRUE(elf);
  EXPECT_EQ(elf->machine(), 62);
  EXPECT_TRUE(elf->has_interpreter());
  ASSERT_TRUE(elf->section(".text"));
  EXPECT_FALSE(elf->section(".nv_fatbin"));
  int found = 0;
  uint64_t function = 0, main_function = 0;
  elf->for_each_symbol(Elf::kSymbols, [&](const Symbol& symbol) {
    if (symbol.name == "a_function_of_this_test" && symbol.defined_function())
      found++, function = symbol.value;
    if (symbol.name == "main" && symbol.defined_function()) main_function = symbol.value;
  });
  EXPECT_EQ(found, 1);
  EXPECT_NE(function, main_function);
  EXPECT_GE(function, elf->section(".text")->address);
  EXPECT_LT(function, elf->section(".text")->address + elf->section(".text")->bytes.size());
}

TEST(Elf, OtherFilesAreNamed) {
  EXPECT_EQ(elf_class(view("#!/bin/sh\necho 1234567890")), ElfClass::NotElf);
  EXPECT_EQ(elf_class({}), ElfClass::NotElf);
  std::string small = "\177ELF\1\1\1" + std::string(60, '\0');
  EXPECT_EQ(elf_class(view(small)), ElfClass::Bits32);
  small[5] = 2;
  EXPECT_EQ(elf_class(view(small)), ElfClass::Other);
  EXPECT_FALSE(Elf::read(view(small)));
}

TEST(Elf, CutAndDamagedFilesAreSurvived) {
  std::string self = file_bytes("/bin/true");
  ASSERT_GT(read_all(view(self)), 0u);
  for (size_t length = 0; length < self.size(); length += 13) read_all(view(self).first(length));
  std::mt19937 random(1);
  auto header_end =
      self.size() - 0x1000;  // the section headers lie at the end, the file's header at the start
  for (int round = 0; round < 20000; round++) {
    std::string bytes = self;
    size_t at = round % 2 ? random() % 0x400 : header_end + random() % 0x1000;
    bytes[at] = char(random());
    read_all(view(bytes));
  }
}

}  // namespace
