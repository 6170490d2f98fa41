// What a GPU's own code would hold for each PTX instruction: how many instructions, and for which units.
#pragma once

#include <array>
#include <vector>

#include "ir/module.h"

namespace ww::ptxas {

enum class Unit { Fp32, Fp64, IntAlu, IntMul, Special, Tensor, LoadStore, Other };
inline constexpr int kUnits = 8;

/// Machine instructions of one PTX instruction, by unit; all 0 for what costs none.
struct Issues {
  std::array<float, kUnits> of{};
  float& operator[](Unit unit) { return of[static_cast<size_t>(unit)]; }
  float operator[](Unit unit) const { return of[static_cast<size_t>(unit)]; }
  float sum() const;
};

using MachineCode = std::vector<std::vector<Issues>>;  ///< [block][instruction]

/// For a GPU of compute capability `sm` / 10. What is known of the translation and holds for every kernel:
/// - Kernel parameters and constants are operands out of the constant bank; moves between registers are
///   joined away; `and`, `or`, `xor` of predicates belong to the comparison that uses them.
/// - 64-bit integers take two instructions (1.x has 32-bit addresses, so one); from 7.0 on a product of 32
///   bits and a 64-bit addend are one multiply-add, so that an address that adds a product is one
///   instruction.
/// - An addition whose sum only serves as an address, with a constant, goes into the access.
/// - Shared accesses that are merged (merge_shared.h) are one instruction.
/// - A branch over a few instructions becomes predicates (`short_branches`): it is not there.
/// - Division, square roots and the like are their known short programs: an approximation by the special
///   unit and a handful of multiply-adds (CUDA's libdevice and PTX ISA, div.full, sqrt.approx).
MachineCode machine_code(const ir::Module& module, const ir::Function& function, int sm);

/// Blocks whose only entry is the branch before them that skips them, and that are few enough instructions
/// for predicates: [block] is true for such a block, the branch being the last instruction of the one before.
std::vector<bool> short_branches(const ir::Function& function);

}  // namespace ww::ptxas
