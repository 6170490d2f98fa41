// What decoding finds out about a function before it makes code: registers that hold the same in every block
// of the grid, and addresses that are a sum of such ones and one scaled index.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace ww::engine {

/// Where an instruction stands.
struct Position {
  ir::BlockId block = ir::kNone;
  uint32_t index = 0;
  auto operator<=>(const Position&) const = default;
};

/// An address: constant + Σ bases + scale · index.
struct AddressTerms {
  uint64_t constant = 0;
  std::vector<ir::RegId> bases;  ///< of 64 bits, the same in all lanes
  ir::RegId index = ir::kNone;   ///< of 32 bits
  bool index_signed = false;
  int64_t scale = 0;
  int64_t offset = 0;  ///< of the first access
};

class Invariants {
 public:
  /// `loads`: parameters that a kernel loads count too (no listener is to be told of the load).
  Invariants(const ir::Module& module, const ir::Function& function, bool loads);

  /// The instruction computes the same in every block: once for each warp is enough.
  bool once(Position at) const { return once_[at.block][at.index]; }
  bool invariant(ir::RegId reg) const { return invariant_[reg]; }
  bool written_once(ir::RegId reg) const { return definitions_[reg].count == 1; }

  /// The lanes that it writes are not read: accesses make do with the address's terms.
  bool dropped(Position at) const { return dropped_[at.block][at.index]; }
  /// The terms of the address that the instruction computes, where loads and stores are all that reads it.
  /// nullptr otherwise.
  const AddressTerms* terms(Position at) const;

 private:
  struct Definition {
    int count = 0;
    bool guarded = false;
    Position at;
  };
  const ir::Instruction& at(Position p) const { return function_.blocks[p.block].instructions[p.index]; }
  bool same_everywhere(const ir::Instruction& in) const;
  bool is_once(const ir::Instruction& in) const;
  void find_once();
  bool unchanged(ir::RegId reg, Position reader, Position later) const;
  bool expand(const ir::Operand& o, int64_t factor, Position reader, Position whole, AddressTerms& into,
              int depth) const;
  bool index_term(const ir::Operand& o, bool is_signed, int64_t factor, Position reader, Position whole,
                  AddressTerms& into) const;
  void find_terms();

  const ir::Module& module_;
  const ir::Function& function_;
  bool loads_;
  std::vector<Definition> definitions_;
  std::vector<bool> invariant_, uniform_;
  std::vector<std::vector<bool>> once_, dropped_;
  std::map<Position, AddressTerms> terms_;
};

}  // namespace ww::engine
