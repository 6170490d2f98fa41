#include "cli/launch/parameters.h"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "analysis/place_params.h"
#include "analysis/uses.h"
#include "analysis/written_params.h"
#include "base/symbol_name.h"
#include "cli/compile/cpp_parameters.h"
#include "cli/compile/cpp_types.h"
#include "cli/compile/kernel_name.h"
#include "ir/accesses.h"
#include "ir/print.h"

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

struct Pointee {
  bool accessed = false;  ///< there are accesses through the pointer
  std::string element;    ///< "f32" where every floating-point one is of that type; "" where there is none
};

/// Nothing where the parameter may be a number.
Pointee pointee_of(const ir::Function& f, ir::SymbolId symbol) {
  std::set<ir::RegId> derived;
  const auto reads_symbol = [&](const ir::Instruction& in) {
    return in.op == isa::Op::ld && in.operands.size() > 1 &&
           in.operands[1].kind == ir::Operand::Kind::Memory && in.operands[1].symbol == symbol;
  };
  for (size_t before = 1, now = 0; before != now;) {  // until nothing new is derived
    before = derived.size();
    for (const ir::Block& block : f.blocks)
      for (const ir::Instruction& in : block.instructions) {
        if (in.operands.empty() || in.operands[0].kind != ir::Operand::Kind::Register) continue;
        bool from = reads_symbol(in);
        if (in.op == isa::Op::mov || in.op == isa::Op::cvta || in.op == isa::Op::cvta_to ||
            in.op == isa::Op::add_int || in.op == isa::Op::sub_int || in.op == isa::Op::mad_lo ||
            in.op == isa::Op::mad_wide || in.op == isa::Op::selp)
          for (size_t k = 1; k < in.operands.size(); ++k)
            from |=
                in.operands[k].kind == ir::Operand::Kind::Register && derived.contains(in.operands[k].reg);
        if (from) derived.insert(in.operands[0].reg);
      }
    now = derived.size();
  }
  // An offset that is added to a pointer looks like one; but only pointers are converted, or are bases as
  // they are.
  std::set<ir::RegId> itself;
  bool sure = false;
  for (const ir::Block& block : f.blocks)
    for (const ir::Instruction& in : block.instructions) {
      for (size_t k = 0; k < in.operands.size(); ++k) {
        const ir::Operand& o = in.operands[k];
        const bool base = o.kind == ir::Operand::Kind::Memory;
        const bool converted = k > 0 && o.kind == ir::Operand::Kind::Register &&
                               (in.op == isa::Op::cvta || in.op == isa::Op::cvta_to);
        sure |= (base || converted) && itself.contains(o.reg);
      }
      if (reads_symbol(in) && in.operands[0].kind == ir::Operand::Kind::Register)
        itself.insert(in.operands[0].reg);
    }
  if (!sure) return {};
  Pointee found;
  bool mixed = false;
  for (const ir::Block& block : f.blocks)
    for (const ir::Instruction& in : block.instructions)
      for (const ir::Operand& o : in.operands) {
        if (o.kind != ir::Operand::Kind::Memory || !derived.contains(o.reg)) continue;
        found.accessed = true;
        if (kind_of(in.type()) != Kind::Float) continue;
        const std::string type(isa::name(in.type()));
        mixed |= !found.element.empty() && found.element != type;
        found.element = type;
      }
  if (mixed) found.element.clear();
  return found;
}

/// What a C++ type says of the parameter, if its size is right.
void set_cpp_type(Parameter& p, const std::string& type) {
  p.cpp = usual_order(type);
  p.pointer = is_pointer(type) && p.bytes == 8;
  const std::string element = element_name(type);
  if (p.pointer) {
    p.element = element;
    p.read_only = p.cpp.starts_with("const ");
  } else if (p.bytes == 2 && (element == "f16" || element == "bf16")) {  // PTX has them as structs
    p.kind = Kind::Float, p.type = element;
  } else if (!element.empty() && element != "bf16" && p.kind != Kind::Struct) {
    const Kind kind = element[0] == 'f' ? Kind::Float : Kind::Integer;
    if (const uint64_t bits = std::strtoull(element.c_str() + 1, nullptr, 10); bits == 8 * p.bytes)
      p.kind = kind, p.type = element;
  }
}

/// "f32" and "u32" are as different as 4 bytes and 8; signs are not told apart.
bool same_elements(std::string given, std::string wanted) {
  if (wanted == "bf16") return given == "bf16" || given == "u16" || given == "s16";  // files do not know it
  for (std::string* type : {&given, &wanted})
    if (*type == "bool") *type = "u8";
  const auto unsigned_of = [](std::string& type) {
    if (type[0] == 's' || type[0] == 'b') type[0] = 'u';
  };
  unsigned_of(given), unsigned_of(wanted);
  return given == wanted;
}

/// "random:f32[1000]": the array's text with other elements.
std::string with_element(const ArrayArgument& a, const std::string& element) {
  const std::string type = element == "bf16" && a.has_file() ? "u16" : element;
  if (a.kind == ArrayArgument::Kind::In) return fmt::format("in:FILE.npy with elements of {}", type);
  if (a.kind == ArrayArgument::Kind::InOut) return fmt::format("inout:FILE.npy with elements of {}", type);
  if (a.kind == ArrayArgument::Kind::Shared) return fmt::format("an array of {}", type);
  const char* kind = a.kind == ArrayArgument::Kind::Random  ? "random"
                     : a.kind == ArrayArgument::Kind::Range ? "range"
                                                            : "out";
  return fmt::format("{}:{}[{}]{}{}", kind, type, fmt::join(a.shape, ","), a.path.empty() ? "" : ":" + a.path,
                     a.skipped > 0 ? fmt::format("+{}", a.skipped) : "");
}

/// An array for a pointer to something else.
Status check_elements(const ArrayArgument& array, const Parameter& p, const std::string& what) {
  if (array.raw || p.element.empty() || array.kind == ArrayArgument::Kind::Numpy) return {};
  npy::Dtype dtype = array.dtype;
  if (array.has_file()) {
    const auto header = npy::read_header(array.path);
    if (!header) return {};  // reading it says what is wrong
    dtype = header->dtype;
  }
  const std::string given = array.bfloat && !array.has_file() ? "bf16" : element_of(dtype);
  if (same_elements(given, p.element)) return {};
  const std::string type = p.cpp.empty() ? "an array of " + p.element : p.cpp;
  return error_at(
      p.where, fmt::format("{} is {}, but an array of {} is given", what, type, given),
      fmt::format("{}; raw: in front takes the bytes as they are", with_element(array, p.element)));
}

/// A table of pointers for something else, or with an array of other elements.
Status check_table(const StructArgument& table, const Parameter& p, const std::string& what) {
  if (p.cpp.empty()) return {};
  const size_t star = p.cpp.rfind('*');
  const std::string inner = p.cpp.substr(0, std::min(star, p.cpp.size()));
  if (!is_pointer(inner))
    return error_at(p.where, fmt::format("{} is {}, but a table of arrays is given", what, p.cpp),
                    p.pointer ? "one array: random:…, in:FILE.npy" : "");
  Parameter element;
  element.cpp = usual_order(inner), element.element = element_name(inner), element.where = p.where;
  for (size_t i = 0; i < table.members.size(); ++i)
    if (const auto* array = std::get_if<ArrayArgument>(&table.members[i]))
      if (auto ok = check_elements(*array, element, fmt::format("array {} of {}", i + 1, what)); !ok)
        return ok;
  return {};
}

std::string arguments_text(size_t n) { return fmt::format("{} {}", n, n == 1 ? "argument" : "arguments"); }
std::string bytes_text(uint64_t n) { return fmt::format("{} {}", n, n == 1 ? "byte" : "bytes"); }

/// Bytes of a value, arrays being addresses.
uint64_t size_of(const LaunchArgument& value, uint64_t& alignment) {
  if (std::holds_alternative<ArrayArgument>(value) || std::holds_alternative<TextureArgument>(value))
    return alignment = 8;
  if (const auto* scalar = std::get_if<ScalarArgument>(&value)) {
    alignment = scalar->type == "hex" ? 1 : scalar->bytes.size();
    return scalar->bytes.size();
  }
  uint64_t size = 0;
  alignment = 1;
  if (std::get<StructArgument>(value).pointers) return alignment = 8;
  if (const auto& s = std::get<StructArgument>(value); s.bytes > 0) return s.bytes;
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

const ScalarArgument* scalar_of(const LaunchArgument& value) { return std::get_if<ScalarArgument>(&value); }

Diagnostic no_number(const Parameter& p, const std::string& what, const std::string& number) {
  const std::string element = p.element.empty() || p.element == "bf16" ? "f32" : p.element;
  return error_at(p.where,
                  fmt::format("{} is a pointer{}, but the number {} is given", what,
                              !p.cpp.empty()       ? " (" + p.cpp + ")"
                              : !p.element.empty() ? " (to " + p.element + ")"
                                                   : "",
                              number),
                  fmt::format("an array: random:{}[1000], in:FILE.npy, out:{}[1000]:FILE.npy; null is none",
                              element, element));
}

/// Whether some access that `is_meant` goes through the parameter.
template <class F>
bool accessed_through(const analysis::AccessParams& accesses, size_t param, const F& is_meant) {
  uint64_t mask = 0;
  for (size_t k = 0; k < accesses.places.size(); ++k)
    if (accesses.places[k].param == param) mask |= uint64_t{1} << k;
  for (const auto& [instruction, of] : accesses.of)
    for (const ir::Access& a : ir::accesses_of(*instruction))
      if ((of & mask) && is_meant(*instruction, a)) return true;
  return false;
}

bool is_load(const ir::Instruction&, const ir::Access& a) { return a.direction == isa::Direction::Read; }

/// What threads tell each other something by.
bool is_ordered(const ir::Instruction& in, const ir::Access& a) {
  if (a.direction == isa::Direction::Update) return true;
  const isa::Mod order = in.mod(isa::Slot::loadsem);  // volatile, relaxed, acquire
  return a.direction == isa::Direction::Read && order != isa::Mod::none && order != isa::Mod::weak;
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
  const analysis::WrittenParams written = analysis::written_params(module, *f);
  for (size_t i = 0; written.known && i < out.size(); ++i)
    out[i].unwritten = std::none_of(written.places.begin(), written.places.end(),
                                    [&](const analysis::ParamPlace& place) { return place.param == i; });
  const analysis::AccessParams accesses = analysis::access_params(module, *f);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].loaded = accessed_through(accesses, i, is_load);
    out[i].flags = accessed_through(accesses, i, is_ordered);
  }
  for (size_t param : analysis::params_of_places(*f, accesses)) out[param].places = true;
  const auto types = types_in(demangled(kernel));
  const bool told = types.size() == out.size();
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i].bytes == 8 && f->params[i].symbol != ir::kNone) {
      out[i].texture = texture_use(*f, f->params[i].symbol);
      out[i].object = out[i].texture.object;
      if (!out[i].object.empty()) {
        out[i].kind = Kind::Integer, out[i].type = "u64";
        continue;
      }
    }
    if (told) {
      set_cpp_type(out[i], types[i]);
      if (out[i].pointer && out[i].element.empty() && f->params[i].symbol != ir::kNone)
        out[i].accessed = pointee_of(*f, f->params[i].symbol).element;
    }
    if (!told && out[i].bytes == 8 && out[i].kind != Kind::Float && out[i].kind != Kind::Struct) {
      const Pointee to = pointee_of(*f, f->params[i].symbol);
      out[i].element = to.element, out[i].pointer = to.accessed;
    }
  }
  return out;
}

void add_source(std::vector<Parameter>& parameters, std::string_view source, const std::string& file,
                const std::string& kernel) {
  const auto found = parameters_in_source(source, file, plain_name(kernel), parameters.size());
  for (size_t i = 0; i < found.size(); ++i) {
    parameters[i].name = found[i].name;
    parameters[i].where = found[i].where;
    if (!parameters[i].object.empty()) parameters[i].cpp = found[i].type;
    add_texels_of_source(parameters[i].texture, source, found[i].name, found[i].where.line);
    if (parameters[i].cpp.empty()) {
      const std::string before = parameters[i].element;
      set_cpp_type(parameters[i], found[i].type);
      // A name that only the compiler knows: what the accesses said is better than nothing.
      if (parameters[i].element.empty()) parameters[i].element = before;
    }
  }
}

void add_debug(std::vector<Parameter>& parameters, const std::vector<ptx::DebugParameter>& debug) {
  if (debug.size() != parameters.size()) return;
  for (size_t i = 0; i < debug.size(); ++i) {
    if (parameters[i].name.empty()) parameters[i].name = debug[i].name;
    if (parameters[i].cpp.empty()) set_cpp_type(parameters[i], debug[i].type);
    uint64_t end = 0;
    for (const ptx::DebugMember& m : debug[i].members) end = std::max(end, m.offset + m.bytes);
    if (parameters[i].kind == Kind::Struct && end <= parameters[i].bytes)
      parameters[i].members = debug[i].members;
  }
}

std::string argument_name(size_t index, const std::vector<Parameter>& parameters) {
  return index < parameters.size() && !parameters[index].name.empty() ? parameters[index].name
                                                                      : fmt::format("arg{}", index + 1);
}

std::map<std::string, std::string> numbers_of(const std::vector<LaunchArgument>& arguments,
                                              const std::vector<Parameter>& parameters) {
  std::map<std::string, std::string> out;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const auto* number = std::get_if<ScalarArgument>(&arguments[i]); number && number->type != "hex")
      out[argument_name(i, parameters)] = number->text;
  return out;
}

std::string argument_title(size_t index, const std::vector<Parameter>& parameters,
                           const std::string& kernel) {
  const std::string& name = parameters[index].name;
  return fmt::format("argument {}{} of kernel {}", index + 1, name.empty() ? "" : " (" + name + ")", kernel);
}

Status fit_argument(LaunchArgument& argument, const Parameter& p, const std::string& what, bool shorter) {
  if (auto* number = std::get_if<ScalarArgument>(&argument); number && number->type.empty()) {
    if (!p.object.empty())
      return error_at(
          p.where,
          fmt::format("{} is the object of a {}, but the number {} is given", what, p.object, number->text),
          p.object == "surface" ? "surf:out:f32[64,64]:FILE.npy, for example"
                                : "tex:f32[64,64] or tex,linear:in:FILE.npy, for example");
    if (p.pointer && number->text != "0") return no_number(p, what, number->text);
    const std::string type = type_for(p, number->text);
    if (type.empty())
      return error(fmt::format("{}: the type of {} is not known from the PTX", what, number->text),
                   p.bytes == 4 ? fmt::format("give it: s32:{} or f32:{}", number->text, number->text)
                   : p.bytes == 1
                       ? fmt::format("give it: u8:{}; a struct without members is {{}}", number->text)
                   : p.bytes == 2 || p.bytes == 8
                       ? fmt::format("give it: s{0}:{1} or f{0}:{1}", 8 * p.bytes, number->text)
                       : "a struct is written by its members, {s32:1,f32:2.5}, or as bytes, hex:00ff…");
    auto typed = with_type(*number, type);
    if (!typed) {
      Diagnostics why = typed.error();
      for (auto& d : why) d.message = what + ": " + d.message, d.where = p.where;
      return why;
    }
    *number = std::move(*typed);
  }
  if (const auto* structure = std::get_if<StructArgument>(&argument);
      structure && !structure->names.empty() && structure->bytes == 0)
    return error_at(p.where, fmt::format("{}: the places of its members are not known", what),
                    "give all of them in order: {s32:1,f32:2.5}");
  uint64_t alignment = 1;
  const uint64_t size = size_of(argument, alignment);
  if (const auto* table = std::get_if<StructArgument>(&argument); table && table->pointers)
    if (auto ok = check_table(*table, p, what); !ok) return ok;
  const auto* scalar = std::get_if<ScalarArgument>(&argument);
  auto* given_array = std::get_if<ArrayArgument>(&argument);
  const bool array = given_array != nullptr;
  if (array && !given_array->raw)
    given_array->wanted = p.element == "bf16" || p.element == "bool" ? "" : p.element;
  const bool fits = size == p.bytes || (shorter && size < p.bytes);
  auto* texture = std::get_if<TextureArgument>(&argument);
  if (texture && p.texture.told && !texture->surface) texture->read_as = p.texture.element;
  if (texture && !p.object.empty() && (p.object == "surface") != texture->surface)
    return error_at(p.where,
                    fmt::format("{} is a {}, but a {} is given", what, p.object,
                                texture->surface ? "surface" : "texture"),
                    p.object == "surface" ? "surf:f32[64,64], for example" : "tex:f32[64,64], for example");
  if (texture && (p.pointer || (p.object.empty() && p.kind == Kind::Float)))
    return error_at(
        p.where, fmt::format("{} is {}, but a texture is given", what, p.cpp.empty() ? p.type : p.cpp), "");
  if (!texture && !p.object.empty() && !(scalar_of(argument) && scalar_of(argument)->type == "u64"))
    return error_at(p.where, fmt::format("{} is the object of a {}", what, p.object),
                    p.object == "surface" ? "surf:out:f32[64,64]:FILE.npy, for example"
                                          : "tex:f32[64,64] or tex,linear:in:FILE.npy, for example");
  if (array)
    if (auto ok = check_elements(*given_array, p, what); !ok) return ok;
  const bool raw = (scalar && scalar->raw) || (array && given_array->raw);
  if (scalar && !raw && scalar->type != "hex" && scalar->type[0] != 'b' && size == p.bytes) {
    const Kind given = scalar->type[0] == 'f' ? Kind::Float : Kind::Integer;
    if (p.pointer && given == Kind::Float) return no_number(p, what, scalar->text);
    if (p.kind != given && (p.kind == Kind::Float || p.kind == Kind::Integer))
      return error_at(p.where,
                      fmt::format("{} is {} ({}), but {}:{} is {}", what, noun(p.kind), p.type, scalar->type,
                                  scalar->text, noun(given)),
                      fmt::format("{}:{}", type_for(p, scalar->text),
                                  p.kind == Kind::Float ? scalar->text : std::string("7, for example")));
  }
  if (array && !raw && !p.cpp.empty() && !p.pointer && p.kind != Kind::Struct)
    return error_at(p.where, fmt::format("{} is not a pointer ({}), but an array is given", what, p.cpp),
                    p.type + ":1, for example; raw: in front gives it the address");
  if (array && size == p.bytes && p.kind == Kind::Float)
    return error(fmt::format("{} is a floating-point number ({}), but an array is given", what, p.type),
                 p.type + ":1.5, for example");
  if (fits) return {};
  std::string hint;
  if (p.kind == Kind::Struct)
    hint = "a struct is written by its members, {s32:1,f32:2.5}, or as bytes, hex:00ff…";
  else if (p.kind != Kind::Unknown)
    hint = fmt::format("it is {} ({})", noun(p.kind), p.type);
  return error_at(p.where,
                  fmt::format("{} has {}, but {} {} given", what, bytes_text(p.bytes), bytes_text(size),
                              size == 1 ? "is" : "are"),
                  hint);
}

Status fit_arguments(std::vector<LaunchArgument>& arguments, const std::vector<Parameter>& parameters,
                     const std::string& kernel) {
  if (arguments.size() != parameters.size())
    return error(fmt::format("kernel {} takes {}, but {} {} given", kernel, arguments_text(parameters.size()),
                             arguments.size(), arguments.size() == 1 ? "is" : "are"));
  Diagnostics wrong;
  for (size_t k = 0; k < arguments.size(); ++k)
    if (auto ok = fit_argument(arguments[k], parameters[k], argument_title(k, parameters, kernel)); !ok)
      wrong.insert(wrong.end(), ok.error().begin(), ok.error().end());
  if (!wrong.empty()) return wrong;
  return {};
}

}  // namespace ww::cli
