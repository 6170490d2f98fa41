// Calls of functions, and returns.
#include <fmt/format.h>

#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/slow.h"
#include "engine/library/library.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

namespace {

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

/// What a call that is inlined copies between variables of the two functions.
struct Passed {
  u32 to = 0, from = 0, bytes = 0;  ///< offsets in the local frame
};

const Inst* run_pass(Warp& w, const Inst* i) {
  for (const Passed& p : *static_cast<const std::vector<Passed>*>(i->aux->more))
    copy_local(w, w.stack + p.to, w.stack + p.from, p.bytes, active(w, i));
  return i + 1;
}

void decode_pass(FunctionDecoder& d, const analysis::Inlined::Pass& pass) {
  std::vector<Passed> copies;
  const LocalFrame& frame = d.frame_of_part(pass.callee);
  for (const auto& [outer, inner] : pass.pairs) {
    const u32 inside = d.base_of_part(pass.callee) + frame.variables.at(inner);
    const auto bytes = static_cast<u32>(d.module().variable(inner).bytes);
    copies.push_back(pass.results ? Passed{d.local_offset(outer), inside, bytes}
                                  : Passed{inside, d.local_offset(outer), bytes});
  }
  d.emit(special(run_pass), std::make_shared<std::vector<Passed>>(std::move(copies)));
}

void decode_call(FunctionDecoder& d, const ir::Instruction& in) {
  if (const analysis::Inlined::Pass* pass = d.pass_of(in)) return decode_pass(d, *pass);
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

// ---- registers of the callee ----

/// Parameters and results that are registers of the function; its caller has them in the local frame.
struct PassedRegister {
  u32 slot = 0, offset = 0, bytes = 0;
};
using PassedRegisters = std::vector<PassedRegister>;

const PassedRegisters& registers_of(const Inst* i) {
  return *static_cast<const PassedRegisters*>(i->aux->more);
}

const Inst* run_take(Warp& w, const Inst* i) {
  for (const PassedRegister& r : registers_of(i))
    local_to_registers(w, w.regs + r.slot, w.stack + r.offset, r.bytes, w.mask);
  return i + 1;
}
const Inst* run_give(Warp& w, const Inst* i) {
  for (const PassedRegister& r : registers_of(i))
    registers_to_local(w, w.stack + r.offset, w.regs + r.slot, r.bytes, active(w, i));
  return i + 1;
}

PassedRegisters passed_registers(const FunctionDecoder& d, const std::vector<ir::Param>& formal,
                                 const std::vector<CallSlot>& places) {
  PassedRegisters all;
  for (size_t k = 0; k < places.size(); ++k)
    if (formal[k].reg != ir::kNone)
      all.push_back({d.register_slot(formal[k].reg), places[k].offset, places[k].bytes});
  return all;
}

void emit_passing(FunctionDecoder& d, const Handler handler, PassedRegisters registers) {
  if (!registers.empty()) d.emit(special(handler), std::make_shared<PassedRegisters>(std::move(registers)));
}

const Inst* run_ret(Warp& w, const Inst* i) { return return_lanes(w, i, active(w, i)); }

void decode_ret(FunctionDecoder& d, const ir::Instruction&) {
  emit_passing(d, run_give, passed_registers(d, d.function().results, d.frame_of_part(0).results));
  d.emit(special(run_ret));
}

}  // namespace

void take_parameters(FunctionDecoder& d) {
  emit_passing(d, run_take, passed_registers(d, d.function().params, d.frame_of_part(0).params));
}

SpecialDecoder call_decoder(isa::Op op) {
  return op == isa::Op::call ? decode_call : op == isa::Op::ret ? decode_ret : nullptr;
}

}  // namespace ww::engine
