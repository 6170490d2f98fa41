#include "cli/compile/asm_escapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "base/file.h"

namespace ww::cli {

namespace {

bool letter_of_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool part_of_name(char c) { return letter_of_name(c) || std::isdigit(static_cast<unsigned char>(c)); }

class AsmText {
 public:
  explicit AsmText(std::string_view text) : text_(text) {}

  std::string escaped() {
    std::string out;
    size_t copied = 0;
    while (at_ < text_.size()) {
      if (skip_unimportant()) continue;
      if (const size_t spaces = spaces_in_bracket()) {
        out += text_.substr(copied, at_ + 2 - copied);
        out += now();  // the third one, and then the spaces: columns stay
        out += text_.substr(at_ + 2, spaces);
        copied = at_ += spaces + 3;
        continue;
      }
      if (!letter_of_name(text_[at_])) {
        launches_ = now() == ';' ? 0 : launches_;
        ++at_;
        continue;
      }
      const std::string_view word = next_word();
      if (word != "asm" && word != "__asm__" && word != "__asm") continue;
      for (size_t percent : percents()) {
        out += text_.substr(copied, percent - copied);
        out += '%';
        copied = percent;
      }
    }
    return out += text_.substr(copied);
  }

 private:
  char now(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  std::string_view next_word() {
    const size_t begin = at_;
    while (at_ < text_.size() && part_of_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// Past a comment or a literal, if one begins here. Of a string `inside` gets where it begins and ends.
  bool skip_unimportant(std::pair<size_t, size_t>* inside = nullptr) {
    if (now() == '/' && now(1) == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (now() == '/' && now(1) == '*') {
      const size_t end = text_.find("*/", at_ + 2);
      at_ = end == text_.npos ? text_.size() : end + 2;
    } else if (now() == '"' || now() == '\'') {
      const char quote = text_[at_++];
      const size_t begin = at_;
      while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n')
        at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_, text_.size());
      if (inside && quote == '"') *inside = {begin, at_};
      if (now() == quote) ++at_;
    } else {
      return false;
    }
    return true;
  }

  /// How many spaces stand in `<< <` or, of a launch that began so, in `>> >`; 0 where none of them is here.
  /// Visual Studio formats launches so. No expression has `<< <`; `>> >` alone may end templates.
  size_t spaces_in_bracket() {
    const char c = now();
    if ((c != '<' && c != '>') || now(1) != c || (c == '>' && launches_ == 0)) return 0;
    size_t spaces = 0;
    while (now(2 + spaces) == ' ' || now(2 + spaces) == '\t') ++spaces;
    if (spaces == 0 || now(2 + spaces) != c) return 0;
    launches_ += c == '<' ? 1 : -1;
    return spaces;
  }

  /// Of the asm statement whose keyword is behind: where a % is missing.
  std::vector<size_t> percents() {
    std::vector<size_t> found;
    while (at_ < text_.size() && now() != '(') {
      if (!part_of_name(now()) && !std::isspace(static_cast<unsigned char>(now()))) return {};
      ++at_;
    }
    for (++at_; at_ < text_.size();) {
      std::pair<size_t, size_t> string{0, 0};
      if (skip_unimportant(&string)) {
        for (size_t k = string.first; k < string.second; ++k)
          if (text_[k] == '%') {
            if (k + 1 < string.second && letter_of_name(text_[k + 1])) found.push_back(k);
            ++k;  // of %% both
          }
      } else if (now() == ':') {
        return found;
      } else if (now() == ')' || now() == ';') {
        return {};  // no operands: % is no escape
      } else {
        ++at_;
      }
    }
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
  int launches_ = 0;  ///< begun by `<< <`, and not ended yet
};

}  // namespace

std::string text_for_clang(std::string_view source) { return AsmText(source).escaped(); }

Result<std::string> file_for_clang(const std::string& file, const std::string& copy) {
  auto text = read_file(file);
  if (!text) return text.error();
  const std::string changed = text_for_clang(*text);
  if (changed == *text) return file;
  std::string name;
  for (char c : file) (c == '"' || c == '\\' ? name += '\\' : name) += c;
  if (auto ok = write_file_atomically(copy, fmt::format("#line 1 \"{}\"\n{}", name, changed)); !ok)
    return ok.error();
  return copy;
}

}  // namespace ww::cli
