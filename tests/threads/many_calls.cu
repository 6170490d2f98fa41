// 32 threads of the host on two devices: arrays, textures, surfaces, symbols, modules, pools, events,
// attributes, printf and malloc of kernels, errors. Each thread's results are its own. (Without managed and
// page-locked memory: the addresses that they need belong to the thread sanitizer.)
#include <cuda.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kThreads = 32, kRounds = 6;

static std::atomic<int> wrong{0};
static void good_at(int line, cudaError_t e) {
  if (e == cudaSuccess) return;
  ++wrong;
  fprintf(stderr, "line %d: %s\n", line, cudaGetErrorName(e));
}
#define good(call) good_at(__LINE__, call)
#define good_driver(call) wrong += (call) != CUDA_SUCCESS

__constant__ int table[64];
__device__ int sums[64];

__global__ void put(cudaSurfaceObject_t to, float value) { surf2Dwrite(value, to, threadIdx.x * 4, 0); }
__global__ void fetch(cudaTextureObject_t from, float* to) {
  to[threadIdx.x] = tex2D<float>(from, threadIdx.x + .5f, .5f);
}
__global__ void sum(int* to) {  // of i + table[i]
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x + table[threadIdx.x];
  __syncthreads();
  for (int k = 32; k; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) to[blockIdx.x] = s[0], atomicAdd(&sums[blockIdx.x], 1);
}
__global__ void heap(int* to) {
  int* p = static_cast<int*>(malloc(64));
  p[3] = threadIdx.x;
  to[threadIdx.x] = p[3];
  free(p);
}
__global__ void say(int n) {
  if (threadIdx.x == 0 && n % 8 == 0) printf("thread %d\n", n);
}
static const char kModule[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .global .u32 v;
.visible .entry k() { st.global.u32 [v], 7; ret; }
)";

static void textures(int id, cudaStream_t s) {
  cudaArray_t array;
  const auto floats = cudaCreateChannelDesc<float>();
  good(cudaMallocArray(&array, &floats, 32, 4, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  cudaTextureObject_t texture;
  cudaSurfaceObject_t surface;
  good(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  good(cudaCreateSurfaceObject(&surface, &resource));
  float *device, host[32];
  good(cudaMalloc(&device, sizeof host));
  put<<<1, 32, 0, s>>>(surface, id + .5f);
  fetch<<<1, 32, 0, s>>>(texture, device);
  good(cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, s));
  good(cudaStreamSynchronize(s));
  for (float f : host) wrong += f != id + .5f;
  good(cudaDestroyTextureObject(texture)), good(cudaDestroySurfaceObject(surface));
  good(cudaFreeArray(array)), good(cudaFree(device));
}

static void modules(cudaStream_t s) {
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr v;
  size_t bytes;
  int seven = 0;
  good_driver(cuModuleLoadData(&module, kModule));
  good_driver(cuModuleGetFunction(&kernel, module, "k"));
  good_driver(cuModuleGetGlobal(&v, &bytes, module, "v"));
  good_driver(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr));
  good(cudaStreamSynchronize(s));
  good_driver(cuMemcpyDtoH(&seven, v, 4));
  wrong += seven != 7;
  good_driver(cuModuleUnload(module));
}

static void kernels(int id, cudaStream_t s) {
  int *device, host[64];
  good(cudaMallocAsync(&device, 4096, s));
  sum<<<16, 64, 0, s>>>(device);
  good(cudaMemcpyAsync(host, device, 64, cudaMemcpyDeviceToHost, s));
  good(cudaStreamSynchronize(s));
  for (int k = 0; k < 16; ++k) wrong += host[k] != 2 * 2016;
  heap<<<1, 64, 0, s>>>(device);
  say<<<1, 32, 0, s>>>(id);
  good(cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDefault, s));
  cudaEvent_t event;
  good(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  good(cudaEventRecord(event, s));
  while (cudaEventQuery(event) == cudaErrorNotReady) {
  }
  good(cudaStreamWaitEvent(cudaStreamPerThread, event, 0));
  for (int k = 0; k < 64; ++k) wrong += host[k] != k;
  good(cudaEventDestroy(event));
  good(cudaFreeAsync(device, s));
  good(cudaStreamSynchronize(s));
}

static void questions() {
  int blocks, value;
  cudaFuncAttributes attributes;
  good(cudaFuncSetAttribute(sum, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  good(cudaFuncSetAttribute(sum, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  good(cudaFuncGetAttributes(&attributes, sum));
  wrong += attributes.maxDynamicSharedSizeBytes != 65536;
  good(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, 64, 0));
  size_t free, all;
  good(cudaMemGetInfo(&free, &all));
  good(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
  wrong += cudaMalloc(static_cast<void**>(nullptr), 4) == cudaSuccess;
  wrong += cudaGetLastError() == cudaSuccess;
}

static void rows() {
  void* pitched;
  size_t pitch;
  char back[1000];
  good(cudaMallocPitch(&pitched, &pitch, 100, 10));
  good(cudaMemset2D(pitched, pitch, 3, 100, 10));
  good(cudaMemcpy2D(back, 100, pitched, pitch, 100, 10, cudaMemcpyDeviceToHost));
  for (char c : back) wrong += c != 3;
  good(cudaFree(pitched));
}

static void work(int id, int devices) {
  good(cudaSetDevice(id % devices));
  for (int round = 0; round < kRounds; ++round) {
    cudaStream_t s;
    good(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, round % 2 ? 0 : -1));
    textures(id, s), kernels(id, s), modules(s), questions(), rows();
    good(cudaStreamDestroy(s));
  }
}

int main() {
  int devices, values[64];
  good(cudaGetDeviceCount(&devices));
  for (int k = 0; k < 64; ++k) values[k] = k;
  for (int d = 0; d < devices; ++d)
    good(cudaSetDevice(d)), good(cudaMemcpyToSymbol(table, values, sizeof values));
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) threads.emplace_back(work, k, devices);
  for (auto& t : threads) t.join();
  int all = 0;
  for (int d = 0; d < devices; ++d) {
    int counted[64];
    good(cudaSetDevice(d)), good(cudaDeviceSynchronize());
    good(cudaMemcpyFromSymbol(counted, sums, sizeof counted));
    for (int n : counted) all += n;
  }
  wrong += all != kThreads * kRounds * 16;
  printf("wrong %d\n", wrong.load());
}
