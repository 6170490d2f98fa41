// Whether a call fits its callee.
#include <fmt/format.h>

#include "ir/verify.h"
#include "ir/verify_parts.h"

namespace ww::ir {

namespace {

class CallVerifier {
 public:
  CallVerifier(const Module& module, const Function& caller, const Call& call)
      : module_(module), caller_(caller), call_(call) {}

  std::string problem() const {
    std::string wrong = list(call_.results, true);
    if (wrong.empty()) wrong = list(call_.arguments, false);
    if (!wrong.empty()) return wrong;
    if (call_.target == kNone) {
      if (call_.target_register >= caller_.registers.size()) return "no function is called";
      const Register& reg = caller_.registers[call_.target_register];
      if (!fits(reg.type, Type::u64, false))
        return fmt::format("{} does not hold the address of a function", reg.name);
      for (SymbolId target : call_.possible)
        if (target >= module_.symbols.size() || !module_.is_function(target))
          return "a call target is no function";
      for (SymbolId target : call_.possible)
        if (wrong = against(module_.symbols[target].name, module_.function(target)); !wrong.empty())
          return wrong;
      return "";
    }
    if (call_.target >= module_.symbols.size() || !module_.is_function(call_.target))
      return "no function is called";
    return against(module_.symbols[call_.target].name, module_.function(call_.target));
  }

 private:
  // Arguments and results are variables in .param, registers, or (arguments) constants.
  std::string list(const std::vector<Operand>& operands, bool results) const {
    for (const Operand& o : operands) {
      if (o.kind == Operand::Kind::None && results) continue;
      if (o.kind == Operand::Kind::Immediate && !results) continue;
      if (o.kind == Operand::Kind::Register) {
        if (o.reg >= caller_.registers.size() || o.negated) return "an argument is no register";
        continue;
      }
      if (o.kind == Operand::Kind::Address && o.symbol < module_.symbols.size()) {
        if (module_.is_function(o.symbol) || module_.variable(o.symbol).space != Space::Param)
          return fmt::format("'{}' is not in .param", module_.symbols[o.symbol].name);
        // As ptxas has it; the callee's arguments and results lie in the caller's own .param variables.
        for (const auto* formal : {&caller_.params, &caller_.results})
          for (const Param& p : *formal)
            if (p.symbol == o.symbol)
              return fmt::format("'{}' is a parameter of the caller itself", module_.symbols[o.symbol].name);
        if (o.offset != 0) return "an argument takes no offset";
        continue;
      }
      return results ? "a result is a .param variable or a register"
                     : "an argument is a .param variable, a register or a constant";
    }
    return "";
  }

  std::string against(const std::string& name, const Function& callee) const {
    if (callee.entry) return fmt::format("'{}' is a kernel and cannot be called", name);
    if (call_.results.size() != callee.results.size())
      return fmt::format("'{}' has {} result(s), the call {}", name, callee.results.size(),
                         call_.results.size());
    if (call_.arguments.size() != callee.params.size())
      return fmt::format("'{}' has {} parameter(s), the call {}", name, callee.params.size(),
                         call_.arguments.size());
    for (size_t i = 0; i < callee.results.size(); ++i)
      if (!matches(call_.results[i], callee, callee.results[i]))
        return fmt::format("result {} does not match that of '{}'", i + 1, name);
    for (size_t i = 0; i < callee.params.size(); ++i)
      if (!matches(call_.arguments[i], callee, callee.params[i]))
        return fmt::format("argument {} does not match that of '{}'", i + 1, name);
    return "";
  }

  bool matches(const Operand& given, const Function& callee, const Param& wanted) const {
    if (given.kind == Operand::Kind::None) return true;
    Type type =
        wanted.symbol != kNone ? module_.variable(wanted.symbol).type : callee.registers[wanted.reg].type;
    uint64_t bytes = wanted.symbol != kNone ? module_.variable(wanted.symbol).bytes
                                            : static_cast<uint64_t>(isa::bytes(type));
    switch (given.kind) {
      case Operand::Kind::Address:
        return module_.variable(given.symbol).bytes == bytes;
      case Operand::Kind::Immediate:
        return bytes == static_cast<uint64_t>(isa::bytes(type));
      default:
        return bytes == static_cast<uint64_t>(isa::bytes(type)) &&
               fits(caller_.registers[given.reg].type, type, false);
    }
  }

  const Module& module_;
  const Function& caller_;
  const Call& call_;
};

}  // namespace

void verify_call(const Module& module, const Function& function, const Instruction& instruction,
                 Report& report) {
  if (instruction.call < 0 || static_cast<size_t>(instruction.call) >= function.calls.size()) {
    report.error(instruction.place, "a call without a callee");
    return;
  }
  std::string wrong =
      CallVerifier(module, function, function.calls[static_cast<size_t>(instruction.call)]).problem();
  if (!wrong.empty()) report.error(instruction.place, "call: " + wrong);
}

}  // namespace ww::ir
