#include "ptx/dwarf.h"

#include <algorithm>
#include <charconv>

namespace ww::ptx {

namespace {

/// The bytes of ".section NAME { .b8 1,2 .b32 label … }". What is not a number counts as 0, except
/// offsets into .debug_abbrev (".debug_abbrev+12").
std::string section_bytes(std::string_view ptx, std::string_view name) {
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
  std::string out;
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

/// Reads from a place onwards; reads past the end return zeros and clear `good`.
struct Cursor {
  const std::string& bytes;
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

class EntryReader {
 public:
  explicit EntryReader(std::string_view ptx)
      : abbreviations_(section_bytes(ptx, ".debug_abbrev")),
        info_(section_bytes(ptx, ".debug_info")),
        strings_(section_bytes(ptx, ".debug_str")) {}

  /// False: the sections cannot be read.
  bool load() {
    for (uint64_t at = 0; at + 11 <= info_.size();)
      if (!unit(at)) return false;
    return true;
  }

  std::map<uint64_t, DebugEntry> take() { return std::move(entries_); }

 private:
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

  /// One compilation unit; `at` moves past it.
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
      DebugEntry& e = entries_[offset];
      e.tag = abbreviation->second.tag, e.offset = offset;
      if (!open.empty()) e.parent = open.back(), entries_[e.parent].children.push_back(offset);
      for (const auto& [attribute, form] : abbreviation->second.attributes)
        if (!value(c, e, attribute, form, begin, address)) return false;
      if (abbreviation->second.children) open.push_back(offset);
    }
    at = end;
    return c.good;
  }

  /// The value of one attribute, by its form (section 7.5.4). False: the form is not known.
  bool value(Cursor& c, DebugEntry& e, uint64_t attribute, uint64_t form, uint64_t unit, int address) {
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

  std::string abbreviations_, info_, strings_;
  std::map<uint64_t, DebugEntry> entries_;
};

}  // namespace

std::optional<std::map<uint64_t, DebugEntry>> debug_entries(std::string_view ptx) {
  EntryReader reader(ptx);
  if (!reader.load()) return {};
  return reader.take();
}

}  // namespace ww::ptx
