// Kernels that launch kernels by the device runtime's plain names, as code of libNVVM does.
#include <cuda.h>

#include <cstdio>

static const char* kCode = R"(.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 buffer) cudaGetParameterBufferV2
  (.param .b64 function, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 error) cudaLaunchDeviceV2(.param .b64 buffer, .param .b64 stream);
.visible .entry child(.param .u64 sums) {
  .reg .b32 %r<2>;
  .reg .b64 %d<1>;
  ld.param.u64 %d0, [sums];
  mov.u32 %r0, %tid.x;
  atom.global.add.u32 %r1, [%d0], %r0;
  ret;
}
.visible .entry parent(.param .u64 sums) {
  .reg .b64 %d<4>;
  .reg .b32 %r<2>;
  ld.param.u64 %d0, [sums];
  mov.u64 %d1, child;
  {
    .param .b64 f;
    .param .align 4 .b8 g[12];
    .param .align 4 .b8 b[12];
    .param .b32 s;
    .param .b64 out;
    st.param.b64 [f], %d1;
    st.param.b32 [g], 3;
    st.param.b32 [g+4], 1;
    st.param.b32 [g+8], 1;
    st.param.b32 [b], 10;
    st.param.b32 [b+4], 1;
    st.param.b32 [b+8], 1;
    st.param.b32 [s], 0;
    call (out), cudaGetParameterBufferV2, (f, g, b, s);
    ld.param.b64 %d2, [out];
  }
  st.b64 [%d2], %d0;
  mov.b64 %d3, 0;
  {
    .param .b64 buffer;
    .param .b64 stream;
    .param .b32 out;
    st.param.b64 [buffer], %d2;
    st.param.b64 [stream], %d3;
    call (out), cudaLaunchDeviceV2, (buffer, stream);
    ld.param.b32 %r0, [out];
  }
  st.global.b32 [%d0+4], %r0;
  ret;
}
)";

int main() {
  CUcontext context;
  CUmodule module;
  CUfunction parent;
  CUdeviceptr sums;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  std::printf("%d ", cuModuleLoadData(&module, kCode));
  std::printf("%d ", cuModuleGetFunction(&parent, module, "parent"));
  cuMemAlloc(&sums, 8);
  cuMemsetD32(sums, 7, 2);
  void* arguments[] = {&sums};
  std::printf("%d ", cuLaunchKernel(parent, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  unsigned got[2];
  cuMemcpyDtoH(got, sums, sizeof got);
  std::printf("%u %u\n", got[0], got[1]);  // 7 + 3 * (0 + ... + 9)
}
// expect: 0 0 0 142 0
