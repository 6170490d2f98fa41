// The token at hand, what to do with it, and the errors found so far.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostic.h"
#include "ir/module.h"
#include "ptx/lexer.h"

namespace ww::ptx {

/// Text for a message: long pieces are cut.
std::string shown(std::string_view text);

class Reader {
 public:
  Reader(std::string file, std::string_view text) : file_(std::move(file)), lexer_(text) { advance(); }

  const Token& token() const { return token_; }
  /// The token after the one at hand.
  Token ahead() const { return Lexer(lexer_).next(); }
  /// The character right behind the token at hand.
  char following() const { return lexer_.following(); }
  Token take() {
    Token taken = token_;
    advance();
    return taken;
  }
  bool accept(char mark) { return token_.is(mark) && (advance(), true); }
  bool accept(std::string_view dotted) { return token_.is(dotted) && (advance(), true); }
  /// Takes the mark, or reports that it was expected (`where`: "after …") and returns false.
  bool expect(char mark, std::string_view where);
  bool expect_word(Token& word, std::string_view what);

  /// Reports; after kMaxErrors the text counts as ended.
  void error(const Token& at, std::string message, std::string hint = {});
  /// Reports what is understood but cannot be run: the function it stands in is refused, the rest is read on.
  void refuse(const Token& at, std::string message, std::string hint = {});
  /// What was refused since the last call.
  Diagnostics take_refusals() { return std::exchange(refusals_, {}); }
  /// Reports that something else was expected at the token at hand.
  void unexpected(std::string_view expected);
  /// After an error: goes behind the next ';', or to a '}' or a '{' before it.
  void recover();
  /// Skips a balanced { … }; the token at hand is '{'.
  void skip_braces();

  ir::Place place(const Token& token) const;
  const Diagnostics& errors() const { return errors_; }
  /// In the order of the text (labels, for one, are only looked up at the end of their scope), with what was
  /// refused in the functions of the module.
  Diagnostics sorted_errors(const ir::Module& module) const;

 private:
  void advance();

  std::string file_;
  Lexer lexer_;
  Token token_;
  Diagnostics errors_, refusals_;
};

}  // namespace ww::ptx
