// PTX text to tokens, one at a time; a token is a piece of the text and owns nothing.
#pragma once

#include <cstdint>
#include <string_view>

namespace ww::ptx {

struct Token {
  enum class Kind : uint8_t {
    End,
    Word,    ///< name, mnemonic, %register
    Dotted,  ///< ".global", ".shared::cta", with the dot
    Number,
    String,  ///< with its quotes
    Mark,    ///< one character: , ; : { } [ ] ( ) and operators
    Bad,     ///< a character PTX does not have, or a string or comment without an end
  };
  Kind kind = Kind::End;
  std::string_view text;
  int line = 1, column = 1;

  bool is(char mark) const { return kind == Kind::Mark && text[0] == mark; }
  bool is(std::string_view dotted) const { return kind == Kind::Dotted && text == dotted; }
  bool is_word() const { return kind == Kind::Word; }
  bool is_end() const { return kind == Kind::End; }
};

/// Copies of a lexer go on independently: that is how one looks ahead.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {
    if (text.starts_with("\xef\xbb\xbf"))
      at_ = line_begin_ = 3;  // the byte order mark that some editors write
  }
  Token next();
  /// Whether the rest of the text follows without a gap.
  char following() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void stop() { at_ = text_.size(); }

 private:
  bool skip_blanks();  ///< false: a comment without an end
  Token take(Token::Kind kind, size_t length);
  size_t number_length() const;

  std::string_view text_;
  size_t at_ = 0, line_begin_ = 0;
  int line_ = 1;
};

}  // namespace ww::ptx
