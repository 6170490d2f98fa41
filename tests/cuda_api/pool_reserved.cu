// What a pool reserves: freed memory stays until the host waits, and behind that up to the release threshold
// (CUDA C++ Programming Guide, "Stream Ordered Memory Allocator"). Amounts themselves are the driver's
// choice.
#include <cstdint>
#include <cstdio>

static cudaMemPool_t pool;

static uint64_t get(cudaMemPoolAttr which) {
  uint64_t value = 0;
  cudaMemPoolGetAttribute(pool, which, &value);
  return value;
}
static void show(const char* when, uint64_t most) {
  const uint64_t reserved = get(cudaMemPoolAttrReservedMemCurrent), used = get(cudaMemPoolAttrUsedMemCurrent);
  std::printf("%s: %s\n", when, reserved == 0 ? "nothing" : reserved >= most ? "all" : "a part");
  if (reserved < used) std::printf("less than is used\n");
}

int main() {
  const cudaMemPoolProps props = {
      cudaMemAllocationTypePinned, cudaMemHandleTypeNone, {cudaMemLocationTypeDevice, 0}};
  cudaMemPoolCreate(&pool, &props);
  const uint64_t bytes = 256 << 20;
  void *p, *q;
  show("at first", bytes);
  cudaMallocFromPoolAsync(&p, bytes, pool, 0);
  show("allocated", bytes);
  cudaFreeAsync(p, 0);
  show("freed", bytes);
  cudaStreamSynchronize(0);
  show("the host has waited", bytes);
  std::printf("high mark kept: %d\n", get(cudaMemPoolAttrReservedMemHigh) >= bytes);

  uint64_t threshold = ~0ull, zero = 0;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero);
  std::printf("high mark set back: %d\n", get(cudaMemPoolAttrReservedMemHigh) < bytes);
  cudaMallocFromPoolAsync(&p, bytes / 2, pool, 0);
  cudaMallocFromPoolAsync(&q, bytes / 2, pool, 0);
  cudaFreeAsync(p, 0);
  cudaDeviceSynchronize();
  show("kept by the threshold", bytes);
  cudaMemPoolTrimTo(pool, 0);
  show("trimmed with half in use", bytes);
  cudaFreeAsync(q, 0);
  cudaMemPoolTrimTo(pool, bytes / 4);
  std::printf("at least what trimming keeps: %d\n", get(cudaMemPoolAttrReservedMemCurrent) >= bytes / 4);
  cudaMemPoolTrimTo(pool, 0);
  show("trimmed", bytes);
}
// expect: at first: nothing
// expect: allocated: all
// expect: freed: all
// expect: the host has waited: nothing
// expect: high mark kept: 1
// expect: high mark set back: 1
// expect: kept by the threshold: all
// expect: trimmed with half in use: a part
// expect: at least what trimming keeps: 1
// expect: trimmed: nothing
