#include "cuda/jitlink/lto.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cuda/stubs/installed.h"

namespace ww::jitlink {

namespace {

constexpr int kInternal = 6;  // NVJITLINK_ERROR_INTERNAL
constexpr int kInput = 3;     // NVJITLINK_INPUT_LTOIR

void* library() {
  static void* found = []() -> void* {
    for (const char* file : {"libnvJitLink.so.13", "libnvJitLink.so.12"})
      if (void* there = installed::open(file)) return there;
    return nullptr;
  }();
  return found;
}

/// A function of the installed library. Its own names have its release's number (nvJitLink.h).
template <class F>
F* theirs(const char* name) {
  if (!library()) return nullptr;
  const std::string plain = std::string("nvJitLink") + name;
  if (void* f = ::dlsym(library(), plain.c_str())) return reinterpret_cast<F*>(f);
  unsigned major = 12, minor = 0;
  if (void* f = ::dlsym(library(), "nvJitLinkVersion"))
    reinterpret_cast<int (*)(unsigned*, unsigned*)>(f)(&major, &minor);
  const std::string full = "__" + plain + "_" + std::to_string(major) + "_" + std::to_string(minor);
  return reinterpret_cast<F*>(::dlsym(library(), full.c_str()));
}

template <class... A>
int call(const char* name, A... arguments) {
  auto* f = theirs<int(A...)>(name);
  return f ? f(arguments...) : kInternal;
}

}  // namespace

bool Lto::installed() { return library(); }

bool Lto::is(const void* data, size_t bytes) {
  constexpr uint32_t kMagic = 0x7f4e43ed;
  uint32_t magic = 0;
  if (data && bytes >= sizeof magic) std::memcpy(&magic, data, sizeof magic);
  return magic == kMagic;
}

Lto::Lto(const std::vector<std::string>& options) {
  std::vector<const char*> all;
  for (const std::string& option : options) all.push_back(option.c_str());
  for (const char* wanted : {"-lto", "-ptx"})
    if (std::find(options.begin(), options.end(), wanted) == options.end()) all.push_back(wanted);
  made_ =
      call<void**, uint32_t, const char**>("Create", &link_, static_cast<uint32_t>(all.size()), all.data());
}

Lto::~Lto() {
  if (link_) call("Destroy", &link_);
}

int Lto::add(const void* data, size_t bytes, const char* name) {
  return made_ ? made_ : call("AddData", link_, kInput, data, bytes, name);
}

int Lto::add_file(const char* file) { return made_ ? made_ : call("AddFile", link_, kInput, file); }

int Lto::complete(std::string& ptx) {
  if (made_) return made_;
  if (const int e = call("Complete", link_)) return e;
  size_t bytes = 0;
  if (const int e = call("GetLinkedPtxSize", link_, &bytes)) return e;
  ptx.assign(bytes, '\0');
  const int e = call("GetLinkedPtx", link_, ptx.data());
  ptx.resize(std::strlen(ptx.c_str()));
  return e;
}

std::string Lto::log() const {
  size_t bytes = 0;
  if (!link_ || call("GetErrorLogSize", link_, &bytes)) return "";
  std::string text(bytes + 1, '\0');
  call("GetErrorLog", link_, text.data());
  return text.c_str();
}

}  // namespace ww::jitlink
