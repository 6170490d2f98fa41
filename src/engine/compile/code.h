// Compiled code as bytes: without addresses, so that it can be kept on disk and placed anywhere.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/compile/unit.h"

namespace ww::engine {

/// How the bytes begin. Behind it: u32 entry[instructions] (where in the code the entry at an instruction
/// begins, or kNoEntry), then CodeSlot[slots], then the code.
struct CodeHeader {
  static constexpr u64 kMagic = 0x31305f65646f6377;  // "wcode_01"
  u64 magic = kMagic;
  u64 code_bytes = 0;
  u32 instructions = 0;
  u32 slots = 0;
};
inline constexpr u32 kNoEntry = ~u32(0);

/// Eight bytes of the code that an address is to be written to.
struct CodeSlot {
  u64 at = 0;
  u32 native = kNoEntry;  ///< the native handler of this instruction (from `instructions` on: for warps of
                          ///< which some lanes are not active), or …
  char name[52] = {};     ///< … a function of the C library
};

/// Places the code in memory and fills `entries`. Null, and why, if the bytes are not right for the unit
/// (they may come from a damaged file) or the system gives no memory for code.
std::shared_ptr<const void> place_code(std::span<const u8> bytes, const CompileUnit& unit,
                                       std::vector<Handler>& entries, std::string& why);

}  // namespace ww::engine
