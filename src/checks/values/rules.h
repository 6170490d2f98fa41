// Undefined bits through one instruction, lane by lane: what valgrind's memcheck does for a processor.
#pragma once

#include "checks/values/plan.h"

namespace ww::checks {

/// A register frame with its shadow (engine::FunctionCode::shadow).
struct Frame {
  u8* registers = nullptr;
  u32 shadow = 0;

  u8* bits(const Value& v) const { return registers + v.in_frame.slot + shadow; }
  /// Where an undefined value in the register came from: a number of the check; 0: it is defined.
  u32& origin(const Value& v) const { return *reinterpret_cast<u32*>(registers + v.in_frame.origin); }
};

/// An operand in all lanes: a set bit in `undefined` marks the bit of `value` as undefined.
struct LaneValues {
  u64 value[32] = {}, undefined[32] = {};
};
LaneValues read(const Frame& frame, const Value& v);
/// The lanes in which any bit is undefined.
u32 undefined_lanes(const Frame& frame, const Value& v, u32 mask);
/// Makes the register's lanes in the mask defined.
void define(const Frame& frame, const Value& v, u32 mask);
/// Sets the shadow of the lanes in the mask, extended to the register's width.
void write(const Frame& frame, const Value& v, const u64* undefined, u32 mask, bool sign);

/// Carries undefined bits through an instruction that concerns each lane alone, before it is executed, for
/// the lanes of the mask; `all` of these its result is undefined whatever the sources are (their guard is).
/// Returns whether any bit of a result is undefined.
bool carry(const Plan& plan, const Frame& frame, u32 mask, u32 all);

}  // namespace ww::checks
