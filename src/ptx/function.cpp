#include "ptx/function.h"

#include <fmt/format.h>

namespace ww::ptx {

using ir::Function;

bool FunctionParser::read_param(std::vector<ir::Param>& params, Function& function) {
  Token at = in_.take();
  ir::Space space = space_of(at.text);
  if (at.kind != Token::Kind::Dotted || (space != ir::Space::Param && space != ir::Space::Reg)) {
    in_.error(at, "a parameter begins with .param or .reg");
    return false;
  }
  auto attributes = read_attributes(context_, space);
  if (!attributes) return false;
  auto declarator = read_declarator(context_);
  if (!declarator) return false;
  auto variable = make_variable(context_, *attributes, *declarator);
  if (!variable) return false;
  ir::Param param;
  bool named = declarator->name.text != "_";
  if (space == ir::Space::Reg) {
    param.reg = static_cast<ir::RegId>(function.registers.size());
    function.registers.push_back({std::string(declarator->name.text), attributes->type});
    if (named && !context_.declare(declarator->name, {Meaning::Kind::Register, param.reg})) return false;
  } else {
    param.symbol = context_.add_symbol(declarator->name.text, ir::Linkage::Internal, declarator->name);
    context_.module.symbols[param.symbol].variable = static_cast<int>(context_.module.variables.size());
    context_.module.variables.push_back(std::move(*variable));
    if (named && !context_.declare(declarator->name, {Meaning::Kind::Symbol, param.symbol})) return false;
  }
  params.push_back(param);
  return true;
}

bool FunctionParser::read_params(std::vector<ir::Param>& params, Function& function) {
  if (!in_.accept('(') || in_.accept(')')) return true;
  do {
    if (!read_param(params, function)) return false;
  } while (in_.accept(','));
  return in_.expect(')', "behind the parameters");
}

bool FunctionParser::read_dimensions(uint32_t (&dimensions)[3]) {
  dimensions[1] = dimensions[2] = 1;
  int i = 0;
  do {
    if (i == 3) {
      in_.unexpected("at most three dimensions");
      return false;
    }
    auto value = read_count(in_, "a number of threads", 0x7fffffff);
    if (!value) return false;
    dimensions[i++] = static_cast<uint32_t>(*value);
  } while (in_.accept(','));
  return true;
}

bool FunctionParser::read_attributes_of(Function& function) {
  auto number = [&](uint32_t& to) {
    auto value = read_count(in_, "this", 0x7fffffff);
    if (value) to = static_cast<uint32_t>(*value);
    return value.has_value();
  };
  while (in_.token().kind == Token::Kind::Dotted) {
    Token token = in_.take();
    uint32_t unused;
    bool good = true;
    if (token.text == ".maxntid")
      good = read_dimensions(function.max_threads);
    else if (token.text == ".reqntid")
      good = read_dimensions(function.required_threads);
    else if (token.text == ".minnctapersm")
      good = number(function.min_blocks);
    else if (token.text == ".maxnctapersm")
      good = number(unused);
    else if (token.text == ".maxnreg")
      good = number(function.max_registers);
    else if (token.text == ".maxclusterrank")
      good = number(function.max_cluster);
    else if (token.text == ".reqnctapercluster")
      good = read_dimensions(function.cluster);
    else if (token.text == ".explicitcluster" || token.text == ".blocksareclusters")
      good = true;  // the launch says which cluster
    else if (token.text == ".abi_preserve" || token.text == ".abi_preserve_control")
      good = number(unused);
    else if (token.text == ".noreturn")
      function.noreturn = true;
    else if (token.text == ".pragma") {
      while (in_.token().kind == Token::Kind::String || in_.token().is(',')) in_.take();
      good = in_.expect(';', "behind .pragma");
    } else if (token.text == ".attribute") {
      good = in_.expect('(', "behind .attribute");
      while (good && !in_.token().is(')') && !in_.token().is_end()) in_.take();
      good = good && in_.expect(')', "behind the attributes");
    } else {
      in_.error(token, fmt::format("'{}' does not belong in the head of a function", shown(token.text)));
      good = false;
    }
    if (!good) return false;
  }
  return true;
}

// A function may be declared before it is defined, and more than once.
std::optional<ir::SymbolId> FunctionParser::symbol_for(const Token& name, ir::Linkage linkage,
                                                       const Function& function, bool definition) {
  auto known = context_.names.find(name.text);
  auto& module = context_.module;
  if (!known) {
    ir::SymbolId id = context_.add_symbol(name.text, linkage, name);
    module.symbols[id].function = static_cast<int>(module.functions.size());
    module.functions.emplace_back();
    return id;
  }
  if (known->kind != Meaning::Kind::Symbol || !module.is_function(known->id)) {
    in_.error(name, fmt::format("'{}' is declared already, as a variable", shown(name.text)));
    return std::nullopt;
  }
  const Function& before = module.function(known->id);
  if (definition && before.defined) {
    in_.error(name, fmt::format("the function '{}' is defined twice", shown(name.text)));
    return std::nullopt;
  }
  if (before.entry != function.entry || before.params.size() != function.params.size() ||
      before.results.size() != function.results.size()) {
    in_.error(name,
              fmt::format("'{}' was declared otherwise in line {}", shown(name.text), before.place.ptx_line));
    return std::nullopt;
  }
  if (linkage != ir::Linkage::Extern) module.symbols[known->id].linkage = linkage;
  return known->id;
}

bool FunctionParser::parse(ir::Linkage linkage, bool entry) {
  Function function;
  function.entry = entry;
  // Parameters belong to the function's own scope; the function itself must be known outside, and inside its
  // body.
  context_.names.open();
  size_t before = in_.errors().size();
  if (in_.token().kind == Token::Kind::Dotted && !entry)
    read_attributes_of(function);  // .func .attribute(…) f
  bool good = in_.errors().size() == before && (entry || read_params(function.results, function));
  Token name;
  good = good && in_.expect_word(name, "the name of a function") && read_params(function.params, function) &&
         read_attributes_of(function);
  bool definition = good && in_.token().is('{');
  if (good && !definition) good = in_.expect(';', "or '{' behind the head of the function");
  if (!good) {
    context_.names.close();
    return false;
  }
  function.place = in_.place(name);
  auto symbol = symbol_for(name, linkage, function, definition);
  if (!symbol) {
    context_.names.close();
    if (definition) in_.skip_braces();
    return true;
  }
  function.symbol = *symbol;
  function.defined = definition;
  int index = context_.module.symbols[*symbol].function;
  Function& slot = context_.module.functions[static_cast<size_t>(index)];
  if (definition || !slot.defined) slot = std::move(function);
  context_.names.add(name.text, {Meaning::Kind::Symbol, *symbol});
  if (definition) {
    for (const auto* params : {&slot.results, &slot.params})
      for (const ir::Param& param : *params)
        if (param.symbol != ir::kNone)
          context_.module.variables[static_cast<size_t>(context_.module.symbols[param.symbol].variable)]
              .owner = index;
    BodyParser(context_, forms_, index).parse();
  }
  context_.names.close();
  context_.names.add(name.text, {Meaning::Kind::Symbol, *symbol});  // known already if it was declared before
  return true;
}

}  // namespace ww::ptx
