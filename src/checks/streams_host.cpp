// What the host does to memory that it can touch itself while operations of streams may still use it.
#include <fmt/format.h>

#include <algorithm>

#include "checks/streams.h"

namespace ww::checks {

void Streams::host_memory(u64 address, u64 bytes) {
  std::lock_guard lock(mutex_);
  host_memory_[address] = bytes;
  host_begin_ = host_memory_.begin()->first;
  host_end_ = std::max(host_end_, address + bytes);
  gap_begin_ = gap_end_ = 0;
  any_host_ = true;
}

void Streams::no_host_memory(u64 address) {
  std::lock_guard lock(mutex_);
  const auto at = host_memory_.find(address);
  if (at == host_memory_.end()) return;
  const u64 end = address + at->second;
  host_memory_.erase(at);
  for (const auto& o : operations_)
    std::erase_if(o->host_pages, [&](u64 page) { return page >= address / kPage && page * kPage < end; });
}

bool Streams::misses_host_memory(u64 begin, u64 end) {
  if (begin >= gap_begin_ && end <= gap_end_) return true;
  const auto next = host_memory_.lower_bound(end);
  u64 from = 0;
  if (next != host_memory_.begin()) {
    const auto last = std::prev(next);
    from = last->first + last->second;
  }
  if (begin < from) return false;
  gap_begin_ = from, gap_end_ = next == host_memory_.end() ? ~u64{0} : next->first;
  return true;
}

bool Streams::in_host_memory(u64 address) const {
  auto at = host_memory_.upper_bound(address);
  return at != host_memory_.begin() && address - (--at)->first < at->second;
}

/// Whether the host may know by itself that such accesses are over.
bool Streams::hides(const Operation& o, Access access) {
  return o.told_host || o.publishes || (o.flags && access != kWrite);
}

std::vector<Streams::HostPage> Streams::host_pages() {
  std::lock_guard lock(mutex_);
  std::map<u64, bool> pages;
  for (const auto& o : operations_) {
    if (hides(*o, kWrite)) continue;
    for (const u64 number : o->host_pages)
      if (const auto at = o->pages.find(number); at != o->pages.end())
        if (const bool written = at->second.bytes[kWrite] != nullptr; written || !hides(*o, kRead))
          pages[number] |= written;
  }
  std::vector<HostPage> list;
  for (const auto& [number, written] : pages) list.push_back({number, written});
  return list;
}

std::optional<Finding> Streams::host_touches(u64 address, bool writes) {
  std::lock_guard lock(mutex_);
  const u64 number = address / kPage, byte = address % kPage;
  for (const auto& o : operations_) {
    const auto at = o->pages.find(number);
    if (at == o->pages.end()) continue;
    for (const Access how : {kWrite, kRead}) {
      const Page& page = at->second;
      if (hides(*o, how) || (how == kRead && !writes) || !page.bytes[how]) continue;
      if (!((*page.bytes[how])[byte / 64] >> byte % 64 & 1)) continue;
      o->told_host = true;
      Finding f;
      f.kind = "race";
      const Party* kernel = page.first[how] ? &o->parties[page.first[how]] : nullptr;
      f.message = fmt::format("data race with the host: it {} what {} in {} {}, and has not waited for it",
                              writes ? "writes" : "reads", kernel ? "a kernel" : o->doing, name_of(o->stream),
                              verb(how));
      if (kernel) f.parties.push_back(*kernel);
      f.more = {
          "where: " + place_of(address, f),
          "missing: cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize before the host's "
          "access"};
      if (callers_.trace) f.other = callers_.trace(o->caller);
      if (o->asked)
        f.more.push_back(
            "note: the host has asked whether it is over, and has gone on though the answer was "
            "cudaErrorNotReady");
      if (o->flags)
        f.more.push_back(
            "or, where the kernel tells the host by an atomic or volatile store, a __threadfence_system() "
            "before "
            "that store");
      return f;
    }
  }
  return {};
}

/// How an operation has touched any of these bytes of a page.
std::optional<Streams::Access> Streams::touched(const Page& page, u64 number, u64 begin, u64 end) {
  const u64 first = number * kPage;
  for (const Access how : {kWrite, kRead, kAtomic}) {
    if (!page.bytes[how]) continue;
    for (u64 at = std::max(begin, first); at < std::min(end, first + kPage); ++at)
      if ((*page.bytes[how])[at % kPage / 64] >> at % 64 & 1) return how;
  }
  return {};
}

std::optional<Finding> Streams::host_frees(u64 address, u64 bytes, bool unmapped) {
  std::lock_guard lock(mutex_);
  for (const auto& o : operations_) {
    if (o->told_host) continue;
    const Page* page = nullptr;
    Access how = kRead;
    for (const u64 number : o->host_pages) {
      const auto at = o->pages.find(number);
      if (at == o->pages.end()) continue;
      const auto access = touched(at->second, number, address, address + bytes);
      if (!access) continue;
      page = &at->second;
      how = *access;
      break;
    }
    if (!page) continue;
    o->told_host = true;
    Finding f;
    f.kind = "race";
    if (!unmapped) f.severity = Severity::Warning;
    const Party* kernel = page->first[how] ? &o->parties[page->first[how]] : nullptr;
    f.message = fmt::format("the host {} memory that {} in {} {}, and has not waited for it",
                            unmapped ? "unmaps registered" : "releases", kernel ? "a kernel" : o->doing,
                            name_of(o->stream), verb(how));
    if (kernel) f.parties.push_back(*kernel);
    f.more = {"where: " + place_of(address, f),
              unmapped
                  ? "missing: cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize, then "
                    "cudaHostUnregister, before free() or munmap()"
                  : "missing: cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize "
                    "before it; unlike cudaFree, this call is not promised to wait"};
    if (callers_.trace) f.other = callers_.trace(o->caller);
    return f;
  }
  return {};
}

}  // namespace ww::checks
