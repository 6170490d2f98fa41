#include "cuda/core/host_trace.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "cuda/core/on_behalf.h"

namespace ww::cuda {

namespace {

constexpr int kDeepest = 32;

const void* own_base() {
  static const void* base = [] {
    Dl_info info{};
    return dladdr(reinterpret_cast<const void*>(&raw_trace), &info) ? info.dli_fbase : nullptr;
  }();
  return base;
}

/// The object that holds the call before a return address.
bool object_of(void* returns_to, Dl_info& info) {
  return dladdr(static_cast<char*>(returns_to) - 1, &info) && info.dli_fname && info.dli_fbase;
}

thread_local const RawTrace* on_behalf = nullptr;

}  // namespace

OnBehalf::OnBehalf(const RawTrace& trace) { on_behalf = trace.empty() ? nullptr : &trace; }
OnBehalf::~OnBehalf() { on_behalf = nullptr; }

RawTrace raw_trace() {
  if (on_behalf) return *on_behalf;
  void* frames[kDeepest];
  const int n = backtrace(frames, kDeepest);
  return RawTrace(frames, frames + n);  // braces would make a list of two
}

RawTrace interrupted_trace() {
  const RawTrace all = raw_trace();
  const auto in_libc = [](void* at) {
    Dl_info info{};
    if (!dladdr(at, &info) || !info.dli_fname) return false;
    const char* name = std::strrchr(info.dli_fname, '/');
    return std::strncmp(name ? name + 1 : info.dli_fname, "libc.so", 7) == 0;
  };
  // The handler and what it called, the C library's frame that calls handlers, what was interrupted.
  size_t k = 0;
  while (k < all.size() && !in_libc(all[k])) ++k;
  if (k < all.size()) ++k;
  if (k == all.size()) return {};
  RawTrace trace(all.begin() + static_cast<std::ptrdiff_t>(k), all.end());
  trace[0] = static_cast<char*>(trace[0]) + 1;  // it is where it stands, not where a call returns to
  while (trace.size() > 1 && in_libc(trace[0])) trace.erase(trace.begin());  // memcpy and the like
  return trace;
}

bool lies_here(void* address) {
  Dl_info info{};
  return object_of(address, info) && info.dli_fbase == own_base();
}

bool passes_here(const RawTrace& trace) { return std::any_of(trace.begin(), trace.end(), lies_here); }

std::vector<std::string> frames_of(const RawTrace& trace) {
  std::vector<std::string> frames;
  for (void* at : trace) {
    Dl_info info{};
    if (!object_of(at, info) || info.dli_fbase == own_base()) continue;
    const char* name = std::strrchr(info.dli_fname, '/');
    if (std::strncmp(name ? name + 1 : info.dli_fname, "libc.so", 7) == 0) break;
    auto address = reinterpret_cast<uintptr_t>(at) - 1;
    const auto* header = static_cast<const Elf64_Ehdr*>(info.dli_fbase);
    if (header->e_type != ET_EXEC) address -= reinterpret_cast<uintptr_t>(info.dli_fbase);
    char path[PATH_MAX];
    const char* file = realpath(info.dli_fname, path) ? path : info.dli_fname;
    frames.push_back(fmt::format("{}+0x{:x}", file, address));
  }
  return frames;
}

std::string entry_point(const RawTrace& trace) {
  std::string name;
  for (void* at : trace) {
    Dl_info info{};
    if (!object_of(at, info)) continue;
    if (info.dli_fbase != own_base()) break;
    if (info.dli_sname) name = info.dli_sname;
  }
  return name;
}

namespace {

/// How many frames of a trace lie in the library that called this one, or before it; `name`: of its last one.
size_t frames_of_library(const RawTrace& trace, std::string& name) {
  const void* library = nullptr;
  size_t k = 0;
  for (; k < trace.size(); ++k) {
    Dl_info info{};
    if (!object_of(trace[k], info) || info.dli_fbase == own_base()) continue;
    if (!library) library = info.dli_fbase;
    if (info.dli_fbase != library) break;
    if (info.dli_sname) name = info.dli_sname;
  }
  return k;
}

}  // namespace

std::string library_function(const RawTrace& trace) {
  std::string name;
  (void)frames_of_library(trace, name);
  return name;
}

RawTrace behind_library(const RawTrace& trace) {
  std::string name;
  return {trace.begin() + static_cast<long>(frames_of_library(trace, name)), trace.end()};
}

bool KnownPlaces::met(const RawTrace& trace) {
  const std::string_view bytes(reinterpret_cast<const char*>(trace.data()), trace.size() * sizeof trace[0]);
  std::lock_guard lock(mutex_);
  if (hashes_.size() == kMost) hashes_.clear();
  return !hashes_.insert(std::hash<std::string_view>()(bytes)).second;
}

}  // namespace ww::cuda
