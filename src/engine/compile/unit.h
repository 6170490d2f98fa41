// What the engine asks of the compiler: plain data, because the compiler is a library that is opened when it is first wanted.
#pragma once

#include "engine/machine.h"

namespace ww::engine {

/// How the compiler is to treat an instruction.
struct CompileStep {
  Handler native = nullptr;  ///< carries it out under a full mask
  u32 table = ~u32(0);       ///< of LaneCode::tables, and of the bitcode: where its handler stands; ~0: nowhere, it is called
  u32 place = 0;             ///< in that table
  bool entry = false;        ///< compiled code can be entered here: the instruction gets a handler that goes on behind it
  bool ends = false;         ///< what follows is not reached from here
  bool branches = false;     ///< aux->target is where it may lead
  bool sum = false;       ///< aux->more is an AddressSum
  bool masked = false;       ///< a lane row under a guard
};

/// The code of one function.
struct CompileUnit {
  u64 layout = 0;           ///< layout_stamp() of whoever asks: both sides must mean the same by all this
  const char* target = "";  ///< the lane code's name
  const Inst* code = nullptr;
  const CompileStep* steps = nullptr;  ///< by instruction
  u32 count = 0;
};

constexpr u64 layout_stamp() {
  u64 stamp = 1;
  for (u64 n : {sizeof(CompileStep), sizeof(Inst), sizeof(Aux), sizeof(Warp), sizeof(AddressShape), sizeof(AddressSum),
                offsetof(Inst, aux), offsetof(Inst, imm), offsetof(Inst, dst), offsetof(Aux, more), offsetof(Warp, regs),
                offsetof(Warp, mask), offsetof(Warp, carry), offsetof(Warp, executed), offsetof(AddressShape, offset)})
    stamp = stamp * 1099511628211u + n;
  return stamp;
}

/// Fills `entries` (one for each instruction) with the handlers of the entries. False, and a text, if that did not succeed.
using CompileFunction = bool (*)(const CompileUnit& unit, Handler* entries, char* why, u32 why_bytes);

inline constexpr char kCompileFunction[] = "ww_compile";

}  // namespace ww::engine
