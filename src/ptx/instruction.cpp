#include "ptx/instruction.h"

#include <fmt/format.h>

namespace ww::ptx {

namespace {

using isa::OperandKind;
using isa::OperandSpec;

bool is_partner(const isa::Form& form, size_t i) { return i > 0 && form.operands[i].dest; }

bool fits(const OperandSpec& spec, const Written& written) {
  switch (written.kind) {
    case Written::Kind::Memory:
      return spec.kind == OperandKind::Memory || spec.kind == OperandKind::List ||
             spec.kind == OperandKind::Object;
    case Written::Kind::Brace:
      return spec.kind == OperandKind::Vector || spec.kind == OperandKind::List;
    case Written::Kind::Constant:
      return spec.kind != OperandKind::Memory && spec.kind != OperandKind::Label &&
             spec.kind != OperandKind::Name && spec.kind != OperandKind::Object;
    default:
      if (spec.kind == OperandKind::Memory) return written.indexed;
      return spec.kind != OperandKind::Object;
  }
}

/// The type of the elements of a brace list.
ir::Type element_type(const ir::Instruction& instruction, ir::Type type, size_t count) {
  if (instruction.op != ir::Op::mov_pack || count == 0) return type;
  switch (isa::bits(type) / static_cast<int>(count)) {
    case 8:
      return ir::Type::b8;
    case 16:
      return ir::Type::b16;
    case 32:
      return ir::Type::b32;
    case 64:
      return ir::Type::b64;
    default:
      return type;  // refused by the verifier
  }
}

/// The type of the first element of [handle, coordinates], and of coordinates that begin with a layer.
ir::Type first_of_object(const ir::Instruction& instruction, const Written& written, ir::Type type) {
  if (written.kind == Written::Kind::Memory) return ir::Type::u64;
  for (ir::Slot slot : {ir::Slot::geom, ir::Slot::sgeom})
    if (isa::name(instruction.mod(slot)).starts_with('a')) return ir::Type::s32;
  return type;
}

bool make_one(Context& context, const ir::Instruction& instruction, size_t i, const Written& written,
              ir::Operand& operand);

bool make_list(Context& context, const ir::Instruction& instruction, size_t i, const Written& written,
               ir::Operand& operand) {
  operand.kind = ir::Operand::Kind::Vector;
  operand.elements.resize(written.inner.size());
  ir::Type type = element_type(instruction, instruction.operand_type(i), written.inner.size());
  const OperandSpec& spec = instruction.form().operands[i];
  bool dest = spec.dest;
  ir::Type first = spec.kind == OperandKind::Object ? first_of_object(instruction, written, type) : type;
  for (size_t e = 0; e < written.inner.size(); ++e) {
    const Written& inner = written.inner[e];
    if (inner.kind == Written::Kind::Sink && dest) continue;
    if (inner.kind == Written::Kind::Brace || inner.kind == Written::Kind::Memory) {
      if (!make_one(context, instruction, i, inner, operand.elements[e])) return false;
    } else if (!make_value(context, inner, e == 0 ? first : type, operand.elements[e])) {
      return false;
    }
  }
  return true;
}

bool make_one(Context& context, const ir::Instruction& instruction, size_t i, const Written& written,
              ir::Operand& operand) {
  const OperandSpec& spec = instruction.form().operands[i];
  if (written.negated && !spec.negatable) {
    context.in.error(written.token, fmt::format("operand '{}' of {} cannot be negated with '!'", spec.name,
                                                instruction.form().mnemonic));
    return false;
  }
  if (written.kind == Written::Kind::Sink) {
    if (spec.dest) return true;
    context.in.error(written.token, "'_' stands only for results that are not used");
    return false;
  }
  switch (spec.kind) {
    case OperandKind::Memory:
      return make_memory(context, written, operand);
    case OperandKind::Label:
      return true;
    case OperandKind::Immediate:
      if (written.kind != Written::Kind::Constant) {
        context.in.error(written.token, fmt::format("operand '{}' of {} is an integer constant", spec.name,
                                                    instruction.form().mnemonic));
        return false;
      }
      return make_value(context, written, instruction.operand_type(i), operand);
    case OperandKind::Name:
      return instruction.op == ir::Op::brx || make_value(context, written, ir::Type::u64, operand);
    default:
      if (written.kind == Written::Kind::Brace || written.kind == Written::Kind::Memory)
        return make_list(context, instruction, i, written, operand);
      if (spec.selects && written.kind == Written::Kind::Name && written.part.kind != Token::Kind::End) {
        Written whole = written;
        whole.part = {};
        return make_selector(context, written, operand.selector) &&
               make_value(context, whole, instruction.operand_type(i), operand);
      }
      return make_value(context, written, instruction.operand_type(i), operand);
  }
}

}  // namespace

bool distribute(const isa::Form& form, const std::vector<Written>& written,
                std::vector<const Written*>& operands) {
  size_t required = 0, plain = 0;  // still to come; the q of p|q not counted
  for (size_t i = 0; i < form.operands.size(); ++i)
    required += !form.operands[i].optional && !is_partner(form, i);
  for (const Written& w : written) plain += !w.behind_bar;
  operands.assign(form.operands.size(), nullptr);
  size_t next = 0;
  for (size_t i = 0; i < form.operands.size(); ++i) {
    const OperandSpec& spec = form.operands[i];
    bool bar = next < written.size() && written[next].behind_bar;
    if (is_partner(form, i) != bar) {
      if (bar || !spec.optional) return false;
      continue;
    }
    if (!bar) {
      if (spec.optional && plain <= required) continue;
      if (!spec.optional) --required;
      --plain;
    }
    if (next >= written.size() || !fits(spec, written[next])) return false;
    operands[i] = &written[next++];
  }
  return next == written.size();
}

bool make_operands(Context& context, const Name& name, const std::vector<Candidate>& candidates,
                   const std::vector<Written>& written, ir::Instruction& instruction) {
  std::vector<const Written*> operands;
  for (const Candidate& candidate : candidates) {
    const isa::Form& form = isa::form(candidate.op);
    if (!distribute(form, written, operands)) continue;
    instruction.op = candidate.op;
    instruction.chosen = candidate.chosen;
    instruction.operands.resize(form.operands.size());
    bool good = true;
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i]) good &= make_one(context, instruction, i, *operands[i], instruction.operands[i]);
    return good;
  }
  std::string hint;
  for (size_t i = 0; i < candidates.size(); ++i)
    hint += fmt::format("{}{}", i == 0 ? "the form is: " : " | ", isa::form(candidates[i].op).notation);
  context.in.refuse(name.whole(), fmt::format("the operands do not fit '{}'", shown(name.text)), hint);
  return false;
}

}  // namespace ww::ptx
