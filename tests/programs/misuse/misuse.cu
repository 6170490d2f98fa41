// Wrong calls of the runtime and the driver, each in a process of its own: prints a line per case with the
// codes that its calls return. Where the process dies, "signal N".
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

__device__ int variable[4];
__constant__ int constant[4];
__global__ void nothing() {}
__global__ void writes(int* p) { p[threadIdx.x] = 1; }
__global__ void misaligned(char* p) { *reinterpret_cast<int*>(p + 1) = 1; }
__global__ void traps() { __trap(); }
__global__ void __launch_bounds__(128) bounded(int* p) {
  if (p) p[0] = 1;
}
__global__ void much_static() {
  __shared__ volatile char s[40000];
  s[threadIdx.x] = 1;
}
extern __shared__ char dynamic[];
__global__ void uses_dynamic(int* p) {
  dynamic[threadIdx.x] = 1;
  if (p) p[0] = dynamic[0];
}
__global__ void __cluster_dims__(4, 1, 1) clustered() {}

std::string codes;
void got(int code) { codes += (codes.empty() ? "" : " ") + std::to_string(code); }
void got(cudaError_t code) { got(static_cast<int>(code)); }
void got(CUresult code) { got(static_cast<int>(code)); }

struct Case {
  const char* name;
  void (*run)();
};

void* device(size_t bytes = 1024) {
  void* p = nullptr;
  cudaMalloc(&p, bytes);
  return p;
}
CUcontext context() {
  cuInit(0);
  CUcontext c;
  cuDevicePrimaryCtxRetain(&c, 0);
  cuCtxSetCurrent(c);
  return c;
}
const char* kPtx =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .align 4 .b32 word;\n"
    ".visible .entry empty(.param .u64 p) { ret; }\n";
CUfunction function(CUmodule* m) {
  context();
  CUfunction f = nullptr;
  cuModuleLoadData(m, kPtx);
  cuModuleGetFunction(&f, *m, "empty");
  return f;
}
cudaStream_t capturing() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  return s;
}
cudaResourceDesc linear(void* p, size_t bytes) {
  cudaResourceDesc d{};
  d.resType = cudaResourceTypeLinear;
  d.res.linear.devPtr = p;
  d.res.linear.desc = cudaCreateChannelDesc<float>();
  d.res.linear.sizeInBytes = bytes;
  return d;
}
cudaArray_t array(size_t w, size_t h, unsigned flags = 0,
                  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>()) {
  cudaArray_t a = nullptr;
  cudaMallocArray(&a, &d, w, h, flags);
  return a;
}
cudaResourceDesc of(cudaArray_t a) {
  cudaResourceDesc d{};
  d.resType = cudaResourceTypeArray;
  d.res.array.array = a;
  return d;
}
int host_value;
void host_function(void*) {}

#include "cases.inc"

}  // namespace

int main(int argc, char** argv) {
  const int total = sizeof kCases / sizeof *kCases;
  const int beside = argc > 1 ? atoi(argv[1]) : 1;
  std::vector<std::string> lines(total);
  for (int first = 0; first < total; first += beside) {
    struct Child {
      pid_t pid;
      int from;
    };
    std::vector<Child> children;
    for (int k = first; k < total && k < first + beside; ++k) {
      int ends[2];
      if (pipe(ends)) return 2;
      const pid_t pid = fork();
      if (pid == 0) {
        alarm(60);
        kCases[k].run();
        if (write(ends[1], codes.data(), codes.size()) < 0) _exit(3);
        _exit(0);
      }
      close(ends[1]);
      children.push_back({pid, ends[0]});
    }
    for (size_t k = 0; k < children.size(); ++k) {
      std::string text;
      char buffer[256];
      for (ssize_t n; (n = read(children[k].from, buffer, sizeof buffer)) > 0;) text.append(buffer, n);
      close(children[k].from);
      int status = 0;
      waitpid(children[k].pid, &status, 0);
      if (WIFSIGNALED(status)) text = "signal " + std::to_string(WTERMSIG(status));
      printf("%s,%s\n", kCases[first + k].name, text.c_str());
    }
    fflush(stdout);
  }
}
