// Directives inside a function that declare no variable: .loc and the lists that branches and calls refer to.
#include <fmt/format.h>

#include "ptx/body.h"
#include "ptx/declaration.h"

namespace ww::ptx {

bool BodyParser::read_branch_targets(const Token& name) {
  std::vector<Token> targets;
  do {
    Token target;
    if (!in_.expect_word(target, "a label")) return false;
    targets.push_back(target);
  } while (in_.accept(','));
  context_.declare(name, {Meaning::Kind::Targets, static_cast<uint32_t>(context_.branch_targets.size())});
  context_.branch_targets.push_back(std::move(targets));
  return in_.expect(';', "behind the branch targets");
}

bool BodyParser::read_call_targets(const Token& name) {
  std::vector<ir::SymbolId> targets;
  do {
    Token target;
    if (!in_.expect_word(target, "a function")) return false;
    auto symbol = context_.find_symbol(target);
    if (!symbol) return false;
    targets.push_back(*symbol);
  } while (in_.accept(','));
  context_.declare(name, {Meaning::Kind::CallTargets, static_cast<uint32_t>(context_.call_targets.size())});
  context_.call_targets.push_back(std::move(targets));
  return in_.expect(';', "behind the call targets");
}

// "(.param .b32 _, .param .align 8 .b8 _[16])"; the '(' is at hand.
bool BodyParser::read_prototype_list(std::vector<uint64_t>& sizes) {
  in_.take();
  if (in_.accept(')')) return true;
  do {
    Token at = in_.take();
    ir::Space space = space_of(at.text);
    if (space != ir::Space::Param && space != ir::Space::Reg) {
      in_.error(at, "a parameter begins with .param or .reg");
      return false;
    }
    auto attributes = read_attributes(context_, space);
    if (!attributes) return false;
    auto declarator = read_declarator(context_);
    if (!declarator) return false;
    auto variable = make_variable(context_, *attributes, *declarator);
    if (!variable) return false;
    sizes.push_back(variable->bytes);
  } while (in_.accept(','));
  return in_.expect(')', "behind the parameters");
}

bool BodyParser::read_prototype(const Token& name) {
  Prototype prototype;
  if (in_.token().is('(') && !read_prototype_list(prototype.results)) return false;
  Token unused;
  if (!in_.expect_word(unused, "'_'")) return false;
  if (in_.token().is('(') && !read_prototype_list(prototype.params)) return false;
  while (in_.token().kind == Token::Kind::Dotted) {
    Token token = in_.take();
    if (token.text == ".noreturn") continue;
    if (token.text == ".abi_preserve" || token.text == ".abi_preserve_control") {
      in_.take();
      continue;
    }
    in_.error(token, fmt::format("'{}' does not belong in a prototype", shown(token.text)));
    return false;
  }
  context_.declare(name, {Meaning::Kind::Prototype, static_cast<uint32_t>(context_.prototypes.size())});
  context_.prototypes.push_back(std::move(prototype));
  return in_.expect(';', "behind the prototype");
}

namespace {

bool read_position(Reader& in, int* position, int count) {
  constexpr uint64_t kMost = 0x7fffffff;
  for (int i = 0; i < count; ++i) {
    if (in.token().kind != Token::Kind::Number) {
      in.unexpected("a number (file, line, column)");
      return false;
    }
    auto value = read_number(in);
    if (!value) return false;
    position[i] = static_cast<int>(value->is_integer() ? std::min(value->integer, kMost) : 0);
  }
  return true;
}

}  // namespace

// .loc file line column [, function_name label [+ offset], inlined_at file line column]
bool BodyParser::location() {
  Token at = in_.token();
  int position[3];
  if (!read_position(in_, position, 3)) return false;
  source_ = in_.place(at);
  source_.file = position[0];
  source_.line = position[1];
  while (in_.accept(',')) {
    Token word;
    if (!in_.expect_word(word, "function_name or inlined_at")) return false;
    int outer[3];
    if (word.text == "inlined_at") {
      if (!read_position(in_, outer, 3)) return false;
      source_.inlined_at = inlined_at(outer[0], outer[1], outer[2], at);
    } else if (word.text == "function_name") {
      if (!in_.expect_word(word, "a label")) return false;
      if (in_.accept('+') && !read_primary(in_)) return false;
    } else {
      in_.error(word, fmt::format("function_name or inlined_at expected, found '{}'", shown(word.text)));
      return false;
    }
  }
  locations_[{position[0], position[1], position[2]}] = source_;
  // nvcc gives line 0 to the loops that it makes of memcpy and of copies of structs, with the column of the
  // statement.
  ir::Place& statement = statements_[{position[0], position[2]}];
  if (source_.line > 0)
    statement = source_;
  else if (statement.line > 0)
    source_.line = statement.line, source_.inlined_at = statement.inlined_at;
  return true;
}

// The place may itself be in an inlined function: then an earlier .loc with the same position says where.
int BodyParser::inlined_at(int file, int line, int column, const Token& at) {
  ir::Place place = in_.place(at);
  place.file = file;
  place.line = line;
  if (auto it = locations_.find({file, line, column}); it != locations_.end())
    place.inlined_at = it->second.inlined_at;
  auto& places = function().inlined_at;
  auto [it, fresh] = inlined_.try_emplace({file, line, place.inlined_at}, static_cast<int>(places.size()));
  if (fresh) places.push_back(place);
  return it->second;
}

}  // namespace ww::ptx
