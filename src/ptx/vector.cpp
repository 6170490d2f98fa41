// Vector registers: names for lists of registers.
#include <fmt/format.h>

#include "ptx/body.h"

namespace ww::ptx {

namespace {

/// 0 to 3 for ".x" and ".r" to ".w" and ".a"; npos: no such element.
size_t element_of(std::string_view part) {
  if (part.size() != 2) return std::string_view::npos;
  const size_t place = std::string_view("xyzwrgba").find(part[1]);
  return place == std::string_view::npos ? place : place % 4;
}

/// Whether a move, one after another, would read what an earlier one wrote.
bool reads_what_it_wrote(const std::vector<ir::Instruction>& moves) {
  for (size_t read = 1; read < moves.size(); ++read)
    for (size_t wrote = 0; wrote < read; ++wrote)
      if (moves[read].operands[1].kind == ir::Operand::Kind::Register &&
          moves[read].operands[1].reg == moves[wrote].operands[0].reg)
        return true;
  return false;
}

/// All elements are read before any is written, by way of further registers: "mov.v2.u32 {a, b}, {b, a}"
/// swaps.
void take_detour(std::vector<ir::Instruction>& moves, ir::Function& function) {
  std::vector<ir::Instruction> stores = moves;
  for (size_t k = 0; k < moves.size(); ++k) {
    ir::Operand between;
    between.kind = ir::Operand::Kind::Register;
    between.reg = static_cast<ir::RegId>(function.registers.size());
    const ir::Register& to = function.registers[moves[k].operands[0].reg];
    function.registers.push_back({to.name + "'", to.type});
    moves[k].operands[0] = stores[k].operands[1] = between;
  }
  moves.insert(moves.end(), stores.begin(), stores.end());
}

}  // namespace

bool resolve_vector(Context& context, Written& operand) {
  const auto meaning = context.names.find(operand.token.text);
  if (!meaning || meaning->kind != Meaning::Kind::Vector) return true;
  const auto& elements = context.vectors[meaning->id].elements;
  if (operand.part.kind == Token::Kind::End) {
    if (operand.offset != 0 || operand.indexed || operand.negated) {
      context.in.error(operand.token, "a vector register takes neither offset nor index nor '!'");
      return false;
    }
    operand.kind = Written::Kind::Brace;
    for (std::string_view element : elements) {
      Written& inner = operand.inner.emplace_back();
      inner.kind = Written::Kind::Name;
      inner.token = operand.token;
      inner.token.text = element;
    }
    return true;
  }
  const size_t element = element_of(operand.part.text);
  if (element >= elements.size()) {
    context.in.error(operand.part, fmt::format("the vector '{}' has no element '{}'",
                                               shown(operand.token.text), shown(operand.part.text)));
    return false;
  }
  operand.token.text = elements[element];
  operand.part = {};
  return true;
}

bool is_vector_move(const Name& name) {
  return name.mnemonic.text == "mov" && name.modifiers.size() == 2 &&
         (name.modifiers[0].text == ".v2" || name.modifiers[0].text == ".v4");
}

bool BodyParser::vector_move(const ir::Instruction& guarded, Name name) {
  const auto width = static_cast<size_t>(name.modifiers[0].text[2] - '0');
  const Token whole = name.whole();
  if (!read_operands(context_, written_) || !in_.expect(';', "behind the instruction")) return false;
  const bool fits = written_.size() == 2 && written_[0].inner.size() == width &&
                    written_[1].inner.size() == width && written_[0].kind == Written::Kind::Brace &&
                    written_[1].kind == Written::Kind::Brace;
  if (!fits) {
    in_.refuse(whole, fmt::format("the operands do not fit '{}'", shown(whole.text)),
               fmt::format("they are vector registers or lists of {} elements", width));
    return true;
  }
  name.modifiers.erase(name.modifiers.begin());
  name.text = context_.keep(fmt::format("mov{}", name.modifiers[0].text));
  const auto& candidates = forms_.find(context_, name);
  if (candidates.empty()) return true;
  std::vector<ir::Instruction> moves;
  for (size_t k = 0; k < width; ++k) {
    const Written& to = written_[0].inner[k];
    if (to.kind == Written::Kind::Sink) continue;
    ir::Instruction& move = moves.emplace_back(guarded);
    if (!make_operands(context_, name, candidates, {to, written_[1].inner[k]}, move)) return true;
  }
  if (reads_what_it_wrote(moves)) take_detour(moves, function());
  for (ir::Instruction& move : moves) append(std::move(move));
  return true;
}

}  // namespace ww::ptx
