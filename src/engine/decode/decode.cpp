#include "engine/decode/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>

#include "analysis/polling_loads.h"
#include "analysis/spin_reads.h"
#include "analysis/undefined.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/poll_step.h"
#include "engine/interpret/tell.h"
#include "events/bus.h"
#include "ir/accesses.h"
#include "ir/exchanges.h"

namespace ww::engine {

using isa::Mod;
using isa::Slot;
using isa::Type;
using Kind = ir::Operand::Kind;

FunctionDecoder::FunctionDecoder(Program& program, FunctionCode& code, const Layout& layout,
                                 const DecodeOptions& options, const NumbersOf& numbers,
                                 Diagnostics& problems)
    : program_(program),
      code_(code),
      layout_(layout),
      options_(options),
      problems_(problems),
      numbers_(numbers),
      invariants_(*program.module, *code.function, options.heard == 0),
      lazy_(code.function->registers.size()),
      special_(code.function->registers.size()),
      into_(&code.code) {
  if (!code.inlined) {
    flows_[code.function] = ir::flow_of(*code.function);
    return;
  }
  for (const auto& part : code.inlined->parts)
    if (!flows_.contains(part.function)) flows_[part.function] = ir::flow_of(*part.function);
}

/// Lanes that return at different times meet behind the call, as they do if it is one.
ir::BlockId FunctionDecoder::meeting_point(ir::BlockId block) const {
  if (!code_.inlined) return flows_.at(code_.function).post_dominator[block];
  const auto& source = code_.inlined->sources[block];
  const auto& part = code_.inlined->parts[source.part];
  const ir::BlockId meeting = flows_.at(part.function).post_dominator[source.block];
  return meeting == ir::kNone ? part.after : part.starts[meeting];
}

const analysis::Inlined::Pass* FunctionDecoder::pass_of(const ir::Instruction& call) const {
  if (!code_.inlined) return nullptr;
  const auto& pass = code_.inlined->passes[static_cast<size_t>(call.call)];
  return pass.callee == ir::kNone ? nullptr : &pass;
}

// ---- emitting ----

Aux& FunctionDecoder::new_aux() { return program_.aux.emplace_back(); }

Aux& FunctionDecoder::aux_for(std::shared_ptr<const void> plan) {
  Aux& aux = new_aux();
  aux.more = plan.get();
  program_.kept.push_back(std::move(plan));
  return aux;
}

void FunctionDecoder::emit(Inst inst, std::shared_ptr<const void> plan) {
  inst.aux = &aux_for(std::move(plan));
  emit(inst);
}

void FunctionDecoder::guard_and_number(Inst& inst) const {
  inst.index = index_;
  if (current_ && current_->guard != ir::kNone) {
    inst.guarded = 1;
    inst.guard = slots_[current_->guard];
    inst.guard_negated = current_->guard_negated;
  }
}

void FunctionDecoder::emit(Inst inst) {
  guard_and_number(inst);
  append(inst);
}

void FunctionDecoder::emit_step(Inst inst) {
  inst.index = index_;
  append(inst);
}

void FunctionDecoder::append(const Inst& inst) {
  into_->push_back(inst);
  (into_ == &code_.once ? code_.once_from : code_.made_from).push_back(current_);
}

void FunctionDecoder::emit_resize(u32 from, Type from_type, u32 to, Type to_type) {
  LaneKey key;
  key.op = isa::Op::cvt_int;
  key.type = to_type;
  key.type2 = from_type;
  Inst step{};
  step.lane = options_.lanes->lane(key);
  assert(step.lane);
  step.full = step.lane;
  step.masked = masked_lanes;
  step.dst = to;
  step.dst_bytes = static_cast<u8>(isa::bytes(to_type));
  step.src[0] = from;
  emit_step(step);
}

void FunctionDecoder::refuse(const ir::Instruction& in, std::string why) {
  problems_.push_back(error_at({module().name, in.place.ptx_line, in.place.ptx_column, 1}, std::move(why)));
}

bool FunctionDecoder::polls(ir::BlockId first, ir::BlockId last) {
  // Summed up once: functions with many loops ask for each of them.
  if (polling_before_.empty()) {
    polling_before_.push_back(0);
    for (const ir::Block& block : function().blocks) {
      u32 count = polling_before_.back();
      for (const ir::Instruction& in : block.instructions)
        count += ir::asks_memory(in) ||
                 (in.op >= isa::Op::mbarrier_test_wait && in.op <= isa::Op::mbarrier_try_wait_parity);
      polling_before_.push_back(count);
    }
  }
  return polling_before_[last + 1] > polling_before_[first];
}

/// Whether it only looks, again and again, for what others write. (Who takes a lock does more than that.)
bool FunctionDecoder::waits_for_others(const ir::Instruction& in) const {
  if (!ir::asks_memory(in) || ir::exchanges(in)) return false;
  return analysis::is_polling_load(function(), block_, in);
}

namespace {

/// A store that others may wait for.
bool publishes(const ir::Instruction& in) {
  const Mod order = in.op == isa::Op::st ? in.mod(isa::Slot::storesem) : Mod::none;
  return order != Mod::none && order != Mod::weak;
}

/// What it does may hang on who comes first to a word, and others may go on without waiting for that one: it
/// swaps, outside of loops as well, and publishes.
bool swaps_and_publishes(const ir::Function& f) {
  bool swaps = false, publishing = false;
  for (const ir::Block& block : f.blocks)
    for (const ir::Instruction& in : block.instructions) {
      swaps |= ir::exchanges(in);
      publishing |= publishes(in) || ir::fence_scope(in) != Mod::none;
    }
  return swaps && publishing;
}

}  // namespace

void FunctionDecoder::at_block(ir::BlockId block, std::function<void(const Inst*)> fix) {
  fixes_.push_back({code_.code.size(), block, std::move(fix)});
}

namespace {

Type integer_of(int bytes, bool sign) {
  switch (bytes) {
    case 1:
      return sign ? Type::s8 : Type::u8;
    case 2:
      return sign ? Type::s16 : Type::u16;
    case 4:
      return sign ? Type::s32 : Type::u32;
    default:
      return sign ? Type::s64 : Type::u64;
  }
}

}  // namespace

void FunctionDecoder::lane_row(const ir::Instruction& in) {
  const isa::Form& form = in.form();
  LaneKey key;
  key.op = in.op;
  for (size_t s = 0; s < form.slots.size(); ++s) {
    Slot slot = form.slots[s].slot;
    Type type = isa::type_of(in.chosen[s]);
    bool is_type = slot == Slot::type || slot == Slot::dtype || slot == Slot::atype || slot == Slot::btype ||
                   slot == Slot::ctype;
    if (is_type) (key.type == Type::none ? key.type : key.type2) = type;
    if (slot == Slot::icmp || slot == Slot::fcmp) key.cmp = in.chosen[s];
  }
  key.ftz = in.has(Mod::ftz);
  key.sat = in.has(Mod::sat);

  Inst out{};
  Mod rounding = Mod::none;
  for (Slot s : {Slot::rnd, Slot::irnd, Slot::cvtrnd, Slot::scalernd})
    if (in.mod(s) != Mod::none) rounding = in.mod(s);
  key.rounding_rn = rounding == Mod::rn;
  key.directed = rounding != Mod::none && rounding != Mod::rn && in.mod(Slot::rnd) == rounding;
  out.rounding = static_cast<u16>(rounding);
  out.cmp = static_cast<u16>(key.cmp);
  for (Slot s : {Slot::logic, Slot::boolop, Slot::testop, Slot::prmtmode})
    if (in.mod(s) != Mod::none) out.mode = static_cast<u16>(in.mod(s));
  out.clamp = in.mod(Slot::edge) == Mod::clamp || in.has(Mod::satfinite);
  out.relu = in.has(Mod::relu);
  out.ftz = key.ftz;
  out.sat = key.sat;
  out.lane = options_.lanes->lane(key);
  if (!out.lane) return refuse(in, fmt::format("{} is not implemented for these types", form.notation));

  int sources = 0;
  struct Widen {
    u32 from, to;
    Type from_type, to_type;
  };
  std::optional<Widen> widen;
  for (size_t k = 0; k < in.operands.size(); ++k) {
    const auto& spec = form.operands[k];
    const ir::Operand& operand = in.operands[k];
    Type type = in.operand_type(k);
    if (spec.dest && k == 0) {
      out.dst_pred = type == Type::pred;
      out.dst_bytes = type == Type::pred ? 0 : static_cast<u8>(isa::bytes(type));
      out.dst = destination(operand);
      if (operand.kind == Kind::Register && type != Type::pred) {
        int register_bytes = lane_bytes(register_type(operand.reg));
        if (register_bytes != out.dst_bytes) {
          out.dst = temporary(std::max<int>(2, out.dst_bytes));
          widen = Widen{out.dst, slots_[operand.reg], integer_of(out.dst_bytes, isa::is_signed(type)),
                        integer_of(register_bytes, isa::is_signed(type))};
        }
      }
      if (out.dst == kSink) out.dst = temporary(lane_bytes(type));
    } else if (spec.dest) {
      out.dst2 = destination(operand);
      out.dst2_used = out.dst2 != kSink;
    } else if (spec.kind == isa::OperandKind::Immediate) {
      out.imm = operand.bits;
    } else {
      u32 slot = source(operand, type);
      if (operand.negated) out.negate_pred = 1;
      if (operand.kind == Kind::Register && type != Type::pred &&
          isa::bytes(type) != lane_bytes(register_type(operand.reg))) {
        u32 narrow = temporary(std::max(2, isa::bytes(type)));
        emit_resize(slot, integer_of(lane_bytes(register_type(operand.reg)), false), narrow,
                    integer_of(isa::bytes(type), false));
        slot = narrow;
      }
      out.src[sources++] = slot;
    }
  }
  out.full = in.guard == ir::kNone ? out.lane : masked_lanes;
  out.masked = masked_lanes;
  if (key.directed && host_rounding(in.op)) {
    Aux& aux = new_aux();
    aux.more = reinterpret_cast<const void*>(out.lane);
    out.aux = &aux;
    out.lane = rounded_lanes;
    if (in.guard == ir::kNone) out.full = rounded_lanes;
  }
  emit(out);
  if (widen) {
    Inst step{};
    LaneKey resize;
    resize.op = isa::Op::cvt_int;
    resize.type = widen->to_type;
    resize.type2 = widen->from_type;
    step.lane = options_.lanes->lane(resize);
    step.full = in.guard == ir::kNone ? step.lane : masked_lanes;
    step.masked = masked_lanes;
    step.dst = widen->to;
    step.dst_bytes = static_cast<u8>(isa::bytes(widen->to_type));
    step.src[0] = widen->from;
    emit(step);
  }
}

void FunctionDecoder::special_row(const ir::Instruction& in) {
  SpecialDecoder decoder = special_decoder(in.op);
  for (auto find : {async_copy_decoder, cluster_decoder, bulk_decoder, tensor_copy_decoder, mbarrier_decoder})
    program_.keeps_groups |= find(in.op) != nullptr;
  if (!decoder) return refuse(in, fmt::format("{} is not implemented", in.form().notation));
  info().landed = count_landings(*this, in);
  tell_of_ranges(*this, in);
  decoder(*this, in);
}

void FunctionDecoder::decode_block(ir::BlockId b) {
  const ir::Function& f = function();
  const analysis::Inlined::Source* source = code_.inlined ? &code_.inlined->sources[b] : nullptr;
  const Numbers& numbers = numbers_.at(source ? code_.inlined->parts[source->part].function : code_.function);
  const ir::BlockId block = source ? source->block : b;
  block_ = b;
  current_ = nullptr;
  block_start_[b] = code_.code.size();
  const u32 before = source ? source->first : 0;
  index_ = numbers.first[block] + before;
  if (joins_.contains(b)) emit_step(join_point());
  if (options_.counted)
    emit_step(count_step(*options_.lanes, before ? numbers.behind.at(index_ - 1) : numbers.counter[block]));
  for (u32 k = 0; k < f.blocks[b].instructions.size(); ++k) {
    const u32 index = numbers.first[block] + (source ? source->positions[k] : k);
    const bool begins = k == 0 || index != index_;
    current_ = &f.blocks[b].instructions[k];
    index_ = index;
    if (options_.counted && current_->guard != ir::kNone && begins)
      emit(count_step(*options_.lanes, info().counter));
    decode_instruction({b, k});
    // Lanes may end in the callee.
    if (options_.counted && current_->op == isa::Op::call && !pass_of(*current_))
      emit_step(count_step(*options_.lanes, numbers.behind.at(index_)));
  }
}

void FunctionDecoder::decode_instruction(Position at) {
  const ir::Instruction& in = *current_;
  if (in.op == isa::Op::mov && in.operands[0].kind == Kind::Register && special_[in.operands[0].reg]) return;
  if (const AddressTerms* terms = invariants_.terms(at)) return address_sum(in, *terms);
  if (invariants_.dropped(at)) return;
  into_ = invariants_.once(at) ? &code_.once : &code_.code;
  if (!may_be_undefined_.empty()) value_step(in);
  if (hears(events::kDivisors)) divisor_step(in);
  if (!index_products_.empty()) overflow_step(in);
  if (differences_.contains(&in)) difference_step(in);
  if (hears(events::kFloats)) finite_step(in, false);
  if (in.form().kind == isa::RowKind::Lane)
    lane_row(in);
  else
    special_row(in);
  if (hears(events::kFloats)) finite_step(in, true);
  if (hears(events::kFences) && waits_for_others(in)) emit_step(poll_step());
  if (program_.waits && publishes(in)) emit_step(publish_step());
  update_shapes(in);
  into_ = &code_.code;
}

void FunctionDecoder::run() {
  const ir::Function& f = function();
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b) {
    if (f.blocks[b].instructions.empty() || meeting_point(b) == ir::kNone) continue;
    // Also where all ways lead to one block, because the branch parts the lanes even then.
    const ir::Instruction& last = f.blocks[b].instructions.back();
    if (last.op == isa::Op::brx || (last.op == isa::Op::bra && last.guard != ir::kNone))
      joins_.insert(meeting_point(b));
  }
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b)
    for (u32 k = 0; k < f.blocks[b].instructions.size(); ++k)
      if (invariants_.terms({b, k})) lazy_[f.blocks[b].instructions[k].operands[0].reg] = true;
  place_specials();
  find_address_registers();
  if (hears(events::kValues)) {
    may_be_undefined_ = analysis::may_be_undefined(f);
    code_.undefined_flag = temporary(0);
    code_.carry_flags = temporary(0);
  }
  if (hears(events::kFences)) program_.waits |= swaps_and_publishes(f);
  if (hears(events::kFences | events::kValues))
    for (const std::vector<bool>& block : analysis::spin_reads(f))
      program_.waits |= std::find(block.begin(), block.end(), true) != block.end();
  if (hears(events::kOverflows)) index_products_ = analysis::index_products(f);
  if (hears(events::kFloats)) differences_ = analysis::kept_differences(f);
  block_start_.resize(f.blocks.size());
  block_ = 0;
  take_parameters(*this);
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b) decode_block(b);
  current_ = nullptr;
  emit_step(end_of_code());

  find_unwritten();
  fuse();
  for (const Fix& fix : fixes_) fix.apply(&code_.code[block_start_[fix.block]]);
  code_.frame_bytes = (frame_ + 63) / 64 * 64;
  code_.slots = slots_;
  code_.image.assign(code_.frame_bytes - kFrameStart, 0);
  place_shadow();
  for (const auto& [offset, bytes] : constant_values_)
    std::memcpy(code_.image.data() + offset - kFrameStart, bytes.data(), bytes.size());
}

SpecialDecoder special_decoder(isa::Op op) {
  for (auto find : {control_decoder, call_decoder, memory_decoder, atomic_decoder, sync_decoder, warp_decoder,
                    move_decoder, matrix_decoder, texture_decoder, surface_decoder, async_copy_decoder,
                    cluster_decoder, mbarrier_decoder, bulk_decoder, tensor_copy_decoder, video_decoder})
    if (SpecialDecoder d = find(op)) return d;
  return nullptr;
}

}  // namespace ww::engine
