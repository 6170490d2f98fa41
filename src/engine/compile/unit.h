// What the engine asks of the compiler: plain data, because the compiler is a library that is opened when it
// is first wanted.
#pragma once

#include "engine/compile/whole.h"
#include "engine/machine.h"

namespace ww::engine {

/// CompileStep::walks: a line of the processor's cache, which whole-warp code reads ahead.
inline constexpr int64_t kMostOfWalk = 64;

/// How the compiler is to treat an instruction.
struct CompileStep {
  /// How it is carried out while all 32 lanes are active [0], and otherwise [1].
  struct Way {
    Handler native = nullptr;
    u32 table = ~u32(
        0);  ///< of LaneCode::tables, and of the bitcode: where its handler stands; ~0: nowhere, it is called
    u32 place = 0;  ///< in that table
    bool blended =
        false;  ///< the handler is a lane row's that computes all lanes; only the active ones are to be kept
  } ways[2];
  /// Whether compiled code can be entered here: then the instruction gets a handler that goes on behind it.
  enum class Entry : u8 {
    None,
    Parted,  ///< by lanes that have parted
    Met,     ///< by lanes that have met again
    Main,    ///< the function's beginning, loops, behind what waits: code that comes from elsewhere ends here
  } entry = Entry::None;
  bool ends = false;      ///< what follows is not reached from here
  bool branches = false;  ///< aux->target is where it may lead
  bool sum = false;       ///< aux->more is an AddressSum
  u32 join = 0;           ///< of a branch whose lanes may part in whole-warp code: where they meet again
  u32 run = 1;            ///< instructions that the native handler carries out one behind another
  /// What whole-warp code makes of it.
  enum class Kind : u8 {
    Other,    ///< nothing: the interpreter goes on there
    Pause,    ///< the same, but it may come back behind it
    Nothing,  ///< it only matters to the interpreter
    Row,
    Native,  ///< its handler is called, with what it reads in the frame
    Sum,
    Count,
    Branch,
    Access,
    End,
  } kind = Kind::Other;
  bool waits = false;       ///< a pause: all threads of the block wait for each other
  bool carries = false;     ///< it reads or writes the carry flag
  bool two_pieces = false;  ///< a load whose lanes may well lie in two pieces of memory
  bool ordered = false;     ///< an access that others may wait for: it keeps its place among accesses
  bool noted = false;       ///< an access that listeners are to be told of (Note)
  bool walks = false;  ///< a load in a loop, of addresses that grow by up to kMostOfWalk bytes in each round
  bool local = false;  ///< an access to local memory, perhaps by generic addresses that derive from there
  /// Of a Row: what instructions of the processor do that say how they round. Sum to Fused: f32 rounded down,
  /// up or towards zero (Inst::rounding). The others: halves, alone or in pairs, that are rounded once by
  /// means of f32 rounded to odd.
  enum class Directed : u8 {
    No,
    Sum,
    Product,
    Fused,
    FusedF16,
    FusedBf16,
    ProductBf16
  } directed = Directed::No;
  /// Of an Other: the interpreter goes on behind it, and what it reads is among the operands.
  bool goes_on = false;
  // Of a Native:
  u32 operands = 0;  ///< where in CompileUnit::operands those of its slots begin that it reads …
  u32 reads = 0;     ///< … how many …
  u32 writes = 0;    ///< … and how many behind them it writes
  u32 shape = 0;  ///< what it would believe of its addresses, so that it must be made to forget; 0: nothing
  bool plain = false;  ///< it computes registers from registers, and always goes on
  /// Whether what lanes do depends on others, which may wait elsewhere.
  enum class Meets : u8 {
    No,
    Named,  ///< on those that src[3] names: lanes that have parted go on if all of them are there
    Warp,   ///< on all: lanes that have parted leave
  } meets = Meets::No;
  /// What all lanes of a warp do together there, without a call.
  enum class Collective : u8 {
    None,
    Shuffle,
    Vote,
    Ballot,
    Active,  ///< which lanes are active
    Meet,    ///< nothing but to be there
    // And what each lane does for itself, in place as well while lanes are parted:
    Pack,  ///< behind its operands: how many Pieces (engine/interpret/pack.h), and those
  } collective = Collective::None;
  /// It only tells of products that do not fit into 32 bits: with a sign, or any of both ways.
  enum class Product : u8 { No, Signed, Any } product = Product::No;
  /// It only counts where generic addresses land, and how many bytes each lane moves there (0: it does not).
  u32 landed_bytes = 0;
  u32 landed = 0;  ///< the first of its counters
  /// The lanes of src[0] (of a Sum: src[1]) must not wrap around: they are to be extended to 64 bits. Verify:
  /// that the result is even is likely only.
  enum class Extends : u8 { No, Signed, Unsigned, Verify } extends = Extends::No;
};

/// Whether whole-warp code calls a handler there that may do anything.
inline bool calls_handler(const CompileStep& s) {
  return s.kind == CompileStep::Kind::Native && !s.plain && !s.landed_bytes &&
         s.collective == CompileStep::Collective::None;
}

/// The code of one function.
struct CompileUnit {
  u64 layout = 0;           ///< layout_stamp() of whoever asks: both sides must mean the same by all this
  const char* target = "";  ///< the lane code's name
  const Inst* code = nullptr;
  const CompileStep* steps = nullptr;  ///< by instruction
  u32 count = 0;
  const u32* listed = nullptr;  ///< handlers in each of LaneCode::tables: the bitcode's must have as many
  u32 tables = 0;               ///< how many those are
  bool masked = false;          ///< for warps of which some lanes are not active (CompileStep::ways[1])
  bool whole = false;           ///< whole-warp code; the rest is for that alone
  bool parted = false;          ///< also where lanes part; otherwise the interpreter goes on there
  bool lacking = false;         ///< for warps that lack lanes (Warp::live has those there are)
  bool again = false;      ///< entered at the heads of loops alone, by warps that were interpreted so far
  bool asks = false;       ///< Program::asks
  u32 undefined_flag = 0;  ///< FunctionCode::undefined_flag, where there is a shadow; 0: there is none
  const WholeSlot* slots = nullptr;  ///< by offset
  u32 slot_count = 0;
  const u8* image = nullptr;      ///< of the frame, from kFrameStart
  const u32* operands = nullptr;  ///< slots: CompileStep::operands
  u32 operand_count = 0;
};

constexpr u64 layout_stamp() {
  u64 stamp = 1;
  for (u64 n : {sizeof(CompileUnit),
                sizeof(CompileStep),
                sizeof(Inst),
                sizeof(Aux),
                sizeof(Warp),
                sizeof(AddressShape),
                sizeof(AddressSum),
                sizeof(WholeSlot),
                sizeof(WholeState),
                sizeof(Site),
                offsetof(WholeState, find),
                offsetof(WholeState, epoch_seen),
                offsetof(WholeState, parted),
                offsetof(WholeState, others),
                offsetof(WholeState, notes),
                offsetof(WholeState, ask),
                sizeof(Note),
                offsetof(Warp, id),
                sizeof(WholeParting),
                offsetof(Inst, aux),
                offsetof(Inst, imm),
                offsetof(Inst, dst),
                offsetof(Aux, more),
                offsetof(Warp, regs),
                offsetof(Warp, mask),
                offsetof(Warp, carry),
                offsetof(Warp, executed),
                offsetof(AddressShape, offset)})
    stamp = stamp * 1099511628211u + n;
  return stamp;
}

/// An instruction as the compiler sees it: no addresses, and nothing undefined between the fields, so that
/// the same instruction has the same bytes in every process.
inline Inst image_of(const Inst& i) {
  Inst out;
  __builtin_memset(static_cast<void*>(&out), 0, sizeof out);
  out.dst = i.dst, out.dst2 = i.dst2;
  for (int k = 0; k < 4; ++k) out.src[k] = i.src[k];
  out.guard = i.guard, out.guarded = i.guarded, out.guard_negated = i.guard_negated;
  out.dst_bytes = i.dst_bytes, out.dst2_used = i.dst2_used, out.dst_pred = i.dst_pred;
  out.negate_pred = i.negate_pred, out.clamp = i.clamp, out.relu = i.relu, out.ftz = i.ftz, out.sat = i.sat,
  out.any_nan = i.any_nan;
  out.mode = i.mode, out.rounding = i.rounding, out.cmp = i.cmp;
  out.imm = i.imm;
  return out;
}
inline Aux image_of(const Aux& a) {
  Aux out;
  __builtin_memset(static_cast<void*>(&out), 0, sizeof out);
  out.access.kind = a.access.kind, out.access.where = a.access.where;
  out.access.bytes = a.access.bytes, out.access.register_bytes = a.access.register_bytes;
  out.access.sign = a.access.sign, out.access.elements = a.access.elements;
  out.access.address_bytes = a.access.address_bytes;
  for (int k = 0; k < 8; ++k) out.vector[k] = a.vector[k];
  out.lazy_address = a.lazy_address, out.backward = a.backward, out.polls = a.polls;
  return out;
}
inline AddressSum image_of(const AddressSum& s) {
  AddressSum out;
  __builtin_memset(static_cast<void*>(&out), 0, sizeof out);
  out.constant = s.constant, out.count = s.count, out.scale = s.scale, out.index_signed = s.index_signed;
  for (int k = 0; k < 4; ++k) out.bases[k] = s.bases[k];
  return out;
}

/// Makes code of a unit (code.h says how its bytes are laid out), to be given back by the release function.
/// Null, and a text, if that did not succeed.
using CompileFunction = const u8* (*)(const CompileUnit& unit, u64* bytes, char* why, u32 why_bytes);
using ReleaseFunction = void (*)(const u8* bytes);

inline constexpr char kCompileFunction[] = "ww_compile";
inline constexpr char kReleaseFunction[] = "ww_release";

}  // namespace ww::engine
