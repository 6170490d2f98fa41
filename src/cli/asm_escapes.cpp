#include "cli/asm_escapes.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

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
      if (!letter_of_name(text_[at_])) {
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
};

}  // namespace

std::string with_escaped_asm(std::string_view source) { return AsmText(source).escaped(); }

}  // namespace ww::cli
