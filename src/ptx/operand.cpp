#include "ptx/operand.h"

#include <fmt/format.h>

#include <unordered_map>

namespace ww::ptx {

namespace {

constexpr int kMaxOperandNesting = 3;
constexpr size_t kMaxOperands = 300;  // a function may have many parameters, an instruction has not

bool read(Context& context, Written& operand, int depth);

bool read_inner(Context& context, Written& operand, char close, int depth) {
  Reader& in = context.in;
  if (depth == kMaxOperandNesting) {
    in.error(operand.token, "operands are not nested this deep");
    return false;
  }
  if (in.token().is(close)) {
    in.unexpected("an operand");
    return false;
  }
  do {
    if (operand.inner.size() >= kMaxOperands) {
      in.error(operand.token, fmt::format("more than {} operands in one list", kMaxOperands));
      return false;
    }
    operand.inner.emplace_back();
    if (!read(context, operand.inner.back(), depth + 1)) return false;
  } while (in.accept(','));
  return in.expect(close, "behind these operands");
}

bool read_name(Context& context, Written& operand) {
  Reader& in = context.in;
  operand.kind = Written::Kind::Name;
  in.take();
  if (in.token().kind == Token::Kind::Dotted) operand.part = in.take();
  if (in.accept('[')) {
    auto index = read_constant(in);
    if (!index) return false;
    if (!index->is_integer()) {
      in.error(operand.token, "an index is an integer");
      return false;
    }
    operand.indexed = true;
    operand.offset = index->as_signed();
    return in.expect(']', "behind the index");
  }
  if (!in.token().is('+') && !in.token().is('-')) return true;
  auto offset = read_constant(in);  // its sign is the operator
  if (!offset) return false;
  if (!offset->is_integer()) {
    in.error(operand.token, "an offset is an integer");
    return false;
  }
  operand.offset = offset->as_signed();
  return true;
}

bool read(Context& context, Written& operand, int depth) {
  Reader& in = context.in;
  operand.token = in.token();
  if (in.token().is('!') && in.ahead().is_word()) in.take(), operand.negated = true;
  const Token& token = in.token();
  if (token.is('[') || token.is('{')) {
    bool memory = in.take().is('[');
    operand.kind = memory ? Written::Kind::Memory : Written::Kind::Brace;
    return read_inner(context, operand, memory ? ']' : '}', depth);
  }
  if (token.is_word() && token.text == "_") {
    in.take();
    operand.kind = Written::Kind::Sink;
    return true;
  }
  if (token.is_word() && token.text != "WARP_SZ") {
    if (operand.negated) operand.token = token;
    return read_name(context, operand) && (context.vectors.empty() || resolve_vector(context, operand));
  }
  operand.kind = Written::Kind::Constant;
  auto constant = read_constant(in);
  if (constant) operand.constant = *constant;
  return constant.has_value();
}

const std::unordered_map<std::string_view, uint32_t>& specials() {
  static const auto table = [] {
    std::unordered_map<std::string_view, uint32_t> map;
    const auto& all = ir::special_registers();
    for (uint32_t i = 0; i < all.size(); ++i) map.emplace(all[i].name, i);
    return map;
  }();
  return table;
}

std::string full_name(const Written& written) {
  return fmt::format("{}{}", shown(written.token.text), shown(written.part.text));
}

bool make_special(Context& context, const Written& written, ir::Operand& operand) {
  std::string name = full_name(written).substr(1);
  auto it = specials().find(name);
  if (it == specials().end()) return false;
  if (written.offset != 0) {
    context.in.error(written.token, "a special register takes no offset");
    return true;
  }
  if (!ir::special_registers()[it->second].implemented) {
    context.in.refuse(written.token, fmt::format("{} is not implemented", full_name(written)));
    return true;
  }
  operand.kind = ir::Operand::Kind::Special;
  operand.special = it->second;
  return true;
}

std::string special_suggestion(const std::string& name) {
  std::vector<std::string> names;
  if (name.size() < 5) return {};  // rather a register
  for (const auto& special : ir::special_registers()) names.push_back("%" + special.name);
  std::string near = nearest(name, names);
  return near.empty() ? near : fmt::format("is '{}' meant?", near);
}

// What a constant is where the operand has no type of its own (registers of matrix fragments).
ir::Type type_of_bits(const Constant& constant) {
  if (constant.kind == Constant::Kind::Bits32) return ir::Type::f32;
  return constant.kind == Constant::Kind::Bits64 ? ir::Type::f64 : ir::Type::s64;
}

}  // namespace

bool read_operand(Context& context, Written& operand) { return read(context, operand, 0); }

bool read_operands(Context& context, std::vector<Written>& operands) {
  Reader& in = context.in;
  operands.clear();
  if (in.token().is(';')) return true;
  bool behind_bar = false;
  do {
    if (operands.size() >= kMaxOperands) {
      in.error(in.token(), fmt::format("more than {} operands", kMaxOperands));
      return false;
    }
    operands.emplace_back();
    operands.back().behind_bar = behind_bar;
    if (!read_operand(context, operands.back())) return false;
    behind_bar = in.token().is('|');
  } while (in.accept(',') || in.accept('|'));
  return true;
}

bool make_value(Context& context, const Written& written, ir::Type type, ir::Operand& operand) {
  Reader& in = context.in;
  operand.negated = written.negated;
  if (written.kind == Written::Kind::Constant) {
    ir::Type as = type == ir::Type::none ? type_of_bits(written.constant) : type;
    auto bits = bits_of(written.constant, as);
    if (!bits) {
      in.error(written.token, fmt::format("this constant cannot be an operand of type .{}", isa::name(as)));
      return false;
    }
    operand.kind = ir::Operand::Kind::Immediate;
    operand.bits = *bits;
    return true;
  }
  if (written.kind != Written::Kind::Name) {
    in.error(written.token, "a register, a constant or a name is expected here");
    return false;
  }
  auto meaning = context.names.find(written.token.text);
  if (meaning && written.part.kind != Token::Kind::End) {
    in.error(written.part,
             fmt::format("'{}' has no part '{}'", shown(written.token.text), shown(written.part.text)));
    return false;
  }
  if (!meaning) {
    if (written.token.text[0] == '%') {
      if (make_special(context, written, operand)) return operand.kind == ir::Operand::Kind::Special;
      std::string hint = context.names.nearest(written.token.text);
      in.error(written.token, fmt::format("'{}' is not declared", full_name(written)),
               hint.empty() ? special_suggestion(full_name(written)) : fmt::format("is '{}' meant?", hint));
      return false;
    }
    context.find_symbol(written.token);
    return false;
  }
  if (meaning->kind == Meaning::Kind::Register) {
    if (written.offset != 0 || written.indexed) {
      in.error(written.token, "a register takes an offset only inside [ ]");
      return false;
    }
    operand.kind = ir::Operand::Kind::Register;
    operand.reg = meaning->id;
    return true;
  }
  auto symbol = context.find_symbol(written.token);
  if (!symbol) return false;
  operand.kind = ir::Operand::Kind::Address;
  operand.symbol = *symbol;
  operand.offset = written.offset;
  if (!written.indexed) return true;
  if (context.module.symbols[*symbol].variable < 0) {
    in.error(written.token, fmt::format("'{}' is no array", shown(written.token.text)));
    return false;
  }
  operand.offset =
      static_cast<int64_t>(static_cast<uint64_t>(written.offset) *
                           static_cast<uint64_t>(isa::bytes(context.module.variable(*symbol).type)));
  return true;
}

bool make_selector(Context& context, const Written& written, ir::Selector& selector) {
  std::string_view text = written.part.text;  // ".h10"
  selector.halves = text.size() > 1 && text[1] == 'h';
  std::string_view parts = text.substr(std::min<size_t>(2, text.size()));
  bool good = text.size() > 2 && (text[1] == 'h' || text[1] == 'b') &&
              parts.size() <= (selector.halves ? 2 : 4) &&
              parts.find_first_not_of(selector.halves ? "0123" : "01234567") == parts.npos;
  if (!good) {
    context.in.error(written.part,
                     fmt::format("'{}' has no part '{}'", shown(written.token.text), shown(text)));
    return false;
  }
  selector.count = static_cast<uint8_t>(parts.size());
  for (size_t k = 0; k < parts.size(); ++k) selector.part[k] = static_cast<uint8_t>(parts[k] - '0');
  return true;
}

bool make_memory(Context& context, const Written& written, ir::Operand& operand) {
  Reader& in = context.in;
  operand.kind = ir::Operand::Kind::Memory;
  if (written.kind == Written::Kind::Name) {  // name[index]
    if (!make_value(context, written, ir::Type::u64, operand)) return false;
    operand.kind = ir::Operand::Kind::Memory;
    return true;
  }
  if (written.inner.size() != 1) {
    in.error(written.token, "one address is expected here");
    return false;
  }
  const Written& inner = written.inner[0];
  if (inner.negated) {
    in.error(inner.token, "'!' is for predicates");
    return false;
  }
  if (inner.kind == Written::Kind::Constant && inner.constant.is_integer()) {
    operand.offset = inner.constant.as_signed();
    return true;
  }
  auto meaning = inner.kind == Written::Kind::Name ? context.names.find(inner.token.text) : std::nullopt;
  if (meaning && meaning->kind == Meaning::Kind::Register && inner.part.kind == Token::Kind::End) {
    operand.reg = meaning->id;
    operand.offset = inner.offset;
    return true;
  }
  if (!make_value(context, inner, ir::Type::u64, operand)) return false;
  if (operand.kind != ir::Operand::Kind::Address) {
    in.error(inner.token, "an address is a register or a name, and an offset");
    return false;
  }
  operand.kind = ir::Operand::Kind::Memory;
  return true;
}

}  // namespace ww::ptx
