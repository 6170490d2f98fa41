#include "cuda/core/device_guard.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string_view>

#include "base/round.h"
#include "cuda/core/host_faults.h"
#include "cuda/core/host_guard.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ww::cuda {

namespace {

std::atomic<DeviceGuard*> device_guard{nullptr};
thread_local int works_for_us = 0;

bool on_key_fault(const siginfo_t& info, void* context) {
  DeviceGuard* g = device_guard.load();
  return g && info.si_code == SEGV_PKUERR &&
         g->touched(reinterpret_cast<u64>(info.si_addr), static_cast<int>(info.si_pkey), context);
}

#if defined(__x86_64__)
constexpr u32 kStateLeaf = 0xd, kRights = 9;  // of CPUID; the component of the state that holds the rights

/// Where the rights lie in what XSAVE stores (Intel SDM 1, 13.5); 0: nowhere.
u32 place_of_rights() {
  u32 bytes = 0, place = 0, c = 0, d = 0;
  return __get_cpuid_count(kStateLeaf, kRights, &bytes, &place, &c, &d) && bytes ? place : 0;
}

/// The interrupted code has all rights to the key when it goes on.
void grant_key(int key, void* context) {
  constexpr u32 kStateHeader = 512;
  auto* const state = reinterpret_cast<u8*>(static_cast<ucontext_t*>(context)->uc_mcontext.fpregs);
  *reinterpret_cast<u32*>(state + place_of_rights()) &= ~(3u << 2 * key);
  *reinterpret_cast<u64*>(state + kStateHeader) |= u64{1} << kRights;
}
#else
u32 place_of_rights() { return 0; }
void grant_key(int, void*) {}
#endif

std::string_view folder_of(const char* file) {
  const std::string_view path(file);
  return path.substr(0, path.rfind('/'));
}

/// Code of the libraries that stand in for CUDA's, or that was compiled from a kernel.
bool is_our_code(void* at) {
  Dl_info own{}, info{};
  if (!dladdr(reinterpret_cast<const void*>(&grant_key), &own) || !own.dli_fname) return true;
  if (!dladdr(static_cast<char*>(at) - 1, &info) || !info.dli_fname) return true;
  return info.dli_fbase == own.dli_fbase || folder_of(info.dli_fname) == folder_of(own.dli_fname);
}

}  // namespace

DeviceGuard::DeviceGuard(const engine::GlobalMemory& memory, Report report)
    : memory_(memory), report_(std::move(report)) {
  if (!place_of_rights()) return;
  key_ = pkey_alloc(0, PKEY_DISABLE_ACCESS);
  if (key_ < 0) return;
  device_guard = this;
  answer_faults(on_key_fault);
}

void DeviceGuard::keeps(const Block& block) {
  if (key_ < 0 || block.kind != BlockKind::Device || block.variable) return;
  const auto page = static_cast<u64>(::sysconf(_SC_PAGESIZE));
  if (block.base % page) return;  // each of ours begins with one, which it shares with nobody
  install_fault_handler();
  pkey_mprotect(reinterpret_cast<void*>(block.base), round_up(block.bytes, page), PROT_READ | PROT_WRITE,
                key_);
}

void DeviceGuard::stream_order(const events::StreamOrder& e) {
  using What = events::StreamOrder::What;
  if (key_ < 0) return;
  if (e.what == What::Work) begin_work();
  if (e.what == What::WorkEnds) end_work();
}

void DeviceGuard::begin_work() const {
  if (works_for_us++ == 0) pkey_set(key_, 0);
}
void DeviceGuard::end_work() const {
  if (--works_for_us == 0) pkey_set(key_, PKEY_DISABLE_ACCESS);
}

DeviceRights::DeviceRights() {
  if (const DeviceGuard* g = device_guard.load()) g->begin_work();
}
DeviceRights::~DeviceRights() {
  if (const DeviceGuard* g = device_guard.load()) g->end_work();
}

bool DeviceGuard::touched(u64 address, int key, void* context) {
  if (key != key_) return false;
  const bool writes = fault_writes(context);
  grant_key(key_, context);
  const RawTrace trace = interrupted_trace();
  // A function of the program that the library calls is the program's own.
  const bool ours =
      trace.empty() ||
      (HostFunction::runs() ? is_our_code(trace[0]) : std::any_of(trace.begin(), trace.end(), is_our_code));
  if (ours) return true;
  checks::Finding f;
  f.kind = "host access to device memory";
  f.message = fmt::format(
      "the host {} memory of the device by its address; with a GPU the program ends here (segmentation "
      "fault)",
      writes ? "writes" : "reads");
  if (const auto in = memory_.nearest(address); in && address - in->base < in->size) {
    f.allocation = in->base;
    f.more.push_back(fmt::format("where: byte {} of an allocation of {} bytes{}", address - in->base,
                                 in->size, in->freed ? ", which has been freed" : ""));
  }
  f.more.push_back("missing: cudaMemcpy to or from memory of the host, or cudaMallocManaged");
  report_(std::move(f), trace);
  return true;
}

}  // namespace ww::cuda
