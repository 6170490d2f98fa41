// Mistakes in graphs, pools and calls of the host, each with its fixed twin: docs/gallery.md. A comment
// "finds" with the case and the kind stands at a line that `warpwright check` must name, or at the call of
// the host; CASE_fixed must be clean.
#include "gallery.h"

constexpr int kCount = 256;

__global__ void count_up(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1;  // finds graph_edge: race; finds graph_arms: race; finds external_early: race
}
__global__ void take_over(const int* p, int* q, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) q[i] = p[i];  // finds graph_edge: race; finds external_early: race
}
// What a kernel writes must not be read through the read-only path, which const … __restrict__ means, too.
template <bool Fixed>
__global__ void turned(int* p) {
  const int k = threadIdx.x;
  p[k] = k;
  __syncthreads();
  const int* other = p + blockDim.x - 1 - k;
  const int value = Fixed ? *other : __ldg(other);  // finds stale: stale read
  __syncthreads();
  p[k] = value;
}
template <bool Fixed>
void stale() {
  turned<Fixed><<<1, 64>>>(zeros<int>(64));
}
// Two nodes of a graph, the second of which needs what the first makes, without an edge.
template <bool Fixed>
void graph_edge() {
  int *p = zeros<int>(kCount), *q = zeros<int>(kCount), n = kCount;
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaKernelNodeParams k{};
  k.gridDim = 1, k.blockDim = kCount;
  void* first[] = {&p, &n};
  k.func = reinterpret_cast<void*>(count_up), k.kernelParams = first;
  cudaGraphNode_t made, used;
  cudaGraphAddKernelNode(&made, graph, nullptr, 0, &k);
  void* second[] = {&p, &q, &n};
  k.func = reinterpret_cast<void*>(take_over), k.kernelParams = second;
  cudaGraphAddKernelNode(&used, graph, Fixed ? &made : nullptr, Fixed ? 1 : 0, &k);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  for (int k = 0; k < 3; ++k) cudaGraphLaunch(exec, nullptr);
}
// A capture records an event for the work of other streams, as an external one, but before the kernel.
template <bool Fixed>
void external_early() {
  int *p = zeros<int>(kCount), *q = zeros<int>(kCount);
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t counted;
  cudaEventCreateWithFlags(&counted, cudaEventDisableTiming);
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  if (!Fixed) cudaEventRecordWithFlags(counted, a, cudaEventRecordExternal);
  count_up<<<1, kCount, 0, a>>>(p, kCount);
  if (Fixed) cudaEventRecordWithFlags(counted, a, cudaEventRecordExternal);
  cudaGraph_t graph;
  cudaStreamEndCapture(a, &graph);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, a);
  cudaStreamWaitEvent(b, counted, 0);
  take_over<<<1, kCount, 0, b>>>(p, q, kCount);
}
// A captured graph that forks into two arms, which work on the same elements.
template <bool Fixed>
void graph_arms() {
  int* p = zeros<int>(kCount);
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaGraph_t graph;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  count_up<<<1, kCount, 0, a>>>(p, kCount);
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork);
  count_up<<<1, kCount / 2, 0, a>>>(p, kCount / 2);
  count_up<<<1, kCount / 2, 0, b>>>(p + (Fixed ? kCount / 2 : kCount / 4), kCount / 2);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join);
  count_up<<<1, kCount, 0, a>>>(p, kCount);
  cudaStreamEndCapture(a, &graph);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  for (int k = 0; k < 3; ++k) cudaGraphLaunch(exec, a);
  cudaMemsetAsync(p, 0, kCount * sizeof(int), a);
}
// Memory of cudaMallocAsync is there only behind its place in its stream.
template <bool Fixed>
void made_elsewhere() {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEvent_t made;
  cudaEventCreate(&made);
  int* p;
  cudaMallocAsync(&p, kCount * sizeof(int), a);
  cudaEventRecord(made, a);
  if (Fixed) cudaStreamWaitEvent(b, made);
  cudaMemsetAsync(p, 0, kCount * sizeof(int), b);  // finds made_elsewhere: race; host
  count_up<<<1, kCount, 0, b>>>(p, kCount);
  cudaStreamSynchronize(b);
  cudaFreeAsync(p, a);
}
// Elements are shifted within an array by one copy.
template <bool Fixed>
void shifted() {
  int *p = zeros<int>(kCount), *spare = zeros<int>(kCount);
  const size_t bytes = (kCount - 1) * sizeof(int);
  if (Fixed) {
    cudaMemcpy(spare, p + 1, bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpy(p, spare, bytes, cudaMemcpyDeviceToDevice);
  } else {
    cudaMemcpy(p, p + 1, bytes, cudaMemcpyDeviceToDevice);  // finds shifted: overlapping copy; host
  }
}
// More threads in a block than there can be: nothing runs, and nobody asks.
template <bool Fixed>
void refused() {
  int* p = zeros<int>(2048);
  if (Fixed)
    count_up<<<2, 1024>>>(p, 2048);
  else
    count_up<<<1, 2048>>>(p, 2048);  // finds refused: error returned; host
}
// A stream that has been destroyed takes no work, and nobody asks.
template <bool Fixed>
void dead_stream() {
  int* p = zeros<int>(kCount);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (!Fixed) cudaStreamDestroy(stream);
  count_up<<<2, 128, 0, stream>>>(p, kCount);  // finds dead_stream: error returned; host
  if (Fixed) cudaStreamDestroy(stream);
}
// Work that a capture has forked into another stream must come back: else there is no graph to launch.
template <bool Fixed>
void never_joined() {
  int *p = zeros<int>(kCount), *q = zeros<int>(kCount), result = 0;
  cudaStream_t stream, other;
  cudaEvent_t forked, joined;
  cudaStreamCreate(&stream), cudaStreamCreate(&other);
  cudaEventCreate(&forked), cudaEventCreate(&joined);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaEventRecord(forked, stream), cudaStreamWaitEvent(other, forked);
  count_up<<<2, 128, 0, stream>>>(p, kCount);
  count_up<<<2, 128, 0, other>>>(q, kCount);
  cudaEventRecord(joined, other);
  if (Fixed) cudaStreamWaitEvent(stream, joined);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, stream);  // finds never_joined: error returned; host
  cudaStreamSynchronize(stream);
  cudaMemcpy(&result, p, sizeof result, cudaMemcpyDeviceToHost);
}
__global__ void reversed(int* out) {
  extern __shared__ int part[];
  part[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}
// More than 48 KiB of dynamic shared memory must be allowed first.
template <bool Fixed>
void too_much_shared() {
  int* p = zeros<int>(64);
  if (Fixed) cudaFuncSetAttribute(reversed, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
  reversed<<<1, 64, 60000>>>(p);  // finds too_much_shared: error returned; host
}
// The same, and the program asks: it may go on with less.
template <bool Fixed>
void asked() {
  int* p = zeros<int>(64);
  reversed<<<1, 64, Fixed ? 60000 : 1 << 20>>>(p);  // finds asked: error returned; host
  if (Fixed && cudaGetLastError() != cudaSuccess) reversed<<<1, 64, 256>>>(p);
}
// The call returns the error, and nobody looks: the results are copied as if there were some. The twin looks,
// and launches fewer blocks.
template <bool Fixed>
void ignored() {
  int *p = zeros<int>(kCount), n = kCount, result = 0;
  void* arguments[] = {&p, &n};
  const auto launch = [&](int blocks) {
    return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(count_up), blocks, 128, arguments, 0, 0);
  };
  if (launch(100000) != cudaSuccess && Fixed) launch(2);
  cudaMemcpy(&result, p, sizeof result, cudaMemcpyDeviceToHost);  // finds ignored: error returned; host
}
// Rows of an image whose pitch is less than their width.
template <bool Fixed>
void wrong_pitch() {
  static float image[20][100];
  float* p;
  size_t pitch;
  cudaMallocPitch(&p, &pitch, sizeof image[0], 20);
  // finds wrong_pitch: error returned; host
  cudaMemcpy2D(p, pitch, image, Fixed ? sizeof image[0] : 100, sizeof image[0], 20, cudaMemcpyHostToDevice);
}
__constant__ float weights[8];
// A table that is longer than the variable.
template <bool Fixed>
void long_table() {
  static float table[16];
  cudaMemcpyToSymbol(weights, table,
                     Fixed ? sizeof weights : sizeof table);  // finds long_table: error returned; host
}

__global__ void fetch(cudaTextureObject_t from, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(from, threadIdx.x);
}
// A texture of linear memory that is longer than the memory.
template <bool Fixed>
void long_texture() {  // finds long_texture: bad texture; host
  const int count = hidden(64);
  cudaResourceDesc memory{};
  memory.resType = cudaResourceTypeLinear;
  memory.res.linear.devPtr = zeros<float>(count);
  memory.res.linear.desc = cudaCreateChannelDesc<float>();
  memory.res.linear.sizeInBytes = (Fixed ? count : 4 * count) * sizeof(float);
  cudaTextureDesc how{};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &memory, &how, nullptr);
  fetch<<<1, 64>>>(texture, zeros<float>(64));
}

#define PAIR(name) \
  {#name, name<false>}, { #name "_fixed", name < true> }
const Case cases[] = {PAIR(graph_edge),      PAIR(external_early), PAIR(graph_arms),  PAIR(made_elsewhere),
                      PAIR(shifted),         PAIR(refused),        PAIR(stale),       PAIR(asked),
                      PAIR(too_much_shared), PAIR(wrong_pitch),    PAIR(long_table),  PAIR(ignored),
                      PAIR(dead_stream),     PAIR(never_joined),   PAIR(long_texture)};

int main(int argc, char** argv) { return run_case(cases, argc, argv); }
