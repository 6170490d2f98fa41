// Several pools in two processes: two of one device and one of another. The second process, started by exec,
// gets the pools by file descriptors and asks each pool for each allocation: only the allocation's own pool
// knows it (cuda-samples' streamOrderedAllocationIPC finds out so which is whose).
// devices: 2
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "handle_text.h"

constexpr int kPools = 3, kDeviceOf[kPools] = {0, 0, 1};

static int child(char** arguments) {
  cudaMemPoolPtrExportData data[kPools];
  for (int k = 0; k < kPools; ++k) from_text(arguments[kPools + k], &data[k]);
  for (int k = 0; k < kPools; ++k) {
    cudaMemPool_t pool;
    std::printf("pool %d: import %d;", k,
                cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(std::atol(arguments[k])),
                                                     cudaMemHandleTypePosixFileDescriptor, 0));
    for (int j = 0; j < kPools; ++j) {
      void* p = nullptr;
      int seen = -1;
      cudaPointerAttributes about{};
      if (cudaMemPoolImportPointer(&p, pool, &data[j]) != cudaSuccess) {
        std::printf(" %d refused", j);
        cudaGetLastError();
        continue;
      }
      cudaMemAccessDesc access{{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
      cudaMemPoolSetAccess(pool, &access, 1);
      cudaMemcpy(&seen, p, sizeof seen, cudaMemcpyDeviceToHost);
      cudaPointerGetAttributes(&about, p);
      std::printf(" %d on device %d holds %d", j, about.device, seen);
      const int more = seen + 1;
      cudaMemcpy(p, &more, sizeof more, cudaMemcpyHostToDevice);
      std::printf(", free %d", cudaFree(p));
    }
    std::printf("\n");
  }
  std::fflush(stdout);
  return 0;
}

int main(int count, char** arguments) {
  if (count == 1 + 2 * kPools) return child(arguments + 1);
  static char texts[2 * kPools][129];
  char name[] = "child";
  char* all[2 + 2 * kPools] = {name};
  int* pointers[kPools];
  for (int k = 0; k < kPools; ++k) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    properties.location = {cudaMemLocationTypeDevice, kDeviceOf[k]};
    cudaSetDevice(kDeviceOf[k]);
    cudaMemPool_t pool;
    cudaMemPoolCreate(&pool, &properties);
    cudaMallocFromPoolAsync(reinterpret_cast<void**>(&pointers[k]), sizeof(int), pool, nullptr);
    const int value = 10 * (k + 1);
    cudaMemcpy(pointers[k], &value, sizeof value, cudaMemcpyHostToDevice);
    int file = -1;
    cudaMemPoolPtrExportData data{};
    cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0);
    cudaMemPoolExportPointer(&data, pointers[k]);
    std::snprintf(texts[k], sizeof texts[k], "%d", dup(file));  // which stays open in the child
    to_text(&data, texts[kPools + k]);
  }
  for (int k = 0; k < 2 * kPools; ++k) all[1 + k] = texts[k];
  if (fork() == 0) {
    execv("/proc/self/exe", all);
    _exit(127);
  }
  int status = -1;
  wait(&status);
  std::printf("child %d, back", status);
  for (int* p : pointers) {
    int value = 0;
    cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
    std::printf(" %d", value);
  }
  std::printf("\n");
}
// expect: pool 0: import 0; 0 on device 0 holds 10, free 0 1 refused 2 refused
// expect: pool 1: import 0; 0 refused 1 on device 0 holds 20, free 0 2 refused
// expect: pool 2: import 0; 0 refused 1 refused 2 on device 1 holds 30, free 0
// expect: child 0, back 11 21 31
