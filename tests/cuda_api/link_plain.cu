// cuLink by the names without _v2 (CUDA 5.5), which programs look up that open the driver themselves, as
// Theano's libgpuarray does.
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static char caller[] = R"(.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) five();
.visible .entry fill(.param .u64 out) {
  .reg .b64 %d<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %d1, [out];
  { .param .b32 r; call.uni (r), five, (); ld.param.b32 %r1, [r]; }
  st.global.u32 [%d1], %r1;
  ret;
}
)",
            callee[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b32 r) five() {
  st.param.b32 [r], 5;
  ret;
}
)";

template <class F>
static F* named(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

int main() {
  auto* create = named<CUresult(unsigned, CUjit_option*, void**, CUlinkState*)>("cuLinkCreate");
  auto* add = named<CUresult(CUlinkState, CUjitInputType, void*, size_t, const char*, unsigned, CUjit_option*,
                             void**)>("cuLinkAddData");
  auto* add_file = named<CUresult(CUlinkState, CUjitInputType, const char*, unsigned, CUjit_option*, void**)>(
      "cuLinkAddFile");
  cuInit(0);
  CUcontext context;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  char path[] = "/tmp/link_plain_XXXXXX";
  const int file = mkstemp(path);
  const bool written = write(file, callee, std::strlen(callee)) > 0;
  CUlinkState link;
  CUmodule module;
  CUfunction fill;
  CUdeviceptr at;
  void* code;
  size_t bytes;
  std::printf("%d %d ", written, create(0, nullptr, nullptr, &link));
  std::printf("%d ", add(link, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller", 0, nullptr, nullptr));
  std::printf("%d ", add_file(link, CU_JIT_INPUT_PTX, path, 0, nullptr, nullptr));
  unlink(path);
  std::printf("%d ", cuLinkComplete(link, &code, &bytes));
  std::printf("%d ", cuModuleLoadData(&module, code));
  cuLinkDestroy(link);
  std::printf("%d ", cuModuleGetFunction(&fill, module, "fill"));
  cuMemAlloc(&at, 4);
  void* arguments[] = {&at};
  unsigned got = 0;
  std::printf("%d ", cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  cuMemcpyDtoH(&got, at, sizeof got);
  std::printf("%u\n", got);
}
// expect: 1 0 0 0 0 0 0 0 5
