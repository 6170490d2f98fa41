#include "ptx/debug_types.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <set>

namespace ww::ptx {

namespace {

// DWARF 2, https://dwarfstd.org/doc/dwarf-2.0.0.pdf, section 7.5.4.
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
  kTypeOf = 0x49,
  kLinkageName = 0x2007,  // of MIPS, which everybody took over
};
constexpr int kDeepest = 16;               // structs in structs
constexpr size_t kMostMembers = 4096;      // a parameter has at most 32764 bytes
constexpr uint64_t kMostVisits = 200'000;  // of types, whatever damaged sections say
constexpr uint64_t kNowhere = ~uint64_t{0};

using Bytes = std::string;

/// The bytes of ".section NAME { .b8 1,2 .b32 label … }". What is not a number counts as 0, but offsets into
/// .debug_abbrev (".debug_abbrev+12").
Bytes section_bytes(std::string_view ptx, std::string_view name) {
  size_t at = ptx.find(".section");
  for (; at != ptx.npos; at = ptx.find(".section", at + 1)) {
    size_t begin = ptx.find_first_not_of(" \t", at + 8);
    if (begin != ptx.npos && ptx.substr(begin).starts_with(name)) {
      begin += name.size();
      if (const size_t open = ptx.find_first_not_of(" \t\r\n", begin); open != ptx.npos && ptx[open] == '{') {
        at = open + 1;
        break;
      }
    }
  }
  Bytes out;
  if (at == ptx.npos) return out;
  int width = 0;
  while (at < ptx.size() && ptx[at] != '}') {
    const char c = ptx[at];
    if (c == '/' && ptx.substr(at).starts_with("//")) {
      at = std::min(ptx.find('\n', at), ptx.size());
      continue;
    }
    if (c == '\n') width = 0;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',') {
      ++at;
      continue;
    }
    const size_t end = std::min(ptx.find_first_of(" \t\r\n,}", at), ptx.size());
    std::string_view word = ptx.substr(at, end - at);
    at = end == at ? at + 1 : end;
    if (width == 0) {
      if (word == ".b8") width = 1;
      if (word == ".b16") width = 2;
      if (word == ".b32") width = 4;
      if (word == ".b64") width = 8;
      continue;  // a label of its own has no bytes
    }
    if (const size_t plus = word.find('+'); plus != word.npos && word[0] == '.') word = word.substr(plus + 1);
    const bool negative = word.starts_with('-');
    if (negative) word.remove_prefix(1);
    uint64_t value = 0;
    int base = 10;
    if (word.starts_with("0x")) word.remove_prefix(2), base = 16;
    std::from_chars(word.data(), word.data() + word.size(), value, base);
    if (negative) value = 0 - value;
    for (int i = 0; i < width; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  }
  return out;
}

/// Reads on from a place; beyond the end are zeros, and `good` says so.
struct Cursor {
  const Bytes& bytes;
  uint64_t at = 0;
  bool good = true;

  uint64_t number(int size) {
    uint64_t out = 0;
    for (int i = 0; i < size; ++i) out |= uint64_t{byte()} << (8 * i);
    return out;
  }
  uint8_t byte() {
    if (at >= bytes.size()) return good = false, uint8_t{0};
    return static_cast<uint8_t>(bytes[at++]);
  }
  uint64_t leb128(bool sign = false) {
    uint64_t out = 0;
    int shift = 0;
    for (uint8_t b = 0x80; (b & 0x80) && good && shift < 64; shift += 7) {
      b = byte();
      out |= uint64_t{b & 0x7fu} << shift;
      if (sign && !(b & 0x80) && (b & 0x40) && shift + 7 < 64) out |= ~uint64_t{0} << (shift + 7);
    }
    return out;
  }
  std::string string() {
    std::string out;
    for (uint8_t b = byte(); b != 0 && good; b = byte()) out.push_back(static_cast<char>(b));
    return out;
  }
};

struct Abbreviation {
  uint64_t tag = 0;
  bool children = false;
  std::vector<std::pair<uint64_t, uint64_t>> attributes;  // and their forms
};

struct Entry {
  uint64_t tag = 0, offset = 0, parent = kNowhere;
  std::map<uint64_t, uint64_t> numbers;
  std::map<uint64_t, std::string> texts;
  std::vector<uint64_t> children;

  uint64_t number(uint64_t attribute, uint64_t otherwise) const {
    const auto it = numbers.find(attribute);
    return it == numbers.end() ? otherwise : it->second;
  }
  std::string text(uint64_t attribute) const {
    const auto it = texts.find(attribute);
    return it == texts.end() ? "" : it->second;
  }
};

class DebugReader {
 public:
  explicit DebugReader(std::string_view ptx)
      : abbreviations_(section_bytes(ptx, ".debug_abbrev")),
        info_(section_bytes(ptx, ".debug_info")),
        strings_(section_bytes(ptx, ".debug_str")) {}

  /// False: the sections cannot be read.
  bool load() {
    for (uint64_t at = 0; at + 11 <= info_.size();)
      if (!unit(at)) return false;
    return true;
  }

  std::map<std::string, DebugVariable> variables() const {
    std::map<std::string, DebugVariable> out;
    for (const auto& [offset, entry] : entries_) {
      const std::string name = entry.text(kName);
      const Entry* type = plain(type_of(entry));
      if (entry.tag != kVariable || name.empty() || !type || out.count(name)) continue;
      DebugVariable& v = out[name];
      if (type->tag == kArrayType) v.extents = extents(*type), type = type_of(*type);
      v.element = type_text(plain(type));
      members(type_of(entry), "", 0, 0, v.members);
    }
    return out;
  }

  std::map<std::string, std::vector<DebugParameter>> parameters() const {
    std::map<std::string, std::vector<DebugParameter>> out;
    for (const auto& [offset, entry] : entries_) {
      if (entry.tag != kSubprogram) continue;
      const Entry* named = &entry;
      for (int i = 0; i < kDeepest && linkage_of(*named).empty(); ++i) {
        const Entry* more = find(named->number(kSpecification, named->number(kAbstractOrigin, kNowhere)));
        if (!more) break;
        named = more;
      }
      const std::string name = linkage_of(*named);
      if (name.empty()) continue;
      std::vector<DebugParameter> parameters;
      for (const uint64_t child : entry.children)
        if (const Entry& p = entries_.at(child); p.tag == kFormalParameter)
          parameters.push_back(parameter(p));
      auto& kept = out[name];
      if (kept.empty()) kept = std::move(parameters);
    }
    return out;
  }

 private:
  static std::string linkage_of(const Entry& e) {
    const std::string linkage = e.text(kLinkageName);
    return linkage.empty() ? e.text(kName) : linkage;
  }

  const Entry* find(uint64_t offset) const {
    const auto it = entries_.find(offset);
    return it == entries_.end() ? nullptr : &it->second;
  }

  std::map<uint64_t, Abbreviation> table_at(uint64_t offset) {
    std::map<uint64_t, Abbreviation> out;
    Cursor c{abbreviations_, offset};
    for (uint64_t code = c.leb128(); code != 0 && c.good; code = c.leb128()) {
      Abbreviation& a = out[code];
      a.tag = c.leb128();
      a.children = c.byte() != 0;
      for (;;) {
        const uint64_t attribute = c.leb128(), form = c.leb128();
        if ((attribute == 0 && form == 0) || !c.good) break;
        a.attributes.emplace_back(attribute, form);
      }
    }
    return out;
  }

  /// One compilation unit; `at` goes behind it.
  bool unit(uint64_t& at) {
    Cursor c{info_, at};
    const uint64_t length = c.number(4), end = at + 4 + length, begin = at;
    const uint64_t version = c.number(2);
    if (length == 0 || end > info_.size() || version < 2 || version > 4) return false;
    const auto table = table_at(c.number(4));
    const int address = c.byte();
    std::vector<uint64_t> open;
    while (c.at < end && c.good) {
      const uint64_t offset = c.at, code = c.leb128();
      if (code == 0) {
        if (!open.empty()) open.pop_back();
        continue;
      }
      const auto abbreviation = table.find(code);
      if (abbreviation == table.end()) return false;
      Entry& e = entries_[offset];
      e.tag = abbreviation->second.tag, e.offset = offset;
      if (!open.empty()) e.parent = open.back(), entries_[e.parent].children.push_back(offset);
      for (const auto& [attribute, form] : abbreviation->second.attributes)
        if (!value(c, e, attribute, form, begin, address)) return false;
      if (abbreviation->second.children) open.push_back(offset);
    }
    at = end;
    return c.good;
  }

  bool value(Cursor& c, Entry& e, uint64_t attribute, uint64_t form, uint64_t unit, int address) {
    const auto block = [&](uint64_t length) {
      // A member's place: DW_OP_plus_uconst and the bytes.
      Cursor inside{info_, c.at};
      if (length > 0 && inside.byte() == 0x23) e.numbers[attribute] = inside.leb128();
      c.at += length;
    };
    switch (form) {
      case 0x01:
        return e.numbers[attribute] = c.number(address), true;
      case 0x03:
        return block(c.number(2)), true;
      case 0x04:
        return block(c.number(4)), true;
      case 0x05:
        return e.numbers[attribute] = c.number(2), true;
      case 0x06:
        return e.numbers[attribute] = c.number(4), true;
      case 0x07:
        return e.numbers[attribute] = c.number(8), true;
      case 0x08:
        return e.texts[attribute] = c.string(), true;
      case 0x09:
        return block(c.leb128()), true;
      case 0x0a:
        return block(c.number(1)), true;
      case 0x0b:
      case 0x0c:
        return e.numbers[attribute] = c.number(1), true;
      case 0x0d:
        return e.numbers[attribute] = c.leb128(true), true;
      case 0x0e: {
        Cursor text{strings_, c.number(4)};
        return e.texts[attribute] = text.string(), true;
      }
      case 0x0f:
        return e.numbers[attribute] = c.leb128(), true;
      case 0x10:
        return e.numbers[attribute] = c.number(4), true;
      case 0x11:
        return e.numbers[attribute] = unit + c.number(1), true;
      case 0x12:
        return e.numbers[attribute] = unit + c.number(2), true;
      case 0x13:
        return e.numbers[attribute] = unit + c.number(4), true;
      case 0x14:
        return e.numbers[attribute] = unit + c.number(8), true;
      case 0x15:
        return e.numbers[attribute] = unit + c.leb128(), true;
      case 0x17:
        return e.numbers[attribute] = c.number(4), true;
      case 0x18:
        return block(c.leb128()), true;
      case 0x19:
        return e.numbers[attribute] = 1, true;
      default:
        return false;
    }
  }

  const Entry* type_of(const Entry& e) const { return find(e.number(kTypeOf, kNowhere)); }

  std::string type_text(const Entry* type, int depth = 0) const {
    if (!type) return "void";
    if (depth > kDeepest) return "";
    switch (type->tag) {
      case kPointerType:
        return type_text(type_of(*type), depth + 1) + "*";
      case kReferenceType:
        return type_text(type_of(*type), depth + 1) + "&";
      case kConstType: {
        const std::string inner = type_text(type_of(*type), depth + 1);
        return inner.ends_with('*') ? inner : "const " + inner;
      }
      case kVolatileType:
      case kRestrictType:
        return type_text(type_of(*type), depth + 1);
      default:
        return type->text(kName);
    }
  }

  /// Without const, typedefs and so on.
  const Entry* plain(const Entry* type) const {
    for (int i = 0; i < kDeepest && type; ++i) {
      const uint64_t tag = type->tag;
      if (tag != kConstType && tag != kVolatileType && tag != kRestrictType && tag != kTypedef) break;
      type = type_of(*type);
    }
    return type;
  }

  uint64_t bytes_of(const Entry* type, int depth = 0) const {
    type = plain(type);
    if (!type || depth > kDeepest) return 0;
    if (type->tag == kPointerType || type->tag == kReferenceType) return 8;
    if (type->tag != kArrayType) return type->number(kByteSize, 0);
    uint64_t count = 1;
    for (const uint64_t n : extents(*type)) count *= n;
    return count * bytes_of(type_of(*type), depth + 1);
  }

  std::vector<uint64_t> extents(const Entry& array) const {
    std::vector<uint64_t> out;
    for (const uint64_t child : array.children)
      if (const Entry& range = entries_.at(child); range.tag == kSubrangeType)
        out.push_back(range.number(kCount, range.number(kUpperBound, kNowhere) + 1));
    return out;
  }

  /// __half and __nv_bfloat16 are structs of their bits to the compiler, and numbers to everybody else.
  static bool is_wrapped_number(const Entry& type) {
    const std::string name = type.text(kName);
    return (type.tag == kStructureType || type.tag == kClassType) &&
           (name == "__half" || name == "__nv_bfloat16");
  }

  void members(const Entry* type, const std::string& path, uint64_t offset, int depth,
               std::vector<DebugMember>& out) const {
    const std::string spelled = type_text(plain(type));
    type = plain(type);
    if (!type || depth > kDeepest || out.size() >= kMostMembers || ++visited_ > kMostVisits) return;
    if (is_wrapped_number(*type)) {
      out.push_back({path, spelled, offset, bytes_of(type)});
      return;
    }
    switch (type->tag) {
      case kStructureType:
      case kClassType:
      case kUnionType:
        for (const uint64_t child : type->children) {
          const Entry& m = entries_.at(child);
          const uint64_t at = offset + m.number(kMemberLocation, 0);
          if (m.tag == kInheritance) members(type_of(m), path, at, depth + 1, out);
          if (m.tag != kMember || (m.numbers.count(0x3f) && !m.numbers.count(kMemberLocation))) continue;
          const std::string name = m.text(kName);
          const std::string dot = path.empty() || name.empty() ? "" : ".";
          members(type_of(m), path + dot + name, at, depth + 1, out);
        }
        return;
      case kArrayType: {
        const uint64_t each = bytes_of(type_of(*type));
        uint64_t count = 1;
        for (const uint64_t n : extents(*type)) count *= n;
        for (uint64_t i = 0; i < std::min<uint64_t>(count, kMostMembers) && each > 0; ++i)
          members(type_of(*type), path + "[" + std::to_string(i) + "]", offset + i * each, depth + 1, out);
        return;
      }
      case kEnumerationType:
        out.push_back({path, bytes_of(type) == 4 ? "int" : "", offset, bytes_of(type)});
        return;
      default:
        out.push_back({path, spelled, offset, bytes_of(type)});
    }
  }

  DebugParameter parameter(const Entry& p) const {
    DebugParameter out;
    const Entry* named = &p;
    if (named->text(kName).empty())
      if (const Entry* more = find(p.number(kAbstractOrigin, kNowhere))) named = more;
    out.name = named->text(kName);
    out.type = type_text(type_of(*named));
    members(type_of(*named), "", 0, 0, out.members);
    return out;
  }

  Bytes abbreviations_, info_, strings_;
  std::map<uint64_t, Entry> entries_;
  mutable uint64_t visited_ = 0;
};

}  // namespace

std::map<std::string, std::vector<DebugParameter>> debug_parameters(std::string_view ptx) {
  DebugReader reader(ptx);
  return reader.load() ? reader.parameters() : decltype(reader.parameters()){};
}

std::map<std::string, DebugVariable> debug_variables(std::string_view ptx) {
  DebugReader reader(ptx);
  return reader.load() ? reader.variables() : decltype(reader.variables()){};
}

}  // namespace ww::ptx
