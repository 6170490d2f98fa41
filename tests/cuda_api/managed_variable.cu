// A managed variable of a module: the driver says so, the host writes and reads it by its address, and it
// cannot be freed (error 1).
#include <cuda.h>

#include <cstdio>

static const char* kCode = R"(.version 8.0
.target sm_90
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 both = 5;
.visible .global .align 4 .u32 plain;
.visible .entry double_it() {
  .reg .b32 %r;
  ld.global.u32 %r, [both];
  add.u32 %r, %r, %r;
  st.global.u32 [both], %r;
  ret;
}
)";

int main() {
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  cuInit(0), cuDevicePrimaryCtxRetain(&context, 0), cuCtxSetCurrent(context);
  cuModuleLoadData(&module, kCode), cuModuleGetFunction(&kernel, module, "double_it");
  CUdeviceptr at = 0;
  for (const char* name : {"both", "plain"}) {
    unsigned managed = 7;
    cudaPointerAttributes attributes{};
    cuModuleGetGlobal(&at, nullptr, module, name);
    cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, at);
    cudaPointerGetAttributes(&attributes, reinterpret_cast<void*>(at));
    printf("%s %u, type %d, ", name, managed, attributes.type);
  }
  cuModuleGetGlobal(&at, nullptr, module, "both");
  unsigned* both = reinterpret_cast<unsigned*>(at);
  printf("free %d, %u", cuMemFree(at), *both);
  *both = 21;
  cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  printf(" %d %u\n", cuCtxSynchronize(), *both);
}

// expect: both 1, type 3, plain 0, type 2, free 1, 5 0 42
