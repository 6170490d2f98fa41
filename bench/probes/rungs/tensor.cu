// Times the laboratory's products on tensor cores on the GPU at hand beside cuBLAS, in turns within one run,
// and prints CSV; errors against float64. Kinds of input: see fill_kind. nvcc -O3 -std=c++20
// --extended-lambda -gencode=arch=compute_90a,code=sm_90a -Isrc tensor.cu -lcublas
#include "tensor_common.h"

#include <cuda_bf16.h>

#include "kernels/matmul/tensor_bf16.cu"
#include "kernels/matmul/tensor_halves.cu"

// Maps of operands (`parts` 16-bit matrices in rows of `pitch`) and of the result, in device memory.
static TensorMap* maps_of(void* a, void* b, float* c, int n, int pitch, int parts, int rows,
                          CUtensorMapDataType type) {
  auto operand = [&](void* p, int box) {
    return make_map(type, 2, p, {(cuuint64_t)n, (cuuint64_t)n, (cuuint64_t)parts},
                    {2ull * pitch, 2ull * pitch * n}, {64, (cuuint32_t)box, 1});
  };
  TensorMap m[3] = {
      operand(a, rows), operand(b, 64),
      make_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, c, {(cuuint64_t)n, (cuuint64_t)n}, {4ull * n}, {32, 64})};
  TensorMap* d;
  CK(cudaMalloc(&d, sizeof m));
  CK(cudaMemcpy(d, m, sizeof m, cudaMemcpyHostToDevice));
  return d;
}
template <class F>
static void allow(F f, int bytes) {
  CK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}
static int grid_of(int n, int rows, int columns) { return std::min(132, up(n, rows) * up(n, columns)); }

__global__ void round_bf16(float* a, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    a[i] = __bfloat162float(__float2bfloat16_rn(a[i]));
}
static void show(const char* family, const char* name, int n, int band, double ms, const char* peer,
                 double peer_ms, double work, const Errors& e, const Errors& pe) {
  printf("%s,%s,%d,%d,%.5f,%s,%.5f,%.4f,%.1f,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%llu\n", family, name, n, band, ms,
         peer, peer_ms, peer_ms / ms, work / ms / 1e9, e.max_rel, e.mean_rel, e.frob, pe.max_rel, pe.mean_rel,
         pe.frob, e.bad);
  fflush(stdout);
}
static void products(int n, int kind) {
  const size_t nn = (size_t)n * n;
  const int pitch = up(n, 8) * 8, panels = up(n, 128);
  float *a, *b, *c;
  uint2 *pa, *pb;
  int *ra, *rb;
  unsigned* largest;
  Ref r;
  CK(cudaMalloc(&a, 4 * nn));
  CK(cudaMalloc(&b, 4 * nn));
  CK(cudaMalloc(&c, 4 * nn));
  CK(cudaMalloc(&pa, 4ull * n * pitch));
  CK(cudaMalloc(&pb, 4ull * n * pitch));
  CK(cudaMalloc(&ra, 4 * n));
  CK(cudaMalloc(&rb, 4 * n));
  CK(cudaMalloc(&largest, 64 * n));
  CK(cudaMalloc(&r.da, 8 * nn));
  CK(cudaMalloc(&r.db, 8 * nn));
  CK(cudaMalloc(&r.ref, 8 * nn));
  CK(cudaMalloc(&r.mag, 8 * nn));
  fill_kind<<<1024, 256>>>(a, n, n, kind, 0, 1);
  fill_kind<<<1024, 256>>>(b, n, n, kind, 1, 2);
  reference(a, b, r, n, n, n);
  const char* kinds[] = {"normal",        "uniform", "wide", "wide rows", "neighbours cancel",
                         "halves cancel", "hilbert"};
  const float one = 1, zero = 0;
  const double work = 2.0 * n * n * n;
  const int rounds = work > 5e12 ? 5 : 11;
  auto errs = [&] {
    CK(cudaDeviceSynchronize());
    return errors(c, r.ref, r.mag, nn);
  };
  auto measure = [&](const char* name, const char* peer_name, const std::function<void()>& theirs,
                     const std::function<void()>& check, const std::function<void()>& timed, int batch) {
    float warm = 0;
    while (warm < 300) warm += time_batch(theirs, batch) * batch;
    theirs();
    Errors pe = errs();
    CK(cudaMemset(c, 0xff, 4 * nn));
    CK(cudaMemset(pa, 0xff, 4ull * n * pitch));
    CK(cudaMemset(pb, 0xff, 4ull * n * pitch));
    check();
    CK(cudaGetLastError());
    Errors e = errs();
    Pair p = interleave(theirs, timed, rounds, batch);
    Errors again = errs();
    e.bad += again.bad;
    e.max_rel = std::max(e.max_rel, again.max_rel);
    show(name, kinds[kind], n, 0, p.b, peer_name, p.a, work, e, pe);
  };
  {
    auto maps = maps_of(pa, pb, c, n, pitch, 2, 256, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
    const int bytes = Tensor<F16, 2, 2, 128, 2, 1, float>::kBytes;
    allow(matmul_tensor_halves_384, bytes);
    auto ours = [=] {
      matmul_split_rows<<<n + 16 * panels, 256>>>(a, b, pa, ra, largest, n, pitch);
      matmul_split_columns<<<dim3(panels, panels), 256>>>(b, largest, pb, rb, n, pitch);
      matmul_tensor_halves_384<<<grid_of(n, 256, 128), 384, bytes>>>(maps, n, 4, ra, rb);
    };
    auto sgemm = [=] {
      CB(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n));
    };
    measure("tensor_halves", "cublasSgemm", sgemm, ours, ours, std::max(1, (int)(5e11 / work)));
  }
  if (kind == 0) {
    round_bf16<<<1024, 256>>>(a, nn);
    round_bf16<<<1024, 256>>>(b, nn);
    reference(a, b, r, n, n, n);
    auto maps = maps_of(pa, pb, c, n, pitch, 1, 128, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
    const int bytes = Tensor<Bf16, 1, 1, 256, 4, 1, float>::kBytes;
    allow(matmul_tensor_bf16_384, bytes);
    auto to = [=] { matmul_to_bf16<<<dim3(up(n, 1024), n), 256>>>(a, b, pa, pb, n, pitch); };
    auto ours = [=] { matmul_tensor_bf16_384<<<grid_of(n, 128, 256), 384, bytes>>>(maps, n, 8); };
    to();
    auto gemm = [=] {
      CB(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, pb, CUDA_R_16BF, pitch, pa, CUDA_R_16BF,
                      pitch, &zero, c, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    };
    measure(
        "tensor_bf16", "cublasGemmEx", gemm,
        [=] {
          to();
          ours();
        },
        ours, std::max(1, (int)(4e12 / work)));
    Pair p = interleave(to, to, 5, 5);
    printf("to_bf16,normal,%d,0,%.5f,,,,,,,,,,,\n", n, p.a);
    cudaFree(maps);
  }
  for (void* p : {(void*)a, (void*)b, (void*)c, (void*)pa, (void*)pb, (void*)ra, (void*)rb, (void*)largest,
                  (void*)r.da, (void*)r.db, (void*)r.ref, (void*)r.mag})
    cudaFree(p);
}

int main() {
  h = open_cublas();
  printf(
      "kernel,inputs,n,k,ms,peer,peer_ms,ratio,tflops,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_rel,"
      "peer_frobenius,wrong\n");
  for (int n : {512, 1000, 1024, 2048, 4096, 8192, 16384, 4096, 8192}) products(n, 0);
  for (int n : {1000, 4096, 8192})
    for (int kind = 1; kind <= 6; ++kind) products(n, kind);
}
