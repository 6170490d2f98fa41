// The peers plug-in: what a user would call instead of writing a kernel.
#include "peers/peers.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstring>
#include <cub/device/device_reduce.cuh>
#include <string>

#ifdef WW_HAVE_NPP
#include <nppi_filtering_functions.h>
#endif

namespace {

using Task = ww_peers_task;

std::string message;  // the last one given out
cublasHandle_t blas = nullptr;
void* scratch = nullptr;
size_t scratch_bytes = 0;

float* floats(uint64_t address) { return reinterpret_cast<float*>(address); }

const char* say(const std::string& text) {
  message = text;
  return message.c_str();
}
const char* check(cudaError_t result) {
  return result == cudaSuccess ? nullptr : say(cudaGetErrorString(result));
}
const char* check(cublasStatus_t result) {
  return result == CUBLAS_STATUS_SUCCESS ? nullptr : say(cublasGetStatusString(result));
}

const char* nothing(const Task&) { return nullptr; }

// Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ, and a row-major matrix read by columns is its transpose.
const char* prepare_blas(const Task&) {
  if (!blas)
    if (const char* wrong = check(cublasCreate(&blas))) return wrong;
  return check(cublasSetStream(blas, nullptr));
}
const char* sgemm(const Task& t) {
  const float one = 1, zero = 0;
  const int n = static_cast<int>(t.n);
  return check(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, floats(t.input[1]), n, floats(t.input[0]), n,
                           &zero, floats(t.output), n));
}
const char* tf32(const Task& t) {
  const float one = 1, zero = 0;
  const int n = static_cast<int>(t.n);
  return check(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, floats(t.input[1]), CUDA_R_32F, n,
                            floats(t.input[0]), CUDA_R_32F, n, &zero, floats(t.output), CUDA_R_32F, n,
                            CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT));
}

// Copies the row-major upper triangle below the diagonal, tile by tile through shared memory.
constexpr int kTile = 32, kTileRows = 8;
__global__ void mirror(float* c, int n) {
  __shared__ float tile[kTile][kTile + 1];
  if (blockIdx.y > blockIdx.x) return;
  const int column = blockIdx.x * kTile + threadIdx.x;
  for (int i = threadIdx.y; i < kTile; i += kTileRows) {
    const int row = blockIdx.y * kTile + i;
    if (row < n && column < n) tile[i][threadIdx.x] = c[static_cast<size_t>(row) * n + column];
  }
  __syncthreads();
  const int to_column = blockIdx.y * kTile + threadIdx.x;
  for (int i = threadIdx.y; i < kTile; i += kTileRows) {
    const int to_row = blockIdx.x * kTile + i;
    if (to_row < n && to_column < to_row) c[static_cast<size_t>(to_row) * n + to_column] = tile[threadIdx.x][i];
  }
}
// C = A·Aᵀ: by columns the matrix in memory is M = Aᵀ, so C = Mᵀ·M; its lower triangle by columns is the upper one
// by rows.
const char* ssyrk(const Task& t) {
  const float one = 1, zero = 0;
  const int n = static_cast<int>(t.n);
  if (const char* wrong = check(cublasSsyrk(blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, n, &one, floats(t.input[0]),
                                            n, &zero, floats(t.output), n)))
    return wrong;
  const unsigned tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
  mirror<<<dim3(tiles, tiles), dim3(kTile, kTileRows)>>>(floats(t.output), n);
  return check(cudaGetLastError());
}

cudaError_t reduce(const Task& t, void* memory, size_t& bytes) {
  return cub::DeviceReduce::Sum(memory, bytes, floats(t.input[0]), floats(t.output), t.n);
}
const char* prepare_reduce(const Task& t) {
  size_t needs = 0;
  if (const char* wrong = check(reduce(t, nullptr, needs))) return wrong;
  if (needs <= scratch_bytes) return nullptr;
  cudaFree(scratch);
  scratch_bytes = 0;
  if (const char* wrong = check(cudaMalloc(&scratch, needs))) return wrong;
  scratch_bytes = needs;
  return nullptr;
}
const char* start_reduce(const Task& t) {
  size_t bytes = scratch_bytes;
  return check(reduce(t, scratch, bytes));
}

#ifdef WW_HAVE_NPP
// The mean over the box, for every position at which the box lies inside: the sum is (2r + 1)² times that.
NppStreamContext npp;
const char* prepare_box(const Task&) {
  int device = 0;
  if (const char* wrong = check(cudaGetDevice(&device))) return wrong;
  cudaDeviceProp of;
  if (const char* wrong = check(cudaGetDeviceProperties(&of, device))) return wrong;
  npp = {};
  npp.nCudaDeviceId = device;
  npp.nMultiProcessorCount = of.multiProcessorCount;
  npp.nMaxThreadsPerMultiProcessor = of.maxThreadsPerMultiProcessor;
  npp.nMaxThreadsPerBlock = of.maxThreadsPerBlock;
  npp.nSharedMemPerBlock = of.sharedMemPerBlock;
  npp.nCudaDevAttrComputeCapabilityMajor = of.major;
  npp.nCudaDevAttrComputeCapabilityMinor = of.minor;
  return nullptr;
}
const char* box(const Task& t) {
  const int n = static_cast<int>(t.n), r = static_cast<int>(t.r), out = n - 2 * r, side = 2 * r + 1;
  const float* inside = floats(t.input[0]) + static_cast<size_t>(r) * n + r;
  const NppStatus result = nppiFilterBox_32f_C1R_Ctx(inside, n * 4, floats(t.output), out * 4, NppiSize{out, out},
                                                     NppiSize{side, side}, NppiPoint{r, r}, npp);
  return result == NPP_SUCCESS ? nullptr : say("NPP status " + std::to_string(result));
}
#endif

const char* copy_memory(const Task& t) {
  return check(cudaMemcpyAsync(floats(t.output), floats(t.input[0]), t.bytes, cudaMemcpyDeviceToDevice, nullptr));
}

__global__ void copy(const float4* from, float4* to, size_t quads, const float* from_rest, float* to_rest, int rest) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t i = first; i < quads; i += step) to[i] = from[i];
  if (first < static_cast<size_t>(rest)) to_rest[first] = from_rest[first];
}
const char* copy_kernel(const Task& t) {
  constexpr size_t kThreads = 512, kMostBlocks = 1 << 20;
  const size_t elements = t.bytes / 4, quads = elements / 4;
  size_t blocks = (quads + kThreads - 1) / kThreads;
  blocks = blocks < 1 ? 1 : blocks > kMostBlocks ? kMostBlocks : blocks;
  copy<<<static_cast<unsigned>(blocks), kThreads>>>(
      reinterpret_cast<const float4*>(t.input[0]), reinterpret_cast<float4*>(t.output), quads,
      floats(t.input[0]) + 4 * quads, floats(t.output) + 4 * quads, static_cast<int>(elements % 4));
  return check(cudaGetLastError());
}

__global__ void multiply_add(float* out, int n, int steps) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float x[WW_PEERS_CHAINS];
  for (int c = 0; c < WW_PEERS_CHAINS; ++c) x[c] = static_cast<float>(thread % 1024) / 1024 + c;
#pragma unroll 16
  for (int i = 0; i < steps; ++i)
    for (int c = 0; c < WW_PEERS_CHAINS; ++c) x[c] = fmaf(x[c], WW_PEERS_MULTIPLIER, WW_PEERS_SUMMAND);
  float sum = x[0];
  for (int c = 1; c < WW_PEERS_CHAINS; ++c) sum += x[c];
  if (thread < n) out[thread] = sum;
}
const char* ffma_rate(const Task& t) {
  multiply_add<<<static_cast<unsigned>((t.n + 255) / 256), 256>>>(floats(t.output), static_cast<int>(t.n),
                                                                  static_cast<int>(t.r));
  return check(cudaGetLastError());
}

struct Peer {
  const char *name, *what;
  const char* (*prepare)(const Task&);
  const char* (*start)(const Task&);
};
constexpr Peer kPeers[] = {
    {"cublas/sgemm", "cuBLAS cublasSgemm, default math", prepare_blas, sgemm},
    {"cublas/tf32", "cuBLAS cublasGemmEx, inputs rounded to TF32", prepare_blas, tf32},
    {"cublas/ssyrk", "cuBLAS cublasSsyrk and a kernel that mirrors the triangle", prepare_blas, ssyrk},
    {"cub/reduce", "CUB DeviceReduce::Sum", prepare_reduce, start_reduce},
#ifdef WW_HAVE_NPP
    {"npp/box", "NPP nppiFilterBox_32f_C1R (means)", prepare_box, box},
#endif
    {"copy/memcpy", "cudaMemcpyAsync, device to device", nothing, copy_memory},
    {"copy/kernel", "a copy kernel, 16 bytes for each thread", nothing, copy_kernel},
    {"ffma/rate", "independent chains of float32 multiply-adds", nothing, ffma_rate},
};

const Peer* find(const char* name) {
  for (const Peer& peer : kPeers)
    if (!std::strcmp(peer.name, name)) return &peer;
  say(std::string("the plug-in has no peer ") + name);
  return nullptr;
}

}  // namespace

int ww_peers_abi(void) { return WW_PEERS_ABI; }

const char* ww_peers_list(void) {
  static const std::string kText = [] {
    std::string text;
    for (const Peer& peer : kPeers) text += std::string(peer.name) + "\t" + peer.what + "\n";
    return text;
  }();
  return kText.c_str();
}

const char* ww_peers_prepare(const char* name, const ww_peers_task* task) {
  const Peer* peer = find(name);
  return peer ? peer->prepare(*task) : message.c_str();
}

const char* ww_peers_start(const char* name, const ww_peers_task* task) {
  const Peer* peer = find(name);
  return peer ? peer->start(*task) : message.c_str();
}

void ww_peers_release(void) {
  if (blas) cublasDestroy(blas);
  cudaFree(scratch);
  blas = nullptr;
  scratch = nullptr;
  scratch_bytes = 0;
}
