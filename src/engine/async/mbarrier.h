// mbarrier objects: 64 bits in shared memory that count arrivals and bytes that are still to come.
#pragma once

#include <optional>
#include <string>

#include "engine/schedule/launch_state.h"

namespace ww::engine {

/// An mbarrier as numbers (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier"). How
/// they lie in the 64 bits is not documented and our own affair.
struct Mbarrier {
  static constexpr u32 kMostCount = (1u << 20) - 1;
  bool phase = false;
  u32 pending = 0;    ///< arrivals that the present phase waits for
  u32 expected = 0;   ///< arrivals of the next phase
  int32_t bytes = 0;  ///< tx-count

  u64 bits() const;
  /// Nothing where no mbarrier lies.
  static std::optional<Mbarrier> of(u64 bits);

  /// What an instruction does; the phase ends when nothing is pending. "" or what is wrong.
  std::string arrive(u32 count);
  std::string expect(u32 more);
  std::string complete(u32 less);

 private:
  void check_phase();
};

/// The mbarrier at a host address: reads it, lets `change` work on it and writes it back. "" or what is
/// wrong.
template <class Change>
std::string change_mbarrier(u8* at, Change change) {
  u64 bits;
  __builtin_memcpy(&bits, at, sizeof bits);
  auto b = Mbarrier::of(bits);
  if (!b) return "there is no mbarrier here: it was not initialised (mbarrier.init), or written over";
  std::string wrong = change(*b);
  bits = b->bits();
  __builtin_memcpy(at, &bits, sizeof bits);
  return wrong;
}

/// The mbarrier at a host address is new.
void note_new_mbarrier(ClusterState& cluster, const u8* at);
/// Its phase was this before the last change. Notes the end of a phase.
void note_phase(ClusterState& cluster, const u8* at, bool before);
/// Somebody is told that its last phase is over.
void note_told(ClusterState& cluster, const u8* at);

}  // namespace ww::engine
