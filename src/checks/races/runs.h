// Neighbouring words that neighbouring lanes access, looked at together: the common case, quickly.
#pragma once

#include "checks/races/shadow.h"

namespace ww::checks::races {

/// Lanes whose accesses lie one behind the other, or in one place.
struct Run {
  int64_t offset = 0;  ///< of its first lane's address, from the access's first
  u8 lane = 0;         ///< the first
  u8 lanes = 1;        ///< how many; where all are in one place: up to the last
  bool one_place = false;
};
struct Runs {
  u64 serial = 0;  ///< of the pattern of addresses they belong to
  u32 mask = 0, bytes = 0;
  u32 count = 0;
  Run run[32];
};
/// `bytes`: of each lane's access.
void find_runs(Runs& runs, u32 mask, u32 bytes, const int64_t* offsets);

/// An access to the words [at, at + count) of a page; word k by lane `lane` + (k >> shift).
struct RunAccess {
  u32 at = 0, count = 0, lane = 0, shift = 0;
  Segment now = 0, old = 0;
  u32 instruction = 0;
  bool apart = false;  ///< its warp's lanes know different things
};
/// Takes it into account, if the words hold nothing but what is surely ordered before it; false: nothing has
/// been done.
bool read_run(Shadow::Page& page, const RunAccess& a);
bool write_run(Shadow::Page& page, const RunAccess& a);
/// The same where the first other access to all of the words is a weak read by one instruction of another
/// group, in segment `first`, and not ordered before this one.
bool read_run_second(Shadow::Page& page, const RunAccess& a, Segment first);
/// The same for one word that lanes `a.lane` to `high` read.
bool read_one(Shadow::Page& page, const RunAccess& a, u32 high);

}  // namespace ww::checks::races
