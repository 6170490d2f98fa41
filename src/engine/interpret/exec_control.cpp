// Branches and ends, and the stack.
#include <fmt/format.h>

#include <cstring>

#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/slow.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

namespace {

/// Gives a branch a counter of how often lanes part at it; imm: that counter (0: none).
void count_partings(FunctionDecoder& d, Inst& i) {
  if (!d.options().counted) return;
  u32& counter = d.info().parted;
  if (counter == ir::kNone) counter = d.program().counters++;
  i.imm = counter;
}

void note_parting(Warp& w, const Inst* i) {
  if (i->imm) ++w.executed[2 * i->imm];
}

}  // namespace

const Inst* give_turn(Warp& w, const Inst* i) {
  --w.budget;
  w.pc = i->aux->target;
  w.polls = i->aux->polls;
  w.stop = Stop::Yield;
  return nullptr;
}

const Inst* part_at(Warp& w, const Inst* i, u32 taken) {
  note_parting(w, i);
  Path paths[2] = {{i + 1, w.mask & ~taken}, {i->aux->target, taken}};
  return part(w, paths, 2, i->aux->join);
}

namespace {

void decode_bra(FunctionDecoder& d, const ir::Instruction& in) {
  ir::BlockId target = in.operands[0].block;
  Aux& aux = d.new_aux();
  aux.backward = target <= d.current_block();
  aux.polls = aux.backward && d.polls(target, d.current_block());
  Inst i = special(in.guard == ir::kNone ? d.options().lanes->steps.jump : d.options().lanes->steps.branch);
  // (Not those of a function that returned, where it is inlined.)
  if (in.guard != ir::kNone && d.info().instruction->op == isa::Op::bra) count_partings(d, i);
  i.aux = &aux;
  d.at_block(target, [&aux](const Inst* at) { aux.target = at; });
  ir::BlockId join = d.meeting_point(d.current_block());
  if (in.guard != ir::kNone && join != ir::kNone) d.at_block(join, [&aux](const Inst* at) { aux.join = at; });
  d.emit(i);
}

const Inst* run_brx(Warp& w, const Inst* i) {
  u32 lanes = active(w, i);
  if (lanes == 0) return i + 1;
  const u32* index = slot<u32>(w, i->src[0]);
  Path paths[kLanes + 1];
  int count = 0;
  for (u32 left = lanes; left;) {
    int first = __builtin_ctz(left);
    if (index[first] >= i->aux->table_size)
      return fault(w, i, first, "branch out of its table",
                   fmt::format("index {} of {} targets", index[first], i->aux->table_size));
    u32 same = 0;
    for (u32 m = left; m; m &= m - 1)
      if (index[__builtin_ctz(m)] == index[first]) same |= u32{1} << __builtin_ctz(m);
    paths[count++] = {i->aux->table[index[first]], same};
    left &= ~same;
  }
  if (lanes != w.mask) paths[count++] = {i + 1, w.mask & ~lanes};
  if (count == 1 && --w.budget != 0) return paths[0].pc;
  if (count == 1) {
    w.pc = paths[0].pc;
    w.polls = false;
    w.stop = Stop::Yield;
    return nullptr;
  }
  note_parting(w, i);
  return part(w, paths, count, i->aux->join);
}

void decode_brx(FunctionDecoder& d, const ir::Instruction& in) {
  Aux& aux = d.new_aux();
  auto& table = d.program().tables.emplace_back(in.targets.size());
  aux.table = table.data();
  aux.table_size = static_cast<u32>(table.size());
  Inst i = special(run_brx);
  i.aux = &aux;
  i.src[0] = d.source(in.operands[0], isa::Type::u32);
  count_partings(d, i);
  for (size_t k = 0; k < table.size(); ++k)
    d.at_block(in.targets[k], [&table, k](const Inst* at) { table[k] = at; });
  ir::BlockId join = d.meeting_point(d.current_block());
  if (join != ir::kNone) d.at_block(join, [&aux](const Inst* at) { aux.join = at; });
  d.emit(i);
}

const Inst* run_exit(Warp& w, const Inst* i) { return exit_lanes(w, i, active(w, i)); }

const Inst* run_trap(Warp& w, const Inst* i) {
  u32 lanes = active(w, i);
  if (lanes == 0) return i + 1;
  return fault(w, i, __builtin_ctz(lanes), "trap", "the kernel executed a trap instruction");
}

const Inst* run_nothing(Warp&, const Inst* i) { return i + 1; }

/// griddepcontrol: launches follow one another, so that what comes before has ended. mode: Grids::What.
const Inst* run_grid_control(Warp& w, const Inst* i) {
  events::Grids e;
  e.instruction = i->index, e.block = w.block->number, e.warp = w.id, e.mask = active(w, i);
  e.what = static_cast<events::Grids::What>(i->mode);
  if (w.launch->bus && e.mask) w.launch->bus->tell(w.block->worker, e);
  return i + 1;
}
void decode_grid_control(FunctionDecoder& d, const ir::Instruction& in) {
  using What = events::Grids::What;
  Inst i = special(d.hears(events::kGrids) ? run_grid_control : run_nothing);
  i.mode = static_cast<u16>(in.op == isa::Op::griddepcontrol_wait ? What::Waits : What::Triggers);
  d.emit(i);
}

const Inst* run_end(Warp& w, const Inst* i) { return exit_lanes(w, i, w.mask); }

// ---- alloca ----

/// imm: the alignment.
const Inst* run_alloca(Warp& warp, const Inst* i) {
  WarpState& w = state(warp);
  w.any_taken = true;
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u64 bytes = i->dst_bytes == 8 ? slot<u64>(w, i->src[0])[l] : slot<u32>(w, i->src[0])[l];
    u32 end = w.stack_end(l), frames = w.stack + w.split->function->local_bytes;
    u64 at = bytes <= end ? (end - bytes) & ~(i->imm - 1) : 0;
    if (bytes > end || at < frames)
      return fault(w, i, l, "stack overflow",
                   fmt::format("alloca of {} bytes, {} of {} are left on the stack", bytes, end - frames,
                               w.local_bytes));
    w.taken[l].push_back({w.stack, static_cast<u32>(at)});
    std::memset(w.local + static_cast<u64>(l) * w.local_stride + at, 0xff, end - at);
    std::memcpy(w.regs + i->dst + l * i->dst_bytes, &at, i->dst_bytes);
  }
  return i + 1;
}

void decode_alloca(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_alloca);
  i.dst_bytes = static_cast<u8>(isa::bytes(in.type()));
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(i.dst_bytes) : dst;
  i.src[0] = d.source(in.operands[1], in.type());
  constexpr u64 kDefault = 16,
                kMost = 4096;  // PTX ISA, alloca: at least 8 without an alignment; clang writes 0 for that
  i.imm = in.operands[2].bits ? in.operands[2].bits : kDefault;
  if ((i.imm & (i.imm - 1)) != 0 || i.imm > kMost)
    return d.refuse(
        in, fmt::format("the alignment of alloca is {}, it must be a power of two up to {}", i.imm, kMost));
  d.emit(i);
}

/// The end of the stack that frames may use is what stacksave gives and stackrestore goes back to.
const Inst* run_stacksave(Warp& w, const Inst* i) {
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u64 end = state(w).stack_end(l);
    std::memcpy(w.regs + i->dst + l * i->dst_bytes, &end, i->dst_bytes);
  }
  return i + 1;
}

const Inst* run_stackrestore(Warp& w, const Inst* i) {
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u64 end = i->dst_bytes == 8 ? slot<u64>(w, i->src[0])[l] : slot<u32>(w, i->src[0])[l];
    auto& taken = state(w).taken[l];
    while (!taken.empty() && taken.back().frame == w.stack && taken.back().at < end) taken.pop_back();
  }
  return i + 1;
}

void decode_stack(FunctionDecoder& d, const ir::Instruction& in) {
  bool save = in.op == isa::Op::stacksave;
  Inst i = special(save ? run_stacksave : run_stackrestore);
  i.dst_bytes = static_cast<u8>(isa::bytes(in.type()));
  if (save) {
    u32 dst = d.destination(in.operands[0]);
    i.dst = dst == kSink ? d.temporary(i.dst_bytes) : dst;
  } else {
    i.src[0] = d.source(in.operands[0], in.type());
  }
  d.emit(i);
}

}  // namespace

Inst end_of_code() { return special(run_end); }

SpecialDecoder control_decoder(isa::Op op) {
  switch (op) {
    case isa::Op::bra:
      return decode_bra;
    case isa::Op::brx:
      return decode_brx;
    case isa::Op::alloca:
      return decode_alloca;
    case isa::Op::stacksave:
    case isa::Op::stackrestore:
      return decode_stack;
    case isa::Op::exit_:
      return [](FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_exit)); };
    case isa::Op::trap:
      return [](FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_trap)); };
    case isa::Op::brkpt:
    case isa::Op::pmevent:
    case isa::Op::pmevent_mask:
    case isa::Op::setmaxnreg:
    case isa::Op::setmaxnreg_dec:
      return [](FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_nothing)); };
    case isa::Op::griddepcontrol_launch:
    case isa::Op::griddepcontrol_wait:
      return decode_grid_control;
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
