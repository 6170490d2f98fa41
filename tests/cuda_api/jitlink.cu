// nvJitLink: two PTX texts that need each other become a module; what cannot be linked is refused.
// link: -lnvJitLink
#include <cuda.h>
#include <nvJitLink.h>

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
  std::printf("%d ", nvJitLinkGetLinkedCubinSize(link, &bytes));
  std::vector<char> code(bytes);
  std::printf("%d\n", nvJitLinkGetLinkedCubin(link, code.data()));
  std::printf("%d\n", nvJitLinkDestroy(&link));
  CUmodule module;
  CUfunction go;
  std::printf("%d ", cuModuleLoadData(&module, code.data()));
  std::printf("%d\n", cuModuleGetFunction(&go, module, "go"));
  int *p, got = 21;
  cudaMalloc(&p, sizeof *p);
  cudaMemcpy(p, &got, sizeof got, cudaMemcpyHostToDevice);
  void* arguments[] = {&p};
  cuLaunchKernel(go, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("%d\n", got);
  // A function that nobody defines is not linked.
  nvJitLinkCreate(&link, 2, options);
  std::printf("%d ", nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, kKernel, sizeof kKernel, nullptr));
  std::printf("%d\n", nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, "nonsense", 9, nullptr) != 0);
  nvJitLinkDestroy(&link);
  // Nor is code for link-time optimisation; the log says what to give instead.
  nvJitLinkCreate(&link, 2, options);
  nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, kKernel, sizeof kKernel, nullptr);
  nvJitLinkGetErrorLogSize(link, &bytes);
  std::vector<char> log(bytes + 1);
  nvJitLinkGetErrorLog(link, log.data());
  std::printf("log %d\n", std::strstr(log.data(), "code=compute_") != nullptr);
  nvJitLinkDestroy(&link);
}
// expect: 2 1 0
// expect: 0 0 0
// expect: 0 0
// expect: 0
// expect: 0 0
// expect: 42
// expect: 5 1
// expect: log 1
