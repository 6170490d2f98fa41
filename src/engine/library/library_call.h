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
/// Tells that one lane's register in `slot`, or its local memory from `to` on, has been filled.
void tell_answer(Warp& w, int lane, u32 slot, u32 to, u32 bytes);
/// Tells, before a function of the library uses it, which argument its lanes give it.
void tell_argument(Warp& w, const Inst* i, const CallPlan& plan, size_t k, const char* name);
/// Frees what malloc gave one lane; listeners are told before.
Status free_heap(Warp& w, const Inst* i, int lane, u64 address);
/// Reads a string of at most `most` characters; false with the problem where its memory cannot be read.
bool read_text(Warp& w, u64 address, int lane, u64 most, std::string& text, Resolved& problem);

/// vprintf (library_printf.cpp).
const Inst* run_printf(Warp& w, const Inst* i);

// The device runtime (device_launch.cpp), which programs call as __cudaCDP2NAME.
const Inst* run_parameter_buffer(Warp& w, const Inst* i);
const Inst* run_launch_device(Warp& w, const Inst* i);
const Inst* run_device_copy(Warp& w, const Inst* i);
const Inst* run_device_set(Warp& w, const Inst* i);
const Inst* run_device_malloc(Warp& w, const Inst* i);
const Inst* run_device_free(Warp& w, const Inst* i);
const Inst* run_make_handle(Warp& w, const Inst* i);
const Inst* run_record_event(Warp& w, const Inst* i);
const Inst* run_wait_for_event(Warp& w, const Inst* i);
const Inst* run_device_nothing(Warp& w, const Inst* i);
const Inst* run_error_text(Warp& w, const Inst* i);
/// cudaGraphSetConditional(handle, value): the handle is the address of the value.
const Inst* run_set_conditional(Warp& w, const Inst* i);

}  // namespace ww::engine
