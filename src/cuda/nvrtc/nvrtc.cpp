// NVRTC in front of the installed one, which needs no GPU: it compiles, but to PTX, as only that runs here. A
// program that asks for the machine code of a GPU (sm_90) gets the PTX for it (compute_90) in its place; the
// driver's cuModuleLoadData takes either. NVRTC manual, chapter 2.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define WW_NVRTC_API extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kInternalError = 11;  // NVRTC_ERROR_INTERNAL_ERROR

void say(const std::string& text) {
  std::string line = "warpwright: " + text + "\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

std::string own_folder() {
  static const int here = 0;
  Dl_info self{};
  if (!::dladdr(&here, &self) || !self.dli_fname) return {};
  std::string path = self.dli_fname;
  return path.substr(0, path.rfind('/'));
}

/// Where the loader looks for the program's libraries, and where toolkits lie.
std::vector<std::string> folders() {
  std::vector<std::string> all;
  void* program = ::dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (program && ::dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0) {
    std::vector<char> bytes(size.dls_size);
    auto* info = reinterpret_cast<Dl_serinfo*>(bytes.data());
    info->dls_size = size.dls_size, info->dls_cnt = size.dls_cnt;
    if (::dlinfo(program, RTLD_DI_SERINFO, info) == 0)
      for (unsigned k = 0; k < info->dls_cnt; ++k) all.emplace_back(info->dls_serpath[k].dls_name);
  }
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(name)) all.push_back(std::string(root) + "/lib64");
  all.emplace_back("/usr/local/cuda/lib64");
  all.emplace_back("/usr/lib/x86_64-linux-gnu");
  return all;
}

void* installed() {
  static void* library = []() -> void* {
    const std::string own = own_folder();
    for (const std::string& folder : folders()) {
      if (folder == own) continue;
      if (void* found = ::dlopen((folder + "/" WW_NVRTC).c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
    }
    say(WW_NVRTC
        " is not installed; the program cannot compile kernels (CUDA_HOME names a toolkit that has it)");
    return nullptr;
  }();
  return library;
}

template <class F>
F* theirs(F*, const char* name) {
  void* library = installed();
  return library ? reinterpret_cast<F*>(::dlsym(library, name)) : nullptr;
}

/// "--gpu-architecture=sm_90" becomes "--gpu-architecture=compute_90".
std::string for_ptx(std::string option) {
  const bool names = option.find("arch") != std::string::npos || option.rfind("sm_", 0) == 0;
  size_t at = option.find("sm_");
  if (names && at != std::string::npos) option.replace(at, 3, "compute_");
  return option;
}

}  // namespace

using Program = void*;

#define WW_PASS(name, parameters, arguments) \
  WW_NVRTC_API int name parameters {         \
    auto* f = theirs(&name, #name);          \
    return f ? f arguments : kInternalError; \
  }

WW_NVRTC_API const char* nvrtcGetErrorString(int result) {
  auto* f = theirs(&nvrtcGetErrorString, "nvrtcGetErrorString");
  return f ? f(result) : "NVRTC_ERROR_INTERNAL_ERROR";
}
WW_PASS(nvrtcVersion, (int* major, int* minor), (major, minor))
WW_PASS(nvrtcGetNumSupportedArchs, (int* count), (count))
WW_PASS(nvrtcGetSupportedArchs, (int* list), (list))
WW_PASS(nvrtcCreateProgram,
        (Program * program, const char* source, const char* name, int count, const char* const* headers,
         const char* const* include_names),
        (program, source, name, count, headers, include_names))
WW_PASS(nvrtcDestroyProgram, (Program * program), (program))
WW_PASS(nvrtcGetPTXSize, (Program program, size_t* bytes), (program, bytes))
WW_PASS(nvrtcGetPTX, (Program program, char* ptx), (program, ptx))
WW_PASS(nvrtcGetLTOIRSize, (Program program, size_t* bytes), (program, bytes))
WW_PASS(nvrtcGetLTOIR, (Program program, char* code), (program, code))
WW_PASS(nvrtcGetOptiXIRSize, (Program program, size_t* bytes), (program, bytes))
WW_PASS(nvrtcGetOptiXIR, (Program program, char* code), (program, code))
WW_PASS(nvrtcGetNVVMSize, (Program program, size_t* bytes), (program, bytes))
WW_PASS(nvrtcGetNVVM, (Program program, char* code), (program, code))
WW_PASS(nvrtcGetProgramLogSize, (Program program, size_t* bytes), (program, bytes))
WW_PASS(nvrtcGetProgramLog, (Program program, char* log), (program, log))
WW_PASS(nvrtcAddNameExpression, (Program program, const char* expression), (program, expression))
WW_PASS(nvrtcGetLoweredName, (Program program, const char* expression, const char** name),
        (program, expression, name))
WW_PASS(nvrtcGetPCHCreateStatus, (Program program), (program))
WW_PASS(nvrtcGetPCHHeapSize, (size_t * bytes), (bytes))
WW_PASS(nvrtcSetPCHHeapSize, (size_t bytes), (bytes))
WW_PASS(nvrtcGetPCHHeapSizeRequired, (Program program, size_t* bytes), (program, bytes))
WW_PASS(nvrtcSetFlowCallback, (Program program, int (*callback)(void*, void*), void* data),
        (program, callback, data))

WW_NVRTC_API int nvrtcCompileProgram(Program program, int count, const char* const* options) {
  auto* f = theirs(&nvrtcCompileProgram, "nvrtcCompileProgram");
  if (!f) return kInternalError;
  std::vector<std::string> words;
  for (int k = 0; options && k < count; ++k) words.push_back(for_ptx(options[k] ? options[k] : ""));
  std::vector<const char*> pointers;
  for (const std::string& w : words) pointers.push_back(w.c_str());
  return f(program, static_cast<int>(pointers.size()), pointers.data());
}
WW_NVRTC_API int nvrtcGetCUBINSize(Program program, size_t* bytes) { return nvrtcGetPTXSize(program, bytes); }
WW_NVRTC_API int nvrtcGetCUBIN(Program program, char* code) { return nvrtcGetPTX(program, code); }
