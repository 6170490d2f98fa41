// The body of a function: statements into blocks.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>

#include "ptx/instruction.h"

namespace ww::ptx {

class BodyParser {
 public:
  /// `function` counts in the module's functions; its parameters are declared already, in a scope of
  /// `context.names`.
  BodyParser(Context& context, FormFinder& forms, int function);

  /// From the '{' to behind the matching '}'.
  void parse();

 private:
  /// A place that waits for a label: operand 0 of a branch, or a target of brx.idx.
  struct Pending {
    Token name;
    ir::BlockId block;
    uint32_t instruction;
    int target;  ///< index into Instruction::targets; -1: the operand
  };
  struct Scope {
    std::unordered_map<std::string_view, ir::BlockId> labels;
    std::vector<Pending> pending;
  };

  ir::Function& function() { return context_.module.functions[static_cast<size_t>(index_)]; }
  bool statement();
  bool directive();
  bool label();
  bool read_branch_targets(const Token& name);
  bool read_call_targets(const Token& name);
  bool read_prototype(const Token& name);
  bool read_prototype_list(std::vector<uint64_t>& sizes);
  bool location();
  int inlined_at(int file, int line, int column, const Token& at);

  bool instruction();
  bool guard(ir::Instruction& instruction);
  bool vector_move(const ir::Instruction& guarded, Name name);
  bool branch(const Name& name, ir::Instruction& instruction, const std::vector<Written>& written);
  bool branch_indexed(ir::Instruction& instruction, const std::vector<Written>& written);

  // call.cpp
  bool call(const Name& name, ir::Instruction& instruction);
  bool read_call_list(std::vector<ir::Operand>& list);
  bool read_call_target(ir::Call& call);
  bool read_call_kind(const Name& name, ir::Call& call, bool has_arguments);
  bool check_against(const Name& name, const Prototype& prototype, const ir::Call& call);

  ir::Block& begin_block(std::string_view label);
  void append(ir::Instruction instruction);
  void append_end();
  void leave_empty();
  void open_scope();
  void close_scope();

  Context& context_;
  Reader& in_;
  FormFinder& forms_;
  int index_;
  bool ended_ = true;  ///< the next instruction starts a block
  std::vector<Scope> scopes_;
  ir::Place source_;                                          ///< of the last .loc
  std::map<std::tuple<int, int, int>, ir::Place> locations_;  ///< all .loc so far, to follow inlined_at
  std::map<std::pair<int, int>, ir::Place> statements_;  ///< the last .loc with a line, by file and column
  std::map<std::tuple<int, int, int>, int> inlined_;     ///< inlined_at places so far
  std::vector<Written> written_;
};

}  // namespace ww::ptx
