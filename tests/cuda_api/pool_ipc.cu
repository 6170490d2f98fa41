// A pool's memory in two processes: this one starts a second by exec, which is given the pool by a file
// descriptor and the allocation by its data, reads and writes there by a copy and by a kernel, and frees it.
// (An H200 printed these lines, too, 2026-11-26; cudaFree does not count as returned to the pool there.)
// What an imported pool may not do is what the manual says of cudaMemPoolImportFromShareableHandle.
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "handle_text.h"

__global__ void add(int* p, int by) { p[threadIdx.x] += by; }

static int child(char** arguments) {
  cudaMemPool_t pool;
  cudaMemPoolPtrExportData first, second;
  from_text(arguments[2], &first), from_text(arguments[3], &second);
  std::printf("import %d, ",
              cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(std::atol(arguments[1])),
                                                   cudaMemHandleTypePosixFileDescriptor, 0));
  int *p = nullptr, *q = nullptr, *mine = nullptr, seen[32];
  std::printf("pointers %d %d\n", cudaMemPoolImportPointer(reinterpret_cast<void**>(&p), pool, &first),
              cudaMemPoolImportPointer(reinterpret_cast<void**>(&q), pool, &second));
  cudaMemcpy(seen, p, sizeof seen, cudaMemcpyDeviceToHost);
  std::printf("reads %d %d, ", seen[0], seen[31]);
  cudaMemcpy(seen, q, sizeof seen, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", seen[0], seen[31]);
  add<<<1, 32>>>(p, 1000);
  add<<<1, 32>>>(q, 2000);
  std::printf("kernels %d, ", cudaDeviceSynchronize());
  std::printf("free %d %d, ", cudaFreeAsync(p, nullptr), cudaFree(q));
  std::printf("synchronize %d\n", cudaDeviceSynchronize());
  const bool refused =
      cudaMallocFromPoolAsync(reinterpret_cast<void**>(&mine), 64, pool, nullptr) != cudaSuccess;
  cudaGetLastError();
  const bool not_chosen = cudaDeviceSetMemPool(0, pool) != cudaSuccess;
  cudaGetLastError();
  std::printf("allocates there: %s, chosen: %s, destroy %d\n", refused ? "no" : "yes",
              not_chosen ? "no" : "yes", cudaMemPoolDestroy(pool));
  std::fflush(stdout);
  return 0;
}

int main(int count, char** arguments) {
  if (count == 4) return child(arguments);
  int types = 0;
  cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0);
  std::printf("file descriptors %d\n", types & cudaMemHandleTypePosixFileDescriptor);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t plain, pool;
  cudaMemPoolCreate(&plain, &properties);
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  std::printf("create %d, ", cudaMemPoolCreate(&pool, &properties));
  int *p, *q, *of_plain, host[32];
  cudaMallocFromPoolAsync(reinterpret_cast<void**>(&p), sizeof host, pool, nullptr);
  cudaMallocFromPoolAsync(reinterpret_cast<void**>(&q), sizeof host, pool, nullptr);
  cudaMallocFromPoolAsync(reinterpret_cast<void**>(&of_plain), sizeof host, plain, nullptr);
  for (int k = 0; k < 32; ++k) host[k] = k;
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(q, host, sizeof host, cudaMemcpyHostToDevice);
  int file = -1, other = -1;
  cudaMemPoolPtrExportData first, second, third;
  std::printf("export %d, ",
              cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  std::printf("pointers %d %d\n", cudaMemPoolExportPointer(&first, p), cudaMemPoolExportPointer(&second, q));
  const bool refused = cudaMemPoolExportToShareableHandle(&other, plain, cudaMemHandleTypePosixFileDescriptor,
                                                          0) != cudaSuccess;
  const bool pointer_refused = cudaMemPoolExportPointer(&third, of_plain) != cudaSuccess;
  std::printf("a plain pool %s, its pointer %s\n", refused ? "refused" : "exported",
              pointer_refused ? "refused" : "exported");
  cudaGetLastError();
  add<<<1, 32>>>(p, 100);  // after it was shared
  cudaDeviceSynchronize();
  std::fflush(stdout);
  if (fork() == 0) {
    char number[16], one[129], two[129], name[] = "child";
    std::snprintf(number, sizeof number, "%d", dup(file));  // which stays open in the child
    to_text(&first, one), to_text(&second, two);
    char* all[] = {name, number, one, two, nullptr};
    execv("/proc/self/exe", all);
  }
  int status = -1;
  wait(&status);
  add<<<1, 32>>>(p, 1);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("child %d, back %d %d, ", status, host[0], host[31]);
  cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost);
  unsigned long long used = 1;
  const cudaError_t freed = cudaFreeAsync(p, nullptr), freed_too = cudaFree(q);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  std::printf("%d %d, free %d %d, used %llu\n", host[0], host[31], freed, freed_too, used);
}
// expect: file descriptors 1
// expect: create 0, export 0, pointers 0 0
// expect: a plain pool refused, its pointer refused
// expect: import 0, pointers 0 0
// expect: reads 100 131, 0 31
// expect: kernels 0, free 0 0, synchronize 0
// expect: allocates there: no, chosen: no, destroy 0
// expect: child 0, back 1101 1132, 2000 2031, free 0 0, used 128
