#include "analysis/inlined.h"

#include <algorithm>
#include <functional>

namespace ww::analysis {

namespace {

using ir::BlockId;
using ir::Instruction;
using ir::kNone;
using ir::Op;

// Instructions of a kernel with all that is inlined: beyond the compiler's limit nothing would be gained.
constexpr size_t kMostInstructions = 3000;

size_t length_of(const ir::Function& f) {
  size_t n = 0;
  for (const ir::Block& b : f.blocks) n += b.instructions.size();
  return n;
}

bool ends_in_return(const ir::Function& f) {
  if (f.blocks.empty() || f.blocks.back().instructions.empty()) return false;
  const Instruction& last = f.blocks.back().instructions.back();
  return last.guard == kNone &&
         (last.op == Op::ret || last.op == Op::exit_ || last.op == Op::bra || last.op == Op::trap);
}

bool grows_stack(const ir::Function& f) {
  for (const ir::Block& b : f.blocks)
    for (const Instruction& in : b.instructions)
      if (in.op == Op::alloca || in.op == Op::stacksave || in.op == Op::stackrestore) return true;
  return false;
}

bool in_variables(const std::vector<ir::Param>& formal, const std::vector<ir::Operand>& given) {
  const auto is_variable = [](const ir::Operand& o) { return o.kind == ir::Operand::Kind::Address; };
  return std::none_of(formal.begin(), formal.end(), [](const auto& p) { return p.symbol == kNone; }) &&
         std::all_of(given.begin(), given.end(), is_variable);
}

/// Calls visit(RegId&) for each register of an operand.
void each_register_of(ir::Operand& o, const std::function<void(ir::RegId&)>& visit) {
  if (o.reg != kNone) visit(o.reg);
  for (ir::Operand& e : o.elements) each_register_of(e, visit);
}

class Inliner {
 public:
  Inliner(const ir::Module& module, const ir::Function& entry) : module_(module), entry_(entry) {}

  Inlined run() {
    if (entry_.calls.empty()) return {};
    length_ = length_of(entry_);
    out_.function = entry_;
    out_.function.registers.clear();
    out_.function.blocks.clear();
    out_.function.calls.clear();
    add_part(entry_, 0);
    if (out_.parts.size() == 1) return {};
    for (BlockId b = 0; b < out_.sources.size(); ++b) retarget(b);
    return std::move(out_);
  }

 private:
  bool calls_itself(uint32_t part, const ir::Function& callee) const {
    for (;; part = out_.parts[part].caller) {
      if (out_.parts[part].function == &callee) return true;
      if (part == 0) return false;
    }
  }

  /// The function that takes the place of the call; nullptr: none does.
  const ir::Function* callee_of(uint32_t part, const Instruction& in) const {
    if (in.op != Op::call || in.guard != kNone) return nullptr;
    const ir::Call& call = out_.parts[part].function->calls[static_cast<size_t>(in.call)];
    if (call.target == kNone) return nullptr;
    const ir::Function& f = module_.function(call.target);
    const bool fits =
        f.defined && !f.entry && f.refused.empty() && length_ + length_of(f) <= kMostInstructions;
    if (!fits || !ends_in_return(f) || grows_stack(f) || calls_itself(part, f)) return nullptr;
    if (call.arguments.size() != f.params.size() || call.results.size() != f.results.size()) return nullptr;
    return in_variables(f.params, call.arguments) && in_variables(f.results, call.results) ? &f : nullptr;
  }

  void begin_block(uint32_t part, BlockId block, uint32_t first) {
    out_.function.blocks.emplace_back();
    out_.sources.push_back({part, block, first, {}});
  }

  Instruction& add(Instruction in, uint32_t position) {
    out_.sources.back().positions.push_back(position);
    return out_.function.blocks.back().instructions.emplace_back(std::move(in));
  }

  void add_pass(const Instruction& call, uint32_t position, Inlined::Pass pass) {
    add(call, position).call = static_cast<int>(out_.function.calls.size());
    out_.function.calls.emplace_back();
    out_.passes.push_back(std::move(pass));
  }

  Inlined::Pass pass_of(const std::vector<ir::Param>& formal, const std::vector<ir::Operand>& given,
                        uint32_t callee, bool results) const {
    Inlined::Pass pass{callee, results, {}};
    for (size_t k = 0; k < formal.size(); ++k) pass.pairs.emplace_back(given[k].symbol, formal[k].symbol);
    return pass;
  }

  uint32_t add_part(const ir::Function& f, uint32_t caller) {
    const auto part = static_cast<uint32_t>(out_.parts.size());
    out_.parts.push_back({&f, caller, kNone, {}});
    const auto base = static_cast<ir::RegId>(out_.function.registers.size());
    out_.function.registers.insert(out_.function.registers.end(), f.registers.begin(), f.registers.end());
    const auto renamed = [base](ir::RegId& r) { r += base; };
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
      out_.parts[part].starts.push_back(static_cast<BlockId>(out_.function.blocks.size()));
      begin_block(part, b, 0);
      for (uint32_t k = 0; k < f.blocks[b].instructions.size(); ++k) {
        Instruction in = f.blocks[b].instructions[k];
        if (const ir::Function* callee = callee_of(part, in)) {
          inline_call(part, b, k, in, *callee);
          continue;
        }
        if (in.guard != kNone) renamed(in.guard);
        for (ir::Operand& o : in.operands) each_register_of(o, renamed);
        if (in.call >= 0) keep_call(in, f, renamed);
        add(std::move(in), k);
      }
    }
    return part;
  }

  void keep_call(Instruction& in, const ir::Function& f, const std::function<void(ir::RegId&)>& renamed) {
    ir::Call call = f.calls[static_cast<size_t>(in.call)];
    if (call.target_register != kNone) renamed(call.target_register);
    for (auto* list : {&call.arguments, &call.results})
      for (ir::Operand& o : *list) each_register_of(o, renamed);
    in.call = static_cast<int>(out_.function.calls.size());
    out_.function.calls.push_back(std::move(call));
    out_.passes.emplace_back();
  }

  void inline_call(uint32_t part, BlockId b, uint32_t k, const Instruction& in, const ir::Function& callee) {
    const ir::Call& call = out_.parts[part].function->calls[static_cast<size_t>(in.call)];
    const auto number = static_cast<uint32_t>(out_.parts.size());
    length_ += length_of(callee);
    add_pass(in, k, pass_of(callee.params, call.arguments, number, false));
    add_part(callee, part);
    out_.parts[number].after = static_cast<BlockId>(out_.function.blocks.size());
    begin_block(part, b, k + 1);
    add_pass(in, k, pass_of(callee.results, call.results, number, true));
  }

  /// Branches lead to blocks of their part, and what returned goes on behind the call.
  void retarget(BlockId b) {
    const Inlined::Part& part = out_.parts[out_.sources[b].part];
    for (Instruction& in : out_.function.blocks[b].instructions) {
      if (in.op == Op::ret && out_.sources[b].part != 0) {
        in.op = Op::bra;
        in.chosen.assign(in.form().slots.size(), ir::Mod::none);
        in.operands.assign(1, {});
        in.operands[0].kind = ir::Operand::Kind::Label;
        in.operands[0].block = part.after;
        continue;
      }
      for (ir::Operand& o : in.operands)
        if (o.kind == ir::Operand::Kind::Label) o.block = part.starts[o.block];
      for (BlockId& target : in.targets) target = part.starts[target];
    }
  }

  const ir::Module& module_;
  const ir::Function& entry_;
  size_t length_ = 0;
  Inlined out_;
};

}  // namespace

Inlined inlined(const ir::Module& module, const ir::Function& entry) {
  Inlined made = Inliner(module, entry).run();
  if (!made.parts.empty()) pass_in_registers(module, made);
  return made;
}

}  // namespace ww::analysis
