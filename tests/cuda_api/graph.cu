// Graphs: capture, launch, a parameter changed in the executable graph, what capture forbids.
#include <cstdio>

#define CALL(x) std::printf("%s\n", cudaGetErrorName(x))

__global__ void add(int* p, int n) { *p += n; }
void note(void* data) { ++*static_cast<int*>(data); }

int main() {
  int *p, value = 0, notes = 0;
  CALL(cudaMallocManaged(&p, sizeof *p));
  *p = 0;
  cudaStream_t a, b;
  cudaEvent_t fork, join;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  CALL(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, a>>>(p, 1);
  CALL(cudaEventRecord(fork, a));
  CALL(cudaStreamWaitEvent(b, fork));
  CALL(cudaLaunchHostFunc(b, note, &notes));
  CALL(cudaEventRecord(join, b));
  CALL(cudaStreamWaitEvent(a, join));
  add<<<1, 1, 0, a>>>(p, 10);
  cudaGraph_t graph;
  CALL(cudaStreamEndCapture(a, &graph));
  std::printf("%d %d\n", *p, notes);
  size_t count = 0;
  CALL(cudaGraphGetNodes(graph, nullptr, &count));
  std::printf("%zu\n", count);
  cudaGraphExec_t exec;
  CALL(cudaGraphInstantiate(&exec, graph, 0));
  for (int k = 0; k < 3; ++k) cudaGraphLaunch(exec, a);
  CALL(cudaStreamSynchronize(a));
  std::printf("%d %d\n", *p, notes);
  cudaGraphNode_t nodes[8];
  cudaGraphGetRootNodes(graph, nullptr, &count);
  CALL(cudaGraphGetRootNodes(graph, nodes, &count));
  cudaKernelNodeParams params;
  CALL(cudaGraphKernelNodeGetParams(nodes[0], &params));
  // As llama.cpp asks: nvcc 13's code launches by a handle, and the node still has the name.
  std::printf("%d\n", params.func == reinterpret_cast<void*>(add));
  int more = 100;
  void* arguments[] = {&p, &more};
  params.kernelParams = arguments;
  CALL(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &params));
  CALL(cudaGraphLaunch(exec, a));
  CALL(cudaStreamSynchronize(a));
  std::printf("%d %d\n", *p, notes);
  CALL(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  CALL(cudaStreamSynchronize(a));
  CALL(cudaStreamEndCapture(a, &graph));
  CALL(cudaEventElapsedTime(nullptr, fork, join));
  // A stream that joined may be destroyed before the end, once its work came back; not otherwise.
  for (bool back : {true, false}) {
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, a);
    cudaStreamCreate(&b);
    cudaStreamWaitEvent(b, fork);
    add<<<1, 1, 0, b>>>(p, 1);
    cudaEventRecord(join, b);
    if (back) cudaStreamWaitEvent(a, join);
    cudaStreamDestroy(b);
    CALL(cudaStreamEndCapture(a, &graph));
  }
  (void)value;
}
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 0 0
// expect: cudaSuccess
// expect: 3
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 33 3
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 1
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 143 4
// expect: cudaSuccess
// expect: cudaErrorStreamCaptureUnsupported
// expect: cudaErrorStreamCaptureInvalidated
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: cudaErrorStreamCaptureUnjoined
