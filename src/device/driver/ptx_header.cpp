#include "device/driver/ptx_header.h"

#include <cctype>
#include <charconv>

namespace ww::device::driver {

namespace {

// Words (with . _ $ %), numbers and single punctuation marks; comments and strings are skipped.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  std::string_view next() {
    skip();
    if (at_ >= text_.size()) return {};
    size_t begin = at_++;
    if (part_of_word(text_[begin]))
      while (at_ < text_.size() && part_of_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  static bool part_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '$' || c == '%';
  }
  void skip_past(std::string_view end, size_t from) {
    at_ = text_.find(end, from);
    at_ = at_ == text_.npos ? text_.size() : at_ + end.size();
  }
  void skip() {
    while (at_ < text_.size()) {
      std::string_view rest = text_.substr(at_);
      if (std::isspace(static_cast<unsigned char>(rest[0])))
        ++at_;
      else if (rest.starts_with("//"))
        skip_past("\n", at_);
      else if (rest.starts_with("/*"))
        skip_past("*/", at_ + 2);
      else if (rest[0] == '"')
        skip_past("\"", at_ + 1);
      else
        return;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

uint64_t number(std::string_view text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Bytes of a fundamental type ".u32", of a pair ".f16x2", of an opaque ".texref" (a 64-bit handle); 0: no
// type.
uint64_t type_bytes(std::string_view type) {
  if (type == ".texref" || type == ".samplerref" || type == ".surfref") return 8;
  bool pair = type.ends_with("x2");
  if (pair) type.remove_suffix(2);
  size_t digits = type.starts_with(".bf") ? 3 : 2;
  if (type.size() <= digits ||
      (digits == 2 && std::string_view("bufs").find(type[1]) == std::string_view::npos))
    return 0;
  for (char c : type.substr(digits))
    if (!std::isdigit(static_cast<unsigned char>(c))) return 0;
  return number(type.substr(digits)) / 8 * (pair ? 2 : 1);
}

// After "(": .param .align 8 .b8 name[24], .param .u64 .ptr .global .align 4 name, …
std::vector<uint64_t> parameters(Words& words) {
  std::vector<uint64_t> out;
  for (auto word = words.next(); !word.empty() && word != ")"; word = words.next()) {
    if (word == ".param")
      out.push_back(0);
    else if (word == ".align")
      words.next();
    else if (word == "[" && !out.empty())
      out.back() *= number(words.next());
    else if (uint64_t bytes = type_bytes(word); bytes != 0 && !out.empty() && out.back() == 0)
      out.back() = bytes;
  }
  return out;
}

}  // namespace

const PtxEntry* PtxHeader::find(std::string_view kernel) const {
  for (const auto& entry : entries)
    if (entry.name == kernel) return &entry;
  return nullptr;
}

PtxHeader read_ptx_header(std::string_view ptx) {
  PtxHeader header;
  Words words(ptx);
  for (auto word = words.next(); !word.empty(); word = words.next()) {
    if (word == ".version" && header.version.empty())
      header.version = words.next();
    else if (word == ".target" && header.target.empty())
      header.target = words.next();
    else if (word == ".entry") {
      PtxEntry entry{std::string(words.next()), {}};
      word = words.next();
      if (word == "(") entry.parameter_bytes = parameters(words);
      // A kernel may be declared first and defined later.
      if (!entry.name.empty() && !header.find(entry.name)) header.entries.push_back(std::move(entry));
    }
  }
  return header;
}

}  // namespace ww::device::driver
