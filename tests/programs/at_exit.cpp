// Calls in a handler of exit(), which runs behind the destructors of the main thread: libraries give back
// there what they have (GCC's offloading its module, its memory and its context).
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

namespace {

CUcontext context;
CUmodule module;
CUdeviceptr memory;

const char* const kPtx =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) {\n"
    "  .reg .u64 %a;\n  .reg .u32 %r;\n"
    "  ld.param.u64 %a, [p];\n  mov.u32 %r, %ctaid.x;\n  add.u32 %r, %r, 40;\n  st.global.u32 [%a], %r;\n  "
    "ret;\n}\n";

int launch(int blocks) {
  CUfunction function;
  void* arguments[] = {&memory};
  int value = -1;
  if (cuModuleGetFunction(&function, module, "k") ||
      cuLaunchKernel(function, blocks, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) || cuCtxSynchronize() ||
      cuMemcpyDtoH(&value, memory, sizeof value))
    return -1;
  return value;
}

void give_back() {
  std::printf("then %d, ", launch(1));
  std::printf("%d ", cuModuleUnload(module));
  std::printf("%d ", cuMemFree(memory));
  std::printf("%d\n", cuCtxDestroy(context));
}

}  // namespace

int main() {
  CUdevice device;
  if (cuInit(0) || cuDeviceGet(&device, 0)) return 1;
  std::atexit(give_back);
  if (cuCtxCreate(&context, nullptr, 0, device) || cuModuleLoadData(&module, kPtx) || cuMemAlloc(&memory, 4))
    return 1;
  std::printf("at first %d\n", launch(1));
}
