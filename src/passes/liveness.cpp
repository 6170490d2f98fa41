#include "passes/liveness.h"

#include <algorithm>

namespace ww::passes {

namespace {

using Kind = ir::Operand::Kind;

void read_registers(const ir::Operand& o, std::vector<ir::RegId>& out) {
  if (o.reg != ir::kNone) out.push_back(o.reg);
  for (const auto& e : o.elements) read_registers(e, out);
}

bool has(const RegisterSet& s, ir::RegId r) { return s[r / 64] >> (r % 64) & 1; }
void add(RegisterSet& s, ir::RegId r) { s[r / 64] |= uint64_t{1} << (r % 64); }
void remove(RegisterSet& s, ir::RegId r) { s[r / 64] &= ~(uint64_t{1} << (r % 64)); }

/// Steps backwards over an instruction.
void step(const ir::Function& f, const ir::Instruction& in, RegisterSet& live) {
  Uses u = uses_of(f, in);
  for (ir::RegId r : u.writes) remove(live, r);
  for (ir::RegId r : u.reads) add(live, r);
}

}  // namespace

Uses uses_of(const ir::Function& f, const ir::Instruction& in) {
  Uses u;
  const auto& specs = in.form().operands;
  for (size_t k = 0; k < in.operands.size(); ++k) {
    const ir::Operand& o = in.operands[k];
    bool dest = k < specs.size() && specs[k].dest && o.kind != Kind::Memory;
    read_registers(o, dest ? u.writes : u.reads);
  }
  if (in.call >= 0) {
    const ir::Call& call = f.calls[static_cast<size_t>(in.call)];
    if (call.target_register != ir::kNone) u.reads.push_back(call.target_register);
    for (const auto& a : call.arguments) read_registers(a, u.reads);
    for (const auto& r : call.results) read_registers(r, u.writes);
  }
  if (in.guard != ir::kNone) {
    u.reads.push_back(in.guard);
    u.reads.insert(u.reads.end(), u.writes.begin(), u.writes.end());
  }
  return u;
}

Liveness liveness_of(const ir::Function& f, const ir::Flow& flow) {
  size_t words = (f.registers.size() + 63) / 64;
  Liveness l;
  l.in.assign(f.blocks.size(), RegisterSet(words));
  l.out = l.in;
  // What .reg results of a function hold is read by the caller.
  RegisterSet at_end(words);
  for (const auto& r : f.results)
    if (r.reg != ir::kNone) add(at_end, r.reg);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = f.blocks.size(); b-- > 0;) {
      RegisterSet out = at_end;
      for (ir::BlockId s : flow.successors[b])
        for (size_t k = 0; k < words; ++k) out[k] |= l.in[s][k];
      RegisterSet live = out;
      const auto& code = f.blocks[b].instructions;
      for (auto in = code.rbegin(); in != code.rend(); ++in) step(f, *in, live);
      l.out[b] = std::move(out);
      if (live != l.in[b]) l.in[b] = std::move(live), changed = true;
    }
  }
  return l;
}

std::vector<Interval> intervals_of(const ir::Function& f, const ir::Flow& flow) {
  Liveness l = liveness_of(f, flow);
  std::vector<Interval> intervals(f.registers.size());
  auto cover = [&](ir::RegId r, uint32_t at) {
    intervals[r].first = std::min(intervals[r].first, at);
    intervals[r].last = std::max(intervals[r].last, at);
  };
  uint32_t at = 0;
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    uint32_t begin = at;
    for (const auto& in : f.blocks[b].instructions) {
      Uses u = uses_of(f, in);
      for (ir::RegId r : u.reads) cover(r, at);
      for (ir::RegId r : u.writes) cover(r, at);
      ++at;
    }
    uint32_t end = at == begin ? at : at - 1;
    for (ir::RegId r = 0; r < f.registers.size(); ++r) {
      if (has(l.in[b], r)) cover(r, begin);
      if (has(l.out[b], r)) cover(r, end);
    }
  }
  return intervals;
}

}  // namespace ww::passes
