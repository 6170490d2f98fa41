// Latencies: one thread follows a chain in which every step needs the one before, between two readings of the SM's clock.
// out[0] is the clocks of `steps` steps, out[1] where the chain ended (so that nothing is left out by the compiler).

__device__ inline unsigned long long clocks() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

// Every element of the ring holds the address of the next one.
#define CHASE(NAME, LOAD)                                                                                           \
  __device__ inline unsigned long long NAME##_walk(unsigned long long at, unsigned steps) {                         \
    for (unsigned i = 0; i < steps; ++i) asm volatile(LOAD " %0, [%0];" : "+l"(at)::"memory");                      \
    return at;                                                                                                      \
  }                                                                                                                 \
  extern "C" __global__ void calibrate_##NAME(unsigned long long ring, unsigned warm, unsigned steps,               \
                                              unsigned long long* out) {                                            \
    unsigned long long at = NAME##_walk(ring, warm);                                                                \
    const unsigned long long start = clocks();                                                                      \
    at = NAME##_walk(at, steps);                                                                                    \
    out[0] = clocks() - start;                                                                                      \
    out[1] = at;                                                                                                    \
  }
CHASE(chase_all, "ld.global.ca.u64")  // through L1
CHASE(chase_l2, "ld.global.cg.u64")   // L2 and beyond

extern "C" __global__ void calibrate_chase_shared(unsigned elements, unsigned steps, unsigned long long* out) {
  __shared__ volatile unsigned ring[1024];
  for (unsigned i = 0; i < elements; ++i) ring[i] = (i + 33) % elements;
  unsigned at = 0;
  const unsigned long long start = clocks();
  for (unsigned i = 0; i < steps; ++i) at = ring[at];
  out[0] = clocks() - start;
  out[1] = at;
}

// 64 dependent multiply-adds per loop; a = 1 and b = 1 count them.
extern "C" __global__ void calibrate_chain_fp32(float a, float b, unsigned loops, unsigned long long* out) {
  float x = 0;
  const unsigned long long start = clocks();
  for (unsigned i = 0; i < loops; ++i) {
#pragma unroll
    for (int k = 0; k < 64; ++k) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
  }
  out[0] = clocks() - start;
  out[1] = static_cast<unsigned long long>(x);
}
