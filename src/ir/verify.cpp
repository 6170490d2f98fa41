#include "ir/verify.h"

#include <fmt/format.h>

#include <bit>

#include "ir/accesses.h"
#include "ir/flow.h"
#include "ir/print.h"
#include "ir/verify_parts.h"

namespace ww::ir {

using isa::TypeClass;

bool fits(Type reg, Type type, bool wider) {
  if (reg == Type::pred || type == Type::pred) return reg == type;
  if (reg == Type::none || type == Type::none) return false;
  TypeClass a = isa::type_class(reg), b = isa::type_class(type);
  bool kinds =
      a == TypeClass::Bits || b == TypeClass::Bits || (a == TypeClass::Float) == (b == TypeClass::Float);
  if (isa::bits(reg) == isa::bits(type)) {
    bool same_float = a != TypeClass::Float || b != TypeClass::Float || reg == type;
    return kinds && same_float;
  }
  if (!wider || isa::bits(reg) < isa::bits(type)) return false;
  // ld.f32 into .f64 would be neither value's bits.
  return kinds && !(a == TypeClass::Float && b == TypeClass::Float);
}

void Report::error(const Place& place, std::string message, std::string hint) {
  constexpr size_t kMost = 50;
  if (found_.size() < kMost)
    found_.push_back(
        error_at({module_.name, place.ptx_line, place.ptx_column, 1}, std::move(message), std::move(hint)));
  else if (found_.size() == kMost)
    found_.push_back(ww::error("too many errors, the rest of the module was not checked"));
}

namespace {

class FunctionVerifier {
 public:
  FunctionVerifier(const Module& module, const Function& function, Report& report)
      : module_(module), function_(function), report_(report) {}

  void run() {
    check_head();
    if (!function_.defined) return;
    if (function_.blocks.empty()) report_.error(function_.place, "a defined function has no code");
    for (const Block& block : function_.blocks) {
      for (const Instruction& instruction : block.instructions) {
        if (report_.full()) return;
        if (ends_block(instruction.op) && &instruction != &block.instructions.back())
          report_.error(instruction.place, "control leaves a block in its middle");
        check(instruction);
      }
    }
    if (function_.blocks.empty()) return;
    const auto& last = function_.blocks.back().instructions;
    if (last.empty() || !ends_block(last.back().op) || last.back().guard != kNone)
      report_.error(last.empty() ? function_.place : last.back().place,
                    "control falls off the end of the function");
  }

 private:
  void check_head() {
    for (const Register& reg : function_.registers)
      if ((isa::bits(reg.type) < 8 && reg.type != Type::pred) || reg.type == Type::texref ||
          reg.type == Type::samplerref || reg.type == Type::surfref) {
        report_.error(function_.place,
                      fmt::format("register {} cannot have type .{}", reg.name, isa::name(reg.type)));
        return;
      }
    if (!function_.entry) return;
    if (!function_.results.empty()) report_.error(function_.place, "a kernel has no results");
    uint64_t bytes = 0;
    for (const Param& param : function_.params) {
      if (param.symbol == kNone)
        report_.error(function_.place, "the parameters of a kernel are in .param, not in registers");
      else
        bytes += module_.variable(param.symbol).bytes;
    }
    constexpr uint64_t kMost = 32764;  // PTX ISA, ".param": since 8.1, for sm_70 and newer
    if (bytes > kMost)
      report_.error(function_.place,
                    fmt::format("{} bytes of kernel parameters, at most {} are allowed", bytes, kMost));
  }

  bool is_register(RegId reg) const { return reg < function_.registers.size(); }
  Type type_of(RegId reg) const { return function_.registers[reg].type; }

  void check(const Instruction& in) {
    const isa::Form& form = in.form();
    if (in.guard != kNone && (!is_register(in.guard) || type_of(in.guard) != Type::pred))
      report_.error(in.place, is_register(in.guard) ? fmt::format("the guard {} is no predicate",
                                                                  function_.registers[in.guard].name)
                                                    : "the guard is no register");
    if (in.operands.size() != form.operands.size() || in.chosen.size() != form.slots.size()) {
      report_.error(in.place, fmt::format("{} has {} operands, not {}", name_of(in), form.operands.size(),
                                          in.operands.size()));
      return;
    }
    if (in.op == Op::call) {
      verify_call(module_, function_, in, report_);
      return;
    }
    if (in.op == Op::brx && in.targets.empty()) report_.error(in.place, "brx.idx has no targets");
    for (BlockId target : in.targets)
      if (target >= function_.blocks.size())
        report_.error(in.place, "a branch target is not in the function");
    for (size_t i = 0; i < in.operands.size(); ++i) {
      std::string wrong = problem(in, i);
      if (!wrong.empty()) {
        report_.error(in.place,
                      fmt::format("operand '{}' of {}: {}", form.operands[i].name, name_of(in), wrong));
        break;
      }
    }
    if (in.op == Op::mov_pack) check_pack(in);
  }

  // What is wrong with one operand; "" if nothing.
  std::string problem(const Instruction& in, size_t i) {
    const isa::OperandSpec& spec = in.form().operands[i];
    const Operand& operand = in.operands[i];
    if (operand.negated && !spec.negatable) return "it cannot be negated";
    if (operand.kind == Operand::Kind::None)
      return spec.optional || spec.dest || in.op == Op::brx ? "" : "it is missing";
    Type type = in.operand_type(i);
    switch (spec.kind) {
      case isa::OperandKind::Value:
        return value(operand, type, spec);
      case isa::OperandKind::Memory:
        return memory(in, operand);
      case isa::OperandKind::Vector:
        return vector(in, operand, type, spec);
      case isa::OperandKind::List:
        return list(operand, type, spec);
      case isa::OperandKind::Object:
        return object(operand);
      case isa::OperandKind::Label:
        return operand.kind == Operand::Kind::Label && operand.block < function_.blocks.size()
                   ? ""
                   : "a label is wanted";
      case isa::OperandKind::Immediate:
        return operand.kind == Operand::Kind::Immediate ? "" : "a constant is wanted";
      case isa::OperandKind::Name:
        return operand.kind == Operand::Kind::Address || operand.kind == Operand::Kind::Register
                   ? symbol_or_register(operand)
                   : "a name is wanted";
    }
    return "";
  }

  std::string symbol_or_register(const Operand& operand) {
    if (operand.kind == Operand::Kind::Address)
      return operand.symbol < module_.symbols.size() ? "" : "unknown symbol";
    return is_register(operand.reg) && fits(type_of(operand.reg), Type::b64, false)
               ? ""
               : "a 64-bit register is wanted";
  }

  std::string value(const Operand& operand, Type type, const isa::OperandSpec& spec) {
    switch (operand.kind) {
      case Operand::Kind::Register: {
        if (!is_register(operand.reg)) return "unknown register";
        const Register& reg = function_.registers[operand.reg];
        if (fits(reg.type, type, spec.wider)) return "";
        return fmt::format("{} has type .{}, but .{}{} is wanted", reg.name, isa::name(reg.type),
                           isa::name(type), spec.wider ? " or wider" : "");
      }
      case Operand::Kind::Immediate:
        return spec.dest ? "a constant cannot be the destination" : "";
      case Operand::Kind::Special:
        return special(operand, type, spec);
      case Operand::Kind::Address:
        if (spec.dest) return "an address cannot be the destination";
        if (operand.symbol >= module_.symbols.size()) return "unknown symbol";
        return (isa::bits(type) == 64 || isa::bits(type) == 32) && !isa::is_float(type)
                   ? ""
                   : fmt::format("an address does not fit in .{}", isa::name(type));
      case Operand::Kind::Vector:
        return "a list is not wanted here";
      default:
        return "a register or a constant is wanted";
    }
  }

  std::string special(const Operand& operand, Type type, const isa::OperandSpec& spec) {
    if (spec.dest) return "a special register cannot be written";
    const auto& all = special_registers();
    if (operand.special >= all.size()) return "unknown special register";
    const SpecialRegister& reg = all[operand.special];
    bool narrow = type == Type::u16 || type == Type::s16 || type == Type::b16;  // as in early PTX
    if (!isa::is_float(type) && (fits(reg.type, type, false) || (narrow && isa::bits(reg.type) == 32)))
      return "";
    return fmt::format("%{} has type .{}, but .{} is wanted", reg.name, isa::name(reg.type), isa::name(type));
  }

  std::string memory(const Instruction& in, const Operand& operand) {
    if (operand.kind != Operand::Kind::Memory) return "an address in [ ] is wanted";
    if (operand.reg != kNone) {
      if (!is_register(operand.reg)) return "unknown register";
      const Register& reg = function_.registers[operand.reg];
      bool good = (isa::bits(reg.type) == 32 || isa::bits(reg.type) == 64) && !isa::is_float(reg.type);
      return good ? ""
                  : fmt::format("{} has type .{}, but an address is an integer of 32 or 64 bits", reg.name,
                                isa::name(reg.type));
    }
    if (operand.symbol == kNone) return "";
    if (operand.symbol >= module_.symbols.size() || module_.symbols[operand.symbol].variable < 0)
      return "a variable is wanted";
    Space have = module_.variable(operand.symbol).space, want = space_of(in);
    for (const Access& access : accesses_of(in))
      if (&in.operands[static_cast<size_t>(access.operand)] == &operand) want = access.space;
    if (want == Space::None || have == want) return "";
    return fmt::format("{} is in another state space", module_.symbols[operand.symbol].name);
  }

  std::string vector(const Instruction& in, const Operand& operand, Type type, const isa::OperandSpec& spec) {
    if (in.op == Op::mov_pack && operand.kind == Operand::Kind::Vector) {
      size_t count = operand.elements.size();
      if (count == 0 || isa::bits(type) % static_cast<int>(count) != 0)
        return fmt::format("{} elements do not fill .{}", count, isa::name(type));
      return elements(operand, part(type, count), spec);
    }
    size_t wanted = 0;
    Mod count = in.has(Mod::v4)   ? Mod::v4
                : in.has(Mod::v2) ? Mod::v2
                                  : in.mod(Slot::vec);  // tex: always the same
    switch (count) {
      case Mod::v2:
        wanted = 2;
        break;
      case Mod::v4:
        wanted = 4;
        break;
      case Mod::v8:
        wanted = 8;
        break;
      default:
        return operand.elements.size() == 1 ? elements(operand, type, spec) : value(operand, type, spec);
    }
    if (operand.kind != Operand::Kind::Vector || operand.elements.size() != wanted)
      return fmt::format("a list of {} is wanted", wanted);
    return elements(operand, type, spec);
  }

  static Type part(Type type, size_t count) {
    switch (isa::bits(type) / static_cast<int>(count)) {
      case 8:
        return Type::b8;
      case 16:
        return Type::b16;
      case 32:
        return Type::b32;
      case 64:
        return Type::b64;
      default:
        return Type::none;
    }
  }

  std::string elements(const Operand& operand, Type type, const isa::OperandSpec& spec) {
    for (const Operand& element : operand.elements) {
      if (element.kind == Operand::Kind::None && spec.dest) continue;
      if (std::string wrong = value(element, type, spec); !wrong.empty()) return wrong;
    }
    return "";
  }

  // How long it must be the operation knows itself; the types of its elements are checked here if the form
  // has one.
  std::string list(const Operand& operand, Type type, const isa::OperandSpec& spec) {
    if (operand.kind != Operand::Kind::Vector) return type == Type::none ? "" : value(operand, type, spec);
    for (const Operand& element : operand.elements) {
      if (element.kind == Operand::Kind::None) continue;
      if (element.kind == Operand::Kind::Register && !is_register(element.reg)) return "unknown register";
      if (element.kind == Operand::Kind::Vector) {
        if (std::string wrong = list(element, type, spec); !wrong.empty()) return wrong;
      } else if (type != Type::none) {
        if (std::string wrong = value(element, type, spec); !wrong.empty()) return wrong;
      }
    }
    return "";
  }

  // [handle, coordinates] of a texture or surface.
  std::string object(const Operand& operand) {
    if (operand.kind != Operand::Kind::Vector || operand.elements.size() != 2)
      return "an object and its coordinates are wanted: [object, {…}]";
    const Operand& handle = operand.elements[0];
    bool good = (handle.kind == Operand::Kind::Register || handle.kind == Operand::Kind::Address) &&
                symbol_or_register(handle).empty();
    if (!good) return "the object is not a 64-bit handle";
    const Operand& at = operand.elements[1];
    const std::vector<Operand> one{at};
    for (const Operand& c : at.kind == Operand::Kind::Vector ? at.elements : one) {
      if (c.kind == Operand::Kind::Immediate) continue;
      if (c.kind != Operand::Kind::Register || !is_register(c.reg) || isa::bits(type_of(c.reg)) != 32)
        return "coordinates are 32-bit registers or constants";
    }
    return "";
  }

  void check_pack(const Instruction& in) {
    bool d = in.operands[0].kind == Operand::Kind::Vector, a = in.operands[1].kind == Operand::Kind::Vector;
    if (d == a) report_.error(in.place, "mov packs or unpacks: one operand is a list, the other is not");
  }

  const Module& module_;
  const Function& function_;
  Report& report_;
};

}  // namespace

Diagnostics verify(const Module& module) {
  Report report(module);
  verify_variables(module, report);
  for (const Function& function : module.functions) {
    if (report.full()) break;
    FunctionVerifier(module, function, report).run();
  }
  return report.take();
}

}  // namespace ww::ir
