#include "cuda/core/host_faults.h"

#include <ucontext.h>

#include <array>
#include <atomic>

namespace ww::cuda {

namespace {

std::array<std::atomic<AnswerFault>, 2> fault_answers{};
struct sigaction programs_handler {};  // who was asked before us

void on_fault_signal(int signal, siginfo_t* info, void* context) {
  for (const auto& a : fault_answers)
    if (const AnswerFault answer = a.load(); answer && answer(*info, context)) return;
  if (programs_handler.sa_flags & SA_SIGINFO) return programs_handler.sa_sigaction(signal, info, context);
  if (programs_handler.sa_handler != SIG_DFL && programs_handler.sa_handler != SIG_IGN)
    return programs_handler.sa_handler(signal);
  ::sigaction(SIGSEGV, &programs_handler, nullptr);  // it is met again, and ends the program
}

}  // namespace

void answer_faults(AnswerFault answer) {
  for (auto& a : fault_answers) {
    AnswerFault none = nullptr;
    if (a.compare_exchange_strong(none, answer) || none == answer) return;
  }
}

void install_fault_handler() {
  struct sigaction now {};
  ::sigaction(SIGSEGV, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault_signal) return;
  programs_handler = now;
  struct sigaction ours {};
  ours.sa_sigaction = on_fault_signal;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  ::sigaction(SIGSEGV, &ours, nullptr);
}

bool fault_writes([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  constexpr long long kWriteBit = 2;  // of the page fault's error code
  return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWriteBit;
#else
  return false;
#endif
}

}  // namespace ww::cuda
