// What one instruction means for one thread, written a second time: plain integers of 128 bits and the host's floats.
// Nothing here is shared with src/engine or isa/lane.h.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace ww::reference {

/// The lowest `bits` bits.
uint64_t cut(uint64_t value, int bits);
/// A value of a type, as it stands in a register of `to_bits`: cut to the type, then extended by its sign.
uint64_t extend(uint64_t value, isa::Type type, int to_bits);

/// The results of an instruction without side effects: the destination, and the second one of setp. `sources` are the
/// operands' values in order, negated predicates already turned. False: not an instruction that is known here.
bool evaluate(const ir::Instruction& instruction, const std::vector<uint64_t>& sources, uint64_t& first,
              uint64_t& second);

/// What an atomic leaves in memory.
uint64_t updated(isa::Mod operation, isa::Type type, uint64_t old, uint64_t b, uint64_t c);

}  // namespace ww::reference
