#include "engine/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <numeric>

#include "base/round.h"
#include "engine/handlers.h"
#include "passes/intervals.h"

namespace ww::engine {

using isa::Mod;
using isa::Slot;
using isa::Type;
using Kind = ir::Operand::Kind;

namespace {

/// Bytes of one lane of a register; predicates are masks and have none.
int lane_bytes(Type type) { return type == Type::pred ? 0 : std::max(2, isa::bytes(type)); }

/// Those that the function names anywhere: texts declare many more than that.
std::vector<bool> used_registers(const ir::Function& f) {
  std::vector<bool> used(f.registers.size());
  std::function<void(const ir::Operand&)> see = [&](const ir::Operand& o) {
    if (o.reg != ir::kNone) used[o.reg] = true;
    for (const auto& e : o.elements) see(e);
  };
  for (const auto& b : f.blocks)
    for (const auto& in : b.instructions) {
      if (in.guard != ir::kNone) used[in.guard] = true;
      for (const auto& o : in.operands) see(o);
    }
  for (const auto& c : f.calls) {
    if (c.target_register != ir::kNone) used[c.target_register] = true;
    for (const auto& o : c.results) see(o);
    for (const auto& o : c.arguments) see(o);
  }
  for (const auto* list : {&f.params, &f.results})
    for (const auto& p : *list)
      if (p.reg != ir::kNone) used[p.reg] = true;
  return used;
}

}  // namespace

FunctionDecoder::FunctionDecoder(Program& program, FunctionCode& code, const Layout& layout,
                                 const DecodeOptions& options, Diagnostics& problems)
    : program_(program),
      code_(code),
      layout_(layout),
      options_(options),
      problems_(problems),
      flow_(ir::flow_of(*code.function)) {}

u32 FunctionDecoder::allot(u32 bytes, u32 alignment) {
  frame_ = round_up(frame_, alignment);
  u32 at = frame_;
  frame_ += bytes;
  return at;
}

u32 FunctionDecoder::temporary(int bytes) {
  return bytes == 0 ? allot(4, 4) : allot(static_cast<u32>(bytes) * kLanes, 64);
}

/// Registers share slots where none of a thread's values is in the other's way: PTX names every value anew,
/// and a frame that holds them all falls out of the first-level cache. Lanes that take different ways use
/// different lanes of a slot.
void FunctionDecoder::place_registers() {
  const ir::Function& f = function();
  std::vector<passes::Interval> need = passes::intervals_of(f);
  std::vector<ir::RegId> order(f.registers.size());
  std::iota(order.begin(), order.end(), ir::RegId{0});
  std::sort(order.begin(), order.end(), [&](ir::RegId a, ir::RegId b) {
    return std::pair(need[a].first, a) < std::pair(need[b].first, b);
  });
  std::map<int, std::vector<u32>> unused;              // by bytes of a lane
  std::multimap<uint32_t, std::pair<int, u32>> taken;  // by the last instruction that needs it
  slots_.assign(f.registers.size(), 0);
  for (ir::RegId r : order) {
    int bytes = lane_bytes(f.registers[r].type);
    if (need[r].first > need[r].last)
      need[r].last = need[r].first;  // never used: any slot will do, at the very end
    while (!taken.empty() && taken.begin()->first < need[r].first) {
      auto [size, slot] = taken.begin()->second;
      unused[size].push_back(slot);
      taken.erase(taken.begin());
    }
    auto& pool = unused[bytes];
    if (pool.empty()) {
      slots_[r] = temporary(bytes);
    } else {
      slots_[r] = pool.back();
      pool.pop_back();
    }
    taken.emplace(need[r].last, std::pair(bytes, slots_[r]));
  }
}

void FunctionDecoder::prepare() {
  const ir::Function& f = function();
  std::vector<bool> used = used_registers(f);
  slots_.resize(f.registers.size());
  for (size_t r = 0; r < used.size(); ++r)
    if (used[r]) slots_[r] = temporary(lane_bytes(f.registers[r].type));
  u32 at = 0;
  auto place = [&](ir::SymbolId symbol) {
    const ir::Variable& v = module().variable(symbol);
    u32 alignment = std::max<u32>(v.alignment, 1);
    at = round_up(at, alignment);
    local_[symbol] = at;
    at += static_cast<u32>(v.bytes);
  };
  auto call_slot = [&](const ir::Param& p, std::vector<CallSlot>& out) {
    if (p.symbol == ir::kNone) {
      at = (at + 15) / 16 * 16;
      out.push_back({at, static_cast<u32>(isa::bytes(f.registers[p.reg].type))});
      at += 16;
      return;
    }
    place(p.symbol);
    out.push_back({local_[p.symbol], static_cast<u32>(module().variable(p.symbol).bytes)});
  };
  if (!f.entry) {
    for (const auto& p : f.params) call_slot(p, code_.params);
    for (const auto& p : f.results) call_slot(p, code_.results);
  }
  for (ir::SymbolId s : f.variables) {
    ir::Space space = module().variable(s).space;
    if ((space == ir::Space::Param || space == ir::Space::Local) && !local_.contains(s) &&
        !layout_.contains(s))
      place(s);
  }
  code_.local_bytes = (at + 15) / 16 * 16;
  if (!f.entry) code_.local_bytes += 16;  // as a return address would: recursion ends somewhere
}

// ---- operands ----

u32 FunctionDecoder::constant(u64 bits, int bytes) {
  auto [it, fresh] = constants_.try_emplace({bits, bytes}, 0);
  if (!fresh) return it->second;
  it->second = temporary(bytes);
  std::vector<u8> lanes(static_cast<size_t>(bytes) * kLanes);
  u64 words[2] = {bits, 0};
  for (int l = 0; l < kLanes; ++l) std::memcpy(lanes.data() + l * bytes, words, bytes);
  constant_values_.emplace_back(it->second, std::move(lanes));
  return it->second;
}

u32 FunctionDecoder::constant_predicate(bool value) {
  auto [it, fresh] = constants_.try_emplace({value, 0}, 0);
  if (!fresh) return it->second;
  it->second = temporary(0);
  constant_values_.emplace_back(it->second, std::vector<u8>(4, value ? 0xff : 0));
  return it->second;
}

u32 FunctionDecoder::special_slot(const ir::Operand& operand, Type type) {
  static const std::map<std::string, Special> kByName = {
      {"tid.x", Special::TidX},
      {"tid.y", Special::TidY},
      {"tid.z", Special::TidZ},
      {"ntid.x", Special::NtidX},
      {"ntid.y", Special::NtidY},
      {"ntid.z", Special::NtidZ},
      {"ctaid.x", Special::CtaidX},
      {"ctaid.y", Special::CtaidY},
      {"ctaid.z", Special::CtaidZ},
      {"nctaid.x", Special::NctaidX},
      {"nctaid.y", Special::NctaidY},
      {"nctaid.z", Special::NctaidZ},
      {"laneid", Special::LaneId},
      {"warpid", Special::WarpId},
      {"nwarpid", Special::NwarpId},
      {"smid", Special::SmId},
      {"nsmid", Special::NsmId},
      {"gridid", Special::GridId},
      {"lanemask_eq", Special::LanemaskEq},
      {"lanemask_le", Special::LanemaskLe},
      {"lanemask_lt", Special::LanemaskLt},
      {"lanemask_ge", Special::LanemaskGe},
      {"lanemask_gt", Special::LanemaskGt},
      {"total_smem_size", Special::TotalSharedBytes},
      {"dynamic_smem_size", Special::DynamicSharedBytes},
      {"aggr_smem_size", Special::TotalSharedBytes},
      {"clock", Special::Clock},
      {"clock_hi", Special::Zero},
      {"clock64", Special::Clock64},
      {"globaltimer", Special::GlobalTimer},
      {"globaltimer_lo", Special::GlobalTimer},
      {"tid.w", Special::Zero},
      {"ntid.w", Special::Zero},
      {"ctaid.w", Special::Zero},
      {"nctaid.w", Special::Zero},
  };
  const auto& name = ir::special_registers()[operand.special].name;
  auto it = kByName.find(name);
  int bytes = std::max(2, isa::bytes(type));
  if (it == kByName.end()) {
    refuse(*current_, fmt::format("special register %{} is not implemented", name));
    return constant(0, bytes);
  }
  Special what = it->second;
  if (what == Special::Clock || what == Special::Clock64 || what == Special::GlobalTimer) {
    u32 to = temporary(bytes);
    emit_step(read_clock(to, bytes, what));
    return to;
  }
  auto [slot, fresh] = specials_.try_emplace({static_cast<int>(what), bytes}, 0);
  if (fresh) {
    slot->second = temporary(bytes);
    code_.specials.push_back({slot->second, what, static_cast<u8>(bytes)});
  }
  return slot->second;
}

u64 FunctionDecoder::symbol_address(ir::SymbolId symbol) const {
  if (module().is_function(symbol)) return code_address(module(), symbol);
  auto it = layout_.find(symbol);
  return it == layout_.end() ? 0 : it->second;
}

u32 FunctionDecoder::local_offset(ir::SymbolId symbol) const { return local_.at(symbol); }

u32 FunctionDecoder::source(const ir::Operand& operand, Type type) {
  switch (operand.kind) {
    case Kind::Register:
      return slots_[operand.reg];
    case Kind::Immediate:
      if (type == Type::pred) return constant_predicate(operand.bits != 0);
      return constant(operand.bits, lane_bytes(type));
    case Kind::Special:
      return special_slot(operand, type);
    case Kind::Address:
      if (is_local(operand.symbol)) {
        u32 to = temporary(lane_bytes(type));
        emit_step(local_address(to, lane_bytes(type),
                                local_offset(operand.symbol) + static_cast<u64>(operand.offset)));
        return to;
      }
      return constant(symbol_address(operand.symbol) + static_cast<u64>(operand.offset), lane_bytes(type));
    default:
      assert(false && "an operand that has no value");
      return 0;
  }
}

u32 FunctionDecoder::destination(const ir::Operand& operand) const {
  return operand.kind == Kind::Register ? slots_[operand.reg] : kSink;
}

u32 FunctionDecoder::address(const ir::Operand& operand, u64& offset, u8& address_bytes) {
  offset = static_cast<u64>(operand.offset);
  address_bytes = 8;
  if (operand.reg != ir::kNone) {
    address_bytes = static_cast<u8>(isa::bytes(register_type(operand.reg)));
    return slots_[operand.reg];
  }
  if (operand.symbol == ir::kNone) return constant(0, 8);
  if (is_local(operand.symbol)) {
    u32 to = temporary(8);
    emit_step(local_address(to, 8, local_offset(operand.symbol)));
    return to;
  }
  offset += symbol_address(operand.symbol);
  return constant(0, 8);
}

u32 FunctionDecoder::shape_slot(u32 address_slot, AccessKey::Where where, bool store) {
  // What may be read may be written, except where constants are: only there the two are kept apart.
  if (where == AccessKey::Where::Global || where == AccessKey::Where::Shared ||
      where == AccessKey::Where::Local)
    store = false;
  auto [it, fresh] = shapes_[address_slot].try_emplace({where, store}, 0);
  if (fresh) {
    it->second = allot(sizeof(AddressShape), 64);
    code_.shapes.push_back(it->second);
  }
  return it->second;
}

/// Registers that hold addresses somewhere get their shapes before any code is made, so that every write to
/// them is seen.
void FunctionDecoder::find_address_registers() {
  for (const ir::Block& b : function().blocks)
    for (const ir::Instruction& in : b.instructions)
      for (size_t k = 0; k < in.operands.size(); ++k)
        if (in.operands[k].kind == Kind::Memory && in.operands[k].reg != ir::kNone && is_access(in.op))
          shape_slot(slots_[in.operands[k].reg], access_where(*this, in, in.operands[k]),
                     in.op == isa::Op::st);
}

void FunctionDecoder::update_shapes(const ir::Instruction& in) {
  auto written = [&](const ir::Operand& o) {
    if (o.kind != Kind::Register) return;
    auto it = shapes_.find(slots_[o.reg]);
    if (it == shapes_.end()) return;
    // A pointer that moves by a constant keeps its shape.
    bool moves = in.op == isa::Op::add_int && in.guard == ir::kNone && isa::bits(in.type()) == 64 &&
                 in.operands[1].kind == Kind::Register && in.operands[1].reg == o.reg;
    bool by_constant = moves && in.operands[2].kind == Kind::Immediate;
    bool by_register = moves && in.operands[2].kind == Kind::Register && in.operands[2].reg != o.reg;
    for (auto [use, shape] : it->second)
      emit_step(by_constant   ? shift_shape(shape, in.operands[2].bits)
                : by_register ? shift_shape_by(shape, slots_[in.operands[2].reg])
                              : forget_shape(shape));
  };
  const auto& specs = in.form().operands;
  for (size_t k = 0; k < in.operands.size() && k < specs.size(); ++k) {
    if (!specs[k].dest) continue;
    written(in.operands[k]);
    for (const auto& e : in.operands[k].elements) written(e);
  }
  if (in.call >= 0)
    for (const auto& r : function().calls[static_cast<size_t>(in.call)].results) written(r);
}

// ---- emitting ----

Aux& FunctionDecoder::new_aux() { return program_.aux.emplace_back(); }

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
  code_.code.push_back(inst);
}

void FunctionDecoder::emit_step(Inst inst) {
  inst.index = index_;
  code_.code.push_back(inst);
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
  for (Slot s : {Slot::rnd, Slot::irnd, Slot::cvtrnd})
    if (in.mod(s) != Mod::none) rounding = in.mod(s);
  key.rounding_rn = rounding == Mod::rn;
  out.rounding = static_cast<u16>(rounding);
  out.cmp = static_cast<u16>(key.cmp);
  for (Slot s : {Slot::logic, Slot::testop, Slot::prmtmode})
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
  if (rounding != Mod::none && rounding != Mod::rn && in.mod(Slot::rnd) == rounding && host_rounding(in.op)) {
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
  if (!decoder) return refuse(in, fmt::format("{} is not implemented", in.form().notation));
  decoder(*this, in);
}

/// Lets handlers carry on with instructions behind their own. Not over the start of a block: lanes may come
/// from elsewhere there.
void FunctionDecoder::fuse() {
  std::vector<Inst>& code = code_.code;
  std::vector<Handler> full;
  for (const Inst& i : code) full.push_back(i.full);
  for (size_t b = 0; b < block_start_.size(); ++b) {
    size_t end = b + 1 < block_start_.size() ? block_start_[b + 1] : code.size();
    for (size_t k = block_start_[b]; k < end; ++k)
      if (Handler fused = options_.lanes->fuse(&full[k], static_cast<int>(end - k))) code[k].full = fused;
  }
}

void FunctionDecoder::run() {
  const ir::Function& f = function();
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b) {
    if (f.blocks[b].instructions.empty() || flow_.post_dominator[b] == ir::kNone) continue;
    // Also where all ways lead to one block, because the branch parts the lanes even then.
    const ir::Instruction& last = f.blocks[b].instructions.back();
    if (last.op == isa::Op::brx || (last.op == isa::Op::bra && last.guard != ir::kNone))
      joins_.insert(flow_.post_dominator[b]);
  }
  find_address_registers();
  block_start_.resize(f.blocks.size());
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b) {
    block_ = b;
    current_ = nullptr;
    block_start_[b] = code_.code.size();
    u32 block_counter = program_.counters;
    index_ = static_cast<u32>(program_.infos.size());
    if (joins_.contains(b)) emit_step(join_point());
    if (options_.counted) {
      ++program_.counters;
      emit_step(count_step(block_counter));
    }
    for (const ir::Instruction& in : f.blocks[b].instructions) {
      current_ = &in;
      index_ = static_cast<u32>(program_.infos.size());
      bool own = options_.counted && in.guard != ir::kNone;
      program_.infos.push_back({&f, &in, b, own ? program_.counters : block_counter});
      if (own) {
        Inst count = count_step(program_.counters++);
        emit(count);
      }
      if (in.form().kind == isa::RowKind::Lane)
        lane_row(in);
      else
        special_row(in);
      update_shapes(in);
      if (options_.counted &&
          in.op == isa::Op::call) {  // lanes may end in the callee: what follows has a counter of its own
        block_counter = program_.counters++;
        emit_step(count_step(block_counter));
      }
    }
  }
  current_ = nullptr;
  emit_step(end_of_code());

  fuse();
  for (const Fix& fix : fixes_) fix.apply(&code_.code[block_start_[fix.block]]);
  code_.frame_bytes = (frame_ + 63) / 64 * 64;
  code_.image.assign(code_.frame_bytes - kFrameStart, 0);
  for (const auto& [offset, bytes] : constant_values_)
    std::memcpy(code_.image.data() + offset - kFrameStart, bytes.data(), bytes.size());
}

SpecialDecoder special_decoder(isa::Op op) {
  for (auto find : {control_decoder, memory_decoder, atomic_decoder, sync_decoder, warp_decoder, move_decoder,
                    matrix_decoder, texture_decoder, surface_decoder, async_copy_decoder})
    if (SpecialDecoder d = find(op)) return d;
  return nullptr;
}

}  // namespace ww::engine
