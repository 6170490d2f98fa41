#include "ptx/lexer.h"

#include <algorithm>
#include <array>

namespace ww::ptx {

namespace {

enum : uint8_t { kBlank = 1, kDigit = 2, kNameBegin = 4, kName = 8, kMark = 16 };

constexpr std::array<uint8_t, 256> kClass = [] {
  std::array<uint8_t, 256> table{};
  auto add = [&](std::string_view characters, int what) {
    for (char c : characters) table[static_cast<unsigned char>(c)] |= static_cast<uint8_t>(what);
  };
  add(" \t\r\f\v\n", kBlank);
  add("0123456789", kDigit | kName);
  add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$", kNameBegin | kName);
  add("%", kNameBegin);
  add(",;:{}[]()<>+-*/!~&|^?=@", kMark);
  return table;
}();

bool in(char c, int what) { return kClass[static_cast<unsigned char>(c)] & what; }

}  // namespace

bool Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_begin_ = ++at_;
    } else if (in(c, kBlank)) {
      ++at_;
    } else if (c == '/' && text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && text_.substr(at_, 2) == "/*") {
      size_t end = text_.find("*/", at_ + 2);
      if (end == text_.npos) return false;
      for (size_t i = at_; i < end; ++i)
        if (text_[i] == '\n') ++line_, line_begin_ = i + 1;
      at_ = end + 2;
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::take(Token::Kind kind, size_t length) {
  Token token{kind, text_.substr(at_, length), line_, static_cast<int>(at_ - line_begin_) + 1};
  at_ += token.text.size();
  return token;
}

// A number reaches over letters too, so that "12abc" is one wrong number and not two tokens.
size_t Lexer::number_length() const {
  std::string_view rest = text_.substr(at_);
  bool prefixed = rest.size() > 1 && rest[0] == '0' && std::string_view("xXfFdD").find(rest[1]) != rest.npos;
  size_t i = 1;
  while (i < rest.size() && (in(rest[i], kName) || rest[i] == '.' ||
                             (!prefixed && (rest[i] == '+' || rest[i] == '-') && (rest[i - 1] | 32) == 'e')))
    ++i;
  return i;
}

Token Lexer::next() {
  if (!skip_blanks()) {
    Token token = take(Token::Kind::Bad, 2);
    stop();
    return token;
  }
  if (at_ >= text_.size()) return take(Token::Kind::End, 0);
  char c = text_[at_];
  if (in(c, kNameBegin)) {
    size_t i = at_ + 1;
    while (i < text_.size() && in(text_[i], kName)) ++i;
    if (c == '%' && i == at_ + 1) return take(Token::Kind::Mark, 1);  // the remainder operator
    return take(Token::Kind::Word, i - at_);
  }
  if (in(c, kDigit)) return take(Token::Kind::Number, number_length());
  if (c == '.') {
    size_t i = at_ + 1;
    while (i < text_.size()) {
      const bool scope =
          text_[i] == ':' && i + 2 < text_.size() && text_[i + 1] == ':' && in(text_[i + 2], kName);
      if (!scope && !in(text_[i], kName)) break;
      i += scope ? 2 : 1;
    }
    return take(i == at_ + 1 ? Token::Kind::Bad : Token::Kind::Dotted, i - at_);
  }
  if (c == '"') {
    size_t end = text_.find_first_of("\"\n", at_ + 1);
    if (end == text_.npos || text_[end] == '\n')
      return take(Token::Kind::Bad, std::min(end, text_.size()) - at_);
    return take(Token::Kind::String, end + 1 - at_);
  }
  return take(in(c, kMark) ? Token::Kind::Mark : Token::Kind::Bad, 1);
}

}  // namespace ww::ptx
