// Times the laboratory's products on tensor cores on the GPU at hand beside cuBLAS, in turns within one run, and prints CSV;
// errors against float64. Kinds of input: see fill_kind.
// nvcc -O3 -std=c++20 --extended-lambda -gencode=arch=compute_90a,code=sm_90a -Isrc -Idata/measured/h200-rungs tensor.cu -lcublas
#include "common.h"

#include <cuda.h>
#include <cuda_bf16.h>
#include <cstring>

#include "kernels/matmul/tensor_bf16.cu"
#include "kernels/matmul/tensor_halves.cu"

static cublasHandle_t h;
static int up(long a, long b) { return (int)((a + b - 1) / b); }
typedef CUresult (*EncodeT)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static TensorMap make_map(CUtensorMapDataType type, int bytes, void* p, std::vector<cuuint64_t> size, std::vector<cuuint64_t> pitch, std::vector<cuuint32_t> box) {
  static EncodeT encode = nullptr; if (!encode) { cudaDriverEntryPointQueryResult q; CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void**)&encode, 12000, cudaEnableDefault, &q)); }
  CUtensorMap m; std::vector<cuuint32_t> ones(size.size(), 1); CUresult r = encode(&m, type, size.size(), p, size.data(), pitch.data(), box.data(), ones.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (r) { printf("encode failed %d\n", r); exit(4); }
  TensorMap t; memcpy(&t, &m, 128); return t;
}
// Maps of operands (`parts` 16-bit matrices in rows of `pitch`) and of the result, in device memory.
static TensorMap* maps_of(void* a, void* b, float* c, int n, int pitch, int parts, int rows, CUtensorMapDataType type) {
  auto operand = [&](void* p, int box) { return make_map(type, 2, p, {(cuuint64_t)n, (cuuint64_t)n, (cuuint64_t)parts}, {2ull * pitch, 2ull * pitch * n}, {64, (cuuint32_t)box, 1}); };
  TensorMap m[3] = {operand(a, rows), operand(b, 64), make_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, c, {(cuuint64_t)n, (cuuint64_t)n}, {4ull * n}, {32, 64})};
  TensorMap* d; CK(cudaMalloc(&d, sizeof m)); CK(cudaMemcpy(d, m, sizeof m, cudaMemcpyHostToDevice)); return d;
}
template <class F> static void allow(F f, int bytes) { CK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)); }
static int grid_of(int n, int rows, int columns) { return std::min(132, up(n, rows) * up(n, columns)); }

__global__ void round_bf16(float* a, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) a[i] = __bfloat162float(__float2bfloat16_rn(a[i])); }
__device__ inline float unit(size_t i, unsigned seed) { unsigned long long x = i * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull; x ^= x >> 31; x *= 0xBF58476D1CE4E5B9ull; x ^= x >> 27; x *= 0x94D049BB133111EBull; x ^= x >> 31; return ((unsigned)(x >> 40) + 0.5f) * (1.0f / 16777216); }
// 0 normal, 1 uniform in [0, 1), 2 every element times 10^±15, 3 every row of A and column of B, 4 pairs of neighbouring terms that cancel,
// 5 pairs that lie k/2 apart, 6 a Hilbert matrix by an alternating one
__global__ void fill_kind(float* p, int rows, int cols, int kind, int is_b, unsigned seed) {
  const size_t nn = (size_t)rows * cols;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < nn; i += (size_t)gridDim.x * blockDim.x) {
    const int r = i / cols, c = i % cols; float u = unit(i, seed), v = sqrtf(-2 * logf(u)) * cospif(2 * unit(i, seed + 77));
    if (kind == 1) v = u;
    if (kind == 2) v = (unit(i, seed + 5) < 0.5f ? -1.f : 1.f) * exp10f(30 * u - 15);
    if (kind == 3) v *= exp10f(30 * unit(is_b ? c : r, seed + 9) - 15);
    if (kind == 4) { const int kk = is_b ? r : c; const size_t j = is_b ? (size_t)(r & ~1) * cols + c : (i & ~(size_t)1); float w = sqrtf(-2 * logf(unit(j, seed))) * cospif(2 * unit(j, seed + 77)); v = kk % 2 == 0 ? w : (is_b ? -w : w) * (1 + 1e-6f * u); }
    if (kind == 5) { const int kk = is_b ? r : c, half = (is_b ? rows : cols) / 2; const int k0 = kk % half; const size_t j = is_b ? (size_t)k0 * cols + c : (size_t)r * cols + k0; float w = sqrtf(-2 * logf(unit(j, seed))) * cospif(2 * unit(j, seed + 77)); v = kk < half ? w : (is_b ? -w : w) * (1 + 1e-6f * u); }
    if (kind == 6) { const double pi = 3.141592653589793; v = is_b ? (float)(cos(pi * r) * exp(-pow((r - rows / 2.0 - c % 64) / (rows / 8.0), 2))) : (float)(1.0 / (r + c + 1.0)); }
    p[i] = v;
  }
}
struct Ref { double *da, *db, *ref, *mag; };
static void reference(const float* a, const float* b, const Ref& r, int m, int n, int k) {
  const double one = 1, zero = 0;
  for (int ab = 0; ab < 2; ++ab) { widen<<<1024, 256>>>(a, r.da, (size_t)m * k, ab); widen<<<1024, 256>>>(b, r.db, (size_t)k * n, ab);
    CB(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, r.db, n, r.da, k, &zero, ab ? r.mag : r.ref, n)); }
  CK(cudaDeviceSynchronize());
}
static void show(const char* family, const char* name, int n, int band, double ms, const char* peer, double peer_ms, double work, const Errors& e, const Errors& pe) {
  printf("%s,%s,%d,%d,%.5f,%s,%.5f,%.4f,%.1f,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%llu\n", family, name, n, band, ms, peer, peer_ms, peer_ms / ms, work / ms / 1e9, e.max_rel, e.mean_rel, e.frob, pe.max_rel, pe.mean_rel, pe.frob, e.bad); fflush(stdout);
}
static void products(int n, int kind) {
  const size_t nn = (size_t)n * n; const int pitch = up(n, 8) * 8, panels = up(n, 128); float *a, *b, *c; uint2 *pa, *pb; int *ra, *rb; unsigned* largest; Ref r;
  CK(cudaMalloc(&a, 4 * nn)); CK(cudaMalloc(&b, 4 * nn)); CK(cudaMalloc(&c, 4 * nn)); CK(cudaMalloc(&pa, 4ull * n * pitch)); CK(cudaMalloc(&pb, 4ull * n * pitch)); CK(cudaMalloc(&ra, 4 * n)); CK(cudaMalloc(&rb, 4 * n)); CK(cudaMalloc(&largest, 64 * n));
  CK(cudaMalloc(&r.da, 8 * nn)); CK(cudaMalloc(&r.db, 8 * nn)); CK(cudaMalloc(&r.ref, 8 * nn)); CK(cudaMalloc(&r.mag, 8 * nn));
  fill_kind<<<1024, 256>>>(a, n, n, kind, 0, 1); fill_kind<<<1024, 256>>>(b, n, n, kind, 1, 2); reference(a, b, r, n, n, n);
  const char* kinds[] = {"normal", "uniform", "wide", "wide rows", "neighbours cancel", "halves cancel", "hilbert"};
  const float one = 1, zero = 0; const double work = 2.0 * n * n * n; const int rounds = work > 5e12 ? 5 : 11;
  auto errs = [&] { CK(cudaDeviceSynchronize()); return errors(c, r.ref, r.mag, nn); };
  auto measure = [&](const char* name, const char* peer_name, const std::function<void()>& theirs, const std::function<void()>& check, const std::function<void()>& timed, int batch) {
    float warm = 0; while (warm < 300) warm += time_batch(theirs, batch) * batch;
    theirs(); Errors pe = errs(); CK(cudaMemset(c, 0xff, 4 * nn)); CK(cudaMemset(pa, 0xff, 4ull * n * pitch)); CK(cudaMemset(pb, 0xff, 4ull * n * pitch)); check(); CK(cudaGetLastError());
    Errors e = errs(); Pair p = interleave(theirs, timed, rounds, batch); Errors again = errs(); e.bad += again.bad; e.max_rel = std::max(e.max_rel, again.max_rel);
    show(name, kinds[kind], n, 0, p.b, peer_name, p.a, work, e, pe);
  };
  {
    auto maps = maps_of(pa, pb, c, n, pitch, 2, 256, CU_TENSOR_MAP_DATA_TYPE_FLOAT16); const int bytes = Tensor<F16, 2, 2, 128, 2, 1, float>::kBytes; allow(matmul_tensor_halves_384, bytes);
    auto ours = [=] { matmul_split_rows<<<n + 16 * panels, 256>>>(a, b, pa, ra, largest, n, pitch); matmul_split_columns<<<dim3(panels, panels), 256>>>(b, largest, pb, rb, n, pitch); matmul_tensor_halves_384<<<grid_of(n, 256, 128), 384, bytes>>>(maps, n, 4, ra, rb); };
    auto sgemm = [=] { CB(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n)); };
    measure("tensor_halves", "cublasSgemm", sgemm, ours, ours, std::max(1, (int)(5e11 / work)));
  }
  if (kind == 0) {
    round_bf16<<<1024, 256>>>(a, nn); round_bf16<<<1024, 256>>>(b, nn); reference(a, b, r, n, n, n);
    auto maps = maps_of(pa, pb, c, n, pitch, 1, 128, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16); const int bytes = Tensor<Bf16, 1, 1, 256, 4, 1, float>::kBytes; allow(matmul_tensor_bf16_384, bytes);
    auto to = [=] { matmul_to_bf16<<<dim3(up(n, 1024), n), 256>>>(a, b, pa, pb, n, pitch); };
    auto ours = [=] { matmul_tensor_bf16_384<<<grid_of(n, 128, 256), 384, bytes>>>(maps, n, 8); };
    to();
    auto gemm = [=] { CB(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, pb, CUDA_R_16BF, pitch, pa, CUDA_R_16BF, pitch, &zero, c, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT)); };
    measure("tensor_bf16", "cublasGemmEx", gemm, [=] { to(); ours(); }, ours, std::max(1, (int)(4e12 / work)));
    Pair p = interleave(to, to, 5, 5); printf("to_bf16,normal,%d,0,%.5f,,,,,,,,,,,\n", n, p.a); cudaFree(maps);
  }
  for (void* p : {(void*)a, (void*)b, (void*)c, (void*)pa, (void*)pb, (void*)ra, (void*)rb, (void*)largest, (void*)r.da, (void*)r.db, (void*)r.ref, (void*)r.mag}) cudaFree(p);
}

int main() {
  CB(cublasCreate(&h)); int v; CB(cublasGetVersion(h, &v)); fprintf(stderr, "cuBLAS %d\n", v);
  void* ws; CK(cudaMalloc(&ws, 64 << 20)); CB(cublasSetWorkspace(h, ws, 64 << 20));
  printf("kernel,inputs,n,k,ms,peer,peer_ms,ratio,tflops,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_rel,peer_frobenius,wrong\n");
  for (int n : {512, 1000, 1024, 2048, 4096, 8192, 16384, 4096, 8192}) products(n, 0);
  for (int n : {1000, 4096, 8192}) for (int kind = 1; kind <= 6; ++kind) products(n, kind);
}
