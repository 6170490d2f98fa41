// NVRTC in front of the installed one, which needs no GPU: it compiles, but to PTX, as only that runs here. A
// program that asks for the machine code of a GPU (sm_90) gets the PTX for it (compute_90) in its place; the
// driver's cuModuleLoadData takes either. NVRTC manual, chapter 2.
#include <cstring>
#include <string>
#include <vector>

#include "cuda/stubs/installed.h"
#include "cuda/stubs/library.h"

namespace {

constexpr int kInternalError = 11;  // NVRTC_ERROR_INTERNAL_ERROR

void* installed() {
  static void* library = []() -> void* {
    if (void* found = ww::installed::open(WW_BEHIND)) return found;
    ww::installed::say(
        WW_BEHIND
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
  WW_LIBRARY_API int name parameters {       \
    auto* f = theirs(&name, #name);          \
    return f ? f arguments : kInternalError; \
  }

WW_LIBRARY_API const char* nvrtcGetErrorString(int result) {
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

WW_LIBRARY_API int nvrtcCompileProgram(Program program, int count, const char* const* options) {
  auto* f = theirs(&nvrtcCompileProgram, "nvrtcCompileProgram");
  if (!f) return kInternalError;
  std::vector<std::string> words;
  for (int k = 0; options && k < count; ++k) words.push_back(for_ptx(options[k] ? options[k] : ""));
  std::vector<const char*> pointers;
  for (const std::string& w : words) pointers.push_back(w.c_str());
  return f(program, static_cast<int>(pointers.size()), pointers.data());
}
WW_LIBRARY_API int nvrtcGetCUBINSize(Program program, size_t* bytes) {
  return nvrtcGetPTXSize(program, bytes);
}
WW_LIBRARY_API int nvrtcGetCUBIN(Program program, char* code) { return nvrtcGetPTX(program, code); }
