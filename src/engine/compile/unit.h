// What the engine asks of the compiler: plain data, because the compiler is a library that is opened when it
// is first wanted.
#pragma once

#include "engine/machine.h"

namespace ww::engine {

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
};

/// The code of one function.
struct CompileUnit {
  u64 layout = 0;           ///< layout_stamp() of whoever asks: both sides must mean the same by all this
  const char* target = "";  ///< the lane code's name
  const Inst* code = nullptr;
  const CompileStep* steps = nullptr;  ///< by instruction
  u32 count = 0;
  const u32* listed = nullptr;  ///< handlers in each of LaneCode::tables: the bitcode's must have as many
  bool masked = false;          ///< for warps of which some lanes are not active (CompileStep::ways[1])
};

constexpr u64 layout_stamp() {
  u64 stamp = 1;
  for (u64 n : {sizeof(CompileUnit), sizeof(CompileStep), sizeof(Inst), sizeof(Aux), sizeof(Warp),
                sizeof(AddressShape), sizeof(AddressSum), offsetof(Inst, aux), offsetof(Inst, imm),
                offsetof(Inst, dst), offsetof(Aux, more), offsetof(Warp, regs), offsetof(Warp, mask),
                offsetof(Warp, carry), offsetof(Warp, executed), offsetof(AddressShape, offset)})
    stamp = stamp * 1099511628211u + n;
  return stamp;
}

/// Fills `entries` (one for each instruction) with the handlers of the entries. False, and a text, if that
/// did not succeed.
using CompileFunction = bool (*)(const CompileUnit& unit, Handler* entries, char* why, u32 why_bytes);

inline constexpr char kCompileFunction[] = "ww_compile";

}  // namespace ww::engine
