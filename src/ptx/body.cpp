#include "ptx/body.h"

#include <fmt/format.h>

#include "ir/flow.h"
#include "ptx/declaration.h"
#include "ptx/parser.h"

namespace ww::ptx {

BodyParser::BodyParser(Context& context, FormFinder& forms, int function)
    : context_(context), in_(context.in), forms_(forms), index_(function) {}

void BodyParser::open_scope() {
  context_.names.open();
  scopes_.emplace_back();
}

// Labels belong to their { }: a branch looks in its own scope first, then outwards.
void BodyParser::close_scope() {
  context_.names.close();
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (Pending& pending : scope.pending) {
    auto it = scope.labels.find(pending.name.text);
    if (it != scope.labels.end()) {
      ir::Instruction& instruction = function().blocks[pending.block].instructions[pending.instruction];
      if (pending.target >= 0) {
        instruction.targets[static_cast<size_t>(pending.target)] = it->second;
      } else {
        instruction.operands[0].kind = ir::Operand::Kind::Label;
        instruction.operands[0].block = it->second;
      }
    } else if (!scopes_.empty()) {
      scopes_.back().pending.push_back(pending);
    } else {
      in_.error(pending.name, fmt::format("this function has no label '{}'", shown(pending.name.text)));
    }
  }
}

void BodyParser::parse() {
  open_scope();
  Token open = in_.take();
  while (!scopes_.empty()) {
    if (in_.token().is_end()) {
      in_.error(open, "the body of this function is not closed with '}'");
      while (!scopes_.empty()) close_scope();
    } else if (in_.token().is('}')) {
      if (scopes_.size() == 1) append_end();
      close_scope();
      in_.take();
    } else if (in_.token().is('{')) {
      if (scopes_.size() > static_cast<size_t>(kMaxNesting)) {
        in_.error(in_.token(), fmt::format("braces are nested deeper than {}", kMaxNesting));
        in_.skip_braces();
      } else {
        in_.take();
        open_scope();
      }
    } else if (!statement()) {
      in_.recover();
    }
  }
  function().refused = in_.take_refusals();
  if (!function().refused.empty()) leave_empty();
}

// Without the instructions that were refused the rest of the body means nothing.
void BodyParser::leave_empty() {
  function().blocks.clear();
  function().calls.clear();
  ended_ = true;
  append_end();
}

bool BodyParser::statement() {
  const Token& token = in_.token();
  if (in_.accept(';')) return true;
  if (token.kind == Token::Kind::Dotted) return directive();
  if (token.is_word() && in_.ahead().is(':')) return label();
  if (token.is_word() || token.is('@')) return instruction();
  in_.unexpected("a statement");
  in_.take();
  return false;
}

bool BodyParser::directive() {
  Token token = in_.take();
  if (token.text == ".loc") return location();
  if (token.text == ".reg") return read_registers(context_, function());
  if (token.text == ".pragma") {
    while (in_.token().kind == Token::Kind::String || in_.token().is(',')) in_.take();
    return in_.expect(';', "behind .pragma");
  }
  if (token.text == ".section") {
    in_.take();
    if (in_.token().is('{')) return in_.skip_braces(), true;
    in_.unexpected("'{'");
    return false;
  }
  auto linkage = ir::Linkage::Internal;
  if (token.text == ".extern") linkage = ir::Linkage::Extern, token = in_.take();
  if (ir::Space space = space_of(token.text); space != ir::Space::None)
    return read_variables(context_, space, linkage, index_);
  in_.error(token, fmt::format("'{}' does not belong in the body of a function", shown(token.text)));
  return false;
}

bool BodyParser::label() {
  Token name = in_.take();
  in_.take();
  if (in_.accept(".branchtargets")) return read_branch_targets(name);
  if (in_.accept(".calltargets")) return read_call_targets(name);
  if (in_.accept(".callprototype")) return read_prototype(name);
  auto& blocks = function().blocks;
  // Labels that follow one another name one block.
  bool fresh = blocks.empty() || !blocks.back().instructions.empty();
  if (fresh)
    begin_block(name.text);
  else if (blocks.back().label.empty())
    blocks.back().label = name.text;
  ended_ = false;
  auto block = static_cast<ir::BlockId>(blocks.size() - 1);
  if (!scopes_.back().labels.emplace(name.text, block).second)
    in_.error(name, fmt::format("the label '{}' stands twice in this scope", shown(name.text)));
  return true;
}

ir::Block& BodyParser::begin_block(std::string_view label) {
  ended_ = false;
  ir::Block& block = function().blocks.emplace_back();
  block.label = label;
  return block;
}

void BodyParser::append(ir::Instruction instruction) {
  if (ended_) begin_block("");
  ended_ = ir::ends_block(instruction.op);
  function().blocks.back().instructions.push_back(std::move(instruction));
}

// Falling off the end of a kernel ends the thread; of a function, it returns.
void BodyParser::append_end() {
  auto& blocks = function().blocks;
  if (!blocks.empty() && !blocks.back().instructions.empty()) {
    const ir::Instruction& last = blocks.back().instructions.back();
    if (ir::ends_block(last.op) && last.guard == ir::kNone) return;
  }
  ir::Instruction instruction;
  instruction.op = function().entry ? ir::Op::exit_ : ir::Op::ret;
  instruction.chosen.assign(instruction.form().slots.size(), ir::Mod::none);
  instruction.place = in_.place(in_.token());
  append(std::move(instruction));
}

bool BodyParser::guard(ir::Instruction& instruction) {
  if (!in_.accept('@')) return true;
  instruction.guard_negated = in_.accept('!');
  Token name;
  if (!in_.expect_word(name, "a predicate behind '@'")) return false;
  auto meaning = context_.names.find(name.text);
  if (!meaning || meaning->kind != Meaning::Kind::Register) {
    in_.error(name, fmt::format("'{}' is not a declared register", shown(name.text)));
    return false;
  }
  instruction.guard = meaning->id;
  return true;
}

bool BodyParser::instruction() {
  ir::Instruction instruction;
  if (!guard(instruction)) return false;
  if (!in_.token().is_word()) {
    in_.unexpected("an instruction");
    return false;
  }
  Name name = read_name(in_);
  instruction.place = source_;
  instruction.place.ptx_line = name.mnemonic.line;
  instruction.place.ptx_column = name.mnemonic.column;
  if (is_vector_move(name)) return vector_move(instruction, std::move(name));
  const auto& candidates = forms_.find(context_, name);
  if (candidates.empty()) return false;  // refused: the operands are passed over
  instruction.op = candidates[0].op;
  instruction.chosen = candidates[0].chosen;
  if (instruction.op == ir::Op::call) return call(name, instruction);
  if (!read_operands(context_, written_) || !in_.expect(';', "behind the instruction")) return false;
  if (instruction.op == ir::Op::bra) return branch(name, instruction, written_);
  if (!make_operands(context_, name, candidates, written_, instruction))
    return true;  // reported; the ';' is behind us
  if (instruction.op == ir::Op::brx) return branch_indexed(instruction, written_);
  append(std::move(instruction));
  return true;
}

bool BodyParser::branch(const Name& name, ir::Instruction& instruction, const std::vector<Written>& written) {
  if (written.size() != 1 || written[0].kind != Written::Kind::Name || written[0].negated ||
      written[0].offset != 0 || written[0].part.kind != Token::Kind::End) {
    in_.error(name.mnemonic, "a branch goes to one label");
    return true;
  }
  instruction.operands.resize(1);
  append(std::move(instruction));
  auto& block = function().blocks.back();
  scopes_.back().pending.push_back({written[0].token, static_cast<ir::BlockId>(function().blocks.size() - 1),
                                    static_cast<uint32_t>(block.instructions.size() - 1), -1});
  return true;
}

bool BodyParser::branch_indexed(ir::Instruction& instruction, const std::vector<Written>& written) {
  const Token& list = written[1].token;
  auto meaning = context_.names.find(list.text);
  if (!meaning || meaning->kind != Meaning::Kind::Targets) {
    in_.error(list, fmt::format("'{}' is not a list of .branchtargets", shown(list.text)));
    return true;
  }
  const auto& names = context_.branch_targets[meaning->id];
  if ((context_.targets += names.size()) > kMaxBranchTargets) {
    in_.error(list, fmt::format("the module has more than {} branch targets", kMaxBranchTargets));
    return true;
  }
  instruction.targets.assign(names.size(), ir::kNone);
  append(std::move(instruction));
  auto& block = function().blocks.back();
  for (size_t i = 0; i < names.size(); ++i)
    scopes_.back().pending.push_back({names[i], static_cast<ir::BlockId>(function().blocks.size() - 1),
                                      static_cast<uint32_t>(block.instructions.size() - 1),
                                      static_cast<int>(i)});
  return true;
}

}  // namespace ww::ptx
