// joins lag: two SMs read the same lines, one of them some clocks later. joins count: several read them at
// one time. joins parts: all SMs read slices of a region, each slice by so many blocks, so many times.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define CHECK(e)                                     \
  do {                                               \
    cudaError_t r = (e);                             \
    if (r) {                                         \
      printf("%s: %s\n", #e, cudaGetErrorString(r)); \
      exit(1);                                       \
    }                                                \
  } while (0)
constexpr int kLines = 256;
struct Meet {
  unsigned arrived, ready;
  long long start;
  long long ticks[2][64][2];
};
__device__ float sink;
__device__ unsigned smid() {
  unsigned s;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
  return s;
}
__device__ long long globaltimer() {
  long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__global__ void offsets(Meet* m, int a, int b) {
  unsigned s = smid();
  if (s != a && s != b || threadIdx.x) return;
  int me = s == b;
  atomicAdd(&m->arrived, 1);
  while (*(volatile unsigned*)&m->arrived < 2)
    ;
  for (int i = 0; i < 64; ++i) {
    long long g = globaltimer(), h, c;
    do {
      c = clock64();
      h = globaltimer();
    } while (h == g);
    m->ticks[me][i][0] = h;
    m->ticks[me][i][1] = c;
  }
}
// offset: clock of b less clock of a.
__global__ void lagging(const float* base, Meet* m, int a, int b, int warm, long long lag, long long offset,
                        int period) {
  unsigned s = smid();
  if (s != a && s != b) return;
  bool second = s == b && a != b;
  float sum = 0;
  auto at = [&](int i) { return base + 32 * 33 * (size_t)i + threadIdx.x; };
  if (warm && !second) {
    for (int i = 0; i < kLines; ++i) sum += __ldcg(at(i));
    if (sum == 12345.678f) sink = sum;
    for (long long t = clock64(); clock64() < t + 5000;)
      ;
  }
  if (threadIdx.x == 0) {
    if (!second) {
      m->start = clock64() + 20000;
      __threadfence();
      *(volatile unsigned*)&m->ready = 1;
    } else {
      while (!*(volatile unsigned*)&m->ready)
        ;
      __threadfence();
    }
  }
  __syncwarp();
  long long t = *(volatile long long*)&m->start + (second ? offset + lag : 0);
  for (int i = 0; i < kLines; ++i, t += period) {
    while (clock64() < t)
      ;
    sum += __ldcg(at(i));
  }
  if (sum == 12345.678f) sink = sum;
}
// Each slice of 64 KiB is read by `readers` blocks, `times` times.
__global__ void slices(const float* base, int slices_, int readers, int times) {
  float sum = 0;
  for (int k = 0; k < times; ++k)
    for (int s = blockIdx.x; s < slices_ * readers; s += gridDim.x) {
      int slice = (s + (s / slices_) * 61) % slices_;
      for (int i = threadIdx.x; i < 16384; i += blockDim.x) sum += __ldcg(base + (size_t)slice * 16384 + i);
    }
  if (sum == 12345.678f) sink = sum;
}
// The first `count` SMs of a list read the same lines at one time.
__global__ void crowd(const float* base, Meet* m, const int* list, int count, int warm, int period) {
  unsigned s = smid();
  int me = -1;
  for (int i = 0; i < count; ++i)
    if (list[i] == (int)s) me = i;
  if (me < 0) return;
  float sum = 0;
  auto at = [&](int i) { return base + 32 * 33 * (size_t)i + threadIdx.x; };
  if (warm && me == 0) {
    for (int i = 0; i < kLines; ++i) sum += __ldcg(at(i));
    if (sum == 12345.678f) sink = sum;
    for (long long t = clock64(); clock64() < t + 5000;)
      ;
  }
  if (threadIdx.x == 0) {
    if (me == 0) {
      m->start = clock64() + 20000;
      __threadfence();
      *(volatile unsigned*)&m->ready = 1;
    } else {
      while (!*(volatile unsigned*)&m->ready)
        ;
      __threadfence();
    }
  }
  __syncwarp();
  long long t = *(volatile long long*)&m->start;
  for (int i = 0; i < kLines; ++i, t += period) {
    while (clock64() < t)
      ;
    sum += __ldcg(at(i));
  }
  if (sum == 12345.678f) sink = sum;
}
int main(int argc, char** argv) {
  float* base;
  CHECK(cudaMalloc(&base, 256u << 20));
  CHECK(cudaMemset(base, 0, 256u << 20));
  Meet* m;
  CHECK(cudaMalloc(&m, sizeof(Meet)));
  std::vector<Meet> host(1);
  if (!strcmp(argv[1], "lag")) {
    int pairs[][2] = {{0, 1}, {0, 16}, {0, 130}};
    for (auto& p : pairs) {
      long long offset = 0;
      CHECK(cudaMemset(m, 0, sizeof(Meet)));
      offsets<<<132, 32>>>(m, p[0], p[1]);
      CHECK(cudaDeviceSynchronize());
      CHECK(cudaMemcpy(host.data(), m, sizeof(Meet), cudaMemcpyDeviceToHost));
      double sum = 0;
      int n = 0;
      long long lo = 1ll << 60, hi = -lo;
      for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 64; ++j)
          if (host[0].ticks[0][i][0] == host[0].ticks[1][j][0]) {
            long long d = host[0].ticks[1][j][1] - host[0].ticks[0][i][1];
            sum += d;
            ++n;
            if (d < lo) lo = d;
            if (d > hi) hi = d;
          }
      if (n) offset = (long long)(sum / n);
      printf("pair %d %d offset %lld of %d in %lld..%lld\n", p[0], p[1], offset, n, lo, hi);
      for (int warm : {0, 1})
        for (int lag = warm ? -150 : -1200; lag <= (warm ? 150 : 1200); lag += warm ? 5 : 40) {
          CHECK(cudaMemset(m, 0, sizeof(Meet)));
          lagging<<<132, 32>>>(base, m, p[0], p[1], warm, lag, offset, 6000);
          CHECK(cudaDeviceSynchronize());
          printf("L %d %d warm %d lag %d\n", p[0], p[1], warm, lag);
        }
    }
  } else if (!strcmp(argv[1], "count")) {
    int order[16] = {0, 1, 16, 17, 32, 33, 48, 49, 124, 125, 126, 127, 128, 129, 130, 131};
    int spread[16] = {0, 16, 32, 48, 124, 126, 128, 130, 1, 17, 33, 49, 125, 127, 129, 131};
    int* list;
    CHECK(cudaMalloc(&list, sizeof order));
    for (auto* l : {order, spread}) {
      CHECK(cudaMemcpy(list, l, sizeof order, cudaMemcpyHostToDevice));
      for (int warm : {0, 1})
        for (int count : {1, 2, 3, 4, 5, 6, 8, 10, 12, 16}) {
          CHECK(cudaMemset(m, 0, sizeof(Meet)));
          crowd<<<132, 32>>>(base, m, list, count, warm, 6000);
          CHECK(cudaDeviceSynchronize());
          printf("C %s warm %d count %d\n", l == order ? "order" : "spread", warm, count);
        }
    }
  } else {
    for (int readers : {1, 4, 12})
      for (int times : {1, 2, 4})
        for (int mb : {1, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96}) {
          slices<<<132 * 2, 512>>>(base, mb * 16, readers, times);
          CHECK(cudaDeviceSynchronize());
          printf("N readers %d times %d mb %d\n", readers, times, mb);
        }
  }
}
