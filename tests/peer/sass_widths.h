// Which shared accesses stand in ptxas' machine code (sm_75 and later): a cubin read by hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "../unit/ptxas_widths.h"

namespace ww::passes {

/// The kernels of a cubin (64-bit ELF: section .text.NAME each) with their shared loads and stores by width.
/// An instruction has 16 bytes: bits 0–11 the operation (0x984 LDS, 0x388 STS), bits 73–75 the width.
inline std::map<std::string, Widths> sass_widths(const std::string& cubin) {
  auto number = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    if (at + bytes <= cubin.size()) std::memcpy(&value, cubin.data() + at, bytes);
    return value;
  };
  struct Section {
    size_t name, offset, size;
  };
  auto section = [&](size_t i) {
    size_t at = number(0x28, 8) + i * number(0x3a, 2);
    return Section{number(at, 4), number(at + 0x18, 8), number(at + 0x20, 8)};
  };
  static const int kBits[] = {8, 8, 16, 16, 32, 64, 128, 0};
  static const std::string kText = ".text.";
  size_t names = section(number(0x3e, 2)).offset;
  std::map<std::string, Widths> out;
  for (size_t i = 0; i < number(0x3c, 2); ++i) {
    Section s = section(i);
    std::string name = cubin.c_str() + std::min(names + s.name, cubin.size());
    if (name.compare(0, kText.size(), kText) != 0) continue;
    Widths& widths = out[name.substr(kText.size())];
    for (size_t at = s.offset; at < s.offset + s.size; at += 16) {
      uint64_t operation = number(at, 8) & 0xfff, bits = kBits[number(at + 8, 8) >> 9 & 7];
      if (operation == 0x984) ++widths["LDS." + std::to_string(bits)];
      if (operation == 0x388) ++widths["STS." + std::to_string(bits)];
    }
  }
  return out;
}

}  // namespace ww::passes
