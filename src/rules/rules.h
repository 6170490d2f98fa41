// How a GPU counts one warp's access to memory: pure functions of compute capability, lanes and addresses.
//
// Sources: NVIDIA's CUDA C programming guides (2.3: G.3 of compute capabilities 1.x; 4.2: F.4 and F.5;
// 12: 16.4 and later) and, where they are silent, what measured cells show; docs/accuracy.md says which rules
// reproduce published cells exactly.
#pragma once

#include <array>
#include <span>

#include "gpus/gpu.h"
#include "rules/patterns.h"

namespace ww::rules {

/// The lanes' addresses of one warp instruction, as far as rules need them: relative to a multiple of
/// kAlignment.
struct Access {
  u32 mask = 0;
  u32 bytes = 4;
  std::array<int64_t, 32> address{};
  bool active(int lane) const { return mask >> lane & 1; }
};
/// The pattern with its first active lane at an address of this alignment.
Access place(const Pattern& pattern, u32 alignment);
/// Only the lanes in `lanes`.
Access part(const Access& access, u32 lanes);

/// Where an access lies in memory is kept modulo kAlignment only, but decides which of its lines meet in L1:
/// its lookups are those at this many places together.
inline constexpr u64 kPlaces = 16;

/// What an access takes of L1.
struct L1Passes {
  u64 data = 0;     ///< through its data banks, which are those of shared memory
  u64 lookups = 0;  ///< of its tags, at kPlaces places together

  L1Passes& operator+=(const L1Passes& more);
  L1Passes operator*(u64 times) const { return {data * times, lookups * times}; }
  bool operator==(const L1Passes&) const = default;
};

/// What an access costs; sums over accesses. Zero where a GPU has no such thing.
struct Cost {
  u64 requests = 0;      ///< warp instructions
  u64 threads = 0;       ///< active lanes
  u64 bytes = 0;         ///< that they asked for
  u64 sectors = 0;       ///< distinct 32-byte sectors
  u64 lines = 0;         ///< distinct 128-byte lines (L1 tags); 2.x: as L1 processes them, in parts of a warp
  u64 transactions = 0;  ///< in the unit of the GPU's own profiler
  u64 sized[3] = {};     ///< 1.x: transactions of 32, 64 and 128 bytes
  u64 wavefronts = 0;    ///< passes through shared or constant memory
  u64 conflicts = 0;     ///< of these, beyond what the width of the access needs
  L1Passes l1;           ///< global and local memory

  Cost& operator+=(const Cost& more);
  Cost operator*(u64 times) const;
  bool operator==(const Cost&) const = default;
};

/// A compute capability as one number: 61.
using Capability = int;
inline Capability capability(const gpus::Gpu& gpu) { return 10 * gpu.cc_major + gpu.cc_minor; }

/// Loads, stores and atomics of global memory (rules/global.cpp).
Cost global_cost(Capability cc, const Access& access, bool store);
/// A piece of memory that moves as one.
struct Piece {
  int64_t address = 0;
  u32 bytes = 0;
  bool operator==(const Piece&) const = default;
};
/// The pieces that the access moves: transactions on 1.x, lines of 128 bytes for loads on 2.x, else sectors
/// of 32 bytes. In ascending order from 2.0 on.
std::vector<Piece> global_pieces(Capability cc, const Access& access, bool store);
/// Shared memory (rules/shared.cpp).
Cost shared_cost(Capability cc, const Access& access, bool store);
/// The groups of lanes that the banks serve one after another: accesses of 8 bytes in half-warps, of 16 in
/// quarters. From 5.0 loads go twice as wide where neighbouring lanes agree on their addresses: pairs (l, l ^
/// 1) or pairs (l, l ^ 2), all of them. All 470 patterns of data/measured/h200-l1/wavefronts.csv are so on an
/// H200.
std::span<const u32> lane_groups(Capability cc, const Access& access, bool store);
/// Most distinct words in one of 32 banks.
u32 bank_degree(const Access& access);
/// Atomics on shared memory: lanes that meet in one word go one after another (rules/shared.cpp).
Cost shared_atomic_cost(Capability cc, const Access& access);
/// An asynchronous copy (cp.async) of each lane's bytes `from` global memory `to` shared memory, as an H200
/// takes it (data/measured/h200-async): through L1 (.ca), what the banks need for either side, whichever is
/// more; past it (.cg), one pass for each line of either side and distance within it, and one more where not
/// all lanes take part. The cost is that of the shared side.
Cost copy_cost(Capability cc, const Access& from, const Access& to, bool through_l1);
/// A 32-bit word that a bank gives to (or takes from) some lanes in one pass.
struct BankUse {
  u32 pass = 0;
  u32 bank = 0;
  int64_t word = 0;  ///< its number: address / 4
  u32 lanes = 0;
};
/// The banks' work for the access, pass by pass: as many passes as shared_cost (or shared_atomic_cost) says
/// wavefronts. Which of the words of a bank comes first is not known; here it is the lowest lane's.
std::vector<BankUse> bank_uses(Capability cc, const Access& access, bool store, bool atomic);
/// Banks of shared memory: 16 on 1.x, else 32.
constexpr u32 bank_count(Capability cc) { return cc < 20 ? 16 : 32; }
/// Local memory: each lane's own, interleaved word by word (rules/local.cpp).
Cost local_cost(Capability cc, const Access& access, bool store);
/// A global access of that cost in L1 (rules/l1.cpp): passes as if it were shared memory; 2.x takes a line at
/// a time. From 7.0 on its lines are looked up in four banks of tags. Before 2.0 there is no L1: zeros.
L1Passes l1_passes(Capability cc, const Access& access, const Cost& cost, bool store);
/// How often L1's tags are looked up for an access that lies exactly there, from 7.0 on.
u64 tag_lookups(const Access& access);
/// Constant memory: one pass for each distinct word (rules/constant.cpp).
Cost constant_cost(Capability cc, const Access& access);
/// What four lanes fetch from a texture in linear memory, by the sectors that they touch (rules/texture.cpp).
Cost texture_cost(Capability cc, const Access& sectors);

/// The cost by the space of the pattern.
Cost cost(Capability cc, const Pattern& pattern, u32 alignment, bool store, bool atomic);

/// Number of distinct aligned pieces of `size` bytes (a power of two) that the access touches.
u32 distinct_pieces(const Access& access, u32 size);

inline constexpr u32 kHalfWarps[2] = {0x0000ffff, 0xffff0000};

}  // namespace ww::rules
