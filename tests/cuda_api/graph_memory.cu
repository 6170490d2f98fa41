// Memory of graphs (CUDA Programming Guide, Graph Memory Nodes): the address stays the graph's; what lies
// there lives from the allocation node until it is freed, in the graph, in another, by the program, or after
// the graph is gone.
#include <cstdio>

#define CALL(x) std::printf("%s\n", cudaGetErrorName(x))

__global__ void fill(int* p, int value) { p[threadIdx.x] = value + threadIdx.x; }
__global__ void sum(const int* p, int* to) {
  int s = 0;
  for (int k = 0; k < 64; ++k) s += p[k];
  *to = s;
}

// Allocates, fills and adds up 64 integers; the address is *p.
static cudaGraphExec_t make(int** p, int* to, cudaGraph_t* graph, unsigned flags) {
  cudaMemAllocNodeParams allocation{};
  allocation.bytesize = 64 * sizeof(int);
  allocation.poolProps.allocType = cudaMemAllocationTypePinned;
  allocation.poolProps.location = {cudaMemLocationTypeDevice, 0};
  cudaGraphNode_t allocate, first, second;
  cudaGraphCreate(graph, 0);
  cudaGraphAddMemAllocNode(&allocate, *graph, nullptr, 0, &allocation);
  *p = static_cast<int*>(allocation.dptr);
  int value = 10;
  void* fill_arguments[] = {p, &value};
  void* sum_arguments[] = {p, &to};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(fill);
  kernel.gridDim = dim3(1), kernel.blockDim = dim3(64), kernel.kernelParams = fill_arguments;
  cudaGraphAddKernelNode(&first, *graph, &allocate, 1, &kernel);
  kernel.func = reinterpret_cast<void*>(sum), kernel.blockDim = dim3(1), kernel.kernelParams = sum_arguments;
  cudaGraphAddKernelNode(&second, *graph, &first, 1, &kernel);
  cudaGraphExec_t exec = nullptr;
  CALL(cudaGraphInstantiate(&exec, *graph, flags));
  return exec;
}

int main() {
  int *p, *to, got[2];
  cudaMallocManaged(&to, sizeof *to);
  cudaGraph_t graph, freeing;
  cudaGraphExec_t exec = make(&p, to, &graph, 0), exec_freeing;
  CALL(cudaGraphLaunch(exec, 0));
  CALL(cudaDeviceSynchronize());
  std::printf("%d\n", *to);        // 64 * 10 + 63 * 64 / 2
  CALL(cudaGraphLaunch(exec, 0));  // not freed since
  CALL(cudaFree(p));
  CALL(cudaFree(p));
  cudaGetLastError();
  // Freed in another graph, which may run as often as the first.
  cudaGraphCreate(&freeing, 0);
  cudaGraphNode_t node;
  CALL(cudaGraphAddMemFreeNode(&node, freeing, nullptr, 0, p));
  cudaGraphInstantiate(&exec_freeing, freeing, 0);
  for (int k = 0; k < 2; ++k) {
    *to = 0;
    CALL(cudaGraphLaunch(exec, 0));
    CALL(cudaGraphLaunch(exec_freeing, 0));
    cudaDeviceSynchronize();
    std::printf("%d\n", *to);
  }
  // The graph goes, its memory stays.
  CALL(cudaGraphLaunch(exec, 0));
  cudaGraphExecDestroy(exec);
  cudaGraphExecDestroy(exec_freeing);
  cudaGraphDestroy(freeing);
  cudaGraphDestroy(graph);
  CALL(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", got[0], got[1]);
  unsigned long long used = 0;
  CALL(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  std::printf("%d\n", used > 0);
  CALL(cudaFreeAsync(p, 0));
  cudaDeviceSynchronize();
  CALL(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  std::printf("%llu\n", used);
  // Freed by the next launch.
  exec = make(&p, to, &graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  CALL(cudaGraphLaunch(exec, 0));
  CALL(cudaGraphLaunch(exec, 0));
  CALL(cudaDeviceSynchronize());
}
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 2656
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 2656
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 2656
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 10 11
// expect: cudaSuccess
// expect: 1
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 0
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
