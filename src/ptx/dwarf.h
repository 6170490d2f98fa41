// The entries of the debugging information (DWARF 2 to 4) in a PTX text, without their meaning.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ww::ptx {

/// Tags and attributes of DWARF 2, https://dwarfstd.org/doc/dwarf-2.0.0.pdf, section 7.5.4.
namespace dwarf {
enum Tag : uint64_t {
  kArrayType = 0x01,
  kClassType = 0x02,
  kEnumerationType = 0x04,
  kFormalParameter = 0x05,
  kMember = 0x0d,
  kPointerType = 0x0f,
  kReferenceType = 0x10,
  kStructureType = 0x13,
  kTypedef = 0x16,
  kUnionType = 0x17,
  kInheritance = 0x1c,
  kSubrangeType = 0x21,
  kBaseType = 0x24,
  kConstType = 0x26,
  kSubprogram = 0x2e,
  kVariable = 0x34,
  kVolatileType = 0x35,
  kRestrictType = 0x37,
};
enum Attribute : uint64_t {
  kName = 0x03,
  kByteSize = 0x0b,
  kUpperBound = 0x2f,
  kAbstractOrigin = 0x31,
  kCount = 0x37,
  kMemberLocation = 0x38,
  kSpecification = 0x47,
  kExternal = 0x3f,
  kTypeOf = 0x49,
  kLinkageName = 0x2007,  // of MIPS; all compilers use it
};
}  // namespace dwarf

/// A debugging information entry.
struct DebugEntry {
  static constexpr uint64_t kNowhere = ~uint64_t{0};  ///< no offset

  uint64_t tag = 0, offset = 0, parent = kNowhere;
  std::map<uint64_t, uint64_t> numbers;   ///< by attribute
  std::map<uint64_t, std::string> texts;  ///< by attribute
  std::vector<uint64_t> children;         ///< offsets

  uint64_t number(uint64_t attribute, uint64_t otherwise) const {
    const auto it = numbers.find(attribute);
    return it == numbers.end() ? otherwise : it->second;
  }
  std::string text(uint64_t attribute) const {
    const auto it = texts.find(attribute);
    return it == texts.end() ? "" : it->second;
  }
};

/// Entries by their offsets in .debug_info; nothing if the sections cannot be read.
std::optional<std::map<uint64_t, DebugEntry>> debug_entries(std::string_view ptx);

}  // namespace ww::ptx
