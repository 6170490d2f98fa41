// Which NaN comes out of arithmetic on NaNs: prints operation, operands and result as bits.
#include <cstdio>

#define DOUBLE(name, code)                                            \
  {                                                                   \
    unsigned long long r;                                             \
    asm volatile(code : "=l"(r) : "l"(a), "l"(b), "l"(c));            \
    printf("%s,%016llx,%016llx,%016llx,%016llx\n", name, a, b, c, r); \
  }
#define SINGLE(name, code)                                    \
  {                                                           \
    unsigned r;                                               \
    asm volatile(code : "=r"(r) : "r"(fa), "r"(fb), "r"(fc)); \
    printf("%s,%08x,%08x,%08x,%08x\n", name, fa, fb, fc, r);  \
  }

__global__ void probe(unsigned long long a, unsigned long long b, unsigned long long c, unsigned fa,
                      unsigned fb, unsigned fc) {
  DOUBLE("add.f64", "{ .reg .f64 x, y; mov.b64 x, %1; mov.b64 y, %2; add.f64 x, x, y; mov.b64 %0, x; }")
  DOUBLE("sub.f64", "{ .reg .f64 x, y; mov.b64 x, %1; mov.b64 y, %2; sub.f64 x, x, y; mov.b64 %0, x; }")
  DOUBLE("mul.f64", "{ .reg .f64 x, y; mov.b64 x, %1; mov.b64 y, %2; mul.f64 x, x, y; mov.b64 %0, x; }")
  DOUBLE("fma.f64",
         "{ .reg .f64 x, y, z; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; fma.rn.f64 x, x, y, z; mov.b64 "
         "%0, x; }")
  DOUBLE("min.f64", "{ .reg .f64 x, y; mov.b64 x, %1; mov.b64 y, %2; min.f64 x, x, y; mov.b64 %0, x; }")
  DOUBLE("div.f64", "{ .reg .f64 x, y; mov.b64 x, %1; mov.b64 y, %2; div.rn.f64 x, x, y; mov.b64 %0, x; }")
  DOUBLE("sqrt.f64", "{ .reg .f64 x; mov.b64 x, %1; sqrt.rn.f64 x, x; mov.b64 %0, x; }")
  SINGLE("add.f32", "{ .reg .f32 x, y; mov.b32 x, %1; mov.b32 y, %2; add.f32 x, x, y; mov.b32 %0, x; }")
  SINGLE("mul.f32", "{ .reg .f32 x, y; mov.b32 x, %1; mov.b32 y, %2; mul.f32 x, x, y; mov.b32 %0, x; }")
  SINGLE("fma.f32",
         "{ .reg .f32 x, y, z; mov.b32 x, %1; mov.b32 y, %2; mov.b32 z, %3; fma.rn.f32 x, x, y, z; mov.b32 "
         "%0, x; }")
}

int main() {
  const unsigned long long one = 0x3ff0000000000000, quiet = 0x7ff8000000001111, other = 0xfff8000000002222,
                           signaling = 0x7ff0000000003333, third = 0x7ff8000000004444,
                           infinite = 0x7ff0000000000000;
  const unsigned f = 0x7fc01111, g = 0xffc02222, s = 0x7f803333, t = 0x7fc04444, u = 0x3f800000;
  printf("operation,a,b,c,result\n");
  probe<<<1, 1>>>(quiet, other, third, f, g, t);
  probe<<<1, 1>>>(other, quiet, one, g, f, u);
  probe<<<1, 1>>>(one, other, third, u, g, t);
  probe<<<1, 1>>>(one, one, other, u, u, g);
  probe<<<1, 1>>>(other, one, one, g, u, u);
  probe<<<1, 1>>>(signaling, one, one, s, u, u);
  probe<<<1, 1>>>(one, signaling, quiet, u, s, f);
  probe<<<1, 1>>>(quiet, one, third, f, u, t);
  probe<<<1, 1>>>(third, one, quiet, t, u, f);
  probe<<<1, 1>>>(one, quiet, other, u, f, g);
  probe<<<1, 1>>>(infinite, 0, other, 0x7f800000, 0, g);
  probe<<<1, 1>>>(infinite, 0, one, 0x7f800000, 0, u);
  return cudaDeviceSynchronize() != cudaSuccess;
}
