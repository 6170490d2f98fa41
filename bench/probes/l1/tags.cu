// Clocks of loads from L1 that touch one to eight lines, whose words share no bank of the data: what is left
// is how often the tags are looked up. Eight warps of one block, 32 loads each, and a barrier; about 2.5
// clocks for a load hide two lookups, every further one adds a clock.
//
//   tags FOLDER      nvcc -arch=sm_90 -O3
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
constexpr int kLoads = 32;
__device__ float sink;
// kParts lines for an access, each read by 32 / kParts lanes at words of their own. `span` is 0, which the
// compiler does not know.
template <int kParts>
__global__ void passes(const float* base, const uint16_t* lines, unsigned tuples, uint16_t* clocks,
                       int span) {
  const int lane = threadIdx.x % 32;
  float sum = 0;
  for (unsigned t = blockIdx.x; t < tuples; t += gridDim.x) {
    const float* p = base + 32 * (size_t)lines[t * kParts + lane / (32 / kParts)] + lane;
    float v;
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p));
    sum += v;
    __syncthreads();
    long long t0 = clock64();
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p + (size_t)i * span));
      sum += v;
    }
    if (__syncthreads_or(sum == 12345.678f)) sink = sum;
    long long t1 = clock64();
    if (threadIdx.x == 0) clocks[t] = (uint16_t)(t1 - t0);
    __syncthreads();
  }
  if (sum == 12345.678f) sink = sum;
}
int main(int argc, char** argv) {
  const char* out = argv[1];
  float* base;
  CHECK(cudaMalloc(&base, 64 << 20));
  CHECK(cudaMemset(base, 0, 64 << 20));
  printf("base %p\n", (void*)base);
  auto run = [&](int parts, const std::vector<uint16_t>& lines, const char* name, const float* at) {
    unsigned tuples = lines.size() / parts;
    uint16_t *d, *c;
    CHECK(cudaMalloc(&d, lines.size() * 2));
    CHECK(cudaMalloc(&c, tuples * 2));
    CHECK(cudaMemcpy(d, lines.data(), lines.size() * 2, cudaMemcpyHostToDevice));
    for (int k = 0; k < 2; ++k) {
      if (parts == 1) passes<1><<<132, 256>>>(at, d, tuples, c, 0);
      if (parts == 2) passes<2><<<132, 256>>>(at, d, tuples, c, 0);
      if (parts == 4) passes<4><<<132, 256>>>(at, d, tuples, c, 0);
      if (parts == 8) passes<8><<<132, 256>>>(at, d, tuples, c, 0);
      CHECK(cudaDeviceSynchronize());
    }
    std::vector<uint16_t> h(tuples);
    CHECK(cudaMemcpy(h.data(), c, tuples * 2, cudaMemcpyDeviceToHost));
    char path[256];
    snprintf(path, sizeof path, "%s/%s.bin", out, name);
    FILE* f = fopen(path, "wb");
    fwrite(lines.data(), 2, lines.size(), f);
    fwrite(h.data(), 2, h.size(), f);
    fclose(f);
    double s = 0;
    for (auto v : h) s += v;
    printf("%s: %u tuples, mean %.1f clocks\n", name, tuples, s / tuples);
    cudaFree(d);
    cudaFree(c);
  };
  std::vector<uint16_t> one, two, twofar, four, eight;
  for (int i = 0; i < 1024; ++i) one.push_back(i);
  for (int i = 0; i < 128; ++i)
    for (int j = 0; j < 1024; ++j) two.push_back(i), two.push_back(j);
  srand(1);
  for (int i = 0; i < 60000; ++i)
    for (int k = 0; k < 2; ++k) twofar.push_back(rand() % 65536);
  for (int i = 0; i < 60000; ++i)
    for (int k = 0; k < 4; ++k) four.push_back(rand() % 1024);
  for (int i = 0; i < 60000; ++i)
    for (int k = 0; k < 8; ++k) eight.push_back(rand() % 1024);
  run(1, one, "one", base);
  run(2, two, "two", base);
  run(2, twofar, "twofar", base);
  run(4, four, "four", base);
  run(8, eight, "eight", base);
  run(2, two, "two_moved", base + 32 * 12345);
}
