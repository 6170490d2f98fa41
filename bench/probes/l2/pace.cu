// How evenly blocks that do the same work advance: every block notes when it began and when it had done each
// sixteenth of its steps.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(e)                                     \
  do {                                               \
    cudaError_t r = (e);                             \
    if (r) {                                         \
      printf("%s: %s\n", #e, cudaGetErrorString(r)); \
      exit(1);                                       \
    }                                                \
  } while (0)
constexpr int kMarks = 16;
struct Note {
  long long began;
  unsigned sm, slot;
  unsigned marks[kMarks];
};
extern __shared__ float dyn[];
__device__ float sink;
__device__ void begin(Note& n, long long& c0) {
  unsigned s;
  long long t;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  n.began = t;
  n.sm = s;
  c0 = clock64();
}
// Steps of a tile that the row's blocks share and one of the column, barriers, arithmetic from shared memory.
template <int SYNC>
__global__ void tiles(const float* a, const float* b, Note* notes, int steps, int width, int work) {
  __shared__ float s[2][256];
  int t = threadIdx.x;
  long long c0;
  Note& n = notes[blockIdx.x];
  if (t == 0) begin(n, c0);
  const float* p = a + (size_t)(blockIdx.x / width) % 64 * steps * 256;
  const float* q = b + (size_t)(blockIdx.x % width) * steps * 256;
  float v = 0;
  for (int k = 0; k < steps; ++k) {
    s[0][t] = p[(size_t)k * 256 + t];
    s[1][t] = q[(size_t)k * 256 + t];
    if (SYNC)
      __syncthreads();
    else
      __syncwarp();
    for (int i = 0; i < work; ++i) v += s[0][(t & ~15) + i % 16] * s[1][(t & 15) + i % 16 * 16];
    if (SYNC)
      __syncthreads();
    else
      __syncwarp();
    if (t == 0 && (k + 1) % (steps / kMarks) == 0)
      n.marks[(k + 1) / (steps / kMarks) - 1] = (unsigned)(clock64() - c0);
  }
  if (v == 12345.f) sink = v;
}
// No shared memory: every thread reads one value of the row's and one of the column's strip for each step.
__global__ void direct(const float* a, const float* b, Note* notes, int steps, int width, int) {
  int t = threadIdx.x;
  long long c0;
  Note& n = notes[blockIdx.x];
  if (t == 0) begin(n, c0);
  const float* p = a + (size_t)(blockIdx.x / width) % 64 * steps * 16 + (t / 16) * steps;
  const float* q = b + (size_t)(blockIdx.x % width) * 16 + t % 16;
  float v = 0;
  for (int m = 0; m < kMarks; ++m) {
#pragma unroll 4
    for (int k = m * (steps / kMarks); k < (m + 1) * (steps / kMarks); ++k)
      v += p[k] * q[(size_t)k * width * 16];
    if (t == 0) n.marks[m] = (unsigned)(clock64() - c0);
  }
  if (v == 12345.f) sink = v;
}
int main(int, char** argv) {
  float *a, *b;
  CHECK(cudaMalloc(&a, 64 << 20));
  CHECK(cudaMalloc(&b, 64 << 20));
  CHECK(cudaMemset(a, 0, 64 << 20));
  CHECK(cudaMemset(b, 0, 64 << 20));
  const int rounds = 12;
  Note* d;
  CHECK(cudaMalloc(&d, sizeof(Note) * 132 * 8 * rounds));
  FILE* out = fopen(argv[1], "wb");
  for (int kind = 0; kind < 3; ++kind)
    for (int r : {1, 2, 4, 8})
      for (int work : {4, 16, 64}) {
        if (kind == 2 && work != 4) continue;
        auto k = kind == 0 ? tiles<1> : kind == 1 ? tiles<0> : direct;
        int smem = r == 8 ? 0 : r == 1 ? 180 << 10 : (220 << 10) / r - 4096;
        CHECK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 180 << 10));
        int steps = kind == 2 ? 2048 : 128, width = 128, blocks = 132 * r * rounds;
        for (int i = 0; i < 2; ++i) k<<<blocks, 256, smem>>>(a, b, d, steps, width, work);
        CHECK(cudaDeviceSynchronize());
        std::vector<Note> h(blocks);
        CHECK(cudaMemcpy(h.data(), d, sizeof(Note) * blocks, cudaMemcpyDeviceToHost));
        int head[4] = {kind, r, work, blocks};
        fwrite(head, 4, 4, out);
        fwrite(h.data(), sizeof(Note), blocks, out);
      }
  fclose(out);
}
