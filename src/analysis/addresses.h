// What is known of addresses: each as a sum of registers and a constant, and how far it is aligned.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace ww::analysis {

/// Byte offsets of the shared variables of a kernel as ptxas lays them out: in the order of their
/// declaration, those of the module that it names first, each aligned as declared, arrays of unknown size
/// (dynamic shared memory) behind all others on 16 bytes.
std::map<ir::SymbolId, uint64_t> shared_layout(const ir::Module& module, const ir::Function& function);

/// Something of which only the alignment is known: a register since a certain write, or a symbol's address.
struct Atom {
  ir::RegId reg = ir::kNone;
  ir::SymbolId symbol = ir::kNone;
  uint32_t version = 0;
  auto operator<=>(const Atom&) const = default;
};

/// constant + Σ factor · atom, modulo the register's width. Atoms are sorted, factors are not 0.
struct Sum {
  std::vector<std::pair<Atom, int64_t>> terms;
  int64_t constant = 0;
};

/// Follows the values of registers through a function whose registers may be written more than once, as PTX
/// allows. Used by walking over straight-line code: enter(), then step() behind every instruction.
class Addresses {
 public:
  /// `fold_shared`: addresses of static shared variables count as constants, not as atoms.
  Addresses(const ir::Module& module, const ir::Function& function, bool fold_shared);

  /// Begins at a place that control reaches from elsewhere.
  void enter();
  void step(const ir::Instruction& instruction);

  /// The address of a memory operand at the present place.
  Sum of(const ir::Operand& memory) const;
  /// The largest k so that `sum` without its constant is a multiple of 2^k for certain; at most 64.
  int zero_bits(const Sum& sum) const;
  /// The same for all values that a register ever holds.
  int zero_bits(ir::RegId reg) const { return zero_bits_[reg]; }

 private:
  struct Addend {
    const ir::Operand* operand;
    int64_t factor;
  };
  using Parts = std::vector<Addend>;
  std::optional<Parts> parts(const ir::Instruction& instruction) const;
  int zero_bits(const ir::Operand& operand) const;
  int zero_bits_written(const ir::Instruction& instruction) const;
  std::optional<Sum> value(const ir::Operand& operand) const;
  std::optional<Sum> value(const ir::Instruction& instruction) const;
  Sum value(ir::RegId reg) const;
  Sum symbol_address(ir::SymbolId symbol, int64_t offset) const;
  bool lasting(const Sum& sum) const;
  void find_zero_bits();

  const ir::Module& module_;
  const ir::Function& function_;
  bool fold_shared_;
  std::map<ir::SymbolId, uint64_t> layout_;
  std::vector<int> zero_bits_;         ///< by register
  std::vector<uint32_t> definitions_;  ///< by register: how many instructions write it
  std::map<ir::RegId, Sum> lasting_;   ///< registers written once, as sums of registers written once
  std::map<ir::RegId, Sum> here_;      ///< registers written since enter()
  uint32_t version_ = 0, entered_ = 0;
};

}  // namespace ww::analysis
