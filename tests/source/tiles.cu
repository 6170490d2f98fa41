// Tensor cores by nvcuda::wmma, and bfloat16: small whole numbers, so that every sum is exact.
// expect: half 0
// expect: bfloat16 0
// expect: bytes 0
// expect: tf32 0
// expect: double 0
// expect: conversions 0
// expect: arithmetic 0
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <type_traits>

using namespace nvcuda;

template <class T, class E, class TD, class TC, int m, int n, int k, class LA, class LB>
__global__ void multiply(const E* a, const E* b, const TC* c, TD* d, int lead_a, int lead_b,
                         wmma::layout_t layout, int lead) {
  wmma::fragment<wmma::matrix_a, m, n, k, T, LA> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LB> fb;
  wmma::fragment<wmma::accumulator, m, n, k, TC> fc;
  wmma::fragment<wmma::accumulator, m, n, k, TD> fd;
  wmma::load_matrix_sync(fa, a, lead_a);
  wmma::load_matrix_sync(fb, b, lead_b);
  wmma::load_matrix_sync(fc, c, lead, layout);
  wmma::fill_fragment(fd, TD(7.0f));
  wmma::mma_sync(fd, fa, fb, fc);
  for (int i = 0; i < fd.num_elements; i++) fd.x[i] = fd.x[i] + fd.x[i];
  wmma::store_matrix_sync(d, fd, lead, layout);
}

template <class T>
T* room(int n) {
  T* p;
  cudaMallocManaged(&p, n * sizeof(T));
  return p;
}

/// How many elements of 2 (A B + C) are wrong.
template <class T, class E, class TD, class TC, int m, int n, int k, class LA, class LB>
int wrong_in(wmma::layout_t layout) {
  constexpr bool by_rows_a = std::is_same<LA, wmma::row_major>::value,
                 by_rows_b = std::is_same<LB, wmma::row_major>::value;
  const int lead_a = (by_rows_a ? k : m) + 16, lead_b = (by_rows_b ? n : k) + 16;
  const int lead = (layout == wmma::mem_row_major ? n : m) + 8;
  E *a = room<E>(48 * 48), *b = room<E>(48 * 48);
  TC* c = room<TC>(48 * 48);
  TD* d = room<TD>(48 * 48);
  for (int i = 0; i < 48 * 48; i++) a[i] = E(i * 7 % 5), b[i] = E(i * 11 % 7), c[i] = TC(i % 9), d[i] = TD(0);
  multiply<T, E, TD, TC, m, n, k, LA, LB><<<1, 32>>>(a, b, c, d, lead_a, lead_b, layout, lead);
  int wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      const int at = layout == wmma::mem_row_major ? i * lead + j : i + j * lead;
      float sum = float(c[at]);
      for (int l = 0; l < k; l++)
        sum += float(a[by_rows_a ? i * lead_a + l : i + l * lead_a]) *
               float(b[by_rows_b ? l * lead_b + j : l + j * lead_b]);
      wrong += float(d[at]) != 2 * sum;
    }
  cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
  return wrong;
}
template <class T, class E, class TD, class TC, int m, int n, int k>
int wrong() {
  int all = 0;
  for (auto layout : {wmma::mem_row_major, wmma::mem_col_major}) {
    all += wrong_in<T, E, TD, TC, m, n, k, wmma::row_major, wmma::col_major>(layout);
    all += wrong_in<T, E, TD, TC, m, n, k, wmma::row_major, wmma::row_major>(layout);
    all += wrong_in<T, E, TD, TC, m, n, k, wmma::col_major, wmma::col_major>(layout);
    all += wrong_in<T, E, TD, TC, m, n, k, wmma::col_major, wmma::row_major>(layout);
  }
  return all;
}
template <class T, class TD, class TC>
int wrong_shapes() {
  return wrong<T, T, TD, TC, 16, 16, 16>() + wrong<T, T, TD, TC, 32, 8, 16>() +
         wrong<T, T, TD, TC, 8, 32, 16>();
}

// bfloat16: what is computed, next to the same in float, rounded.
__global__ void conversions(const float* in, unsigned short* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __bfloat16_as_ushort(__float2bfloat16(in[i]));
}
static unsigned short rounded(float f) {  // halves to even, as the manual says of _rn
  unsigned bits;
  std::memcpy(&bits, &f, 4);
  if (f != f) return 0x7fff;
  const unsigned low = bits & 0xffff, high = bits >> 16;
  return (unsigned short)(high + (low > 0x8000 || (low == 0x8000 && high & 1)));
}
__global__ void arithmetic(const __nv_bfloat16* a, const __nv_bfloat162* pairs, float* out) {
  const int i = threadIdx.x;
  const __nv_bfloat16 x = a[i], y = a[i + 1];
  out[i * 12 + 0] = __bfloat162float(x + y);
  out[i * 12 + 1] = __bfloat162float(__hsub(x, y));
  out[i * 12 + 2] = __bfloat162float(x * y);
  out[i * 12 + 3] = __bfloat162float(__hfma(x, y, x));
  out[i * 12 + 4] = x < y;
  out[i * 12 + 5] = __bfloat162float(__hmax(x, y));
  const __nv_bfloat162 p = __hadd2(pairs[i], __bfloat162bfloat162(y));
  out[i * 12 + 6] = __low2float(p);
  out[i * 12 + 7] = __high2float(p);
  out[i * 12 + 8] = __bfloat162float(__shfl_xor_sync(~0u, x, 1));
  out[i * 12 + 9] = __bfloat162float(__hneg(x));
  const float2 both = __bfloat1622float2(__floats2bfloat162_rn(1.5f, float(i)));
  out[i * 12 + 10] = both.x + both.y;
  out[i * 12 + 11] = __bfloat162float(hsqrt(__float2bfloat16(float(i * i))));
}

int main() {
  printf("half %d\n", wrong_shapes<__half, float, float>() + wrong_shapes<__half, __half, __half>() +
                          wrong_shapes<__half, float, __half>() + wrong_shapes<__half, __half, float>());
  printf("bfloat16 %d\n", wrong_shapes<__nv_bfloat16, float, float>());
  printf("bytes %d\n", wrong_shapes<signed char, int, int>() + wrong_shapes<unsigned char, int, int>());
  printf("tf32 %d\n", wrong<wmma::precision::tf32, float, float, float, 16, 16, 8>());
  printf("double %d\n", wrong<double, double, double, double, 8, 8, 4>());
  const int n = 1024;
  float* in = room<float>(n);
  auto* bits = room<unsigned short>(n);
  for (int i = 0; i < n; i++) {
    unsigned b = i * 4194301u + (i % 3 == 0 ? 0x8000 : i % 3) - (i & 0x8000);
    std::memcpy(&in[i], &b, 4);
  }
  conversions<<<4, 256>>>(in, bits);
  cudaDeviceSynchronize();
  int bad = 0;
  for (int i = 0; i < n; i++)
    bad += bits[i] != rounded(in[i]) ||
           (in[i] == in[i] && __bfloat16_as_ushort(__float2bfloat16(in[i])) != rounded(in[i]));
  printf("conversions %d\n", bad);
  auto* a = room<__nv_bfloat16>(33);
  auto* pairs = room<__nv_bfloat162>(32);
  float* out = room<float>(32 * 12);
  for (int i = 0; i < 33; i++) a[i] = __float2bfloat16(i * 0.37f - 5);
  for (int i = 0; i < 32; i++) pairs[i] = __floats2bfloat162_rn(float(i), -2.0f * i);
  arithmetic<<<1, 32>>>(a, pairs, out);
  bad = cudaDeviceSynchronize() != cudaSuccess;
  const auto near = [](double v) { return __bfloat162float(__float2bfloat16(float(v))); };
  for (int i = 0; i < 32; i++) {
    const float x = __bfloat162float(a[i]), y = __bfloat162float(a[i + 1]), o = __bfloat162float(a[i ^ 1]);
    const float want[12] = {near(x + y),
                            near(x - y),
                            near(double(x) * y),
                            near(double(x) * y + x),
                            float(x < y),
                            std::fmax(x, y),
                            near(i + y),
                            near(-2.0f * i + y),
                            o,
                            -x,
                            1.5f + near(i),
                            near(near(std::sqrt(near(i * i))))};
    for (int k = 0; k < 12; k++)
      if (out[i * 12 + k] != want[k]) bad++, printf("%d %d: %g, not %g\n", i, k, out[i * 12 + k], want[k]);
  }
  printf("arithmetic %d\n", bad);
}
