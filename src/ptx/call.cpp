// call: its lists in parentheses are unlike any other instruction's operands.
#include <fmt/format.h>

#include "ptx/body.h"

namespace ww::ptx {

bool BodyParser::read_call_list(std::vector<ir::Operand>& list) {
  in_.take();
  if (in_.accept(')')) return true;
  do {
    Written written;
    if (!read_operand(context_, written)) return false;
    ir::Operand operand;
    if (written.kind == Written::Kind::Sink)
      list.push_back(operand);
    else if (!make_value(context_, written, ir::Type::none, operand))
      return false;
    else
      list.push_back(std::move(operand));
  } while (in_.accept(','));
  return in_.expect(')', "behind this list");
}

bool BodyParser::read_call_target(ir::Call& call) {
  Token target;
  if (!in_.expect_word(target, "the function to call")) return false;
  auto meaning = context_.names.find(target.text);
  if (meaning && meaning->kind == Meaning::Kind::Register) {
    call.target_register = meaning->id;
    return true;
  }
  auto symbol = context_.find_symbol(target);
  if (!symbol) return false;
  if (!context_.module.is_function(*symbol)) {
    in_.error(target, fmt::format("'{}' is not a function", shown(target.text)));
    return false;
  }
  call.target = *symbol;
  return true;
}

bool BodyParser::check_against(const Name& name, const Prototype& prototype, const ir::Call& call) {
  auto count = [&](size_t given, size_t wanted, std::string_view what) {
    if (given == wanted) return true;
    in_.error(name.mnemonic, fmt::format("the prototype has {} {}(s), the call {}", wanted, what, given));
    return false;
  };
  if (!count(call.results.size(), prototype.results.size(), "result") ||
      !count(call.arguments.size(), prototype.params.size(), "parameter"))
    return false;
  auto size = [&](const ir::Operand& operand, uint64_t wanted, size_t i, std::string_view what) {
    // A name that could not be declared is neither function nor variable.
    if (operand.kind != ir::Operand::Kind::Address || context_.module.symbols[operand.symbol].variable < 0)
      return true;
    uint64_t bytes = context_.module.variable(operand.symbol).bytes;
    if (bytes == wanted) return true;
    in_.error(name.mnemonic, fmt::format("{} {} of the prototype has {} bytes, that of the call {}", what,
                                         i + 1, wanted, bytes));
    return false;
  };
  for (size_t i = 0; i < call.results.size(); ++i)
    if (!size(call.results[i], prototype.results[i], i, "result")) return false;
  for (size_t i = 0; i < call.arguments.size(); ++i)
    if (!size(call.arguments[i], prototype.params[i], i, "parameter")) return false;
  return true;
}

// What stands behind the arguments of an indirect call: a prototype or a list of possible callees.
bool BodyParser::read_call_kind(const Name& name, ir::Call& call, bool has_kind) {
  if (!has_kind) {
    if (call.target != ir::kNone) return true;
    in_.error(name.mnemonic, "an indirect call needs a .callprototype or .calltargets");
    return false;
  }
  Token kind;
  if (!in_.expect_word(kind, "a prototype or a list of call targets")) return false;
  auto meaning = context_.names.find(kind.text);
  if (meaning && meaning->kind == Meaning::Kind::CallTargets) {
    call.possible = context_.call_targets[meaning->id];
    return true;
  }
  if (meaning && meaning->kind == Meaning::Kind::Prototype)
    return check_against(name, context_.prototypes[meaning->id], call);
  in_.error(kind, fmt::format("'{}' is neither a .callprototype nor .calltargets", shown(kind.text)));
  return false;
}

// call (results), target, (arguments), prototype;
bool BodyParser::call(const Name& name, ir::Instruction& instruction) {
  ir::Call call;
  if (in_.token().is('(') && (!read_call_list(call.results) || !in_.expect(',', "behind the results")))
    return false;
  if (!read_call_target(call)) return false;
  bool more = in_.accept(',');
  if (more && in_.token().is('(')) {
    if (!read_call_list(call.arguments)) return false;
    more = in_.accept(',');
  }
  if (!read_call_kind(name, call, more) || !in_.expect(';', "behind the call")) return false;
  instruction.operands.resize(instruction.form().operands.size());
  instruction.call = static_cast<int>(function().calls.size());
  function().calls.push_back(std::move(call));
  append(std::move(instruction));
  return true;
}

}  // namespace ww::ptx
