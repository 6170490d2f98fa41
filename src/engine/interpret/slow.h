// The slow path of loads and stores: the fast handlers in lanes/ use it when an access is not plainly inside
// one piece of memory.
#pragma once

#include "engine/machine.h"

namespace ww::engine {

/// Carries out the load or store of `i` lane by lane for the lanes of `mask`, looking every address up.
/// Reports a fault for the first lane that is wrong (and returns nullptr), else returns the next instruction.
/// The address register's lanes must be there (settle).
const Inst* access_slow(Warp& w, const Inst* i, u32 mask);

/// Writes the lanes of an address register that is known by its shape alone.
[[gnu::always_inline]] inline void settle(Warp& w, const Inst* i, const AddressShape& s) {
  if (!i->aux->lazy_address || s.mask == 0) return;
  u64* a = slot<u64>(w, i->src[0]);
#pragma GCC ivdep
  for (int l = 0; l < kLanes; ++l)
    a[l] = s.mask >> l & 1 ? s.address + static_cast<u64>(int64_t{s.offset[l]}) : a[l];
}

/// A backward branch that all lanes take after which the split must let others have a turn.
const Inst* give_turn(Warp& w, const Inst* i);
/// A branch that the lanes `taken` take and others do not.
const Inst* part_at(Warp& w, const Inst* i, u32 taken);

/// The memory's epoch now. Another thread of the host may free memory while a kernel runs; what the kernel
/// itself uses is not freed then, so it may see the new epoch late.
inline u32 epoch_of(const Warp& w) { return __atomic_load_n(w.epoch, __ATOMIC_RELAXED); }

/// The piece of memory that the address lies in, for an access of this kind. Its base is numbered as the
/// address is.
Window find_window(Warp& w, AccessKey::Where where, u64 address, bool store);

}  // namespace ww::engine
