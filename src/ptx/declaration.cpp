#include "ptx/declaration.h"

#include <fmt/format.h>

#include <bit>

#include "ptx/constant.h"
#include "ptx/initializer.h"
#include "ptx/parser.h"

namespace ww::ptx {

using ir::Space;

Space space_of(std::string_view directive) {
  static constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {".global", Space::Global}, {".shared", Space::Shared}, {".const", Space::Const},
      {".local", Space::Local},   {".param", Space::Param},   {".shared::cta", Space::Shared},
      {".reg", Space::Reg},       {".tex", Space::Global}};
  for (auto [name, space] : kSpaces)
    if (name == directive) return space;
  return Space::None;
}

namespace {

bool read_alignment(Context& context, uint32_t* alignment) {
  Token at = context.in.token();
  auto value = read_count(context.in, "an alignment", kMaxAlignment);
  if (!value) return false;
  if (!std::has_single_bit(*value)) {
    context.in.error(at, fmt::format("an alignment must be a power of two, not {}", *value));
    return false;
  }
  if (alignment) *alignment = static_cast<uint32_t>(*value);
  return true;
}

// ".attribute(.managed)". Others (.unified) say nothing that makes a difference here.
bool read_attribute(Reader& in, Attributes& attributes) {
  if (!in.expect('(', "behind .attribute")) return false;
  while (!in.token().is(')') && !in.token().is(';') && !in.token().is_end()) {
    const Token word = in.take();
    if (word.text != ".managed") continue;
    if (attributes.space != Space::Global) {
      in.error(word, "only variables in global memory can be .managed");
      return false;
    }
    attributes.managed = true;
  }
  return in.expect(')', "behind the attributes");
}

// ".ptr .global .align 16" says where a pointer parameter points.
bool read_pointer(Context& context) {
  Reader& in = context.in;
  if (Space space = space_of(in.token().text); space != Space::None && space != Space::Reg) in.take();
  return !in.accept(".align") || read_alignment(context, nullptr);
}

}  // namespace

std::optional<Attributes> read_attributes(Context& context, Space space) {
  Reader& in = context.in;
  Attributes attributes{space};
  while (in.token().kind == Token::Kind::Dotted) {
    Token token = in.take();
    std::string_view word = token.text.substr(1);
    if (word == "align") {
      if (!read_alignment(context, &attributes.alignment)) return std::nullopt;
    } else if (word == "ptr" && space == Space::Param) {
      if (!read_pointer(context)) return std::nullopt;
    } else if (word == "attribute") {
      if (!read_attribute(in, attributes)) return std::nullopt;
    } else if (word == "v2" || word == "v4" || word == "v8") {
      attributes.vector = word[1] - '0';
    } else if (ir::Type type = isa::type_of(isa::mod_of(word)); type != ir::Type::none) {
      attributes.type = type;
    } else {
      in.error(token, fmt::format("'{}' does not belong in a declaration", shown(token.text)));
      return std::nullopt;
    }
  }
  if (attributes.type == ir::Type::none) {
    in.unexpected("a type");
    return std::nullopt;
  }
  return attributes;
}

std::optional<Declarator> read_declarator(Context& context) {
  Reader& in = context.in;
  Declarator declarator;
  if (!in.expect_word(declarator.name, "a name")) return std::nullopt;
  while (in.accept('[')) {
    constexpr size_t kMaxDimensions = 16;
    if (declarator.dimensions.size() + declarator.unsized >= kMaxDimensions) {
      in.error(declarator.name, fmt::format("an array has at most {} dimensions", kMaxDimensions));
      return std::nullopt;
    }
    if (in.token().is(']') && declarator.dimensions.empty() && !declarator.unsized) {
      declarator.unsized = true;
    } else {
      auto size = read_count(in, "the size of an array", kMaxVariableBytes);
      if (!size) return std::nullopt;
      declarator.dimensions.push_back(*size);
    }
    if (!in.expect(']', "behind the size of the array")) return std::nullopt;
  }
  return declarator;
}

std::optional<ir::Variable> make_variable(Context& context, const Attributes& attributes,
                                          const Declarator& declarator) {
  ir::Variable variable;
  variable.space = attributes.space;
  variable.type = attributes.type;
  variable.managed = attributes.managed;
  uint64_t element =
      static_cast<uint64_t>(isa::bytes(attributes.type)) * static_cast<uint64_t>(attributes.vector);
  variable.alignment = attributes.alignment ? attributes.alignment : static_cast<uint32_t>(element);
  uint64_t bytes = element;
  for (uint64_t size : declarator.dimensions) {
    if (size != 0 && bytes > kMaxVariableBytes / size) {
      context.in.error(declarator.name, fmt::format("'{}' is larger than {} bytes",
                                                    shown(declarator.name.text), kMaxVariableBytes));
      return std::nullopt;
    }
    bytes *= size;
  }
  variable.bytes = declarator.unsized ? 0 : bytes;
  return variable;
}

namespace {

// A declaration (extern) and the definition are one symbol.
std::optional<ir::SymbolId> symbol_for(Context& context, const Declarator& declarator, ir::Linkage linkage,
                                       int owner) {
  auto& module = context.module;
  auto known = context.names.find(declarator.name.text);
  if (owner < 0 && known && known->kind == Meaning::Kind::Symbol) {
    ir::Symbol& symbol = module.symbols[known->id];
    bool both_defined = symbol.linkage != ir::Linkage::Extern && linkage != ir::Linkage::Extern;
    if (symbol.variable >= 0 && !both_defined) {
      if (linkage != ir::Linkage::Extern) symbol.linkage = linkage;
      return known->id;
    }
  }
  ir::SymbolId id = context.add_symbol(declarator.name.text, linkage, declarator.name);
  if (!context.declare(declarator.name, {Meaning::Kind::Symbol, id})) return std::nullopt;
  return id;
}

bool read_one_variable(Context& context, const Attributes& attributes, ir::Linkage linkage, int owner) {
  auto declarator = read_declarator(context);
  if (!declarator) return false;
  auto variable = make_variable(context, attributes, *declarator);
  if (!variable) return false;
  variable->owner = owner;
  auto symbol = symbol_for(context, *declarator, linkage, owner);
  if (!symbol) return false;
  if (context.in.accept('=') && !read_initializer(context, attributes, *declarator, *variable)) return false;
  int& index = context.module.symbols[*symbol].variable;
  if (index >= 0) {
    if (linkage != ir::Linkage::Extern)
      context.module.variables[static_cast<size_t>(index)] = std::move(*variable);
    return true;
  }
  index = static_cast<int>(context.module.variables.size());
  context.module.variables.push_back(std::move(*variable));
  if (owner >= 0) context.module.functions[static_cast<size_t>(owner)].variables.push_back(*symbol);
  return true;
}

}  // namespace

bool read_variables(Context& context, Space space, ir::Linkage linkage, int owner) {
  auto attributes = read_attributes(context, space);
  if (!attributes) return false;
  do {
    if (!read_one_variable(context, *attributes, linkage, owner)) return false;
  } while (context.in.accept(','));
  return context.in.expect(';', "behind the declaration");
}

namespace {

bool read_one_register(Context& context, ir::Type type, ir::Function& function) {
  Reader& in = context.in;
  Token name;
  if (!in.expect_word(name, "the name of a register")) return false;
  uint64_t count = 1;
  bool range = in.accept('<');
  if (range) {
    Token at = in.token();
    auto size = read_primary(in);
    if (!size) return false;
    if (!size->is_integer() || size->integer > kMaxRegisters) {
      in.error(at, fmt::format("the number of registers must be an integer from 0 to {}", kMaxRegisters));
      return false;
    }
    count = size->integer;
    if (!in.expect('>', "behind the number of registers")) return false;
  }
  if (context.registers + count > kMaxRegisters) {
    in.error(name, fmt::format("the module declares more than {} registers", kMaxRegisters));
    return false;
  }
  context.registers += count;
  auto first = static_cast<ir::RegId>(function.registers.size());
  bool fresh = range ? context.names.add_range(name.text, first, static_cast<uint32_t>(count))
                     : context.names.add(name.text, {Meaning::Kind::Register, first});
  if (!fresh) {
    in.error(name, fmt::format("'{}' is declared twice in this scope", shown(name.text)));
    return false;
  }
  for (uint64_t i = 0; i < count; ++i)
    function.registers.push_back({range ? fmt::format("{}{}", name.text, i) : std::string(name.text), type});
  return true;
}

}  // namespace

bool read_registers(Context& context, ir::Function& function) {
  Token at = context.in.token();
  auto attributes = read_attributes(context, Space::Reg);
  if (!attributes) return false;
  if (attributes->vector != 1) {
    context.in.error(at, "vector registers are not implemented", "declare one register for each element");
    return false;
  }
  do {
    if (!read_one_register(context, attributes->type, function)) return false;
  } while (context.in.accept(','));
  return context.in.expect(';', "behind the declaration");
}

}  // namespace ww::ptx
