// bfloat16 products of builds of the kernels' library beside cublasGemmEx, each by itself for 0.2 s in
// alternation, where power sets the clock of each, and call by call in turns. Prints CSV:
// library,n,out,alone_ms,alone_peer_ms,alone,least,most,turns_ms,turns_peer_ms,turns
// (ratios: how many times as fast as the peer; of `passes` by itself the median, the least and the most)
//   bf16_alone PASSES A.so[,B.so…] N…
// nvcc -O3 -std=c++20 --extended-lambda -gencode=arch=compute_90a,code=sm_90a -Isrc
//   -Ibuild/release/include/warpwright_kernels bf16_alone.cu -lcublas -ldl
#include <cuda_bf16.h>
#include <dlfcn.h>
#include <warpwright/kernels.h>

#include <sstream>

#include "tensor_common.h"

namespace ww_ = warpwright;
using Bf = __nv_bfloat16;
using In = ww_::Matrix<const ww_::Bfloat16>;
template <class T>
using Call = ww_::Status (*)(ww_::Stream, In, In, ww_::Matrix<T>, ww_::Workspace);
struct Library {
  std::string name;
  Call<float> to_float32;
  Call<ww_::Bfloat16> to_bfloat16;
  size_t (*workspace)(int64_t, int64_t, int64_t);
};

static Library open_library(const std::string& file) {
  void* const l = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!l) printf("%s\n", dlerror()), exit(2);
  const std::string begin = "_ZN10warpwright6matmulEP11CUstream_stNS_6MatrixIKNS_8Bfloat16EEES5_NS2_I",
                    end = "EENS_9WorkspaceE";
  Library library{file, (Call<float>)dlsym(l, (begin + "f" + end).c_str()),
                  (Call<ww_::Bfloat16>)dlsym(l, (begin + "S3_" + end).c_str()),
                  (decltype(Library::workspace))dlsym(l, "_ZN10warpwright25matmul_bfloat16_workspaceElll")};
  if (!library.to_float32 || !library.to_bfloat16 || !library.workspace)
    printf("%s lacks a call\n", file.c_str()), exit(2);
  return library;
}
static std::vector<Library> open_libraries(const std::string& files) {
  std::vector<Library> all;
  std::istringstream rest(files);
  for (std::string file; std::getline(rest, file, ',');) all.push_back(open_library(file));
  return all;
}

__global__ void fill_normal(Bf* p, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    p[i] = __float2bfloat16_rn(sqrtf(-2 * logf(unit(i, seed))) * cospif(2 * unit(i, seed + 77)));
}

/// `ours` after `theirs`, both warmed up before by themselves.
static Pair alone(const std::function<void()>& theirs, const std::function<void()>& ours, double guess_ms) {
  const auto time = [&](const std::function<void()>& f) {
    for (int i = 0; i < 100 / guess_ms; ++i) f();
    return time_batch(f, std::max(3, (int)(200 / guess_ms)));
  };
  const double a = time(theirs);
  return {a, time(ours)};
}

int main(int argc, char** argv) {
  h = open_cublas();
  const int passes = atoi(argv[1]);
  const std::vector<Library> libraries = open_libraries(argv[2]);
  printf("library,n,out,alone_ms,alone_peer_ms,alone,least,most,turns_ms,turns_peer_ms,turns\n");
  for (int i = 3; i < argc; ++i) {
    const int n = atoi(argv[i]);
    const size_t nn = (size_t)n * n, bytes = libraries[0].workspace(n, n, n);
    Bf *a, *b;
    void *c, *room;
    CK(cudaMalloc(&a, 2 * nn));
    CK(cudaMalloc(&b, 2 * nn));
    CK(cudaMalloc(&c, 4 * nn));
    CK(cudaMalloc(&room, bytes));
    fill_normal<<<1024, 256>>>(a, nn, 1), fill_normal<<<1024, 256>>>(b, nn, 2);
    const In in_a{(ww_::Bfloat16*)a, n, n, n}, in_b{(ww_::Bfloat16*)b, n, n, n};
    for (const bool wide : {true, false}) {
      const float one = 1, zero = 0;
      const std::function<void()> theirs = [=] {
        CB(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, CUDA_R_16BF, n, a, CUDA_R_16BF, n,
                        &zero, c, wide ? CUDA_R_32F : CUDA_R_16BF, n, CUBLAS_COMPUTE_32F,
                        CUBLAS_GEMM_DEFAULT));
      };
      for (const Library& l : libraries) {
        const std::function<void()> ours = [&] {
          const ww_::Status s =
              wide ? l.to_float32(nullptr, in_a, in_b, {(float*)c, n, n, n}, {room, bytes})
                   : l.to_bfloat16(nullptr, in_a, in_b, {(ww_::Bfloat16*)c, n, n, n}, {room, bytes});
          if (s != ww_::Status::ok) printf("status %d\n", (int)s), exit(3);
        };
        const double guess_ms = 2.0 * n * nn / 6.5e11;
        std::vector<float> us, them, ratios;
        for (int pass = 0; pass < passes; ++pass) {
          const Pair t = alone(theirs, ours, guess_ms);
          them.push_back(t.a), us.push_back(t.b), ratios.push_back(t.a / t.b);
        }
        const Pair turns = interleave(theirs, ours, 15, std::max(1, (int)(0.8 / guess_ms)));
        const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
        printf("%s,%d,%s,%.5f,%.5f,%.4f,%.4f,%.4f,%.5f,%.5f,%.4f\n", l.name.c_str(), n,
               wide ? "float32" : "bfloat16", median(us), median(them), median(ratios), *least, *most,
               turns.b, turns.a, turns.a / turns.b);
        fflush(stdout);
      }
    }
    for (void* p : {(void*)a, (void*)b, c, room}) CK(cudaFree(p));
  }
}
