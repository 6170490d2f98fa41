// Whole-warp code: runs a warp from its first instruction for as long as its lanes go together, without
// a register frame. Values are in machine registers; what is the same in all lanes, or grows evenly from lane
// to lane, is one number or two. Where something is not plain (lanes part, an access is wrong, an instruction
// has no code here) it writes what is still needed into the frame, and the interpreter goes on there.
#pragma once

#include <vector>

#include "engine/machine.h"

namespace ww::engine {

/// The piece of memory that an access of whole-warp code led into last.
struct Site {
  u64 base = 0;    ///< its first address
  u64 begins = 0;  ///< how many addresses from there on the access may begin at; 0: none is known
  u64 shift = 0;   ///< from its addresses to where they lie on the host
};

/// Which code of an instruction a site belongs to: accesses of one lane, of parted lanes and of all lanes
/// together are of different length, and so is what may begin in a piece of memory. Second: of loads whose
/// lanes lie in two pieces.
/// Lacking: of all lanes of a warp that lacks some.
enum class SiteOf : u32 { Together, Parted, Lane, Second, Lacking };
inline constexpr u32 kSitesOfInstruction = 5;

/// Lanes that have parted. Numbers are of instructions.
struct WholeParting {
  u32 join = 0;        ///< where they meet again
  u32 arrived = 0;     ///< lanes that are there
  u32 other = 0;       ///< where others begin, once the active ones have arrived …
  u32 other_mask = 0;  ///< … and which those are; 0: none
  u32 later = 0;  ///< noted: those of the lanes there that the interpreter would not have brought there yet
};

/// An access that whole-warp code is about to make and that cannot go wrong any more, for listeners. Whoever
/// called the code tells them (schedule/notes.h), and the code itself where there is no room for more and
/// before it calls what may tell them anything.
struct Note {
  u32 instruction = 0;  ///< in the entry's code
  u32 mask = 0;         ///< the lanes that take part
  u64 first[2] = {};    ///< where lanes 0 and 16 access, or would; apart: the first is where `distance`
                        ///< counts from
  int32_t stride = 0;   ///< bytes from lane to lane of a half-warp
  u16 apart = 0;        ///< 1: without a pattern; int32_t distance[32] follow
  u16 warp = 0;         ///< index in the block
};
inline constexpr u32 kMostOfNote = sizeof(Note) + kLanes * sizeof(int32_t);
/// Program::asks: there is one note at a time, and so far behind where it begins lie the values that are
/// stored, of 32 lanes for each element, and so many bytes further those of the next element.
inline constexpr u32 kNotedValues = 256, kNotedElement = kLanes * sizeof(u64), kMostNotedElements = 8;

/// Whether the instruction may wait for all threads of the block.
inline bool waits_for_block(isa::Op op) { return op == isa::Op::bar_sync || op == isa::Op::barrier_sync; }

/// What whole-warp code is given: a function of warp, frame, first instruction and this, which returns where
/// the interpreter goes on, nullptr if the warp has ended.
struct WholeState {
  u32 resume = 0;  ///< the instruction to begin with: the first, or one behind a pause
  u32 pause =
      0;  ///< left at an instruction that all lanes carry out natively: they can come back behind it, here
  bool called = false;  ///< left with what the handler before the pause has returned
  // Other warps that begin at `resume`, too, one after another, each once the one before it has ended, or has
  // come to the pause `expected` (0: ended). What is left of them when the code returns has not begun.
  u32 more = 0;  ///< how many …
  u32 expected = 0;
  Warp* const* others = nullptr;  ///< … and which; those that begin have all lanes, and no splits
  // Where `expected` is kAnyPause, the first warp tells it to the others if it ends or comes to a barrier of
  // the block. Once all have come there, they go on behind it, the last one first, as often as `rounds` says.
  static constexpr u32 kAnyPause = ~u32(0);
  u32 rounds = 0;
  u32 all = 0;                    ///< warps of the block
  Warp* const* middle = nullptr;  ///< of WholeRun::ring: where its second half begins
  u32 turn_budget = 0;            ///< Warp::budget of each
  u32 mask = 0;                   ///< left while lanes are parted: those that are active
  u32 depth = 0;                  ///< how many of `parted` there are, 0: all lanes are active
  u32 block[3] = {};              ///< ctaid
  u32 epoch_seen = 0;             ///< of the memory, when the sites were found …
  const u32* epoch = nullptr;     ///< … and now
  u8* shared = nullptr;           ///< of the block
  u64 shared_bytes = 0;
  Site* sites = nullptr;  ///< by SiteOf and instruction
  Warp* warp = nullptr;   ///< that runs, or ran last
  /// Finds the piece of memory that holds all of an access, from the first byte to the last, for accesses of
  /// `span` bytes. 0: there is no such piece, or it must not be remembered. Keeps all registers but the one
  /// of its result.
  u64 (*find)(WholeState* state, const Inst* i, Site* site, u64 low, u64 last, u64 span) = nullptr;
  /// How often lanes parted that went round a loop so often each (of 32 lanes, those of the mask).
  u32 (*partings)(const u32* rounds, u32 mask) = nullptr;
  // Where listeners are to be told of accesses:
  u8* notes = nullptr;       ///< where the next note goes …
  u8* notes_full = nullptr;  ///< … unless it is here or behind
  u8* notes_begin = nullptr;
  void (*tell)(WholeState* state) = nullptr;          ///< tells of all notes
  void (*tell_quietly)(WholeState* state) = nullptr;  ///< the same, and keeps all registers but rax
  /// Program::asks: tells of the one note. 0: listeners need the warp's registers, and have not been told.
  u32 (*ask)(WholeState* state) = nullptr;
  WholeParting parted[kLanes] = {};  ///< the outermost first; each keeps at least one lane from those within
};

/// What a block keeps while its warps run whole-warp code.
struct WholeRun {
  WholeState state;
  std::vector<Site> sites;
  std::vector<Warp*> ring;  ///< the block's warps, twice: WholeState::others, from any of them on
  u32 full = 0;             ///< how many of those have all lanes …
  u32 last_lanes = 0;       ///< … and the lanes of one that has not
  bool waits = false;       ///< the kernel has barriers for all threads of the block
  bool ready = false;       ///< full warps have all lanes, no splits, and their frame is the current one
  const Warp* unspent = nullptr;  ///< it has just left the code, and goes on with the rest of its budget
  u32 left = 0;  ///< quarters of warps that went on interpreted and are not in Program::left yet
};

/// What is known of the lanes of a slot.
struct WholeSlot {
  enum class From : u8 {
    Code,      ///< the code writes it
    Constant,  ///< CompileUnit::image has it
    Frame,     ///< the frame has it: it is the same in every block
    BlockX,    ///< WholeState::block
    BlockY,
    BlockZ,
  } from = From::Code;
  enum class Lanes : u8 {
    Any,
    Same,  ///< all hold the same
    Row,   ///< lane l holds lane 0's value + l · stride
    Even,  ///< so it is in each half-warp
  } lanes = Lanes::Any;
  bool unset = false;    ///< it may be read before it is written, and is zero then
  bool common = false;   ///< of a slot that the code does not write: all warps of a block hold the same
  bool alike = false;    ///< of such a slot: the halves of a warp hold the same
  bool uneven = false;   ///< the same is not so while lanes are parted
  bool any_nan = false;  ///< f32 results of which arithmetic alone reads: in the frame and in memory a NaN is
                         ///< 0x7fffffff, in the code any
  u8 lane_bytes = 0;     ///< 0: a predicate
  int32_t stride = 0;
  u32 offset = 0;
  u32 bytes = 0;  ///< of the slot
};

}  // namespace ww::engine
