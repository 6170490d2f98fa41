// What a kernel did in a small launch, access by access: plain data, for pictures.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/decode/program.h"
#include "events/bus.h"
#include "rules/access_totals.h"
#include "rules/rules.h"

namespace ww::watch {

using engine::u32;
using engine::u64;

inline constexpr u32 kNone = ~u32{0};

/// A buffer in global memory or a variable in shared memory.
struct Array {
  std::string name;  ///< "a", "As"
  ir::Space space = ir::Space::Global;
  u64 address = 0;   ///< within its space
  u64 bytes = 0;     ///< slack included
  u64 elements = 0;  ///< without slack, of `unit` bytes
  u64 columns = 0;   ///< of the matrix it is, row by row; 0: a vector
  /// What its accesses say that it holds: "f32", "s32", "u64", …; "b32" where none says; "": nothing
  /// accessed it.
  std::string type = {};
  bool declared = false;  ///< `type` is what the source says, whatever accesses say
  u32 unit = 4;           ///< bytes of an element as it is shown: 1, 2 or 4; wider ones are several
  u32 channels = 1;       ///< elements of a texel: they lie side by side in `columns`
  u64 rows = 0;           ///< of one slice or layer, where it has several; else 0
  bool texels = false;    ///< behind textures and surfaces: where they lie on a GPU is not published
};

/// An instruction of the kernel that accesses memory, or is a barrier.
struct Site {
  u32 instruction = 0;  ///< index into Program::infos
  std::string file;     ///< of the source line; "" when there is none
  int line = 0;
  std::string text;  ///< "ld.shared.f32"
  rules::AccessKind kind = rules::AccessKind::Load;
  bool barrier = false;
  int ptx_line = 0;
  u32 leader = kNone;  ///< index of the site whose access on the GPU this one is a part of
};

/// What an access reads through a texture, or writes through a surface.
enum class Texels {
  None,
  Linear,  ///< of linear memory: it moves sectors as other memory does
  Array,   ///< of an array, whose layout on a GPU is not published
};

/// One access of a warp, wherever in its array it begins, and what the GPU makes of it.
struct Form {
  rules::Pattern pattern;  ///< as the kernel has it
  rules::AccessKind kind = rules::AccessKind::Load;
  u32 array = kNone;  ///< index into Launch::arrays, kNone: of no array that is shown
  Texels texels = Texels::None;
  /// Fetches: lanes and their texels, of pattern.bytes each, in bytes from the first one. Several of a lane
  /// where it filters or gathers.
  std::vector<std::pair<u32, int64_t>> fetched = {};
  /// Bytes that each lane's access has on the GPU: more than the pattern's where neighbouring instructions
  /// are joined into one, 0 where it is a part of another instruction's.
  u32 issued = 0;
  rules::Cost cost;
  /// Global memory: what moves, by address from the first active lane's.
  std::vector<rules::Piece> pieces;
  /// Shared memory: words from the word of the first active lane's address.
  std::vector<rules::BankUse> banks;
};

/// One warp instruction.
struct Event {
  u32 step = 0;  ///< index into Launch::steps
  u32 block = 0, warp = 0;
  u32 form = kNone;  ///< index into Launch::forms; kNone: a barrier
  u64 first = 0;     ///< address of the first active lane, within its space
  u32 mask = 0;
  u32 ran = 0;  ///< its place in the order in which they ran
  bool operator==(const Event&) const = default;
};

/// A word has another value behind an event than was known before it. A word that is read shows what it held.
struct Change {
  u32 ran = 0;    ///< Event::ran
  u32 array = 0;  ///< index into Launch::arrays; a shared one is the block's
  u64 element = 0;
  u32 bits = 0;
};

/// What corresponding instructions of all warps do: the `nth` time that they come to this site since their
/// last barrier.
struct Step {
  u32 site = 0;   ///< index into Launch::sites
  u32 phase = 0;  ///< barriers before it
  u32 nth = 0;
  bool operator==(const Step&) const = default;
};

/// One side of what a check found, and the access that it is.
struct FoundParty {
  std::string what;  ///< "writes 4 bytes"
  u32 ran = kNone;   ///< Event::ran; kNone: it is not in the recording
  u32 array = kNone;
  u64 from = 0, bytes = 0;  ///< bytes of the array that both sides touch; of one side alone, what it touches
};

/// What a check found wrong while the kernel was watched.
struct Found {
  std::string kind, severity, message;
  std::vector<std::string> more;
  std::vector<FoundParty> parties;
};

struct Launch {
  std::string entry;
  std::array<u32, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::vector<Array> arrays;
  u32 shared_bytes = 0;  ///< static and dynamic, of a block
  std::vector<Site> sites;
  std::vector<Step> steps;
  std::vector<Form> forms;
  std::vector<Event> events;    ///< by step, then block and warp, then the order in which they ran
  std::vector<Change> changes;  ///< in the order in which they ran
  std::vector<Found> found;
};

}  // namespace ww::watch
