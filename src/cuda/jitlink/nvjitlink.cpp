// nvJitLink: PTX (also out of fatbins) made one by the driver's linker; LTO-IR is made PTX first (lto.h).
// What it gives for machine code is ours: it is for cuModuleLoadData and cuLibraryLoadData. Each release's
// header calls functions with its number in their names.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/jitlink/lto.h"
#include "cuda/stubs/refused.h"

extern "C" {  // of the runtime and driver, which are in libwarpwright_cuda.so
int cudaFree(void* pointer);
int cuInit(unsigned flags);
int cuLinkCreate_v2(unsigned count, int* options, void** values, void** state);
int cuLinkAddData_v2(void* state, int type, void* data, size_t bytes, const char* name, unsigned, int*,
                     void**);
int cuLinkAddFile_v2(void* state, int type, const char* file, unsigned, int*, void**);
int cuLinkComplete(void* state, void** code, size_t* bytes);
int cuLinkDestroy(void* state);
}

namespace {

/// nvJitLinkResult.
enum class Result : int {
  Success = 0,
  UnrecognizedOption = 1,
  MissingArch = 2,
  InvalidInput = 3,
  PtxCompile = 4,
  NvvmCompile = 5,
  Internal = 6,
  NullInput = 10,
  LtoNotEnabled = 18
};
/// nvJitLinkInputType.
enum Input { kCubin = 1, kPtx = 2, kLto = 3, kFatbin = 4, kObject = 5, kLibrary = 6, kAny = 10 };

struct Link {
  void* state = nullptr;
  char log[4096] = "";
  const char* code = nullptr;
  size_t bytes = 0;
  std::vector<std::string> options;
  std::unique_ptr<ww::jitlink::Lto> lto;  ///< since the first LTO-IR
  std::string ptx;                        ///< what that has become
};

bool known(std::string_view option) {
  for (std::string_view start : {"-arch=",
                                 "-maxrregcount=",
                                 "-time",
                                 "-verbose",
                                 "-lto",
                                 "-ptx",
                                 "-O",
                                 "-g",
                                 "-lineinfo",
                                 "-ftz=",
                                 "-prec-div=",
                                 "-prec-sqrt=",
                                 "-fma=",
                                 "-kernels-used=",
                                 "-variables-used=",
                                 "-optimize-unused-variables",
                                 "-Xptxas=",
                                 "-Xnvvm=",
                                 "-split-compile",
                                 "-jump-table-density=",
                                 "-no-cache",
                                 "-device-stack-protector",
                                 "-cc="})
    if (option.starts_with(start)) return true;
  return false;
}

constexpr int kLtoInput = 5;  // CU_JIT_INPUT_NVVM

/// The driver's number for an input (CUjitInputType); negative: there is none.
int input_of(int type, const void* data, size_t bytes) {
  if (type == kAny) {
    uint32_t magic = 0;
    if (data) std::memcpy(&magic, data, bytes < sizeof magic ? bytes : sizeof magic);
    type = ww::jitlink::Lto::is(data, bytes)            ? kLto
           : magic == 0xBA55ED50 || magic == 0x466243b1 ? kFatbin
           : magic == 0x464c457f                        ? kCubin
                                                        : kPtx;
  }
  switch (type) {
    case kCubin:
      return 0;
    case kPtx:
      return 1;
    case kFatbin:
      return 2;
    case kObject:
      return 3;
    case kLibrary:
      return 4;
    case kLto:
      return kLtoInput;
    default:
      return -1;
  }
}

/// The link of LTO-IR; null where no toolkit can make it PTX, which is said, in the link's log too.
ww::jitlink::Lto* lto_of(Link* link) {
  if (!link->lto && ww::jitlink::Lto::installed())
    link->lto = std::make_unique<ww::jitlink::Lto>(link->options);
  if (link->lto) return link->lto.get();
  constexpr const char kWhat[] = "linking of LTO-IR (nvcc -dlto or code=lto_NN, NVRTC -dlto)";
  constexpr const char kInstead[] =
      "NVJITLINK_ERROR_NVVM_COMPILE; name a toolkit that has libnvJitLink.so.13 or .12 by CUDA_HOME, or give "
      "PTX instead (nvcc -rdc=true -gencode arch=compute_NN,code=compute_NN, "
      "NVRTC --relocatable-device-code=true)";
  ww::stubs::refuse(kWhat, kInstead, 0);
  std::snprintf(link->log, sizeof link->log, "%s is not there: %s\n", kWhat, kInstead);
  return nullptr;
}
/// What the toolkit's nvJitLink has said of LTO-IR.
Result of_lto(Link* link, int result) {
  if (result) std::snprintf(link->log, sizeof link->log, "%s", link->lto->log().c_str());
  return static_cast<Result>(result);
}

Result create(Link** link, uint32_t count, const char** options) {
  if (!link || (count && !options)) return Result::NullInput;
  *link = nullptr;
  bool architecture = false;
  for (uint32_t k = 0; k < count; ++k) {
    if (!options[k] || !known(options[k])) return Result::UnrecognizedOption;
    architecture |= std::string_view(options[k]).starts_with("-arch=");
  }
  if (!architecture) return Result::MissingArch;
  auto made = new Link;
  made->options.assign(options, options + count);
  constexpr int kErrorLog = 5, kErrorLogBytes = 6;  // CUjit_option
  int names[] = {kErrorLog, kErrorLogBytes};
  void* values[] = {made->log, reinterpret_cast<void*>(sizeof made->log)};
  // The driver's linker wants a context.
  if (cuInit(0) || cudaFree(nullptr) || cuLinkCreate_v2(2, names, values, &made->state)) {
    delete made;
    return Result::Internal;
  }
  *link = made;
  return Result::Success;
}
Result destroy(Link** link) {
  if (!link || !*link) return Result::NullInput;
  (void)cuLinkDestroy((*link)->state);
  delete *link;
  *link = nullptr;
  return Result::Success;
}
Result added(int error) {
  return error == 0 ? Result::Success : error == 218 ? Result::PtxCompile : Result::InvalidInput;
}
Result add_data(Link* link, int type, const void* data, size_t bytes, const char* name) {
  if (!link || !data || !bytes) return Result::NullInput;
  const int input = input_of(type, data, bytes);
  if (input == kLtoInput) {
    auto* lto = lto_of(link);
    return lto ? of_lto(link, lto->add(data, bytes, name)) : Result::NvvmCompile;
  }
  if (input < 0) return Result::InvalidInput;
  return added(
      cuLinkAddData_v2(link->state, input, const_cast<void*>(data), bytes, name, 0, nullptr, nullptr));
}
Result add_file(Link* link, int type, const char* file) {
  if (!link || !file) return Result::NullInput;
  const std::string_view name = file;
  if (type == kAny)
    type = name.ends_with(".ptx")     ? kPtx
           : name.ends_with(".a")     ? kLibrary
           : name.ends_with(".cubin") ? kCubin
           : name.ends_with(".ltoir") ? kLto
                                      : kFatbin;
  const int input = input_of(type, nullptr, 0);
  if (input == kLtoInput) {
    auto* lto = lto_of(link);
    return lto ? of_lto(link, lto->add_file(file)) : Result::NvvmCompile;
  }
  return input < 0 ? Result::InvalidInput
                   : added(cuLinkAddFile_v2(link->state, input, file, 0, nullptr, nullptr));
}
Result complete(Link* link) {
  if (!link) return Result::NullInput;
  if (link->lto) {
    if (const Result e = of_lto(link, link->lto->complete(link->ptx)); e != Result::Success) return e;
    if (const int e = cuLinkAddData_v2(link->state, input_of(kPtx, nullptr, 0), link->ptx.data(),
                                       link->ptx.size() + 1, "LTO-IR", 0, nullptr, nullptr))
      return added(e);
  }
  void* code = nullptr;
  if (cuLinkComplete(link->state, &code, &link->bytes)) return Result::PtxCompile;
  link->code = static_cast<const char*>(code);
  return Result::Success;
}
Result code_bytes(Link* link, size_t* bytes) {
  if (!link || !bytes) return Result::NullInput;
  if (!link->code) return Result::Internal;
  *bytes = link->bytes;
  return Result::Success;
}
Result code(Link* link, void* to) {
  if (!link || !to) return Result::NullInput;
  if (!link->code) return Result::Internal;
  std::memcpy(to, link->code, link->bytes);
  return Result::Success;
}
// PTX is for those who link with -lto and -ptx.
Result ptx_bytes(Link* link, size_t* bytes) {
  if (!link || !bytes) return Result::NullInput;
  if (link->ptx.empty()) return Result::LtoNotEnabled;
  *bytes = link->ptx.size() + 1;
  return Result::Success;
}
Result ptx(Link* link, char* to) {
  if (!link || !to) return Result::NullInput;
  if (link->ptx.empty()) return Result::LtoNotEnabled;
  std::memcpy(to, link->ptx.c_str(), link->ptx.size() + 1);
  return Result::Success;
}
Result error_bytes(Link* link, size_t* bytes) {
  if (!link || !bytes) return Result::NullInput;
  *bytes = std::strlen(link->log) + 1;
  return Result::Success;
}
Result error_text(Link* link, char* to) {
  if (!link || !to) return Result::NullInput;
  std::strcpy(to, link->log);
  return Result::Success;
}
Result info_bytes(Link* link, size_t* bytes) {
  if (!link || !bytes) return Result::NullInput;
  *bytes = 1;
  return Result::Success;
}
Result info_text(Link* link, char* to) {
  if (!link || !to) return Result::NullInput;
  *to = 0;
  return Result::Success;
}

}  // namespace

#define WW_JITLINK(name, parameters, call) \
  extern "C" __attribute__((visibility("default"))) Result name parameters { return call; }
#define WW_RELEASE(v)                                                                           \
  WW_JITLINK(__nvJitLinkCreate_##v, (Link * *l, uint32_t n, const char** o), create(l, n, o))   \
  WW_JITLINK(__nvJitLinkDestroy_##v, (Link * *l), destroy(l))                                   \
  WW_JITLINK(__nvJitLinkAddData_##v, (Link * l, int t, const void* d, size_t n, const char* s), \
             add_data(l, t, d, n, s))                                                           \
  WW_JITLINK(__nvJitLinkAddFile_##v, (Link * l, int t, const char* f), add_file(l, t, f))       \
  WW_JITLINK(__nvJitLinkComplete_##v, (Link * l), complete(l))                                  \
  WW_JITLINK(__nvJitLinkGetLinkedCubinSize_##v, (Link * l, size_t * n), code_bytes(l, n))       \
  WW_JITLINK(__nvJitLinkGetLinkedCubin_##v, (Link * l, void* to), code(l, to))                  \
  WW_JITLINK(__nvJitLinkGetLinkedPtxSize_##v, (Link * l, size_t * n), ptx_bytes(l, n))          \
  WW_JITLINK(__nvJitLinkGetLinkedPtx_##v, (Link * l, char* to), ptx(l, to))                     \
  WW_JITLINK(__nvJitLinkGetErrorLogSize_##v, (Link * l, size_t * n), error_bytes(l, n))         \
  WW_JITLINK(__nvJitLinkGetErrorLog_##v, (Link * l, char* to), error_text(l, to))               \
  WW_JITLINK(__nvJitLinkGetInfoLogSize_##v, (Link * l, size_t * n), info_bytes(l, n))           \
  WW_JITLINK(__nvJitLinkGetInfoLog_##v, (Link * l, char* to), info_text(l, to))
WW_RELEASE(12_0)
WW_RELEASE(12_1)
WW_RELEASE(12_2)
WW_RELEASE(12_3)
WW_RELEASE(12_4)
WW_RELEASE(12_5)
WW_RELEASE(12_6)
WW_RELEASE(12_7)
WW_RELEASE(12_8)
WW_RELEASE(12_9)
WW_RELEASE(13_0)
WW_RELEASE(13_1)
WW_RELEASE(13_2)
extern "C" __attribute__((visibility("default"))) Result nvJitLinkVersion(unsigned* major, unsigned* minor) {
  if (!major || !minor) return Result::NullInput;
  *major = 13, *minor = 0;
  return Result::Success;
}
