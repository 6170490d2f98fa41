// Where registers, variables and temporaries lie in a frame.
#include "engine/decode/decode.h"

#include <algorithm>
#include <functional>

#include "analysis/liveness.h"
#include "analysis/undefined.h"
#include "base/round.h"

namespace ww::engine {

namespace {

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

u32 FunctionDecoder::allot(u32 bytes, u32 alignment) {
  frame_ = round_up(frame_, alignment);
  u32 at = frame_;
  frame_ += bytes;
  return at;
}

u32 FunctionDecoder::temporary(int bytes) {
  return bytes == 0 ? allot(4, 4) : allot(static_cast<u32>(bytes) * kLanes, 64);
}

/// A register that only ever is a copy of a special one needs no slot of its own.
void FunctionDecoder::place_specials() {
  for (const ir::Block& b : function().blocks)
    for (const ir::Instruction& in : b.instructions) {
      if (in.op != isa::Op::mov || in.guard != ir::kNone ||
          in.operands[0].kind != ir::Operand::Kind::Register ||
          in.operands[1].kind != ir::Operand::Kind::Special)
        continue;
      const ir::RegId r = in.operands[0].reg;
      const isa::Type type = in.operand_type(1);
      const std::string_view name = ir::special_registers()[in.operands[1].special].name;
      const bool lasts = name.starts_with("tid.") || name.starts_with("ntid.") ||
                         name.starts_with("ctaid.") || name.starts_with("nctaid.") || name == "laneid" ||
                         name == "warpid";
      if (!lasts || !invariants_.written_once(r) || isa::bytes(type) != lane_bytes(register_type(r)))
        continue;
      current_ = &in;
      slots_[r] = special_slot(in.operands[1], type);
      special_[r] = true;
    }
  current_ = nullptr;
}

/// Frames are used again, so these must be cleared for each block.
void FunctionDecoder::find_unwritten() {
  const ir::Function& f = function();
  if (!f.entry && !may_be_undefined_.empty()) code_.unset = analysis::unset_registers(f);
  if (!f.entry || f.blocks.empty()) return;
  for (ir::RegId r = 0; r < f.registers.size(); ++r) {
    if (invariants_.invariant(r)) continue;
    if (auto it = shapes_.find(slots_[r]); it != shapes_.end())
      for (auto [use, shape] : it->second) code_.changing_shapes.push_back(shape);
  }
  const analysis::Liveness live = analysis::liveness_of(f);
  for (ir::RegId r = 0; r < f.registers.size(); ++r) {
    if (!live.in[0].has(r) || invariants_.invariant(r) || special_[r]) continue;
    const int bytes = lane_bytes(f.registers[r].type);
    code_.unwritten.push_back({slots_[r], bytes == 0 ? 4u : static_cast<u32>(bytes * kLanes)});
    code_.unset.push_back(r);
    if (auto it = shapes_.find(slots_[r]); it != shapes_.end())
      for (auto [use, shape] : it->second) code_.unwritten_shapes.push_back(shape);
  }
}

void FunctionDecoder::prepare() {
  const ir::Function& f = function();
  std::vector<bool> used = used_registers(f);
  slots_.resize(f.registers.size());
  for (size_t r = 0; r < used.size(); ++r)
    if (used[r]) slots_[r] = temporary(lane_bytes(f.registers[r].type));
  if (code_.inlined) {
    // As if the functions were called, one in the other.
    for (const auto& part : code_.inlined->parts) {
      const u32 n = static_cast<u32>(frames_.size());
      bases_.push_back(n == 0 ? 0 : bases_[part.caller] + frames_[part.caller].bytes);
      frames_.push_back(local_frame(*part.function, n == 0));
      code_.local_bytes = std::max(code_.local_bytes, bases_[n] + frames_[n].bytes);
    }
  } else {
    frames_.push_back(local_frame(f, f.entry));
    bases_.push_back(0);
    code_.local_bytes = frames_[0].bytes;
  }
  code_.params = frames_[0].params;
  code_.results = frames_[0].results;
  code_.locals.assign(frames_[0].variables.begin(), frames_[0].variables.end());
}

LocalFrame FunctionDecoder::local_frame(const ir::Function& f, bool entry) const {
  LocalFrame frame;
  u32 at = 0;
  auto place = [&](ir::SymbolId symbol) {
    const ir::Variable& v = module().variable(symbol);
    u32 alignment = std::max<u32>(v.alignment, 1);
    at = round_up(at, alignment);
    frame.variables[symbol] = at;
    at += static_cast<u32>(v.bytes);
  };
  auto call_slot = [&](const ir::Param& p, std::vector<CallSlot>& out) {
    if (p.symbol == ir::kNone) {
      at = round_up(at, 16);
      out.push_back({at, static_cast<u32>(isa::bytes(f.registers[p.reg].type))});
      at += 16;
      return;
    }
    place(p.symbol);
    out.push_back({frame.variables[p.symbol], static_cast<u32>(module().variable(p.symbol).bytes)});
  };
  if (!entry) {
    for (const auto& p : f.params) call_slot(p, frame.params);
    for (const auto& p : f.results) call_slot(p, frame.results);
  }
  for (ir::SymbolId s : f.variables) {
    ir::Space space = module().variable(s).space;
    if ((space == ir::Space::Param || space == ir::Space::Local) && !frame.variables.contains(s) &&
        !layout_.contains(s))
      place(s);
  }
  frame.bytes = round_up(at, 16);
  if (!entry) frame.bytes += 16;  // as a return address would: recursion ends somewhere
  return frame;
}

}  // namespace ww::engine
