// How many registers a compiler would give a kernel: an estimate for where no ptxas is installed.
#pragma once

#include <vector>

#include "ir/module.h"
#include "ptxas/chains.h"

namespace ww::ptxas {

struct RegisterLimits {
  int per_thread = 255;  ///< the most that an instruction can name
  int free = 32;         ///< the most with which an SM can still hold all its threads
  int unit = 8;          ///< registers of a thread are allocated in multiples of this
};

/// 32-bit registers per thread for a GPU of compute capability `sm` / 10: the most values that are live at
/// once (liveness.h) when the instructions stand where ptxas puts them:
/// - shared loads that become one access (merge_shared.h) deliver all its words where the first stands;
/// - short branches are predicates, so that what they guard moves freely (machine_code.h);
/// - loads of global memory, with what their addresses need, go first between two barriers, so that they are
/// under way
///   together;
/// - as long as that costs no occupancy, all other loads run ahead too, and those of the rounds of an
/// unrolled loop: up to
///   `free`, else up to the next multiple of `unit`.
/// A 64-bit value takes two (1.x: addresses have 32 bits, one); the stack pointer takes one from 2.0 on, the
/// GPU two more from 7.0 on. What takes none: kernel parameters, constants and addresses of variables come
/// from the constant bank; a value plus a constant is computed again where it is used, or goes into the
/// access; from 7.5 on, values that are the same in the whole block are in uniform registers. At most the
/// limit. How far it is from ptxas: docs/accuracy.md.
int estimate_registers(const ir::Module& module, const ir::Function& function, int sm,
                       const RegisterLimits& limits);

/// What a thread moves to and from local memory in one pass of a stretch, in 32-bit words, and how many of
/// its words live there. Compilers give such values no register at all: of the most that are live in the
/// order of the PTX, those beyond `registers`. In one pass each is loaded and stored as often as the values
/// of the stretch are written anew on the average.
struct Spill {
  double loads = 0, stores = 0, words = 0;
};
std::vector<Spill> spills_of(const ir::Function& function, const std::vector<Stretch>& stretches, int sm,
                             int registers);

/// Global loads of a stretch: 32-bit words that one pass loads, and how many of them have room at once in
/// `registers` beside what else is live where they stand, but at least as many as the order of the PTX needs.
/// Where even without them more is live than there are registers, the compiler must spill and can spill for
/// the loads too: all have room. Of an unrolled loop addresses run ahead, too.
struct LoadRoom {
  double words = 0, room = 0;
};
std::vector<LoadRoom> load_rooms(const ir::Function& function, const std::vector<Stretch>& stretches, int sm,
                                 int registers);

}  // namespace ww::ptxas
