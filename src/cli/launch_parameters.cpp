#include "cli/launch_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ww::cli {

namespace {

using Kind = Parameter::Kind;
using isa::TypeClass;

Kind kind_of(isa::Type type) {
  switch (isa::type_class(type)) {
    case TypeClass::Float:
      return Kind::Float;
    case TypeClass::Signed:
    case TypeClass::Unsigned:
      return Kind::Integer;
    default:
      return Kind::Unknown;
  }
}

/// The type that instructions read the register with, as far as they name one; moves are followed.
isa::Type type_of_uses(const ir::Function& f, ir::RegId start) {
  std::set<ir::RegId> seen{start};
  std::vector<ir::RegId> open{start};
  while (!open.empty()) {
    const ir::RegId reg = open.back();
    open.pop_back();
    for (const ir::Block& block : f.blocks)
      for (const ir::Instruction& in : block.instructions)
        for (size_t k = 0; k < in.operands.size() && k < in.form().operands.size(); ++k) {
          const ir::Operand& o = in.operands[k];
          if (in.form().operands[k].dest) continue;
          if (o.kind == ir::Operand::Kind::Memory && o.reg == reg) return isa::Type::u64;  // an address
          if (o.kind != ir::Operand::Kind::Register || o.reg != reg) continue;
          if (const isa::Type type = in.operand_type(k); kind_of(type) != Kind::Unknown) return type;
          if (in.op == isa::Op::mov && in.operands[0].kind == ir::Operand::Kind::Register &&
              seen.insert(in.operands[0].reg).second)
            open.push_back(in.operands[0].reg);
        }
  }
  return isa::Type::none;
}

/// What the instructions make of a parameter that read it.
isa::Type type_of_parameter(const ir::Function& f, ir::SymbolId symbol) {
  for (const ir::Block& block : f.blocks)
    for (const ir::Instruction& in : block.instructions) {
      if (in.op != isa::Op::ld || in.operands.size() < 2) continue;
      const ir::Operand& from = in.operands[1];
      if (from.kind != ir::Operand::Kind::Memory || from.symbol != symbol) continue;
      if (kind_of(in.type()) != Kind::Unknown) return in.type();
      if (in.operands[0].kind != ir::Operand::Kind::Register) continue;
      if (const isa::Type type = type_of_uses(f, in.operands[0].reg); type != isa::Type::none) return type;
    }
  return isa::Type::none;
}

std::string arguments_text(size_t n) { return fmt::format("{} {}", n, n == 1 ? "argument" : "arguments"); }
std::string bytes_text(uint64_t n) { return fmt::format("{} {}", n, n == 1 ? "byte" : "bytes"); }

/// Bytes of a value, arrays being addresses.
uint64_t size_of(const LaunchArgument& value, uint64_t& alignment) {
  if (std::holds_alternative<ArrayArgument>(value)) return alignment = 8;
  if (const auto* scalar = std::get_if<ScalarArgument>(&value)) {
    alignment = scalar->type == "hex" ? 1 : scalar->bytes.size();
    return scalar->bytes.size();
  }
  uint64_t size = 0;
  alignment = 1;
  for (const LaunchArgument& member : std::get<StructArgument>(value).members) {
    uint64_t own = 1;
    const uint64_t bytes = size_of(member, own);
    size = (size + own - 1) / own * own + bytes;
    alignment = std::max(alignment, own);
  }
  return (size + alignment - 1) / alignment * alignment;
}

/// "s32" for an integer of four bytes, "f64" for a floating-point number of eight.
std::string type_for(const Parameter& p, const std::string& number) {
  if (p.kind == Kind::Float) return p.type;
  if (p.kind == Kind::Integer) {
    const bool sign = p.type[0] == 's' || number.starts_with('-');
    return fmt::format("{}{}", sign ? 's' : 'u', 8 * p.bytes);
  }
  return {};
}

const char* noun(Kind kind) { return kind == Kind::Float ? "a floating-point number" : "an integer"; }

}  // namespace

Parameter variable_parameter(const ir::Variable& v) {
  Parameter p{kind_of(v.type), v.bytes, std::string(isa::name(v.type))};
  const auto element = static_cast<uint64_t>(isa::bytes(v.type));
  if (v.type == isa::Type::b8 && v.bytes != 1) p.kind = Kind::Struct;
  if (v.bytes != element && v.type != isa::Type::b8) p.kind = Kind::Struct;  // an array of them
  return p;
}

std::vector<Parameter> parameters_of(const ir::Module& module, const std::string& kernel) {
  std::vector<Parameter> out;
  const ir::Function* f = module.find_function(kernel);
  if (!f) return out;
  for (const ir::Param& param : f->params) {
    Parameter p = variable_parameter(module.variable(param.symbol));
    if (p.kind == Kind::Unknown)
      if (const isa::Type type = type_of_parameter(*f, param.symbol);
          type != isa::Type::none && static_cast<uint64_t>(isa::bytes(type)) == p.bytes)
        p.kind = kind_of(type), p.type = isa::name(type);
    out.push_back(std::move(p));
  }
  return out;
}

Status fit_argument(LaunchArgument& argument, const Parameter& p, const std::string& what, bool shorter) {
  if (auto* number = std::get_if<ScalarArgument>(&argument); number && number->type.empty()) {
    const std::string type = type_for(p, number->text);
    if (type.empty())
      return error(fmt::format("{}: the PTX does not tell the type of {}", what, number->text),
                   fmt::format("say it: s32:{} or f32:{}", number->text, number->text));
    auto typed = with_type(*number, type);
    if (!typed) {
      Diagnostics why = typed.error();
      for (auto& d : why) d.message = what + ": " + d.message;
      return why;
    }
    *number = std::move(*typed);
  }
  uint64_t alignment = 1;
  const uint64_t size = size_of(argument, alignment);
  const auto* scalar = std::get_if<ScalarArgument>(&argument);
  const bool array = std::holds_alternative<ArrayArgument>(argument);
  const bool fits = size == p.bytes || (shorter && size < p.bytes);
  if (scalar && scalar->type != "hex" && scalar->type[0] != 'b' && size == p.bytes) {
    const Kind given = scalar->type[0] == 'f' ? Kind::Float : Kind::Integer;
    if (p.kind != given && (p.kind == Kind::Float || p.kind == Kind::Integer))
      return error(fmt::format("{} is {} ({}), and {}:{} is {}", what, noun(p.kind), p.type, scalar->type,
                               scalar->text, noun(given)),
                   fmt::format("{}:{}", type_for(p, scalar->text),
                               p.kind == Kind::Float ? scalar->text : std::string("7, for example")));
  }
  if (array && size == p.bytes && p.kind == Kind::Float)
    return error(fmt::format("{} is a floating-point number ({}), and an array is given", what, p.type),
                 p.type + ":1.5, for example");
  if (fits) return {};
  std::string hint;
  if (p.kind == Kind::Struct)
    hint = "a struct is written by its members, {s32:1,f32:2.5}, or as bytes, hex:00ff…";
  else if (p.kind != Kind::Unknown)
    hint = fmt::format("it is {} ({})", noun(p.kind), p.type);
  return error(fmt::format("{} has {}, and {} {} given", what, bytes_text(p.bytes), bytes_text(size),
                           size == 1 ? "is" : "are"),
               hint);
}

Status fit_arguments(std::vector<LaunchArgument>& arguments, const std::vector<Parameter>& parameters,
                     const std::string& kernel) {
  if (arguments.size() != parameters.size())
    return error(fmt::format("kernel {} takes {}, {} {} given", kernel, arguments_text(parameters.size()),
                             arguments.size(), arguments.size() == 1 ? "is" : "are"));
  Diagnostics wrong;
  for (size_t k = 0; k < arguments.size(); ++k)
    if (auto ok =
            fit_argument(arguments[k], parameters[k], fmt::format("argument {} of kernel {}", k + 1, kernel));
        !ok)
      wrong.insert(wrong.end(), ok.error().begin(), ok.error().end());
  if (!wrong.empty()) return wrong;
  return {};
}

}  // namespace ww::cli
