#include "cuda/core/host_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "cuda/core/host_faults.h"

namespace ww::cuda {

namespace {

constexpr u64 kPage = checks::Streams::kPage;

std::atomic<HostGuard*> guard{nullptr};
thread_local int host_functions = 0;

bool on_host_fault(const siginfo_t& info, void* context) {
  HostGuard* g = guard.load();
  return g && info.si_code == SEGV_ACCERR &&
         g->touched(reinterpret_cast<u64>(info.si_addr), fault_writes(context));
}

/// Whether all pages from `begin` to `end` are mapped with these rights, by the lines of /proc/self/maps.
bool mapped_so(u64 begin, u64 end, int rights) {
  std::ifstream maps("/proc/self/maps");
  if (!maps) return true;  // nothing can be said
  for (std::string line; begin < end && std::getline(maps, line);) {
    u64 from = 0, to = 0;
    char may[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, may) != 3) return true;
    if (to <= begin) continue;
    const int has = (may[0] == 'r' ? PROT_READ : 0) | (may[1] == 'w' ? PROT_WRITE : 0);
    if (from > begin || has != rights) return false;
    begin = to;
  }
  return begin >= end;
}

}  // namespace

HostFunction::HostFunction() { ++host_functions; }
HostFunction::~HostFunction() { --host_functions; }
bool HostFunction::runs() { return host_functions > 0; }

HostGuard::HostGuard(checks::Streams& streams, Report report)
    : streams_(streams), report_(std::move(report)) {
  if (::sysconf(_SC_PAGESIZE) != static_cast<long>(kPage)) return;
  guard = this;
  answer_faults(on_host_fault);
}

void HostGuard::host_gets(const Block& block) {
  const bool own = block.kind == BlockKind::Host || block.kind == BlockKind::Managed;
  if (guard != this || (!own && block.kind != BlockKind::Registered)) return;
  // No other allocation of ours shares a page with these.
  Range r{block.base / kPage * kPage, (block.base + block.bytes + kPage - 1) / kPage * kPage};
  if (!own) r = {block.base, block.base + block.bytes, 0, true};
  {
    std::lock_guard lock(mutex_);
    known_[block.base] = r;
  }
  streams_.host_memory(r.begin, r.end - r.begin);
}

void HostGuard::host_loses(const Block& block) {
  std::unique_lock lock(mutex_);
  const auto at = known_.find(block.base);
  if (at == known_.end()) return;
  const Range r = at->second;
  known_.erase(at);
  lock.unlock();
  // cudaFree, which gives back managed memory, waits.
  if (block.kind != BlockKind::Managed)
    if (auto finding = streams_.host_frees(r.begin, r.end - r.begin))
      report_(std::move(*finding), raw_trace());
  lock.lock();
  streams_.no_host_memory(r.begin);
  const auto mine = [&](const Range& c) { return c.begin < r.end && r.begin < c.end; };
  for (const Range& c : closed_)
    if (mine(c)) ::mprotect(reinterpret_cast<void*>(c.begin), c.end - c.begin, PROT_READ | PROT_WRITE);
  std::erase_if(closed_, mine);
}

void HostGuard::stream_order(const events::StreamOrder& e) {
  using What = events::StreamOrder::What;
  if (host_functions && e.what != What::WorkEnds) calls_cuda();
  std::lock_guard lock(mutex_);
  if (e.what == What::Work) {
    ++working_;
    open();
  } else if (e.what == What::WorkEnds) {
    if (--working_ == 0) close();
  } else if (e.what != What::Record && e.what != What::Wait && e.what != What::WaitWord && working_ == 0) {
    close();
  }
}

/// A function of the host in a stream does what it must not (CUDA's manual: cudaLaunchHostFunc).
void HostGuard::calls_cuda() {
  checks::Finding f;
  f.kind = "call in a host function";
  f.message =
      "a function that was put into a stream calls CUDA, which it must not: the call may fail or never "
      "return";
  f.more.push_back("missing: a message to a thread of the host, which makes the call");
  report_(std::move(f), raw_trace());
}

void HostGuard::look_for_lost() {
  std::vector<Range> lost;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(closed_, [&](const Range& c) {
      const auto next = known_.upper_bound(c.begin);
      if (next == known_.begin()) return false;
      const Range r = std::prev(next)->second;
      if (!r.registered || c.begin >= r.end || mapped_so(c.begin, c.end, c.rights)) return false;
      known_.erase(std::prev(next));
      lost.push_back(r);
      return true;
    });
  }
  for (const Range& r : lost) {
    if (auto finding = streams_.host_frees(r.begin, r.end - r.begin, true)) report_(std::move(*finding), {});
    streams_.no_host_memory(r.begin);
  }
}

void HostGuard::close() {
  std::vector<Range> wanted;
  // Of what the program has registered, pages that it shares with other data stay open: a system call on that
  // must not fail.
  const auto whole = [&](u64 begin) {
    const auto next = known_.upper_bound(begin + kPage - 1);
    if (next == known_.begin()) return false;
    const Range& r = std::prev(next)->second;
    return r.begin <= begin && begin + kPage <= r.end;
  };
  if (!known_.empty())
    for (const auto& page : streams_.host_pages()) {
      const u64 begin = page.number * kPage;
      if (!whole(begin)) continue;
      const int rights = page.written ? PROT_NONE : PROT_READ;
      if (!wanted.empty() && wanted.back().end == begin && wanted.back().rights == rights)
        wanted.back().end = begin + kPage;
      else
        wanted.push_back({begin, begin + kPage, rights});
    }
  if (wanted == closed_) return;
  open();
  if (wanted.empty()) return;
  install_fault_handler();
  closed_ = std::move(wanted);
  for (const Range& c : closed_) ::mprotect(reinterpret_cast<void*>(c.begin), c.end - c.begin, c.rights);
}

void HostGuard::open() {
  for (const Range& c : closed_)
    ::mprotect(reinterpret_cast<void*>(c.begin), c.end - c.begin, PROT_READ | PROT_WRITE);
  closed_.clear();
}

bool HostGuard::touched(u64 address, bool writes) {
  const RawTrace trace = interrupted_trace();
  std::unique_lock lock(mutex_);
  const auto at = std::find_if(closed_.begin(), closed_.end(),
                               [&](const Range& c) { return address >= c.begin && address < c.end; });
  if (at == closed_.end()) {
    // Another thread has opened it meanwhile, or a kernel runs.
    return std::any_of(known_.begin(), known_.end(),
                       [&](const auto& k) { return address >= k.second.begin && address < k.second.end; });
  }
  const Range c = *at;
  closed_.erase(at);
  const u64 page = address / kPage * kPage;
  if (c.begin < page) closed_.push_back({c.begin, page, c.rights});
  if (page + kPage < c.end) closed_.push_back({page + kPage, c.end, c.rights});
  ::mprotect(reinterpret_cast<void*>(page), kPage, PROT_READ | PROT_WRITE);
  lock.unlock();
  const bool ours = host_functions ? !trace.empty() && lies_here(trace[0]) : passes_here(trace);
  if (working_ > 0 || ours) return true;
  if (auto finding = streams_.host_touches(address, writes || c.rights == PROT_READ))
    report_(std::move(*finding), trace);
  return true;
}

}  // namespace ww::cuda
