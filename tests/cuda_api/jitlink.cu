// link: -lnvJitLink -lnvrtc

// nvJitLink: two PTX texts that need each other become a module, and so do two units of LTO-IR, or one with
// PTX; what cannot be linked is refused.
#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <vector>

static const char kFunction[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .func (.param .b32 r) twice(.param .b32 x) {\n .reg .b32 %a;\n"
    " ld.param.u32 %a, [x];\n add.u32 %a, %a, %a;\n st.param.b32 [r], %a;\n ret;\n}\n";
static const char kKernel[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
    ".visible .entry go(.param .u64 p) {\n .reg .b64 %p;\n .reg .b32 %v;\n"
    " ld.param.u64 %p, [p];\n ld.global.u32 %v, [%p];\n"
    " {\n .param .b32 x;\n .param .b32 r;\n st.param.b32 [x], %v;\n call (r), twice, (x);\n"
    " ld.param.b32 %v, [r];\n }\n st.global.u32 [%p], %v;\n ret;\n}\n";

static std::vector<char> lto_of(const char* source) {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, source, "unit.cu", 0, nullptr, nullptr);
  const char* options[] = {"-dlto", "-arch=compute_90", "--relocatable-device-code=true"};
  std::printf("%d ", nvrtcCompileProgram(program, 3, options));
  size_t bytes = 0;
  nvrtcGetLTOIRSize(program, &bytes);
  std::vector<char> code(bytes);
  nvrtcGetLTOIR(program, code.data());
  nvrtcDestroyProgram(&program);
  return code;
}

/// The kernel `go` of what was linked, on `value`.
static int result(nvJitLinkHandle link, int value) {
  size_t bytes = 0;
  nvJitLinkGetLinkedCubinSize(link, &bytes);
  std::vector<char> code(bytes);
  nvJitLinkGetLinkedCubin(link, code.data());
  CUmodule module;
  CUfunction go;
  if (cuModuleLoadData(&module, code.data()) || cuModuleGetFunction(&go, module, "go")) return -1;
  int* p;
  cudaMalloc(&p, sizeof *p);
  cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice);
  void* arguments[] = {&p};
  cuLaunchKernel(go, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
  cudaFree(p);
  cuModuleUnload(module);
  return value;
}

static void link_time_code() {
  const auto kernel = lto_of(
      "extern \"C\" __device__ int twice(int); extern \"C\" __global__ void go(int* p) { *p = twice(*p); }");
  const auto function = lto_of("extern \"C\" __device__ int twice(int x) { return 2 * x + 1; }");
  const char* options[] = {"-arch=sm_90", "-lto", "-ptx"};
  for (bool ptx : {false, true}) {  // the other unit is PTX
    nvJitLinkHandle link;
    std::printf("%d ", nvJitLinkCreate(&link, 2, options));
    std::printf("%d ", nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, kernel.data(), kernel.size(), "kernel"));
    if (ptx)
      std::printf("%d ",
                  nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, kFunction, sizeof kFunction, "function"));
    else
      std::printf("%d ",
                  nvJitLinkAddData(link, NVJITLINK_INPUT_ANY, function.data(), function.size(), "function"));
    std::printf("%d ", nvJitLinkComplete(link));
    std::printf("%d\n", result(link, 21));
    nvJitLinkDestroy(&link);
  }
  nvJitLinkHandle link;
  nvJitLinkCreate(&link, 3, options);
  nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, kernel.data(), kernel.size(), "kernel");
  nvJitLinkComplete(link);
  size_t bytes = 0;
  std::printf("%d ", nvJitLinkGetLinkedPtxSize(link, &bytes));
  std::vector<char> text(bytes + 1);
  std::printf("%d ", nvJitLinkGetLinkedPtx(link, text.data()));
  std::printf("%d\n", std::strstr(text.data(), ".entry go") != nullptr);
  nvJitLinkDestroy(&link);
}

int main() {
  nvJitLinkHandle link;
  const char* none[] = {"-O3"};
  std::printf("%d ", nvJitLinkCreate(&link, 1, none));  // for which GPU?
  const char* wrong[] = {"-arch=sm_90", "--nonsense"};
  std::printf("%d ", nvJitLinkCreate(&link, 2, wrong));
  const char* options[] = {"-arch=sm_90", "-O3"};
  std::printf("%d\n", nvJitLinkCreate(&link, 2, options));
  std::printf("%d ", nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, kFunction, sizeof kFunction, "function"));
  std::printf("%d ", nvJitLinkAddData(link, NVJITLINK_INPUT_ANY, kKernel, sizeof kKernel, nullptr));
  std::printf("%d\n", nvJitLinkComplete(link));
  size_t bytes = 0;
  std::printf("%d ", result(link, 21));
  std::printf("%d\n", nvJitLinkDestroy(&link));
  // What is no LTO-IR is not linked as such; the log says why.
  nvJitLinkCreate(&link, 2, options);
  std::printf("%d ", nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, kKernel, sizeof kKernel, nullptr) != 0);
  nvJitLinkGetErrorLogSize(link, &bytes);
  std::vector<char> log(bytes + 1);
  nvJitLinkGetErrorLog(link, log.data());
  std::printf("%d ", std::strstr(log.data(), "LTO") != nullptr);
  std::printf("%d\n", nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, "nonsense", 9, nullptr) != 0);
  nvJitLinkDestroy(&link);
  link_time_code();
}
// expect: 2 1 0
// expect: 0 0 0
// expect: 42 0
// expect: 1 1 1
// expect: 0 0 0 0 0 0 43
// expect: 0 0 0 0 42
// expect: 0 0 1
