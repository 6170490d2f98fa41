#include "ptxas/pressure.h"

#include "ir/accesses.h"

#include <algorithm>
#include <set>

#include "analysis/liveness.h"
#include "analysis/uses.h"
#include "base/round.h"
#include "ptxas/chains.h"
#include "ptxas/merge_shared.h"
#include "ptxas/register_words.h"

namespace ww::ptxas {

namespace {

using ir::BlockId;
using ir::Instruction;

/// Below this many registers nobody limits a compiler: that more is live is our estimate's fault, not a
/// spill.
constexpr int kSpilling = 64;

/// Words of addresses that ptxas 13.0 has ready for loads to come of an unrolled loop (matmul/one_block for
/// sm_90: three pairs of registers beside nine loads).
constexpr int kAddressesAhead = 6;

/// The stack pointer; and from 7.0 on what ptxas counts beyond the highest register that it names (two in the
/// machine code of box_sum/direct, matmul/one_block and sum/atomic for sm_90).
int reserved(int sm) { return sm >= 70 ? 3 : sm >= 20 ? 1 : 0; }

struct Line {
  const Instruction* instruction;
  const analysis::RegisterSet* kept;  ///< under a short branch: what is live where it is skipped; else null
};

bool loads(const Instruction& in) {
  const isa::Effects& effects = ir::effects_of(in);
  return ir::loads_registers(in) && !effects.updates() && effects.memory[0].range == isa::Range::Lane &&
         ir::space_of(in) != ir::Space::Param;
}

bool loads_global(const Instruction& in) {
  const ir::Space space = ir::space_of(in);
  return loads(in) && (space == ir::Space::Global || space == ir::Space::None);
}

/// The instructions of a stretch, each merged load with all its parts where the first stands.
std::vector<Line> lines_of(const ir::Function& f, const Stretch& stretch, const Merges& merges,
                           const std::vector<bool>& shorts, const analysis::Liveness& live) {
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
    analysis::each_definition(f, in, [&](ir::RegId r) { wanted |= needed.contains(r); });
    if (!wanted || in.form().pipe == isa::Pipe::Control) continue;
    early[i - first] = true;
    analysis::each_use(f, in, [&](ir::RegId r) { needed.insert(r); });
  }
  std::vector<Line> ordered;
  for (bool now : {true, false})
    for (size_t i = first; i < last; ++i)
      if (early[i - first] == now) ordered.push_back(lines[i]);
  std::copy(ordered.begin(), ordered.end(), lines.begin() + static_cast<ptrdiff_t>(first));
}

Merges no_merges(const ir::Function& f) {
  Merges none;
  for (const auto& block : f.blocks) none.of.emplace_back(block.instructions.size(), -1);
  return none;
}

class Counter {
 public:
  Counter(const ir::Function& f, int sm) : function_(f), words_(words_of(f, sm)) {}

  int words(ir::RegId r) const { return words_[r]; }
  /// Of these lines in their order: the words that their global loads deliver, the most of them and of other
  /// values that are live where such a load stands.
  struct Loading {
    int words = 0, held = 0, others = 0;
  };
  Loading loading(const std::vector<Line>& lines, analysis::RegisterSet live) const {
    Loading out;
    analysis::RegisterSet loaded(words_.size());
    for (const Line& l : lines)
      if (loads_global(*l.instruction))
        analysis::each_definition(function_, *l.instruction,
                                  [&](ir::RegId r) { loaded.add(r), out.words += words_[r]; });
    if (out.words == 0) return out;
    for (size_t i = lines.size(); i-- > 0;) {
      const Instruction& in = *lines[i].instruction;
      analysis::each_definition(function_, in, [&](ir::RegId r) { live.add(r); });
      if (loads_global(in)) {
        int held = 0, others = 0;
        for (ir::RegId r = 0; r < words_.size(); ++r)
          if (live.has(r)) (loaded.has(r) ? held : others) += words_[r];
        out.held = std::max(out.held, held), out.others = std::max(out.others, others);
      }
      if (in.guard == ir::kNone)
        analysis::each_definition(function_, in, [&](ir::RegId r) {
          if (!lines[i].kept || !lines[i].kept->has(r)) live.remove(r);
        });
      analysis::each_use(function_, in, [&](ir::RegId r) { live.add(r); });
    }
    return out;
  }

  /// Words of the addresses that these lines compute for their global loads, other than by adding constants.
  int addresses(const std::vector<Line>& lines) const {
    std::set<ir::RegId> computed, of_loads;
    for (const Line& l : lines) {
      const Instruction& in = *l.instruction;
      if (analysis::adds_constant(in)) continue;
      analysis::each_definition(function_, in, [&](ir::RegId r) { computed.insert(r); });
    }
    for (const Line& l : lines)
      if (loads_global(*l.instruction))
        for (const ir::Operand& o : l.instruction->operands)
          if (o.kind == ir::Operand::Kind::Memory && computed.contains(o.reg)) of_loads.insert(o.reg);
    int sum = 0;
    for (ir::RegId r : of_loads) sum += words_[r];
    return sum;
  }

  /// The most live at once in these lines, with `live` at their end.
  int most(const std::vector<Line>& lines, analysis::RegisterSet live) {
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
      // A result that is not used takes a register too while it is written.
      analysis::each_definition(function_, in, [&](ir::RegId r) { set(r, true); });
      most = std::max(most, now);
      if (in.guard == ir::kNone)
        analysis::each_definition(function_, in, [&](ir::RegId r) {
          if (!lines[i].kept || !lines[i].kept->has(r)) set(r, false);
        });
      analysis::each_use(function_, in, [&](ir::RegId r) { set(r, true); });
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
  const analysis::Liveness live = analysis::liveness_of(f);
  const Merges merges = merge_shared(module, f, sm);
  const auto shorts = short_branches(f);
  Counter counter(f, sm);
  int needed = 0, wanted = 0;
  for (const Stretch& s : stretches_of(f, machine_code(module, f, sm), {})) {
    std::vector<Line> lines = lines_of(f, s, merges, shorts, live);
    const analysis::RegisterSet& out = live.out[s.blocks.back()];
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
          analysis::each_definition(f, *l.instruction,
                                    [&](ir::RegId r) { ahead += (kUnroll - 1) * counter.words(r); });
    wanted = std::max(wanted, order(loads) + ahead);
  }
  needed += reserved(sm), wanted += reserved(sm);
  const int for_nothing = std::max(limits.free, round_up(needed, limits.unit));
  return std::min(std::max(needed, std::min(wanted, for_nothing)), limits.per_thread);
}

std::vector<Spill> spills_of(const ir::Function& f, const std::vector<Stretch>& stretches, int sm,
                             int registers) {
  const analysis::Liveness live = analysis::liveness_of(f);
  const auto shorts = short_branches(f);
  const Merges none = no_merges(f);
  Counter counter(f, sm);
  const int usable = registers - reserved(sm);
  std::vector<Spill> out;
  for (const Stretch& s : stretches) {
    const std::vector<Line> lines = lines_of(f, s, none, shorts, live);
    const double most = counter.most(lines, live.out[s.blocks.back()]);
    double written = 0;
    for (const Line& l : lines)
      analysis::each_definition(f, *l.instruction, [&](ir::RegId r) { written += counter.words(r); });
    const double words = std::max(0.0, most - usable), moved = most > 0 ? words * written / most : 0;
    out.push_back({moved, moved, words});
  }
  return out;
}

std::vector<LoadRoom> load_rooms(const ir::Function& f, const std::vector<Stretch>& stretches, int sm,
                                 int registers) {
  const analysis::Liveness live = analysis::liveness_of(f);
  const auto shorts = short_branches(f);
  const Merges none = no_merges(f);
  const Counter counter(f, sm);
  const int usable = registers - reserved(sm);
  std::vector<LoadRoom> out;
  for (const Stretch& s : stretches) {
    const auto lines = lines_of(f, s, none, shorts, live);
    const auto l = counter.loading(lines, live.out[s.blocks.back()]);
    const int addresses = s.unrolled ? std::min(counter.addresses(lines), kAddressesAhead) : 0;
    const bool spills = l.others >= usable && registers >= kSpilling;
    out.push_back({static_cast<double>(l.words),
                   static_cast<double>(spills ? l.words : std::max(l.held, usable - l.others - addresses))});
  }
  return out;
}

}  // namespace ww::ptxas
