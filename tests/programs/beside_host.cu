// Kernels that wait for what the host does after the launch. What is submitted behind them comes behind them;
// other streams go on.
#include <atomic>
#include <cstdio>

__global__ void wait_for(volatile int* flag, int* seen) {
  while (*flag == 0) {
  }
  *seen = 5;
}
/// As benchmarks hold a stream back: with an eye on the clock.
__global__ void hold_back(const volatile int* flag, volatile int* late) {
  const long long begin = clock64();
  long long now = begin;
  while (!*flag && now - begin < 1ll << 50) now = clock64();
  if (now - begin >= 1ll << 50) *late = 1;
}
__global__ void wait_by_atomics(int* flag, int* seen) {
  while (atomicAdd_system(flag, 0) == 0) {
  }
  *seen = 6;
}
__global__ void times_two(int* seen) { *seen *= 2; }
/// Answers each number of the host.
__global__ void answer(volatile int* asked, volatile int* answered) {
  for (int k = 1; k <= 3; ++k) {
    while (*asked < k) {
    }
    __threadfence_system();
    *answered = 10 * k;
  }
}

const char* name(cudaError_t error) { return cudaGetErrorName(error); }

int main() {
  int *flag, *seen, *other, *copied, stacked = 0;
  cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped);
  cudaHostAlloc(&copied, 2 * sizeof *copied, cudaHostAllocMapped);
  cudaMalloc(&seen, sizeof *seen);
  cudaMalloc(&other, sizeof *other);
  cudaStream_t stream, beside;
  cudaStreamCreate(&stream);
  cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking);
  cudaEvent_t before, behind;
  cudaEventCreate(&before);
  cudaEventCreate(&behind);
  *flag = 0;
  copied[0] = copied[1] = -1;

  cudaEventRecord(before, stream);
  wait_for<<<1, 32, 0, stream>>>(flag, seen);
  times_two<<<1, 1, 0, stream>>>(seen);
  cudaMemcpyAsync(&copied[0], seen, sizeof(int), cudaMemcpyDeviceToHost, stream);
  std::atomic<int> called{0};
  cudaLaunchHostFunc(
      stream, [](void* to) { ++*static_cast<std::atomic<int>*>(to); }, &called);
  cudaEventRecord(behind, stream);
  cudaMemsetAsync(other, 1, sizeof *other, beside);
  cudaMemcpyAsync(&copied[1], other, sizeof(int), cudaMemcpyDeviceToHost, beside);
  printf("beside %s", name(cudaStreamSynchronize(beside)));
  printf(" %x\n", copied[1]);
  float ms = 0;
  printf("before %s, stream %s, behind %s %s, %d %d\n", name(cudaEventQuery(before)),
         name(cudaStreamQuery(stream)), name(cudaEventQuery(behind)),
         name(cudaEventElapsedTime(&ms, before, behind)), copied[0], called.load());
  *flag = 1;
  printf("then %s", name(cudaEventSynchronize(behind)));
  printf(", %d %d, %s", copied[0], called.load(), name(cudaStreamQuery(stream)));
  printf(", %s", name(cudaEventElapsedTime(&ms, before, behind)));
  printf(" %d\n", ms > 0);

  // Registered memory; a graph, a wait for an event and a copy without Async behind it.
  int own[2] = {0, 0};
  cudaHostRegister(own, sizeof own, cudaHostRegisterMapped);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  times_two<<<1, 1, 0, stream>>>(seen);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  hold_back<<<1, 1, 0, stream>>>(own, own + 1);
  cudaGraphLaunch(exec, stream);
  cudaEventRecord(behind, stream);
  cudaStreamWaitEvent(beside, behind, 0);
  cudaMemcpyAsync(&copied[1], seen, sizeof(int), cudaMemcpyDeviceToHost, beside);
  printf("held %s %s\n", name(cudaStreamQuery(stream)), name(cudaStreamQuery(beside)));
  *own = 1;
  cudaMemcpy(&stacked, seen, sizeof stacked, cudaMemcpyDeviceToHost);
  printf("graph %d %s", stacked, name(cudaStreamSynchronize(beside)));
  printf(" %d, late %d\n", copied[1], own[1]);
  cudaHostUnregister(own);

  // A graph that waits itself.
  cudaGraph_t held;
  *flag = 0;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  wait_for<<<1, 32, 0, stream>>>(flag, seen);
  times_two<<<1, 1, 0, stream>>>(seen);
  cudaStreamEndCapture(stream, &held);
  cudaGraphInstantiate(&exec, held, 0);
  cudaGraphLaunch(exec, stream);
  cudaGraphExecDestroy(exec);  // it goes on
  printf("waiting graph %s", name(cudaStreamQuery(stream)));
  *flag = 1;
  cudaMemcpyAsync(&stacked, seen, sizeof stacked, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  printf(", then %d\n", stacked);

  *flag = 0;
  wait_by_atomics<<<1, 1, 0, stream>>>(flag, seen);
  printf("atomics %s", name(cudaStreamQuery(stream)));
  __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
  cudaMemcpyAsync(&stacked, seen, sizeof stacked, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  printf(", then %d\n", stacked);

  volatile int *asked, *answered;
  cudaMallocManaged((int**)&asked, sizeof *asked);
  cudaHostAlloc((int**)&answered, sizeof *answered, cudaHostAllocMapped);
  *asked = *answered = 0;
  answer<<<1, 1>>>((int*)asked, (int*)answered);
  for (int k = 1; k <= 3; ++k) {
    *asked = k;
    while (*answered != 10 * k) {
    }
    printf("%d ", *answered);
  }
  printf("%s\n", name(cudaDeviceSynchronize()));
}
