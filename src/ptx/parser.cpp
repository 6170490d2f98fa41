#include "ptx/parser.h"

#include <fmt/format.h>

#include "ptx/function.h"

namespace ww::ptx {

namespace {

/// Compilers write bytes of a file's name that are not ASCII as three octal digits, and a backslash as two.
std::string file_name(std::string_view text) {
  std::string name;
  const auto digit = [&](size_t at, char most) {
    return at < text.size() && text[at] >= '0' && text[at] <= most;
  };
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && digit(at + 1, '3') && digit(at + 2, '7') && digit(at + 3, '7')) {
      name += static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0'));
      at += 3;
      continue;
    }
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '\\') ++at;
    name += text[at];
  }
  return name;
}

class ModuleParser {
 public:
  explicit ModuleParser(Context& context) : context_(context), in_(context.in), functions_(context) {}

  void parse() {
    context_.names.open();
    while (!in_.token().is_end())
      if (!item()) recover();
    if (in_.errors().empty()) finish();
  }

 private:
  // Goes behind the next ';' or balanced { }.
  void recover() {
    in_.recover();
    if (in_.token().is('{')) in_.skip_braces();
    in_.accept('}');
  }

  bool item() {
    if (in_.accept(';')) return true;
    Token token = in_.token();
    if (token.kind != Token::Kind::Dotted) {
      in_.unexpected("a directive");
      in_.take();
      return false;
    }
    in_.take();
    if (token.text == ".version") return version();
    if (token.text == ".target") return target();
    if (token.text == ".address_size") return address_size();
    if (token.text == ".file") return file();
    if (token.text == ".section") return section();
    if (token.text == ".pragma") return pragma();
    if (token.text == ".alias") return alias();
    return declaration(token);
  }

  bool version() {
    // 8.7 is two numbers, not a real one: 8.10 would come after 8.9.
    Token token = in_.take();
    size_t dot = token.text.find('.');
    auto digits = [](std::string_view text) {
      return !text.empty() && text.size() < 4 && text.find_first_not_of("0123456789") == text.npos;
    };
    if (token.kind != Token::Kind::Number || dot == token.text.npos || !digits(token.text.substr(0, dot)) ||
        !digits(token.text.substr(dot + 1)))
      return in_.error(token, "a version like 8.5 is expected behind .version"), true;
    context_.module.version_major = std::stoi(std::string(token.text.substr(0, dot)));
    context_.module.version_minor = std::stoi(std::string(token.text.substr(dot + 1)));
    const int version = 1000 * context_.module.version_major + context_.module.version_minor;
    if (version < 1004 || version >= 10000)  // 1.4 is the oldest that names special registers as today
      in_.error(token, fmt::format("PTX {} is not supported", token.text), "versions 1.4 to 9.x are");
    return true;
  }

  bool target() {
    do {
      Token word;
      if (!in_.expect_word(word, "a target like sm_75")) return false;
      if (word.text.substr(0, 3) == "sm_")
        context_.module.target = word.text;
      else if (word.text == "debug")
        context_.module.debug = true;
      else if (word.text == "texmode_unified" || word.text == "texmode_independent" ||
               word.text == "map_f64_to_f32")
        continue;
      else
        in_.error(word, fmt::format("unknown target '{}'", shown(word.text)),
                  "targets are sm_70, sm_75, sm_80, ...");
    } while (in_.accept(','));
    return true;
  }

  bool address_size() {
    Token at = in_.token();
    auto bits = read_count(in_, "the address size", 64);
    if (!bits) return false;
    if (*bits != 64)
      in_.error(at, "only 64-bit addresses are supported", "PTX for 32-bit addresses ended with CUDA 9");
    return true;
  }

  bool file() {
    auto number = read_count(in_, "the number of a file", 1'000'000);
    if (!number) return false;
    if (in_.token().kind != Token::Kind::String) {
      in_.unexpected("the name of a file in quotes");
      return false;
    }
    std::string_view text = in_.take().text;
    context_.module.files[static_cast<int>(*number)] = file_name(text.substr(1, text.size() - 2));
    while (in_.accept(','))  // time stamp, size
      if (!read_constant(in_)) return false;
    return true;
  }

  bool section() {
    if (!in_.token().is('{')) in_.take();
    if (!in_.token().is('{')) {
      in_.unexpected("'{' behind the name of the section");
      return false;
    }
    in_.skip_braces();
    return true;
  }

  bool pragma() {
    while (in_.token().kind == Token::Kind::String || in_.token().is(',')) in_.take();
    return in_.expect(';', "behind .pragma");
  }

  bool alias() {
    Token name, target;
    if (!in_.expect_word(name, "a function") || !in_.expect(',', "behind the alias") ||
        !in_.expect_word(target, "a function"))
      return false;
    aliases_.emplace_back(name, target);
    return in_.expect(';', "behind .alias");
  }

  bool declaration(Token token) {
    auto linkage = ir::Linkage::Internal;
    for (;; token = in_.take()) {
      if (token.text == ".visible")
        linkage = ir::Linkage::Visible;
      else if (token.text == ".weak")
        linkage = ir::Linkage::Weak;
      else if (token.text == ".extern")
        linkage = ir::Linkage::Extern;
      else if (token.text == ".common")
        linkage = ir::Linkage::Common;
      else
        break;
      if (in_.token().kind != Token::Kind::Dotted) {
        in_.unexpected("a directive");
        return false;
      }
    }
    if (token.text == ".entry" || token.text == ".func")
      return functions_.parse(linkage, token.text == ".entry");
    ir::Space space = space_of(token.text);
    if (space == ir::Space::Reg || space == ir::Space::Param || space == ir::Space::None) {
      in_.error(token, fmt::format("'{}' does not belong at module scope", shown(token.text)));
      return false;
    }
    return read_variables(context_, space, linkage, -1);
  }

  // An alias is another name of a defined function.
  void finish() {
    for (auto& [name, target] : aliases_) {
      auto from = context_.find_symbol(name), to = context_.find_symbol(target);
      if (!from || !to) continue;
      auto& symbols = context_.module.symbols;
      if (symbols[*from].function < 0 || symbols[*to].function < 0 || !context_.module.function(*to).defined)
        in_.error(target, "an alias names a declared function after a defined one");
      else
        symbols[*from].function = symbols[*to].function;
    }
    Token nowhere;
    nowhere.line = 0;
    if (context_.module.version_major == 0)
      in_.error(nowhere, "this is not PTX: there is no .version directive");
    else if (context_.module.target.empty())
      in_.error(nowhere, "there is no .target directive");
  }

  Context& context_;
  Reader& in_;
  FunctionParser functions_;
  std::vector<std::pair<Token, Token>> aliases_;
};

}  // namespace

Result<ir::Module> parse(std::string name, std::string_view text) {
  Context context(std::move(name), text);
  ModuleParser(context).parse();
  if (!context.in.errors().empty()) return context.in.sorted_errors(context.module);
  return std::move(context.module);
}

}  // namespace ww::ptx
