#include "engine/schedule/once_needs.h"

#include <algorithm>
#include <cstring>

#include "analysis/uses.h"

namespace ww::engine {

namespace {

constexpr u64 kAll = ~u64{0};

/// A bit for each eight of these bytes of the parameters, the last one for all that lie further behind.
u64 bits_of(u64 first, u64 bytes) {
  u64 bits = 0;
  for (u64 k = first / 8; k * 8 < first + bytes; ++k) bits |= u64{1} << std::min<u64>(k, 63);
  return bits;
}

/// Of a load of a parameter that it names, the only kind in FunctionCode::once (Invariants).
u64 bits_of(const Program& program, const ir::Function& f, const ir::Instruction& load) {
  const ir::Operand& from = load.operands[1];
  for (size_t k = 0; k < f.params.size() && k < program.params.size(); ++k)
    if (f.params[k].symbol == from.symbol)
      return bits_of(program.params[k].offset + static_cast<u64>(from.offset),
                     static_cast<u64>(isa::bytes(load.type())));
  return kAll;
}

}  // namespace

OnceNeeds::OnceNeeds(const Program& program) {
  const FunctionCode& entry = *program.functions[0];
  const ir::Function& f = *entry.function;
  std::vector<u64> bits(f.registers.size());
  for (const ir::Instruction* in : entry.once_from) {
    if (!in) {
      needs_.push_back(kAll);
      continue;
    }
    u64 needs = in->op == isa::Op::ld ? bits_of(program, f, *in) : 0;
    analysis::each_use(f, *in, [&](ir::RegId r) { needs |= bits[r]; });
    analysis::each_definition(f, *in, [&](ir::RegId r) { bits[r] |= needs; });
    needs_.push_back(needs);
  }
}

const std::vector<u32>& OnceNeeds::again(const std::vector<u8>& before, const std::vector<u8>& now) {
  u64 differ = 0;
  for (size_t k = 0; k < now.size(); k += 8) {
    const size_t bytes = std::min<size_t>(8, now.size() - k);
    if (std::memcmp(before.data() + k, now.data() + k, bytes) != 0) differ |= bits_of(k, bytes);
  }
  if (differ == differed_) return again_;  // as the launch before: loops change the same ones each time
  differed_ = differ;
  again_.clear();
  for (u32 k = 0; k < needs_.size(); ++k)
    if (needs_[k] & differ) again_.push_back(k);
  return again_;
}

}  // namespace ww::engine
