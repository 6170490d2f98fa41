#include "ptxas/chains.h"

#include <algorithm>
#include <numeric>

#include "analysis/uses.h"
#include "ir/accesses.h"
#include "ir/flow.h"

namespace ww::ptxas {

namespace {

using ir::BlockId;
using ir::Instruction;
using isa::Pipe;

enum class Reads { Nothing, Shared, Global };

/// Which memory an instruction waits for.
Reads reads(const Instruction& in) {
  if (in.form().pipe == Pipe::Texture) return Reads::Global;
  if (in.form().pipe == Pipe::Warp) return Reads::Shared;  // shuffles go through the same path
  if (!ir::loads_registers(in)) return Reads::Nothing;
  switch (ir::accesses_of(in)[0].space) {
    case ir::Space::Shared:
      return Reads::Shared;
    case ir::Space::Param:
    case ir::Space::Const:
      return Reads::Nothing;
    default:
      return Reads::Global;
  }
}

struct Point {
  double time = 0;
  Chain chain;
};

/// Walks over instructions in order and keeps when each register's value is there.
class Walk {
 public:
  Walk(const ir::Function& f, const MachineCode& code, const Latencies& latencies)
      : function_(f), code_(code), latencies_(latencies), at_(f.registers.size()) {}

  void over(const std::vector<BlockId>& blocks, const std::vector<bool>& shorts) {
    for (BlockId b : blocks)
      for (size_t i = 0; i < function_.blocks[b].instructions.size(); ++i)
        step(function_.blocks[b].instructions[i], code_[b][i].sum(), shorts[b]);
  }
  const Chain& longest() const { return end_.chain; }

 private:
  void step(const Instruction& in, double issues, bool predicated) {
    Point ready = floor_;
    analysis::each_use(function_, in, [&](ir::RegId r) { later(ready, at_[r]); });
    later(issued_, ready);
    if (is_barrier(in)) floor_ = issued_;
    Point done = ready;
    switch (reads(in)) {
      case Reads::Global:
        done.time += latencies_.global, ++done.chain.global;
        break;
      case Reads::Shared:
        done.time += latencies_.shared, ++done.chain.shared;
        break;
      case Reads::Nothing:
        done.time += issues * latencies_.alu, done.chain.alu += issues;
        break;
    }
    analysis::each_definition(function_, in, [&](ir::RegId r) {
      // Where a guard or a short branch may leave the old value, it must have come too.
      const bool perhaps = predicated || in.guard != ir::kNone;
      if (!perhaps || done.time > at_[r].time) at_[r] = done;
    });
    later(end_, done);
  }
  static void later(Point& a, const Point& b) {
    if (b.time > a.time) a = b;
  }

  const ir::Function& function_;
  const MachineCode& code_;
  const Latencies& latencies_;
  std::vector<Point> at_;
  Point floor_, issued_, end_;
};

Chain path(const ir::Function& f, const MachineCode& code, const Latencies& latencies,
           const std::vector<BlockId>& blocks, const std::vector<bool>& shorts, int times) {
  Walk walk(f, code, latencies);
  for (int k = 0; k < times; ++k) walk.over(blocks, shorts);
  return walk.longest();
}

/// A register that goes on by a constant.
bool is_step(const Instruction& in) {
  return analysis::adds_constant(in) && in.operands[1].reg == in.operands[0].reg;
}

/// The comparison that decides whether the loop goes on; nullptr if there is none in it.
const Instruction* comparison(const ir::Function& f, const std::vector<BlockId>& blocks) {
  const ir::RegId guard = f.blocks[blocks.back()].instructions.back().guard;
  const Instruction* found = nullptr;
  for (BlockId b : blocks)
    for (const Instruction& in : f.blocks[b].instructions)
      analysis::each_definition(f, in, [&](ir::RegId r) {
        if (r == guard) found = &in;
      });
  return found;
}

/// Whether one side of the comparison goes by a constant, so that the rounds can be counted before.
bool counted(const ir::Function& f, const std::vector<BlockId>& blocks) {
  const Instruction* compared = comparison(f, blocks);
  if (!compared) return false;
  bool steps = false;
  analysis::each_use(f, *compared, [&](ir::RegId r) {
    for (BlockId b : blocks)
      for (const Instruction& in : f.blocks[b].instructions)
        steps = steps || (is_step(in) && in.operands[0].reg == r);
  });
  return steps;
}

Issues once_a_body(const ir::Function& f, const MachineCode& code, const std::vector<BlockId>& blocks) {
  const Instruction* compared = comparison(f, blocks);
  const Instruction* branch = &f.blocks[blocks.back()].instructions.back();
  Issues out;
  for (BlockId b : blocks)
    for (size_t i = 0; i < code[b].size(); ++i) {
      const Instruction& in = f.blocks[b].instructions[i];
      if (!is_step(in) && &in != compared && &in != branch) continue;
      for (size_t u = 0; u < out.of.size(); ++u) out.of[u] += code[b][i].of[u];
    }
  return out;
}

bool unrollable(const ir::Function& f, const MachineCode& code, const std::vector<BlockId>& blocks) {
  const auto& last = f.blocks[blocks.back()].instructions;
  if (last.empty() || last.back().op != ir::Op::bra || last.back().guard == ir::kNone) return false;
  if (last.back().operands[0].block != blocks.front() || !counted(f, blocks)) return false;
  float issues = 0;
  for (BlockId b : blocks)
    for (size_t i = 0; i < code[b].size(); ++i) {
      const Instruction& in = f.blocks[b].instructions[i];
      if (in.form().pipe == Pipe::Sync || in.form().pipe == Pipe::Atomic || in.call >= 0) return false;
      issues += code[b][i].sum();
    }
  return issues <= kUnrolledInstructions;
}

/// Sets of things that belong together.
class Groups {
 public:
  explicit Groups(size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
  size_t of(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(size_t a, size_t b) { parent_[of(a)] = of(b); }

 private:
  std::vector<size_t> parent_;
};

}  // namespace

bool is_barrier(const Instruction& in) { return ir::waits_at_barrier(in); }

bool is_fence(const Instruction& in) {
  const isa::Mod scope = ir::fence_scope(in);
  return scope != isa::Mod::none && scope != isa::Mod::cta;
}

std::vector<Stretch> stretches_of(const ir::Function& f, const MachineCode& code,
                                  const Latencies& latencies) {
  const ir::Flow flow = ir::flow_of(f);
  const auto shorts = short_branches(f);
  const auto count = static_cast<BlockId>(f.blocks.size());
  // Whether a block goes on from the one before it, as one stretch.
  const auto goes_on = [&](BlockId b) {
    if (shorts[b]) return true;
    if (b > 1 && shorts[b - 1]) return flow.predecessors[b] == std::vector<BlockId>{b - 2, b - 1};
    return flow.successors[b - 1] == std::vector<BlockId>{b} &&
           flow.predecessors[b] == std::vector<BlockId>{b - 1};
  };
  std::vector<Stretch> out;
  for (BlockId b = 0; b < count; ++b) {
    if (b == 0 || !goes_on(b)) out.emplace_back();
    out.back().blocks.push_back(b);
  }
  for (Stretch& s : out) {
    s.once = path(f, code, latencies, s.blocks, shorts, 1);
    s.unrolled = unrollable(f, code, s.blocks);
    if (!s.unrolled) continue;
    s.two = path(f, code, latencies, s.blocks, shorts, kUnroll / 2);
    s.four = path(f, code, latencies, s.blocks, shorts, kUnroll);
    s.once_a_body = once_a_body(f, code, s.blocks);
  }
  return out;
}

std::vector<std::vector<bool>> beside_global_loads(const ir::Function& f) {
  const ir::Flow flow = ir::flow_of(f);
  // Pieces of blocks between barriers, numbered through; the first and last of each block.
  std::vector<size_t> first, last;
  size_t pieces = 0;
  bool barriers = false;
  for (const auto& block : f.blocks) {
    first.push_back(pieces);
    for (const auto& in : block.instructions)
      if (is_barrier(in)) ++pieces, barriers = true;
    last.push_back(pieces++);
  }
  Groups groups(pieces);
  for (BlockId b = 0; b < f.blocks.size(); ++b)
    for (BlockId next : flow.successors[b]) groups.join(last[b], first[next]);
  std::vector<bool> loads(pieces, !barriers);
  const auto walk = [&](auto&& visit) {
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
      size_t piece = first[b];
      for (size_t i = 0; i < f.blocks[b].instructions.size(); ++i) {
        visit(b, i, groups.of(piece));
        if (is_barrier(f.blocks[b].instructions[i])) ++piece;
      }
    }
  };
  walk([&](BlockId b, size_t i, size_t group) {
    if (reads(f.blocks[b].instructions[i]) == Reads::Global) loads[group] = true;
  });
  std::vector<std::vector<bool>> out(f.blocks.size());
  walk([&](BlockId b, size_t, size_t group) { out[b].push_back(loads[group]); });
  return out;
}

}  // namespace ww::ptxas
