// What whole-warp code makes of each step.
#include <algorithm>
#include <set>

#include "analysis/local_pointers.h"
#include "analysis/uses.h"
#include "engine/compile/whole_plan.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/pack.h"
#include "engine/interpret/poll_step.h"
#include "engine/interpret/tell.h"
#include "engine/interpret/value_step.h"

namespace ww::engine {

using isa::Op;

bool carries_flag(const ir::Instruction& in) { return analysis::sets_carry(in) || analysis::reads_carry(in); }

namespace {

using StepKind = CompileStep::Kind;

/// Accesses that others may wait for or that must happen as often as they are written.
bool is_ordered(const ir::Instruction& in) {
  using isa::Mod, isa::Slot;
  for (Slot slot : {Slot::loadsem, Slot::storesem})
    for (Mod m : {Mod::relaxed, Mod::acquire, Mod::release, Mod::volatile_, Mod::mmio})
      if (in.mod(slot) == m) return true;
  return false;
}

/// Whether whole-warp code has accesses like this. Of those that others may wait for: single elements, which
/// the processor moves at once (and in the order that acquire and release ask for), in spaces that are known.
bool is_plain(const AccessKey& key, bool ordered) {
  using Where = AccessKey::Where;
  if (ordered) return key.elements == 1 && (key.where == Where::Shared || key.where == Where::Global);
  return key.elements == 1 || key.bytes >= 4 || key.bytes * key.elements <= 8;
}

/// Whether what is stored has a place in a note.
bool has_place(const AccessKey& key) {
  return key.kind == AccessKey::Kind::Load ||
         (key.register_bytes <= sizeof(u64) && key.elements <= kMostNotedElements);
}

bool is_barrier(Op op) {
  switch (op) {
    case Op::bar_sync:
    case Op::barrier_sync:
    case Op::bar_red:
    case Op::barrier_red:
    case Op::bar_red_popc:
    case Op::barrier_red_popc:
      return true;
    default:
      return false;
  }
}

/// Where the warp goes on elsewhere, or not before others have done something.
bool leads_away(Op op) {
  switch (op) {
    case Op::bra:
    case Op::brx:
    case Op::call:
    case Op::ret:
    case Op::exit_:
    case Op::trap:
    case Op::brkpt:
    case Op::nanosleep:
    case Op::setmaxnreg:
    case Op::setmaxnreg_dec:
    case Op::alloca:
    case Op::stacksave:
    case Op::stackrestore:
    case Op::bar_arrive:
    case Op::barrier_arrive:
      return true;
    default:
      return is_barrier(op);
  }
}

/// AVX-512's instructions say how they round. Elsewhere a register does, which costs as much as some ten
/// instructions: halves, which want both directions, gain nothing.
CompileStep::Directed directed_of(const ir::Instruction& in, const Inst& i, std::string_view lanes) {
  using enum CompileStep::Directed;
  if (i.ftz || i.sat || i.relu || lanes == "plain") return No;
  switch (in.op) {
    case Op::fma_f16:
      return lanes == "avx512" ? FusedF16 : No;
    case Op::fma_bf16:
      return lanes == "avx512" ? FusedBf16 : No;
    case Op::mul_bf16:
      return lanes == "avx512" ? ProductBf16 : No;
    default:
      break;
  }
  const auto mode = static_cast<isa::Mod>(i.rounding);
  if ((mode != isa::Mod::rm && mode != isa::Mod::rp && mode != isa::Mod::rz)) return No;
  switch (in.op) {
    case Op::add_f32:
      return Sum;
    case Op::mul_f32:
      return Product;
    case Op::fma_f32:
      return Fused;
    default:
      return No;
  }
}

CompileStep::Product product_of(Handler h) {
  using enum CompileStep::Product;
  return h == overflow_handler(analysis::Widened::Signed)     ? Signed
         : h == overflow_handler(analysis::Widened::Unsigned) ? Any
                                                              : No;
}

CompileStep::Collective collective_of(Op op) {
  using enum CompileStep::Collective;
  switch (op) {
    case Op::shfl:
    case Op::shfl_sync:
      return Shuffle;
    case Op::vote:
    case Op::vote_sync:
      return Vote;
    case Op::vote_ballot:
    case Op::vote_ballot_sync:
      return Ballot;
    case Op::activemask:
      return Active;
    case Op::bar_warp_sync:
      return Meet;
    default:
      return None;
  }
}

CompileStep::Meets meets_of(const ir::Instruction& in, const Inst& i) {
  using enum CompileStep::Meets;
  const isa::Effects& e = isa::effects(in.op);
  switch (e.sync) {
    case isa::Sync::WarpWait:
      return i.src[3] < kFrameStart ? No : Named;
    case isa::Sync::BlockArrive:
    case isa::Sync::BlockWait:
    case isa::Sync::ClusterArrive:
    case isa::Sync::ClusterWait:
    case isa::Sync::LaunchOrder:
      return Warp;
    default:
      return e.collective == isa::Collective::Warp ? Warp : No;
  }
}

class Kinds {
 public:
  explicit Kinds(WholePlan& plan)
      : plan_(plan), local_pointers_(analysis::local_pointers(*plan.function.function)) {}

  void find() {
    for (size_t k = 0; k < plan_.steps.size(); ++k) {
      CompileStep& s = plan_.steps[k];
      s.kind = kind_of(k);
      const Inst& i = plan_.function.code[k];
      const ir::Instruction* in = plan_.instruction(i);
      s.carries = in && carries_flag(*in);
      s.waits = in && s.kind == StepKind::Pause && waits_for_block(in->op) && !i.imm && !i.guarded;
      s.ordered = in && s.kind == StepKind::Access && is_ordered(*in);
      s.local = in && s.kind == StepKind::Access && is_local(*in, plan_.function.code[k].aux->access);
      s.noted = s.kind == StepKind::Access && access_behind(plan_.function.code[k]);
      if (s.kind == StepKind::Row) s.directed = directed_of(*in, plan_.function.code[k], plan_.lanes.name);
      if (s.kind == StepKind::Native) find_operands(k);
      if (s.kind == StepKind::Other && in) find_left(k, *in);
    }
    find_two_pieces();
  }

 private:
  /// What compilers make of `which ? a[i] : b[j]` is one load from an address that was selected.
  void find_two_pieces() {
    const FunctionCode& f = plan_.function;
    std::set<u32> selected;
    for (const Inst& i : f.code)
      if (const ir::Instruction* in = plan_.instruction(i); in && in->op == Op::selp && i.dst_bytes == 8)
        selected.insert(i.dst);
    for (size_t k = 0; k < plan_.steps.size(); ++k) {
      const Inst& i = f.code[k];
      const CompileStep& s = plan_.steps[k];
      if (s.kind != StepKind::Access || s.ordered || s.noted) continue;
      const AccessKey& key = i.aux->access;
      plan_.steps[k].two_pieces =
          key.kind == AccessKey::Kind::Load && key.where == AccessKey::Where::Global && key.elements == 1 &&
          (key.bytes == 4 || key.bytes == 8) && key.address_bytes == 8 && selected.contains(i.src[0]);
    }
  }

  bool is_local(const ir::Instruction& in, const AccessKey& key) const {
    if (key.where != AccessKey::Where::Generic) return key.where == AccessKey::Where::Local;
    const ir::RegId base = in.operands[static_cast<size_t>(ir::accesses_of(in).at(0).operand)].reg;
    return key.address_bytes == 8 && base != ir::kNone && local_pointers_[base];
  }

  StepKind kind_of(size_t k) const {
    const FunctionCode& f = plan_.function;
    const Inst& i = f.code[k];
    const Handler native = f.plain[k];
    const Steps& s = plan_.lanes.steps;
    if (native == join_point().full || native == s.forget || native == s.shift || native == s.shift_by)
      return StepKind::Nothing;
    if (native == plan_.lanes.sum.full) return StepKind::Sum;
    if (native == s.count) return StepKind::Count;
    if (native == s.jump || native == s.branch) return StepKind::Branch;
    if (native == end_of_code().full) return StepKind::End;
    if (native == value_step_at(0).full) return StepKind::Nothing;  // there are no undefined values here
    if (native == poll_step().full || native == publish_step().full) return StepKind::Other;
    const ir::Instruction* in = plan_.instruction(i);
    if (!in) return StepKind::Other;
    if (in->op == Op::ret || in->op == Op::exit_) return StepKind::End;
    const Inst* behind = access_behind(i);
    const Handler access = behind ? behind->masked : f.masked[k];
    if (i.aux && access && access == plan_.lanes.access(i.aux->access).masked &&
        is_plain(i.aux->access, is_ordered(*in)) && (!plan_.program.asks || has_place(i.aux->access)))
      return StepKind::Access;
    const auto accesses = static_cast<u32>(plan_.lanes.tables.size() - 2);
    if (plan_.steps[k].ways[0].table < accesses) return StepKind::Row;
    if (is_barrier(in->op) && in->guard == ir::kNone && k + 1 < f.code.size()) return StepKind::Pause;
    const bool away = leads_away(in->op) && !(in->call >= 0 && f.is_inlined(*in));
    if (away || k + 1 >= f.code.size() || plan_.steps[k].run != 1) return StepKind::Other;
    return StepKind::Native;
  }

  /// Places of the frame, each once. Rows of one lane say them themselves; for others the instruction does,
  /// too.
  struct Operands {
    std::vector<u32> reads, writes;
  };
  Operands operands_of(const Inst& i, const ir::Instruction& in, bool plain) const {
    Operands found;
    const auto into = [](std::vector<u32>& list) {
      return [&list](u32 offset) {
        if (offset >= kFrameStart && offset != kSink &&
            std::find(list.begin(), list.end(), offset) == list.end())
          list.push_back(offset);
      };
    };
    const auto read = into(found.reads), write = into(found.writes);
    for (u32 offset : i.src) read(offset);
    if (i.guarded) read(i.guard);
    write(i.dst);
    if (i.dst2_used) write(i.dst2);
    if (!plain) {
      const FunctionCode& f = plan_.function;
      analysis::each_use(*f.function, in, [&](ir::RegId r) { read(f.slots[r]); });
      analysis::each_definition(*f.function, in, [&](ir::RegId r) { write(f.slots[r]); });
      if (i.aux)
        for (u32 offset : i.aux->vector) read(offset);
    }
    // Lanes that it does not write keep what they have, and it may be one of several steps of an instruction.
    for (u32 offset : found.writes) read(offset);
    return found;
  }

  void find_operands(size_t k) {
    const Inst& i = plan_.function.code[k];
    const ir::Instruction& in = *plan_.instruction(i);
    CompileStep& s = plan_.steps[k];
    s.plain = in.form().kind == isa::RowKind::Lane;  // it rounds in another direction
    if (!s.plain) s.meets = meets_of(in, i);
    s.product = product_of(plan_.function.plain[k]);
    if (const auto landings = landings_of(plan_.function.plain[k], i))
      s.landed = landings->counter, s.landed_bytes = landings->bytes;
    if (!i.guarded && in.guard == ir::kNone) s.collective = collective_of(in.op);
    if (!s.plain && (plan_.is_access(i, AccessKey::Kind::Load) || plan_.is_access(i, AccessKey::Kind::Store)))
      s.shape = i.src[2];
    const auto [reads, writes] = operands_of(i, in, s.plain || s.landed_bytes);
    list_operands(s, reads);
    s.writes = static_cast<u32>(writes.size());
    plan_.operands.insert(plan_.operands.end(), writes.begin(), writes.end());
    if (in.op == Op::mov_pack && !i.guarded && in.guard == ir::kNone && isa::bytes(in.type()) <= 8)
      list_pieces(i, s);
  }

  /// What the interpreter reads where the code is left, if it goes on behind the instruction.
  void find_left(size_t k, const ir::Instruction& in) {
    CompileStep& s = plan_.steps[k];
    if (s.run != 1 || s.branches || in.op == Op::bra || in.op == Op::brx) return;
    s.goes_on = true;
    list_operands(s, operands_of(plan_.function.code[k], in, false).reads);
  }

  void list_operands(CompileStep& s, const std::vector<u32>& reads) {
    s.operands = static_cast<u32>(plan_.operands.size());
    s.reads = static_cast<u32>(reads.size());
    plan_.operands.insert(plan_.operands.end(), reads.begin(), reads.end());
  }

  void list_pieces(const Inst& i, CompileStep& s) {
    const auto& pieces = *static_cast<const std::vector<Piece>*>(i.aux->more);
    s.collective = CompileStep::Collective::Pack;
    plan_.operands.push_back(static_cast<u32>(pieces.size()));
    for (const Piece& p : pieces)
      for (u32 v : {p.to, p.to_lane, p.to_at, p.from, p.from_lane, p.from_at, p.bytes})
        plan_.operands.push_back(v);
  }

  WholePlan& plan_;
  std::vector<bool> local_pointers_;
};

}  // namespace

void find_kinds(WholePlan& plan) { Kinds(plan).find(); }

}  // namespace ww::engine
