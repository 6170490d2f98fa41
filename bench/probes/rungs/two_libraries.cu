// Times float32 calls of two builds of the kernels' library and cuBLAS, in turns in one process, and counts
// the results whose bits differ. Prints CSV: call,before_ms,now_ms,peer_ms,before_ratio,now_ratio,differ
//   two_libraries BEFORE.so NOW.so CALL…
// CALL: mm:LAYOUTS:M:N:K[:INPUTS[:ACCURACY]] (layouts of A and B, r or c each; inputs: fill_kind of
// tensor_common.h) or aat:LAYOUT:N:K[:ACCURACY]; accuracies: float32, ieee, halves. nvcc -O3 -std=c++20
// --extended-lambda -gencode=arch=compute_90a,code=sm_90a -Isrc -Ibuild/release/include/warpwright_kernels
// two_libraries.cu -lcublas -ldl
#include <dlfcn.h>
#include <warpwright/kernels.h>

#include "tensor_common.h"

namespace ww_ = warpwright;
using In = ww_::Matrix<const float>;
using Out = ww_::Matrix<float>;

struct Library {
  ww_::Status (*matmul)(ww_::Stream, In, In, Out, ww_::Accuracy, ww_::Workspace);
  ww_::Status (*aat)(ww_::Stream, In, Out, ww_::Accuracy, ww_::Workspace);
};
static Library open_library(const char* file) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!library) printf("%s\n", dlerror()), exit(2);
  Library l;
  l.matmul = (decltype(l.matmul))dlsym(library,
                                       "_ZN10warpwright6matmulEP11CUstream_stNS_6MatrixIKfEES4_NS2_IfEENS_"
                                       "8AccuracyENS_9WorkspaceE");
  l.aat = (decltype(l.aat))dlsym(
      library, "_ZN10warpwright3aatEP11CUstream_stNS_6MatrixIKfEENS2_IfEENS_8AccuracyENS_9WorkspaceE");
  if (!l.matmul || !l.aat) printf("%s lacks a call\n", file), exit(2);
  return l;
}

__global__ void count_different(const float* a, const float* b, size_t n, unsigned long long* count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    if (__float_as_uint(a[i]) != __float_as_uint(b[i])) atomicAdd(count, 1ull);
}

static std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}
static ww_::Accuracy accuracy_of(const std::string& name) {
  return name == "ieee"     ? ww_::Accuracy::ieee
         : name == "halves" ? ww_::Accuracy::halves
                            : ww_::Accuracy::float32;
}

int main(int argc, char** argv) {
  if (argc < 4) return printf("two_libraries BEFORE.so NOW.so CALL…\n"), 2;
  const Library before = open_library(argv[1]), now = open_library(argv[2]);
  h = open_cublas();
  float *a, *b, *c, *d;
  void* room;
  unsigned long long* different;
  const size_t most = size_t{1} << 28, bytes = size_t{8} << 30;
  for (float** p : {&a, &b, &c, &d}) CK(cudaMalloc(p, 4 * most));
  CK(cudaMalloc(&room, bytes));
  CK(cudaMalloc(&different, 8));
  printf("call,before_ms,now_ms,peer_ms,before_ratio,now_ratio,differ\n");
  for (int i = 3; i < argc; ++i) {
    const auto p = split(argv[i]);
    const bool product = p[0] == "mm";
    const size_t more = product ? 5 : 4;
    const int64_t m = atol(p[2].c_str()), n = product ? atol(p[3].c_str()) : m,
                  k = atol(p[product ? 4 : 3].c_str());
    const int kind = product && p.size() > more ? atoi(p[more].c_str()) : 0;
    const size_t last = product ? more + 1 : more;
    const ww_::Accuracy accuracy = accuracy_of(p.size() > last ? p[last] : "float32");
    const bool ac = p[1][0] == 'c', bc = product && p[1][1] == 'c';
    fill_kind<<<1024, 256>>>(a, ac ? k : m, ac ? m : k, kind, 0, 11);
    if (product) fill_kind<<<1024, 256>>>(b, bc ? n : k, bc ? k : n, kind, 1, 12);
    const auto lies = [](bool columns) { return columns ? ww_::Layout::by_columns : ww_::Layout::by_rows; };
    const In in_a{a, m, k, ac ? m : k, lies(ac)}, in_b{b, k, n, bc ? k : n, lies(bc)};
    const auto call = [&](const Library& l, float* to) {
      const Out out{to, m, n, n};
      const ww_::Status s = product ? l.matmul(nullptr, in_a, in_b, out, accuracy, {room, bytes})
                                    : l.aat(nullptr, in_a, out, accuracy, {room, bytes});
      if (s != ww_::Status::ok) printf("status %d of %s\n", (int)s, argv[i]), exit(3);
    };
    const float one = 1, zero = 0;
    const std::function<void()> of[3] = {
        [&] { call(before, d); }, [&] { call(now, d); },
        [&] {
          if (product) {
            CB(cublasSgemm(h, bc ? CUBLAS_OP_T : CUBLAS_OP_N, ac ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k, &one,
                           b, bc ? k : n, a, ac ? m : k, &zero, c, n));
          } else {
            CB(cublasSsyrk(h, CUBLAS_FILL_MODE_LOWER, ac ? CUBLAS_OP_N : CUBLAS_OP_T, n, k, &one, a,
                           ac ? n : k, &zero, c, n));
            mirror<<<dim3(up(n, 32), up(n, 32)), dim3(32, 8)>>>(c, n);
          }
        }};
    const int batch = std::clamp((int)((product ? 1.2e11 : 2.4e11) / (2.0 * m * n * k)), 1, 200);
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    do {
      for (int j = 0; j < batch; ++j)
        for (const auto& f : of) f();
      CK(cudaDeviceSynchronize());
    } while (std::chrono::duration<double>(Clock::now() - begin).count() < kWarmSeconds);
    std::vector<float> times[3];
    for (int round = 0; round < 11; ++round)
      for (int j = 0; j < 3; ++j) {
        of[j]();
        times[j].push_back(time_batch(of[j], batch));
      }
    CK(cudaMemset(different, 0, 8));
    call(before, c);
    call(now, d);
    count_different<<<1024, 256>>>(c, d, m * n, different);
    unsigned long long count;
    CK(cudaMemcpy(&count, different, 8, cudaMemcpyDeviceToHost));
    const double old_ms = median(times[0]), new_ms = median(times[1]), peer = median(times[2]);
    printf("%s,%.5f,%.5f,%.5f,%.4f,%.4f,%llu\n", argv[i], old_ms, new_ms, peer, peer / old_ms, peer / new_ms,
           count);
    fflush(stdout);
  }
}
