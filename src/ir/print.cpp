#include "ir/print.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>

#include "ir/flow.h"

namespace ww::ir {

std::string_view plain_name(Space space) {
  static constexpr std::string_view kNames[] = {"generic", "register", "global",   "constant",
                                                "shared",  "local",    "parameter"};
  return kNames[static_cast<int>(space)];
}

namespace {

using Out = std::back_insert_iterator<std::string>;

std::string_view name(Space space) {
  static constexpr std::string_view kNames[] = {"none", "reg", "global", "const", "shared", "local", "param"};
  return kNames[static_cast<int>(space)];
}

std::string_view prefix(Linkage linkage) {
  static constexpr std::string_view kNames[] = {"", ".visible ", ".weak ", ".extern ", ".common "};
  return kNames[static_cast<int>(linkage)];
}

std::string offset(int64_t value) {
  if (value == 0) return {};
  return value < 0 ? fmt::format("-{}", 0 - static_cast<uint64_t>(value)) : fmt::format("+{}", value);
}

std::string immediate(uint64_t bits, Type type) {
  if (type == Type::f32) return fmt::format("{}", std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (type == Type::f64) return fmt::format("{}", std::bit_cast<double>(bits));
  if (isa::is_signed(type)) return fmt::format("{}", static_cast<int64_t>(bits));
  return bits < 10 ? fmt::format("{}", bits) : fmt::format("0x{:x}", bits);
}

std::string register_name(const Function& function, RegId reg) {
  return reg < function.registers.size() ? function.registers[reg].name : fmt::format("%?{}", reg);
}

std::string selector(const Selector& s) {
  if (s.count == 0) return {};
  std::string text = s.halves ? ".h" : ".b";
  for (int k = 0; k < s.count; ++k) text += static_cast<char>('0' + s.part[k]);
  return text;
}

std::string list(const Module& module, const Function& function, const std::vector<Operand>& operands) {
  std::string text;
  for (const Operand& operand : operands)
    text += (text.empty() ? "" : ", ") + text_of(module, function, operand);
  return text;
}

void print_call(std::string& text, const Module& module, const Function& function, const Call& call) {
  if (!call.results.empty()) text += fmt::format(" ({}),", list(module, function, call.results));
  text += " " + (call.target != kNone ? module.symbols[call.target].name
                                      : register_name(function, call.target_register));
  text += fmt::format(", ({})", list(module, function, call.arguments));
  for (size_t i = 0; i < call.possible.size(); ++i)
    text += (i == 0 ? " of " : ", ") + module.symbols[call.possible[i]].name;
}

enum class Targets { Numbers, Labels };

std::string block_name(const Function& function, BlockId block, Targets targets) {
  const std::string& label = function.blocks[block].label;
  return targets == Targets::Labels && !label.empty() ? label : fmt::format("@{}", block);
}

std::string text_of(const Module& module, const Function& function, const Instruction& instruction,
                    Targets targets) {
  std::string text;
  if (instruction.guard != kNone)
    text = fmt::format("@{}{} ", instruction.guard_negated ? "!" : "",
                       register_name(function, instruction.guard));
  text += name_of(instruction);
  if (instruction.call >= 0) {
    print_call(text, module, function, function.calls[static_cast<size_t>(instruction.call)]);
    return text;
  }
  const auto& specs = instruction.form().operands;
  bool first = true;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (operand.kind == Operand::Kind::None && (specs[i].optional || instruction.op == Op::brx)) continue;
    text += first ? " " : specs[i].dest ? "|" : ", ";
    std::string shown = operand.kind == Operand::Kind::Label
                            ? block_name(function, operand.block, targets)
                            : ir::text_of(module, function, operand, instruction.operand_type(i));
    if (specs[i].kind == isa::OperandKind::Object) shown.front() = '[', shown.back() = ']';
    text += shown;
    first = false;
  }
  for (const BlockId target : instruction.targets) text += ", " + block_name(function, target, targets);
  return text;
}

void print_variable(Out out, const Module& module, const Symbol& symbol) {
  const Variable& variable = module.variables[static_cast<size_t>(symbol.variable)];
  fmt::format_to(out, "{}.{}{} .align {} .{} {}: {} bytes", prefix(symbol.linkage), name(variable.space),
                 variable.managed ? " .attribute(.managed)" : "", variable.alignment,
                 isa::name(variable.type), symbol.name, variable.bytes);
  constexpr size_t kShown = 16;
  for (size_t i = 0; i < std::min(variable.initial.size(), kShown); ++i)
    fmt::format_to(out, "{}{:02x}", i == 0 ? " = " : " ", variable.initial[i]);
  if (variable.initial.size() > kShown) fmt::format_to(out, " ...");
  for (const Relocation& r : variable.relocations)
    fmt::format_to(
        out, ", {} bytes at {}: {}{}{}", r.bytes, r.offset,
        r.generic ? fmt::format("generic({})", module.symbols[r.symbol].name) : module.symbols[r.symbol].name,
        "", offset(r.addend));
  fmt::format_to(out, "\n");
}

std::string params(const Module& module, const Function& function, const std::vector<Param>& params) {
  std::string text;
  for (const Param& param : params) {
    if (!text.empty()) text += ", ";
    if (param.symbol != kNone)
      text += fmt::format(".param {}: {} bytes", module.symbols[param.symbol].name,
                          module.variable(param.symbol).bytes);
    else
      text += fmt::format(".reg .{} {}", isa::name(function.registers[param.reg].type),
                          register_name(function, param.reg));
  }
  return text;
}

void print_head(Out out, const Module& module, const Function& function) {
  const Symbol& symbol = module.symbols[function.symbol];
  fmt::format_to(out, "{}{} ", prefix(symbol.linkage), function.entry ? ".entry" : ".func");
  if (!function.results.empty()) fmt::format_to(out, "({}) ", params(module, function, function.results));
  fmt::format_to(out, "{}({})", symbol.name, params(module, function, function.params));
  const auto dimensions = [&](std::string_view what, const uint32_t(&d)[3]) {
    if (d[0]) fmt::format_to(out, " {} {},{},{}", what, d[0], d[1], d[2]);
  };
  dimensions(".maxntid", function.max_threads);
  dimensions(".reqntid", function.required_threads);
  if (function.min_blocks) fmt::format_to(out, " .minnctapersm {}", function.min_blocks);
  if (function.max_registers) fmt::format_to(out, " .maxnreg {}", function.max_registers);
  if (const auto& c = function.cluster; c[0])
    fmt::format_to(out, " .reqnctapercluster {},{},{}", c[0], c[1], c[2]);
  if (function.max_cluster) fmt::format_to(out, " .maxclusterrank {}", function.max_cluster);
  if (function.noreturn) fmt::format_to(out, " .noreturn");
  fmt::format_to(out, "\n");
}

void print_numbers(Out out, std::string_view what, const std::vector<BlockId>& blocks) {
  for (size_t i = 0; i < blocks.size(); ++i) fmt::format_to(out, "{}@{}", i == 0 ? what : " ", blocks[i]);
}

}  // namespace

std::string name_of(const Instruction& instruction) {
  std::string text = instruction.form().mnemonic;
  for (Mod mod : instruction.chosen)
    if (mod != Mod::none) text += fmt::format(".{}", isa::name(mod));
  return text;
}

std::string text_of(const Module& module, const Function& function, const Instruction& instruction) {
  return text_of(module, function, instruction, Targets::Labels);
}

std::string text_of(const Module& module, const Function& function, const Operand& operand, Type type) {
  std::string sign = operand.negated ? "!" : "";
  switch (operand.kind) {
    case Operand::Kind::None:
      return "_";
    case Operand::Kind::Register:
      return sign + register_name(function, operand.reg) + selector(operand.selector);
    case Operand::Kind::Immediate:
      return sign + immediate(operand.bits, type);
    case Operand::Kind::Special:
      return sign + "%" + special_registers()[operand.special].name;
    case Operand::Kind::Address:
      return module.symbols[operand.symbol].name + offset(operand.offset);
    case Operand::Kind::Memory:
      if (operand.reg != kNone)
        return fmt::format("[{}{}]", register_name(function, operand.reg), offset(operand.offset));
      if (operand.symbol != kNone)
        return fmt::format("[{}{}]", module.symbols[operand.symbol].name, offset(operand.offset));
      return fmt::format("[{}]", operand.offset);
    case Operand::Kind::Vector:
      return fmt::format("{{{}}}", list(module, function, operand.elements));
    case Operand::Kind::Label:
      return fmt::format("@{}", operand.block);
  }
  return {};
}

std::string print(const Module& module, const Function& function) {
  std::string text;
  Out out(text);
  print_head(out, module, function);
  for (SymbolId id : function.variables) {
    text += "    ";
    print_variable(out, module, module.symbols[id]);
  }
  if (!function.refused.empty()) {
    for (const Diagnostic& why : function.refused)
      fmt::format_to(out, "    // refused: line {}: {}\n", why.where.line, why.message);
    return text;
  }
  Flow flow = flow_of(function);
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    const Block& block = function.blocks[b];
    fmt::format_to(out, "  @{}:{}{}", b, block.label.empty() ? "" : " ", block.label);
    print_numbers(out, "  from ", flow.predecessors[b]);
    print_numbers(out, "  to ", flow.successors[b]);
    if (flow.successors[b].size() > 1)
      text += flow.post_dominator[b] == kNone ? "  meet at the end"
                                              : fmt::format("  meet @{}", flow.post_dominator[b]);
    text += "\n";
    for (const Instruction& instruction : block.instructions) {
      std::string line = text_of(module, function, instruction, Targets::Numbers);
      const Place& place = instruction.place;
      if (auto file = module.files.find(place.file); file != module.files.end())
        fmt::format_to(out, "    {:<60} // {}:{}\n", line, file->second, place.line);
      else
        fmt::format_to(out, "    {}\n", line);
    }
  }
  return text;
}

std::string print(const Module& module) {
  std::string text;
  Out out(text);
  fmt::format_to(out, ".version {}.{}\n.target {}\n", module.version_major, module.version_minor,
                 module.target);
  for (const Symbol& symbol : module.symbols)
    if (symbol.variable >= 0 && module.variables[static_cast<size_t>(symbol.variable)].owner < 0 &&
        module.variables[static_cast<size_t>(symbol.variable)].space != Space::Param)
      print_variable(out, module, symbol);
  for (const Function& function : module.functions) {
    if (function.symbol == kNone) continue;
    text += "\n" + print(module, function);
  }
  return text;
}

}  // namespace ww::ir
