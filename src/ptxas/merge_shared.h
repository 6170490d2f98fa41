// Which neighbouring accesses to shared memory the compiler behind PTX (ptxas) joins into wider ones.
#pragma once

#include <compare>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace ww::ptxas {

/// An instruction of a function.
struct InstructionRef {
  ir::BlockId block = 0;
  uint32_t index = 0;
  auto operator<=>(const InstructionRef&) const = default;
};

/// Loads, or stores, that become one access of `bytes` at the address of any of them rounded down to a
/// multiple of `bytes`.
struct Merge {
  std::vector<InstructionRef> accesses;  ///< two or more, in the order of the program
  int bytes = 0;
  bool store = false;
};

struct Merges {
  std::vector<Merge> merges;
  std::vector<std::vector<int>> of;  ///< [block][instruction]: index into `merges`, or -1

  const Merge* find(InstructionRef at) const {
    int which = of[at.block][at.index];
    return which < 0 ? nullptr : &merges[static_cast<size_t>(which)];
  }
};

/// What ptxas makes of the ld.shared and st.shared of a function, for a GPU of compute capability `sm` / 10.
/// The function itself is not changed.
///
/// The rule, found by giving ptxas 13.0 small programs for sm_75, 80, 86, 89, 90, 100 and 120 and reading the
/// widths in its machine code (tests/peer/ptxas_merge_test.cpp repeats that, also for the laboratory):
/// - Addresses are the same sum of registers and differ by constants; constants are taken out of sums of
///   single additions, multiplications and shifts, but not out of a register that a loop carries.
/// - Of that sum without its constant, ptxas must know that it is a multiple of the wide access: low zero
///   bits, nothing finer. Shared variables lie in order of declaration, so `.align 4` does not hinder. Before
///   9.0 their addresses are constants of the sum, from 9.0 on symbols.
/// - Loads: three or four elements of an aligned group of four become one load, else both elements of an
///   aligned half. Elements are words (64-bit accesses count as two; at most 128 bits), or 16-bit integers of
///   one signedness (at most 64 bits); bytes are never joined. Loads of one address become one.
/// - Stores: equal elements, all four or both of an aligned group, with no other shared access between.
/// - Not across another store to shared or generic memory, barrier, fence, shared or generic atomic, call;
///   across loads, stores to global or local memory, shuffles, votes it is. Volatile and predicated accesses
///   stay alone.
/// ld.global is never joined.
///
/// What the rule leaves out: ptxas unrolls short loops that PTX has left rolled and joins across their
/// rounds, and it joins across short branches that it turns into predicates. From 9.0 on it also joins
/// generic loads that it knows to be shared.
///
/// How sure: 7.5 and later, compared with ptxas itself (all generations in between behave alike). 5.x and
/// 6.x: the published counts of a GTX 1080 agree with it for a loop that is unrolled as theirs was. Older:
/// nothing to compare with; 1.x had no wide shared access that pays (a 64-bit one takes two steps), so
/// nothing is joined there.
Merges merge_shared(const ir::Module& module, const ir::Function& function, int sm);

/// How sure the rule is for that generation, in a few words: "checked against ptxas 13.0", …
std::string_view merge_provenance(int sm);

}  // namespace ww::ptxas
