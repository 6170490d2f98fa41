// Conditional nodes of graphs (CUDA Programming Guide): if and else, while, switch, a while inside of an if.
#include <cstdio>

__device__ int runs[8];

__global__ void set(cudaGraphConditionalHandle handle, const int* value) {
  cudaGraphSetConditional(handle, *value);
}
__global__ void note(int what) { ++runs[what]; }
__global__ void count_down(cudaGraphConditionalHandle handle, int* value) {
  ++runs[7];
  if (--*value == 0) cudaGraphSetConditional(handle, 0);
}

static cudaGraphNode_t add(cudaGraph_t graph, cudaGraphNode_t* after, void* kernel, void** arguments) {
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = kernel;
  p.kernel.gridDim = dim3(1), p.kernel.blockDim = dim3(1);
  p.kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  if (cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &p) != cudaSuccess) printf("no kernel\n");
  return node;
}
static cudaGraph_t* choose(cudaGraph_t graph, cudaGraphNode_t* after, cudaGraphConditionalHandle handle,
                           cudaGraphConditionalNodeType type, int size) {
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle, p.conditional.type = type, p.conditional.size = size;
  cudaGraphNode_t node;
  if (cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &p) != cudaSuccess)
    printf("no condition\n");
  cudaGraphNodeType got;
  cudaGraphNodeGetType(node, &got);
  if (got != cudaGraphNodeTypeConditional) printf("no condition, but %d\n", got);
  return p.conditional.phGraph_out;
}
static void show(const char* what) {
  int got[8];
  printf("%s %s:", what, cudaGetErrorString(cudaDeviceSynchronize()));
  cudaMemcpyFromSymbol(got, runs, sizeof got);
  for (int n : got) printf(" %d", n);
  printf("\n");
  int none[8] = {};
  cudaMemcpyToSymbol(runs, none, sizeof none);
}

int main() {
  int *value, *left;
  cudaMallocManaged(&value, sizeof *value), cudaMallocManaged(&left, sizeof *left);
  int numbers[] = {0, 1, 2, 3};
  for (auto type : {cudaGraphCondTypeIf, cudaGraphCondTypeSwitch}) {
    const int bodies = type == cudaGraphCondTypeIf ? 2 : 3;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle;
    cudaGraphConditionalHandleCreate(&handle, graph);
    void* arguments[] = {&handle, &value};
    cudaGraphNode_t first = add(graph, nullptr, (void*)set, arguments);
    cudaGraph_t* body = choose(graph, &first, handle, type, bodies);
    for (int k = 0; k < bodies; ++k) {
      void* number[] = {&numbers[k]};
      add(body[k], nullptr, (void*)note, number);
    }
    if (cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess) printf("no graph\n");
    for (*value = 0; *value < 5; ++*value) {
      cudaGraphLaunch(exec, 0);
      cudaDeviceSynchronize();
    }
    show(bodies == 2 ? "if" : "switch");
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }
  // A loop begins with 1 by default, each time the graph is launched; it is inside of an if.
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle outer, inner;
  cudaGraphConditionalHandleCreate(&outer, graph, 1, cudaGraphCondAssignDefault);
  cudaGraph_t body = *choose(graph, nullptr, outer, cudaGraphCondTypeIf, 1);
  cudaGraphConditionalHandleCreate(&inner, body, 1, cudaGraphCondAssignDefault);
  cudaGraph_t loop = *choose(body, nullptr, inner, cudaGraphCondTypeWhile, 1);
  void* arguments[] = {&inner, &left};
  add(loop, nullptr, (void*)count_down, arguments);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int times : {10, 3}) {
    *left = times;
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
  }
  show("while");
  return 0;
}
