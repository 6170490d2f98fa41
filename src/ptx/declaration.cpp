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

bool add_variable(Context& context, const Attributes& attributes, const Declarator& declarator,
                  ir::Linkage linkage, int owner) {
  auto variable = make_variable(context, attributes, declarator);
  if (!variable) return false;
  variable->owner = owner;
  auto symbol = symbol_for(context, declarator, linkage, owner);
  if (!symbol) return false;
  if (context.in.accept('=') && !read_initializer(context, attributes, declarator, *variable)) return false;
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

/// The "100>" of "name<100>" behind the '<'.
std::optional<uint64_t> read_range(Reader& in, std::string_view what, uint64_t most) {
  Token at = in.token();
  auto size = read_primary(in);
  if (!size) return std::nullopt;
  if (!size->is_integer() || size->integer > most) {
    in.error(at, fmt::format("the number of {} must be an integer from 0 to {}", what, most));
    return std::nullopt;
  }
  if (!in.expect('>', fmt::format("behind the number of {}", what))) return std::nullopt;
  return size->integer;
}

/// Few bytes of text may ask for many names and registers.
bool within(Context& context, const Token& name, uint64_t count, uint64_t already, uint64_t most,
            std::string_view what) {
  if (count <= most && already <= most - count) return true;
  context.in.error(name, fmt::format("the module declares more than {} {}", most, what));
  return false;
}

bool room_for_names(Context& context, const Token& name, uint64_t count) {
  return within(context, name, count, context.kept(), kMaxMadeNames, "names by '<' and vectors");
}

bool read_one_variable(Context& context, const Attributes& attributes, ir::Linkage linkage, int owner) {
  auto declarator = read_declarator(context);
  if (!declarator) return false;
  if (!context.in.accept('<')) return add_variable(context, attributes, *declarator, linkage, owner);
  auto count = read_range(context.in, "variables", kMaxMadeNames);
  if (!count || !room_for_names(context, declarator->name, *count)) return false;
  const Token prefix = declarator->name;
  if (!declarator->dimensions.empty() || declarator->unsized || context.in.token().is('=')) {
    context.in.error(prefix, "variables that are declared by '<' are no arrays and have no initial values");
    return false;
  }
  for (uint64_t i = 0; i < *count; ++i) {
    declarator->name.text = context.keep(fmt::format("{}{}", prefix.text, i));
    if (!add_variable(context, attributes, *declarator, linkage, owner)) return false;
  }
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

bool name_is_free(Context& context, const Token& name, bool fresh) {
  if (!fresh) context.in.error(name, fmt::format("'{}' is declared twice in this scope", shown(name.text)));
  return fresh;
}

bool add_vector(Context& context, const Token& name, std::string_view text, const Attributes& attributes,
                ir::Function& function) {
  const auto id = static_cast<uint32_t>(context.vectors.size());
  if (!name_is_free(context, name, context.names.add(text, {Meaning::Kind::Vector, id}))) return false;
  VectorRegister vector;
  for (int k = 0; k < attributes.vector; ++k) {
    std::string element = fmt::format("{}.{}", text, "xyzw"[k]);
    vector.elements.push_back(context.keep(element));
    context.names.add(vector.elements.back(),
                      {Meaning::Kind::Register, static_cast<ir::RegId>(function.registers.size())});
    function.registers.push_back({std::move(element), attributes.type});
  }
  context.vectors.push_back(std::move(vector));
  return true;
}

bool add_vectors(Context& context, const Token& name, std::optional<uint64_t> range,
                 const Attributes& attributes, ir::Function& function) {
  if (!range) return add_vector(context, name, name.text, attributes, function);
  for (uint64_t i = 0; i < *range; ++i) {
    std::string_view text = context.keep(fmt::format("{}{}", name.text, i));
    if (!add_vector(context, name, text, attributes, function)) return false;
  }
  return true;
}

bool read_one_register(Context& context, const Attributes& attributes, ir::Function& function) {
  Reader& in = context.in;
  Token name;
  if (!in.expect_word(name, "the name of a register")) return false;
  std::optional<uint64_t> range;
  if (in.accept('<') && !(range = read_range(in, "registers", kMaxRegisters))) return false;
  const uint64_t count = range.value_or(1);
  if (!within(context, name, count, context.registers, kMaxRegisters, "registers")) return false;
  context.registers += count;
  if (attributes.vector != 1)
    return room_for_names(context, name, 5 * count) &&  // its own and those of four elements
           add_vectors(context, name, range, attributes, function);
  auto first = static_cast<ir::RegId>(function.registers.size());
  bool fresh = range ? context.names.add_range(name.text, first, static_cast<uint32_t>(count))
                     : context.names.add(name.text, {Meaning::Kind::Register, first});
  if (!name_is_free(context, name, fresh)) return false;
  for (uint64_t i = 0; i < count; ++i)
    function.registers.push_back(
        {range ? fmt::format("{}{}", name.text, i) : std::string(name.text), attributes.type});
  return true;
}

}  // namespace

bool read_registers(Context& context, ir::Function& function) {
  Token at = context.in.token();
  auto attributes = read_attributes(context, Space::Reg);
  if (!attributes) return false;
  if (attributes->vector != 1 && (attributes->vector * isa::bits(attributes->type) > 128 ||
                                  attributes->vector > 4 || attributes->type == ir::Type::pred)) {
    context.in.error(at, "a vector register has 2 or 4 elements, no predicates, in 128 bits at most");
    return false;
  }
  do {
    if (!read_one_register(context, *attributes, function)) return false;
  } while (context.in.accept(','));
  return context.in.expect(';', "behind the declaration");
}

}  // namespace ww::ptx
