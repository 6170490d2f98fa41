// What the functions of the library work with: arguments, results and text of one lane.
#pragma once

#include <string>

#include "engine/memory/resolve.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

/// Argument k of a call, zero-extended.
u64 argument(Warp& w, const CallPlan& plan, size_t k, int lane);
/// Stores the call's result, if the caller wants it.
void set_result(Warp& w, const CallPlan& plan, int lane, u64 value);
/// Reads a string of at most `most` characters; false with the problem where its memory cannot be read.
bool read_text(Warp& w, u64 address, int lane, u64 most, std::string& text, Resolved& problem);

/// vprintf (library_printf.cpp).
const Inst* run_printf(Warp& w, const Inst* i);

}  // namespace ww::engine
