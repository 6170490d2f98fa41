// link: -lnvrtc
// A kernel compiled by NVRTC for a GPU (machine code asked for, PTX given) and for PTX, loaded and run.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <string>

#define OK(x)                                                                                 \
  do {                                                                                        \
    if (int e_ = static_cast<int>(x)) std::printf("line %d: %d\n", __LINE__, e_); \
  } while (0)

static const char* const kSource =
    "template <class T> __global__ void add(T* to, T n) { to[threadIdx.x] += n * T(threadIdx.x); }\n";

static std::string compile(const char* source, const char* architecture, bool machine_code, std::string& name) {
  nvrtcProgram program;
  OK(nvrtcCreateProgram(&program, source, "add.cu", 0, nullptr, nullptr));
  OK(nvrtcAddNameExpression(program, "add<float>"));
  const char* options[] = {architecture, "-lineinfo"};
  OK(nvrtcCompileProgram(program, 2, options));
  size_t bytes = 0;
  OK(machine_code ? nvrtcGetCUBINSize(program, &bytes) : nvrtcGetPTXSize(program, &bytes));
  std::string code(bytes, 0);
  OK(machine_code ? nvrtcGetCUBIN(program, code.data()) : nvrtcGetPTX(program, code.data()));
  const char* lowered;
  OK(nvrtcGetLoweredName(program, "add<float>", &lowered));
  name = lowered;
  OK(nvrtcDestroyProgram(&program));
  return code;
}

int main() {
  OK(cuInit(0));
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  CUdeviceptr data;
  OK(cuMemAlloc(&data, 16));
  OK(cuMemsetD32(data, 0, 4));
  for (bool machine_code : {true, false}) {
    std::string name, code = compile(kSource, machine_code ? "--gpu-architecture=sm_90" : "-arch=compute_80",
                                     machine_code, name);
    CUmodule module;
    CUfunction f;
    OK(cuModuleLoadDataEx(&module, code.data(), 0, nullptr, nullptr));
    OK(cuModuleGetFunction(&f, module, name.c_str()));
    float n = 1.5f;
    void* arguments[] = {&data, &n};
    OK(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuModuleUnload(module));
  }
  float h[4];
  OK(cuMemcpyDtoH(h, data, sizeof h));
  std::printf("%g %g %g\n", h[0], h[1], h[3]);
  nvrtcProgram wrong;
  OK(nvrtcCreateProgram(&wrong, "nonsense", "wrong.cu", 0, nullptr, nullptr));
  std::printf("%s\n", nvrtcGetErrorString(nvrtcCompileProgram(wrong, 0, nullptr)));
}
// expect: 0 3 9
// expect: NVRTC_ERROR_COMPILATION
