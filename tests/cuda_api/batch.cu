// Batches of copies and prefetches, copies between arrays, and other calls of one line each.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

#define CALL(x) std::printf("%s\n", cudaGetErrorName(x))

__device__ int symbol[2];

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int host[6] = {1, 2, 3, 4, 5, 6}, back[6] = {};
  int* p;
  cudaMalloc(&p, sizeof host);
  void* to[2] = {p + 3, p};
  const void* from[2] = {host, host + 3};
  size_t bytes[2] = {12, 12}, first[2] = {0, 1};
  cudaMemcpyAttributes attributes[2] = {};
  attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  CALL(cudaMemcpyBatchAsync(to, from, bytes, 2, attributes, first, 2, stream));
  cudaMemcpyAsync(back, p, sizeof back, cudaMemcpyDefault, stream);
  cudaStreamSynchronize(stream);
  std::printf("%d %d %d %d %d %d\n", back[0], back[1], back[2], back[3], back[4], back[5]);
  CALL(cudaMemcpyBatchAsync(to, from, bytes, 2, attributes, first, 2, nullptr));  // not in the legacy stream
  first[1] = 2;
  CALL(cudaMemcpyBatchAsync(to, from, bytes, 2, attributes, first, 2, stream));
  attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  CALL(cudaMemcpyBatchAsync(to, from, bytes, 2, attributes, first, 1, stream));
  attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
  bytes[1] = 400;  // behind the end: none is made
  CALL(cudaMemcpyBatchAsync(to, from, bytes, 2, attributes, first, 1, stream));

  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
  cudaArray_t a, b;
  cudaMallocArray(&a, &desc, 3, 2);
  cudaMallocArray(&b, &desc, 6, 1);
  cudaMemcpy3DBatchOp box{};
  box.src.type = cudaMemcpyOperandTypePointer;
  box.src.op.ptr.ptr = host;
  box.src.op.ptr.rowLength = 3;
  box.dst.type = cudaMemcpyOperandTypeArray;
  box.dst.op.array.array = a;
  box.dst.op.array.offset = {1, 0, 0};
  box.extent = make_cudaExtent(2, 2, 1);  // 1 2 and 4 5 to the right columns
  box.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  cudaMemset(p, 0, sizeof host);
  cudaMemcpyToArray(a, 0, 0, p, sizeof host, cudaMemcpyDeviceToDevice);
  CALL(cudaMemcpy3DBatchAsync(1, &box, 0, stream));
  CALL(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 24, cudaMemcpyDeviceToDevice));
  CALL(cudaMemcpyFromArrayAsync(back, b, 0, 0, 24, cudaMemcpyDeviceToHost, stream));
  cudaStreamSynchronize(stream);
  std::printf("%d %d %d %d %d %d\n", back[0], back[1], back[2], back[3], back[4], back[5]);
  box.extent.depth = 0;
  CALL(cudaMemcpy3DBatchAsync(1, &box, 0, stream));
  CALL(cudaMemcpyToArrayAsync(b, 0, 0, host, 28, cudaMemcpyHostToDevice, stream));  // behind the array

  int* m;
  cudaMallocManaged(&m, 64);
  void* ranges[1] = {m};
  size_t sizes[1] = {64}, zero[1] = {0};
  cudaMemLocation place{cudaMemLocationTypeDevice, 0};
  CALL(cudaMemPrefetchBatchAsync(ranges, sizes, 1, &place, zero, 1, 0, stream));
  CALL(cudaMemDiscardBatchAsync(ranges, sizes, 1, 0, stream));
  ranges[0] = p;
  CALL(cudaMemPrefetchBatchAsync(ranges, sizes, 1, &place, zero, 1, 0, stream));
  cudaMemPool_t by_device, by_place;
  CALL(cudaMemGetDefaultMemPool(&by_place, &place, cudaMemAllocationTypePinned));
  cudaDeviceGetDefaultMemPool(&by_device, 0);
  std::printf("%d\n", by_device == by_place);

  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, symbol, host, 4, 0, cudaMemcpyHostToDevice);
  CALL(cudaGraphMemcpyNodeSetParamsToSymbol(node, symbol, host + 4, 4, 4, cudaMemcpyHostToDevice));
  CALL(cudaGraphMemcpyNodeSetParamsToSymbol(node, symbol, host + 4, 4, 8, cudaMemcpyHostToDevice));
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpyFromSymbol(back, symbol, 8);
  std::printf("%d %d\n", back[0], back[1]);

  CUdeviceptr driver_to[1] = {CUdeviceptr(p)}, driver_from[1] = {CUdeviceptr(host)};
  CUmemcpyAttributes driver_attributes[1] = {};
  driver_attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  bytes[0] = 8;
  std::printf("%d\n",
              cuMemcpyBatchAsync(driver_to, driver_from, bytes, 1, driver_attributes, zero, 1, stream));
  cudaMemcpy(back, p, 8, cudaMemcpyDefault);
  std::printf("%d %d\n", back[0], back[1]);
}
// expect: cudaSuccess
// expect: 4 5 6 1 2 3
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 0 1 2 0 4 5
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: 1
// expect: cudaSuccess
// expect: cudaErrorInvalidValue
// expect: 0 5
// expect: 0
// expect: 1 2
