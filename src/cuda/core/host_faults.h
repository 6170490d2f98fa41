// Faults (SIGSEGV) of the host that are answered with a finding: on memory that it may not touch at all, or
// not yet.
#pragma once

#include <csignal>

namespace ww::cuda {

/// Whether the fault was its own, and the access may be made now.
using AnswerFault = bool (*)(const siginfo_t& info, void* context);
/// Asked from now on, before the program's own handler. There may be as many as there are guards: two.
void answer_faults(AnswerFault answer);
/// The program may have put its own handler in the place of ours: ours again.
void install_fault_handler();
/// Whether the access that faulted writes.
bool fault_writes(const void* context);

}  // namespace ww::cuda
