#include "passes/pressure.h"

#include <algorithm>
#include <set>

#include "passes/chains.h"
#include "passes/liveness.h"
#include "passes/merge_shared.h"
#include "passes/uses.h"

namespace ww::passes {

namespace {

using ir::BlockId;
using ir::Instruction;

struct Line {
  const Instruction* instruction;
  const RegisterSet* kept;  ///< under a short branch: what is live where it is skipped; else null
};

bool loads(const Instruction& in) {
  const bool load = in.op == ir::Op::ld || in.op == ir::Op::ld_nc || in.op == ir::Op::ldu;
  return load && ir::space_of(in) != ir::Space::Param;
}

bool loads_global(const Instruction& in) {
  const ir::Space space = ir::space_of(in);
  return loads(in) && (space == ir::Space::Global || space == ir::Space::None);
}

/// Special registers that are the same for all threads of a block.
bool uniform_special(const ir::Operand& o) {
  const std::string& name = ir::special_registers()[o.special].name;
  return name.starts_with("ctaid") || name.starts_with("nctaid") || name.starts_with("ntid");
}

/// Registers written once that need none of their own (pressure.h). `constant`: those out of the constant
/// bank.
std::vector<bool> free_registers(const ir::Function& f, const std::vector<bool>& constant,
                                 bool uniform_registers) {
  using Kind = ir::Operand::Kind;
  std::vector<int> writes(f.registers.size());
  std::vector<const Instruction*> by(f.registers.size());
  for (const auto& block : f.blocks)
    for (const auto& in : block.instructions)
      each_definition(f, in, [&](ir::RegId r) { ++writes[r], by[r] = &in; });
  std::vector<bool> uniform = constant, out = constant;
  const auto is_uniform = [&](const ir::Operand& o) {
    return o.kind == Kind::Immediate || o.kind == Kind::Address ||
           (o.kind == Kind::Special && uniform_special(o)) || (o.kind == Kind::Register && uniform[o.reg]);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (ir::RegId r = 0; r < out.size(); ++r) {
      if (uniform[r] || writes[r] != 1 || !by[r] || by[r]->guard != ir::kNone) continue;
      const auto pipe = by[r]->form().pipe;
      if (pipe != isa::Pipe::Int && pipe != isa::Pipe::Move) continue;
      if (std::all_of(by[r]->operands.begin() + 1, by[r]->operands.end(), is_uniform))
        uniform[r] = changed = true;
    }
  }
  for (ir::RegId r = 0; r < out.size(); ++r) {
    if (writes[r] != 1 || !by[r]) continue;
    const bool plus_constant = by[r]->op == ir::Op::add_int && by[r]->operands[2].kind == Kind::Immediate;
    out[r] = out[r] || plus_constant || (uniform_registers && uniform[r]);
  }
  return out;
}

/// The instructions of a stretch, each merged load with all its parts where the first stands.
std::vector<Line> lines_of(const ir::Function& f, const Stretch& stretch, const Merges& merges,
                           const std::vector<bool>& shorts, const Liveness& live) {
  std::vector<Line> out;
  const auto kept = [&](BlockId b) { return shorts[b] ? &live.in[b + 1] : nullptr; };
  for (BlockId b : stretch.blocks)
    for (uint32_t i = 0; i < f.blocks[b].instructions.size(); ++i) {
      const Merge* merge = merges.find({b, i});
      if (!merge || merge->store) {
        out.push_back({&f.blocks[b].instructions[i], kept(b)});
      } else if (merge->accesses.front() == InstructionRef{b, i}) {
        for (const auto& at : merge->accesses)
          out.push_back({&f.blocks[at.block].instructions[at.index], kept(at.block)});
      }
    }
  return out;
}

/// Moves the loads of lines [first, last) that `which` wants, with what they need of them, to the front.
void loads_first(const ir::Function& f, std::vector<Line>& lines, size_t first, size_t last,
                 bool (*which)(const Instruction&)) {
  std::set<ir::RegId> needed;
  std::vector<bool> early(last - first);
  for (size_t i = last; i-- > first;) {
    const Instruction& in = *lines[i].instruction;
    bool wanted = which(in);
    each_definition(f, in, [&](ir::RegId r) { wanted |= needed.contains(r); });
    if (!wanted || in.form().pipe == isa::Pipe::Control) continue;
    early[i - first] = true;
    each_use(f, in, [&](ir::RegId r) { needed.insert(r); });
  }
  std::vector<Line> ordered;
  for (bool now : {true, false})
    for (size_t i = first; i < last; ++i)
      if (early[i - first] == now) ordered.push_back(lines[i]);
  std::copy(ordered.begin(), ordered.end(), lines.begin() + static_cast<ptrdiff_t>(first));
}

class Counter {
 public:
  Counter(const ir::Function& f, int sm) : function_(f), words_(f.registers.size()) {
    const auto none = free_registers(f, constant_registers(f), sm >= 75);
    for (ir::RegId r = 0; r < words_.size(); ++r) {
      const isa::Type type = f.registers[r].type;
      if (none[r] || type == isa::Type::pred) continue;
      words_[r] = sm < 20 ? 1 : (isa::bits(type) + 31) / 32;
    }
  }

  int words(ir::RegId r) const { return words_[r]; }
  /// The most live at once in these lines, with `live` at their end.
  int most(const std::vector<Line>& lines, RegisterSet live) {
    int now = 0;
    for (ir::RegId r = 0; r < words_.size(); ++r)
      if (live.has(r)) now += words_[r];
    int most = now;
    const auto set = [&](ir::RegId r, bool is) {
      if (live.has(r) == is) return;
      is ? live.add(r) : live.remove(r);
      now += is ? words_[r] : -words_[r];
    };
    for (size_t i = lines.size(); i-- > 0;) {
      const Instruction& in = *lines[i].instruction;
      // A result that nobody reads takes a register too while it is written.
      each_definition(function_, in, [&](ir::RegId r) { set(r, true); });
      most = std::max(most, now);
      if (in.guard == ir::kNone)
        each_definition(function_, in, [&](ir::RegId r) {
          if (!lines[i].kept || !lines[i].kept->has(r)) set(r, false);
        });
      each_use(function_, in, [&](ir::RegId r) { set(r, true); });
      most = std::max(most, now);
    }
    return most;
  }

 private:
  const ir::Function& function_;
  std::vector<int> words_;
};

}  // namespace

int estimate_registers(const ir::Module& module, const ir::Function& f, int sm,
                       const RegisterLimits& limits) {
  const Liveness live = liveness_of(f);
  const Merges merges = merge_shared(module, f, sm);
  const auto shorts = short_branches(f);
  Counter counter(f, sm);
  int needed = 0, wanted = 0;
  for (const Stretch& s : stretches_of(f, machine_code(module, f, sm), {})) {
    std::vector<Line> lines = lines_of(f, s, merges, shorts, live);
    const RegisterSet& out = live.out[s.blocks.back()];
    const auto order = [&](bool (*which)(const Instruction&)) {
      size_t first = 0;
      for (size_t i = 0; i <= lines.size(); ++i) {
        if (i < lines.size() && !is_barrier(*lines[i].instruction)) continue;
        loads_first(f, lines, first, i, which);
        first = i + 1;
      }
      return counter.most(lines, out);
    };
    needed = std::max(needed, order(loads_global));
    int ahead = 0;
    if (s.unrolled)
      for (const Line& l : lines)
        if (loads(*l.instruction))
          each_definition(f, *l.instruction, [&](ir::RegId r) { ahead += (kUnroll - 1) * counter.words(r); });
    wanted = std::max(wanted, order(loads) + ahead);
  }
  const int stack_pointer = sm >= 20 ? 1 : 0;
  needed += stack_pointer, wanted += stack_pointer;
  const int for_nothing = std::max(limits.free, (needed + limits.unit - 1) / limits.unit * limits.unit);
  return std::min(std::max(needed, std::min(wanted, for_nothing)), limits.per_thread);
}

}  // namespace ww::passes
