// What integer division and remainder by zero give, which the PTX manual leaves open: instruction, dividend,
// result, as CSV. nvcc -arch=sm_90 by_zero.cu && ./a.out
#include <cstdio>

#define EACH(F, type, T, c) F(div, type, T, c) F(rem, type, T, c)
#define KERNEL(op, type, T, c)                                                                            \
  __global__ void op##_##type(const T* a, const T* b, T* out) {                                           \
    T result;                                                                                             \
    asm volatile(#op "." #type " %0, %1, %2;" : "=" #c(result) : #c(a[threadIdx.x]), #c(b[threadIdx.x])); \
    out[threadIdx.x] = result;                                                                            \
  }
#define ALL(F)                    \
  EACH(F, s16, short, h)          \
  EACH(F, u16, unsigned short, h) \
  EACH(F, s32, int, r)            \
  EACH(F, u32, unsigned, r) EACH(F, s64, long long, l) EACH(F, u64, unsigned long long, l)
ALL(KERNEL)

template <class T>
void show(const char* name, void (*kernel)(const T*, const T*, T*)) {
  constexpr int kCases = 8;
  const unsigned long long low = 1ull << (8 * sizeof(T) - 1);
  const T values[kCases] = {0, 1, 7, T(-1), T(-7), T(low), T(low - 1), T(0x1234)};
  T *a, *b, *out;
  cudaMallocManaged(&a, sizeof values), cudaMallocManaged(&b, sizeof values),
      cudaMallocManaged(&out, sizeof values);
  for (int k = 0; k < kCases; ++k) a[k] = values[k], b[k] = 0;
  kernel<<<1, kCases>>>(a, b, out);
  cudaDeviceSynchronize();
  for (int k = 0; k < kCases; ++k) {
    const unsigned long long mask = ~0ull >> (64 - 8 * sizeof(T));
    std::printf("%s,0x%llx,0x%llx\n", name, (unsigned long long)values[k] & mask,
                (unsigned long long)out[k] & mask);
  }
}

int main() {
  std::puts("instruction,dividend,result");
#define SHOW(op, type, T, c) show<T>(#op "." #type, op##_##type);
  ALL(SHOW)
}
