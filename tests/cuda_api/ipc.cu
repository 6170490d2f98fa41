// CUDA IPC: a second process, which this one starts by exec, opens memory and an event of the first, reads
// and writes there by a kernel and by a copy.
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "handle_text.h"

__global__ void add(int* p, int by) { p[threadIdx.x] += by; }

static int child(char** arguments) {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t sent;
  from_text(arguments[1], &memory);
  from_text(arguments[2], &sent);
  int *p = nullptr, *again = nullptr, seen[32];
  cudaEvent_t event;
  std::printf("open %d ",
              cudaIpcOpenMemHandle(reinterpret_cast<void**>(&p), memory, cudaIpcMemLazyEnablePeerAccess));
  std::printf("%d ",
              cudaIpcOpenMemHandle(reinterpret_cast<void**>(&again), memory, cudaIpcMemLazyEnablePeerAccess));
  std::printf("%d, event %d ", p == again, cudaIpcOpenEventHandle(&event, sent));
  std::printf("%d\n", cudaStreamWaitEvent(nullptr, event, 0));
  cudaMemcpy(seen, p, sizeof seen, cudaMemcpyDeviceToHost);
  std::printf("reads %d %d\n", seen[0], seen[31]);
  add<<<1, 32>>>(p, 1000);
  std::printf("kernel %d, record %d, ", cudaDeviceSynchronize(), cudaEventRecord(event));
  std::printf("close %d %d, ", cudaIpcCloseMemHandle(p), cudaIpcCloseMemHandle(p));
  std::printf("too often %d\n", cudaIpcCloseMemHandle(p));
  std::fflush(stdout);
  return 0;
}

int main(int count, char** arguments) {
  if (count == 3) return child(arguments);
  int *before, *p, *behind, host[32], other[32];
  cudaMalloc(&before, 64), cudaMalloc(&p, sizeof host), cudaMalloc(&behind, 64);
  cudaMemset(before, 1, 64), cudaMemset(behind, 2, 64);
  for (int k = 0; k < 32; ++k) host[k] = k;
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t sent;
  cudaEvent_t plain, event;
  cudaEventCreate(&plain), cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess);
  std::printf("handles %d %d, plain event %d, ", cudaIpcGetMemHandle(&memory, p),
              cudaIpcGetEventHandle(&sent, event), cudaIpcGetEventHandle(&sent, plain));
  std::printf("the host's %d\n", cudaIpcGetMemHandle(&memory, host));
  cudaIpcGetMemHandle(&memory, p), cudaIpcGetEventHandle(&sent, event);
  cudaGetLastError();
  add<<<1, 32>>>(p, 100);  // after it was shared
  cudaEventRecord(event);
  std::fflush(stdout);
  if (fork() == 0) {
    char first[129], second[129], name[] = "child";
    to_text(&memory, first), to_text(&sent, second);
    char* all[] = {name, first, second, nullptr};
    execv("/proc/self/exe", all);
  }
  int status = -1;
  wait(&status);
  add<<<1, 32>>>(p, 1);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy(other, before, 64, cudaMemcpyDeviceToHost);
  std::printf("child %d, back %d %d, before %x, ", status, host[0], host[31], other[0]);
  cudaMemcpy(other, behind, 64, cudaMemcpyDeviceToHost);
  std::printf("behind %x, free %d\n", other[15], cudaFree(p));
}
// expect: handles 0 0, plain event 400, the host's 1
// expect: open 0 0 1, event 0 0
// expect: reads 100 131
// expect: kernel 0, record 0, close 0 0, too often 1
// expect: child 0, back 1101 1132, before 1010101, behind 2020202, free 0
