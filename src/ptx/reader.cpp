#include "ptx/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/parser.h"

namespace ww::ptx {

std::string shown(std::string_view text) {
  constexpr size_t kMost = 60;
  std::string out(text.substr(0, kMost));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text.size() > kMost ? out + "..." : out;
}

void Reader::advance() {
  token_ = lexer_.next();
  while (token_.kind == Token::Kind::Bad) {
    switch (token_.text[0]) {
      case '"':
        error(token_, "this string has no end");
        break;
      case '/':
        error(token_, "this comment has no end");
        break;
      default:
        error(token_,
              static_cast<unsigned char>(token_.text[0]) < 0x20 || token_.text[0] & 0x80
                  ? fmt::format("PTX has no character 0x{:02x}", static_cast<unsigned char>(token_.text[0]))
                  : fmt::format("PTX has no character '{}' here", token_.text[0]));
    }
    token_ = lexer_.next();
  }
}

bool Reader::expect(char mark, std::string_view where) {
  if (accept(mark)) return true;
  unexpected(fmt::format("'{}' {}", mark, where));
  return false;
}

bool Reader::expect_word(Token& word, std::string_view what) {
  if (!token_.is_word()) {
    unexpected(what);
    return false;
  }
  word = take();
  return true;
}

void Reader::unexpected(std::string_view expected) {
  error(token_, token_.is_end() ? fmt::format("{} expected, but the text ends here", expected)
                                : fmt::format("{} expected, found '{}'", expected, shown(token_.text)));
}

namespace {

Location location_of(const std::string& file, const Token& at) {
  int length = static_cast<int>(std::min<size_t>(std::max<size_t>(at.text.size(), 1), 100));
  return {file, at.line, at.column, length};
}

}  // namespace

void Reader::refuse(const Token& at, std::string message, std::string hint) {
  if (refusals_.size() < kMostErrors)
    refusals_.push_back(error_at(location_of(file_, at), std::move(message), std::move(hint)));
}

void Reader::error(const Token& at, std::string message, std::string hint) {
  if (errors_.size() >= static_cast<size_t>(kMaxErrors)) return;
  errors_.push_back(error_at(location_of(file_, at), std::move(message), std::move(hint)));
  if (errors_.size() < static_cast<size_t>(kMaxErrors)) return;
  errors_.push_back(ww::error("too many errors, the rest of the text was not read"));
  lexer_.stop();
  token_ = lexer_.next();
}

namespace {

// Whether the '{' before this point closes before a ';': then it is a list of operands and not a scope.
bool is_operand_list(Lexer lexer) {
  constexpr int kLongest = 1000;
  for (int i = 0; i < kLongest; ++i) {
    Token token = lexer.next();
    if (token.is('}')) return true;
    if (token.is(';') || token.is('{') || token.is_end()) return false;
  }
  return false;
}

}  // namespace

void Reader::recover() {
  while (!token_.is_end() && !token_.is('}')) {
    if (token_.is('{')) {
      if (!is_operand_list(lexer_)) return;
      while (!token_.is_end() && !token_.is('}')) advance();
    }
    if (take().is(';')) return;
  }
}

void Reader::skip_braces() {
  Token open = token_;
  uint64_t depth = 0;
  while (!token_.is_end()) {
    Token taken = take();
    if (taken.is('{')) ++depth;
    if (taken.is('}') && --depth == 0) return;
  }
  error(open, "this '{' is not closed");
}

Diagnostics Reader::sorted_errors(const ir::Module& module) const {
  Diagnostics sorted = errors_;
  for (const ir::Function& f : module.functions)
    sorted.insert(sorted.end(), f.refused.begin(), f.refused.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    if (a.where.known() != b.where.known()) return a.where.known();
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  return sorted;
}

ir::Place Reader::place(const Token& token) const {
  ir::Place place;
  place.ptx_line = token.line;
  place.ptx_column = token.column;
  return place;
}

}  // namespace ww::ptx
