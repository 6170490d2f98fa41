#include "cli/compile/cpp_types.h"

#include <map>
#include <sstream>

namespace ww::cli {

namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  for (std::string_view w : words)
    if (w == word) return true;
  return false;
}

/// The words of a type; '*' and '&' are words of their own.
std::vector<std::string> type_words(const std::string& type) {
  std::string spread;
  for (const char c : type) {
    if (c == '*' || c == '&')
      spread += std::string(" ") + c + " ";
    else
      spread += c;
  }
  std::istringstream in(spread);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    if (!is_one_of(word, {"__restrict__", "__restrict", "restrict", "volatile", "__grid_constant__", "struct",
                          "__attribute__((unused))", "typename"}))
      words.push_back(word);
  return words;
}

/// "float4" → "float", "uint2" → "unsigned int".
std::string without_lanes(const std::string& word) {
  static const std::map<std::string, std::string> kVectors = {
      {"char", "s8"},      {"uchar", "u8"},      {"short", "s16"}, {"ushort", "u16"},
      {"int", "s32"},      {"uint", "u32"},      {"long", "s64"},  {"ulong", "u64"},
      {"longlong", "s64"}, {"ulonglong", "u64"}, {"float", "f32"}, {"double", "f64"}};
  if (word.size() < 2 || word.back() < '1' || word.back() > '4') return {};
  const auto it = kVectors.find(word.substr(0, word.size() - 1));
  return it == kVectors.end() ? "" : it->second;
}

}  // namespace

std::vector<std::string> types_in(const std::string& readable) {
  std::vector<std::string> out;
  const size_t close = readable.rfind(')');
  if (close == readable.npos) return out;
  size_t open = close;
  for (int depth = 0; open != readable.npos; --open) {  // its own parenthesis: names may hold others
    if (readable[open] == ')') ++depth;
    if (readable[open] == '(' && --depth == 0) break;
    if (open == 0) return out;
  }
  if (close <= open + 1) return out;
  int depth = 0;
  size_t begin = open + 1;
  for (size_t i = begin; i <= close; ++i) {
    const char c = readable[i];
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (c == '>' || ((c == ')' || c == '}' || c == ']') && i < close)) --depth;
    if ((c != ',' || depth > 0) && i < close) continue;
    std::string type = readable.substr(begin, i - begin);
    while (!type.empty() && type.front() == ' ') type.erase(0, 1);
    out.push_back(type);
    begin = i + 1;
  }
  return out;
}

std::string element_name(std::string type) {
  int longs = 0, pointers = 0;
  bool is_unsigned = false, is_signed = false, is_short = false, is_char = false, is_int = false;
  std::string other;
  for (const std::string& word : type_words(type)) {
    if (word == "const") continue;
    if (word == "*" || word == "&")
      ++pointers;
    else if (word == "long")
      ++longs;
    else if (word == "unsigned")
      is_unsigned = true;
    else if (word == "signed")
      is_signed = true;
    else if (word == "short")
      is_short = true;
    else if (word == "char")
      is_char = true;
    else if (word == "int")
      is_int = true;
    else
      other += (other.empty() ? "" : " ") + word;
  }
  if (pointers > 1) return "u64";  // an array of pointers
  const bool whole = longs > 0 || is_unsigned || is_signed || is_short || is_char || is_int;
  if (whole && other.empty()) {
    const int bits = is_char ? 8 : is_short ? 16 : longs > 0 ? 64 : 32;
    return (is_unsigned ? "u" : "s") + std::to_string(bits);
  }
  if (other.starts_with("std::")) other.erase(0, 5);
  static const std::map<std::string, std::string> kNames = {
      {"float", "f32"},         {"double", "f64"},
      {"__half", "f16"},        {"half", "f16"},
      {"__half2", "f16"},       {"half2", "f16"},
      {"_Float16", "f16"},      {"__nv_bfloat16", "bf16"},
      {"nv_bfloat16", "bf16"},  {"__nv_bfloat162", "bf16"},
      {"nv_bfloat162", "bf16"}, {"bool", "bool"},
      {"int8_t", "s8"},         {"int16_t", "s16"},
      {"int32_t", "s32"},       {"int64_t", "s64"},
      {"uint8_t", "u8"},        {"uint16_t", "u16"},
      {"uint32_t", "u32"},      {"uint64_t", "u64"},
      {"size_t", "u64"},        {"ptrdiff_t", "s64"},
      {"uint", "u32"},          {"uchar", "u8"},
      {"ushort", "u16"},        {"ulong", "u64"},
      {"cuComplex", "f32"},     {"cuDoubleComplex", "f64"},
      {"cuFloatComplex", "f32"}};
  if (const auto it = kNames.find(other); it != kNames.end()) return it->second;
  return without_lanes(other);
}

uint64_t lanes_of(const std::string& type) {
  for (const std::string& word : type_words(type)) {
    if (!without_lanes(word).empty()) return static_cast<uint64_t>(word.back() - '0');
    if (is_one_of(word, {"half2", "__half2", "nv_bfloat162", "__nv_bfloat162", "cuComplex", "cuFloatComplex",
                         "cuDoubleComplex"}))
      return 2;
  }
  return 1;
}

bool is_pointer(std::string_view type) { return type.find('*') != type.npos || type.find('&') != type.npos; }

std::string usual_order(std::string type) {
  std::vector<std::string> words = type_words(type);
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    // "float const*": const stands behind what it belongs to.
    if (i > 0 && words[i] == "const" && words[i - 1] != "*" && out.find("const ") != 0) {
      out = "const " + out;
      continue;
    }
    const bool mark = words[i] == "*" || words[i] == "&";
    out += (out.empty() || mark || out == "const " ? "" : " ") + words[i];
  }
  return out;
}

}  // namespace ww::cli
