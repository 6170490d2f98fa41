// Rates of one SM: a full block repeats one operation on eight independent values; out[0] is the clocks between the barriers
// before and behind it, out[1 …] what keeps the values alive. 64 operations per thread and loop.

__device__ inline unsigned long long clocks() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

#define RATE(NAME, T, CONSTRAINT, OPERATION)                                                                        \
  extern "C" __global__ void calibrate_rate_##NAME(T a, T b, unsigned loops, unsigned long long* out) {             \
    T x[8];                                                                                                         \
    for (int k = 0; k < 8; ++k) x[k] = a + static_cast<T>(threadIdx.x);                                             \
    __syncthreads();                                                                                                \
    const unsigned long long start = clocks();                                                                      \
    for (unsigned i = 0; i < loops; ++i) {                                                                          \
      _Pragma("unroll") for (int j = 0; j < 8; ++j) {                                                               \
        _Pragma("unroll") for (int k = 0; k < 8; ++k)                                                               \
            asm volatile(OPERATION : "+" CONSTRAINT(x[k]) : CONSTRAINT(a), CONSTRAINT(b));                          \
      }                                                                                                             \
    }                                                                                                               \
    __syncthreads();                                                                                                \
    const unsigned long long stop = clocks();                                                                       \
    T sum = 0;                                                                                                      \
    for (int k = 0; k < 8; ++k) sum += x[k];                                                                        \
    out[1 + threadIdx.x] = static_cast<unsigned long long>(sum);                                                    \
    if (threadIdx.x == 0) out[0] = stop - start;                                                                    \
  }
RATE(fp32, float, "f", "fma.rn.f32 %0, %0, %1, %2;")
RATE(fp64, double, "d", "fma.rn.f64 %0, %0, %1, %2;")
RATE(int32, unsigned, "r", "{ .reg .u32 t; add.u32 t, %0, %1; xor.b32 %0, t, %2; }")
RATE(int32_mul, unsigned, "r", "mad.lo.u32 %0, %0, %1, %2;")
RATE(sfu, float, "f", "ex2.approx.ftz.f32 %0, %0;")
