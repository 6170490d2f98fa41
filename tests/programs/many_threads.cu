// 32 threads of the host, 100 streams, all kinds of calls at once; fork, a signal, exit in the middle.
// Each thread's sums are its own, one counter is everybody's.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

constexpr int kThreads = 32, kStreams = 100, kRounds = 12, kCount = 256;

__device__ int everybodys;
__global__ void add(int* to, int n) {
  to[threadIdx.x + blockIdx.x * blockDim.x] += n;
  if (threadIdx.x == 0) atomicAdd(&everybodys, 1);
}

__global__ void endless() {
  while (atomicAdd(&everybodys, 0) < 1000000) __nanosleep(100);
}

static cudaStream_t streams[kStreams];
static std::atomic<int> wrong{0}, notes{0};
static void note(void*) { ++notes; }
static void good(cudaError_t e) {
  if (e != cudaSuccess) ++wrong;
}

static void work(int number) {
  int *device, host[kCount];
  good(cudaMalloc(&device, sizeof host));
  cudaEvent_t begin, end;
  good(cudaEventCreate(&begin)), good(cudaEventCreate(&end));
  cudaStream_t own;
  good(cudaStreamCreate(&own));
  // While a stream that waits for the legacy one is captured, no thread may use that one.
  cudaStream_t captured;
  good(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking));
  for (int round = 0; round < kRounds; ++round) {
    // A stream of its own, one of the hundred, the default one, each thread's.
    cudaStream_t shared = streams[(number * 7 + round) % kStreams];
    for (cudaStream_t s : {own, shared, cudaStream_t{}, cudaStreamPerThread}) {
      good(cudaEventRecord(begin, s));
      good(cudaMemsetAsync(device, 0, sizeof host, s));
      add<<<kCount / 64, 64, 0, s>>>(device, number + 1);
      add<<<kCount / 64, 64, 0, s>>>(device, round);
      good(cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, s));
      good(cudaLaunchHostFunc(s, note, nullptr));
      good(cudaEventRecord(end, s));
      good(cudaEventSynchronize(end));
      good(cudaStreamSynchronize(s));
      float ms;
      good(cudaEventElapsedTime(&ms, begin, end));
      for (int v : host) wrong += v != number + 1 + round;
    }
    int* more;
    good(cudaMallocAsync(&more, 64, own)), good(cudaFreeAsync(more, own));
    if (round % 4 == 0) {  // a graph of its own
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      good(cudaStreamBeginCapture(captured, cudaStreamCaptureModeThreadLocal));
      add<<<1, 64, 0, captured>>>(device, 1);
      good(cudaStreamEndCapture(captured, &graph));
      good(cudaGraphInstantiate(&exec, graph, 0));
      good(cudaGraphLaunch(exec, own));
      good(cudaStreamSynchronize(own));
      good(cudaGraphExecDestroy(exec)), good(cudaGraphDestroy(graph));
    }
    cudaPointerAttributes a;
    good(cudaPointerGetAttributes(&a, device));
    size_t free, all;
    good(cudaMemGetInfo(&free, &all));
  }
  good(cudaStreamDestroy(own)), good(cudaStreamDestroy(captured));
  good(cudaEventDestroy(begin)), good(cudaEventDestroy(end));
  good(cudaFree(device));
}

static int child(void (*body)()) {
  fflush(nullptr);
  const pid_t process = fork();
  if (process == 0) {
    body();
    _exit(99);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return status;
}

int main() {
  // A child of a parent that has not called CUDA yet has a device of its own.
  int status = child([] {
    int *p, v = 0;
    cudaMalloc(&p, 4 * 64), cudaMemset(p, 0, 4 * 64);
    add<<<1, 64>>>(p, 3);
    cudaMemcpy(&v, p + 63, 4, cudaMemcpyDeviceToHost);
    _exit(v);
  });
  printf("a child %d\n", WEXITSTATUS(status));
  // A signal in the middle of a kernel ends the process as it would without us.
  status = child([] {
    alarm(1);
    endless<<<4, 64>>>();
    cudaDeviceSynchronize();
  });
  printf("signal %d\n", WTERMSIG(status));
  for (auto& s : streams) good(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  for (auto& t : threads) t.join();
  int count = 0;
  good(cudaMemcpyFromSymbol(&count, everybodys, sizeof count));
  printf("wrong %d, blocks %d, notes %d\n", wrong.load(), count, notes.load());
  // Of a parent that has: its devices are not the child's (as with CUDA), which may end as it likes.
  status = child([] {
    int* p;
    printf("in the child %s", cudaGetErrorName(cudaMalloc(&p, 64)));
    add<<<64, 64>>>(nullptr, 1);
    printf(" %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    exit(7);
  });
  printf("then %d\n", WEXITSTATUS(status));
  fflush(stdout);
  std::thread([] { exit(0); }).join();  // from another thread, with streams left
}
