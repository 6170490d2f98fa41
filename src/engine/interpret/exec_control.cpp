// Branches, calls and ends.
#include <fmt/format.h>

#include <cstring>

#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/slow.h"
#include "engine/library/library.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

namespace {

/// Gives a branch a counter of how often lanes part at it; imm: that counter (0: none).
void count_partings(FunctionDecoder& d, Inst& i) {
  if (!d.options().counted) return;
  d.program().infos.back().parted = d.program().counters;
  i.imm = d.program().counters++;
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
  if (in.guard != ir::kNone) count_partings(d, i);
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
const Inst* run_ret(Warp& w, const Inst* i) { return return_lanes(w, i, active(w, i)); }

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

// ---- calls ----

const Inst* run_call(Warp& w, const Inst* i) {
  u32 lanes = active(w, i);
  if (lanes == 0) return i + 1;
  const CallPlan& plan = *static_cast<const CallPlan*>(i->aux->more);
  if (lanes != w.mask) {  // the others wait behind the call
    Path paths[2] = {{i, lanes}, {i + 1, w.mask & ~lanes}};
    return part(w, paths, 2, i + 1);
  }
  return call_function(w, i, *plan.target, plan, lanes);
}

const Inst* run_indirect_call(Warp& w, const Inst* i) {
  u32 lanes = active(w, i);
  if (lanes == 0) return i + 1;
  const CallPlan& plan = *static_cast<const CallPlan*>(i->aux->more);
  const u64* address = slot<u64>(w, plan.target_slot);
  int first = __builtin_ctz(lanes);
  u64 number = (address[first] - kCodeWindow) / 16 - 1;
  const Program& program = *plan.program;
  if (address[first] % 16 != 0 || number >= program.by_number.size())
    return fault(w, i, first, "call of no function",
                 fmt::format("0x{:x} is not the address of a function", address[first]));
  const ir::Function& named = program.module->functions[number];
  if (!named.refused.empty())
    return fault(w, i, first, "call of a function that cannot run",
                 fmt::format("{}: line {}: {}", program.module->symbols[named.symbol].name,
                             named.refused[0].where.line, named.refused[0].message));
  if (!program.by_number[number] || program.by_number[number]->function->entry)
    return fault(w, i, first, "call of no function",
                 fmt::format("0x{:x} is {}, which cannot be called through a pointer", address[first],
                             program.module->symbols[program.module->functions[number].symbol].name));
  const FunctionCode& callee = *program.by_number[number];
  bool fits = callee.params.size() == plan.arguments.size() && callee.results.size() == plan.results.size();
  for (size_t a = 0; fits && a < plan.arguments.size(); ++a)
    fits = callee.params[a].bytes == plan.arguments[a].bytes;
  for (size_t r = 0; fits && r < plan.results.size(); ++r)
    fits = plan.results[r].sink || callee.results[r].bytes == plan.results[r].bytes;
  if (!fits)
    return fault(w, i, first, "call of a function of another type",
                 program.module->symbols[callee.function->symbol].name +
                     " takes other parameters or returns another result");
  u32 same = 0;
  for (u32 m = lanes; m; m &= m - 1)
    if (address[__builtin_ctz(m)] == address[first]) same |= u32{1} << __builtin_ctz(m);
  if (same == w.mask) return call_function(w, i, callee, plan, lanes);
  // Lanes with other targets make their call in a split of their own, at this same instruction; all wait
  // behind it.
  Path paths[2] = {{i, same}, {i, w.mask & ~same}};
  return part(w, paths, 2, i + 1);
}

void decode_call(FunctionDecoder& d, const ir::Instruction& in) {
  const ir::Call& call = d.function().calls[static_cast<size_t>(in.call)];
  CallPlan& plan = d.program().calls.emplace_back();
  plan.program = &d.program();
  if (call.target != ir::kNone)
    plan.target = d.program().by_number[static_cast<size_t>(d.module().symbols[call.target].function)];
  auto move = [&](const ir::Operand& o, const CallSlot* slot) {
    CallPlan::Move m;
    if (o.kind == ir::Operand::Kind::None) {
      m.sink = true;
      return m;
    }
    if (o.kind == ir::Operand::Kind::Address) {
      m.local_offset = d.local_offset(o.symbol);
      m.bytes = static_cast<u32>(d.module().variable(o.symbol).bytes);
    } else {
      isa::Type type = isa::Type::b32;
      if (o.kind == ir::Operand::Kind::Register)
        type = d.register_type(o.reg);
      else if (slot)
        type = slot->bytes == 8   ? isa::Type::b64
               : slot->bytes == 4 ? isa::Type::b32
               : slot->bytes == 2 ? isa::Type::b16
                                  : isa::Type::b8;
      if (type == isa::Type::pred) d.refuse(in, "a predicate cannot be passed to or from a function");
      m.is_register = true;
      m.from_slot = d.source(o, type);
      m.bytes = static_cast<u32>(isa::bytes(type));
    }
    return m;
  };
  for (size_t a = 0; a < call.arguments.size(); ++a)
    plan.arguments.push_back(move(call.arguments[a], plan.target ? &plan.target->params[a] : nullptr));
  for (size_t r = 0; r < call.results.size(); ++r)
    plan.results.push_back(move(call.results[r], plan.target ? &plan.target->results[r] : nullptr));
  if (call.target != ir::kNone && !d.module().function(call.target).defined)
    return decode_library_call(d, in, call, plan);
  Aux& aux = d.new_aux();
  aux.more = &plan;
  Inst i = special(call.target == ir::kNone ? run_indirect_call : run_call);
  i.aux = &aux;
  if (call.target == ir::kNone) plan.target_slot = d.register_slot(call.target_register);
  d.emit(i);
  if (call.target == ir::kNone || in.guard != ir::kNone) d.emit_step(join_point());
}

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
    case isa::Op::call:
      return decode_call;
    case isa::Op::ret:
      return [](FunctionDecoder& d, const ir::Instruction&) { d.emit(special(run_ret)); };
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
