// Products of tiles by warps (Programming Guide, Warp Matrix Functions): nvcuda::wmma with its fragments of
// half, bfloat16, tf32, 8-bit integers and double. Each call is one wmma instruction.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__CUDA__)
namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment;

namespace ww {
template <class T, int count>
struct elements {
  typedef T element_type;
  typedef T storage_element_type;
  enum { num_elements = count, num_storage_elements = count };
  T x[count];
};
// Elements as the registers that an instruction names, and back.
template <class R, class F>
__device__ __inline__ void to_registers(R* r, const F& f) {
  __builtin_memcpy(r, f.x, sizeof f.x);
}
template <class R, class F>
__device__ __inline__ void from_registers(F& f, const R* r) {
  __builtin_memcpy(f.x, r, sizeof f.x);
}
}  // namespace ww

template <class Use, int m, int n, int k, class T, class Layout>
__device__ __inline__ void fill_fragment(
    fragment<Use, m, n, k, T, Layout>& f,
    typename fragment<Use, m, n, k, T, Layout>::storage_element_type value) {
  for (int i = 0; i < f.num_elements; i++) f.x[i] = value;
}
__device__ __inline__ float __float_to_tf32(float v) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
  return __uint_as_float(bits);
}

// Lists of registers: as an instruction names them, and as it takes them, `c` being the constraint.
#define WW_N1(x) "{%[" #x "0]}"
#define WW_N2(x) "{%[" #x "0],%[" #x "1]}"
#define WW_N4(x) "{%[" #x "0],%[" #x "1],%[" #x "2],%[" #x "3]}"
#define WW_N8(x) "{%[" #x "0],%[" #x "1],%[" #x "2],%[" #x "3],%[" #x "4],%[" #x "5],%[" #x "6],%[" #x "7]}"
#define WW_R1(x, c) [x##0] c(x[0])
#define WW_R2(x, c) WW_R1(x, c), [x##1] c(x[1])
#define WW_R4(x, c) WW_R2(x, c), [x##2] c(x[2]), [x##3] c(x[3])
#define WW_R8(x, c) WW_R4(x, c), [x##4] c(x[4]), [x##5] c(x[5]), [x##6] c(x[6]), [x##7] c(x[7])

// A factor: T as the program names it, E its elements as they are stored, S its instruction's type, R and c
// its registers' type and constraint, `count` elements in `n` registers.
#define WW_FACTOR_IN(use, letter, M, N, K, T, E, S, R, c, count, n, layout, word)               \
  template <>                                                                                   \
  class fragment<use, M, N, K, T, layout> : public ww::elements<E, count> {};                   \
  __device__ __inline__ void load_matrix_sync(fragment<use, M, N, K, T, layout>& f, const E* p, \
                                              unsigned lead) {                                  \
    R r[n];                                                                                     \
    asm volatile("wmma.load." letter ".sync.aligned." word ".m" #M "n" #N "k" #K "." S          \
                 " " WW_N##n(r) ", [%[p]], %[l];"                                               \
                 : WW_R##n(r, "=" c)                                                            \
                 : [p] "l"(p), [l] "r"(lead)                                                    \
                 : "memory");                                                                   \
    ww::from_registers(f, r);                                                                   \
  }
#define WW_FACTOR(use, letter, M, N, K, T, E, S, R, c, count, n)                \
  WW_FACTOR_IN(use, letter, M, N, K, T, E, S, R, c, count, n, row_major, "row") \
  WW_FACTOR_IN(use, letter, M, N, K, T, E, S, R, c, count, n, col_major, "col")

// An accumulator of T in `n` registers.
#define WW_SUMS_IN(M, N, K, T, S, R, c, count, n, word)                        \
  if (layout == mem_##word##_major)                                            \
    asm volatile("wmma.load.c.sync.aligned." #word ".m" #M "n" #N "k" #K "." S \
                 " " WW_N##n(r) ", [%[p]], %[l];"                              \
                 : WW_R##n(r, "=" c)                                           \
                 : [p] "l"(p), [l] "r"(lead)                                   \
                 : "memory");
#define WW_SUMS_OUT(M, N, K, T, S, R, c, count, n, word)                        \
  if (layout == mem_##word##_major)                                             \
    asm volatile("wmma.store.d.sync.aligned." #word ".m" #M "n" #N "k" #K "." S \
                 " [%[p]], " WW_N##n(r) ", %[l];" ::WW_R##n(r, c),              \
                 [p] "l"(p), [l] "r"(lead)                                      \
                 : "memory");
#define WW_SUMS(M, N, K, T, S, R, c, count, n)                                                   \
  template <>                                                                                    \
  class fragment<accumulator, M, N, K, T> : public ww::elements<T, count> {};                    \
  __device__ __inline__ void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* p,  \
                                              unsigned lead, layout_t layout) {                  \
    R r[n];                                                                                      \
    WW_SUMS_IN(M, N, K, T, S, R, c, count, n, row)                                               \
    WW_SUMS_IN(M, N, K, T, S, R, c, count, n, col)                                               \
    ww::from_registers(f, r);                                                                    \
  }                                                                                              \
  __device__ __inline__ void store_matrix_sync(T* p, const fragment<accumulator, M, N, K, T>& f, \
                                               unsigned lead, layout_t layout) {                 \
    R r[n];                                                                                      \
    ww::to_registers(r, f);                                                                      \
    WW_SUMS_OUT(M, N, K, T, S, R, c, count, n, row)                                              \
    WW_SUMS_OUT(M, N, K, T, S, R, c, count, n, col)                                              \
  }

// D = A B + C; `types` as the instruction ends.
#define WW_MMA_IN(M, N, K, T, RA, ca, na, nb, TD, RD, cd, nd, TC, RC, cc, nc, types, la, wa, lb, wb) \
  __device__ __inline__ void mma_sync(fragment<accumulator, M, N, K, TD>& fd,                        \
                                      const fragment<matrix_a, M, N, K, T, la>& fa,                  \
                                      const fragment<matrix_b, M, N, K, T, lb>& fb,                  \
                                      const fragment<accumulator, M, N, K, TC>& fc, bool = false) {  \
    RA a[na], b[nb];                                                                                 \
    RC s[nc];                                                                                        \
    RD d[nd];                                                                                        \
    ww::to_registers(a, fa), ww::to_registers(b, fb), ww::to_registers(s, fc);                       \
    asm volatile("wmma.mma.sync.aligned." wa "." wb ".m" #M "n" #N "k" #K types                      \
                 " " WW_N##nd(d) ", " WW_N##na(a) ", " WW_N##nb(b) ", " WW_N##nc(s) ";"              \
                 : WW_R##nd(d, "=" cd)                                                               \
                 : WW_R##na(a, ca), WW_R##nb(b, ca), WW_R##nc(s, cc));                               \
    ww::from_registers(fd, d);                                                                       \
  }
#define WW_MMA(...)                                          \
  WW_MMA_IN(__VA_ARGS__, row_major, "row", row_major, "row") \
  WW_MMA_IN(__VA_ARGS__, row_major, "row", col_major, "col") \
  WW_MMA_IN(__VA_ARGS__, col_major, "col", row_major, "row") \
  WW_MMA_IN(__VA_ARGS__, col_major, "col", col_major, "col")

// Half: 16 elements of each factor in 8 registers, in all three shapes.
#define WW_HALF(M, N, K)                                                                                   \
  WW_FACTOR(matrix_a, "a", M, N, K, __half, __half, "f16", unsigned, "r", 16, 8)                           \
  WW_FACTOR(matrix_b, "b", M, N, K, __half, __half, "f16", unsigned, "r", 16, 8)                           \
  WW_SUMS(M, N, K, float, "f32", float, "f", 8, 8)                                                         \
  WW_SUMS(M, N, K, __half, "f16", unsigned, "r", 8, 4)                                                     \
  WW_MMA(M, N, K, __half, unsigned, "r", 8, 8, float, float, "f", 8, float, float, "f", 8, ".f32.f32")     \
  WW_MMA(M, N, K, __half, unsigned, "r", 8, 8, __half, unsigned, "r", 4, __half, unsigned, "r", 4,         \
         ".f16.f16")                                                                                       \
  WW_MMA(M, N, K, __half, unsigned, "r", 8, 8, float, float, "f", 8, __half, unsigned, "r", 4, ".f32.f16") \
  WW_MMA(M, N, K, __half, unsigned, "r", 8, 8, __half, unsigned, "r", 4, float, float, "f", 8, ".f16.f32")
WW_HALF(16, 16, 16)
WW_HALF(32, 8, 16)
WW_HALF(8, 32, 16)
#undef WW_HALF

#if __CUDA_ARCH__ >= 720 || !defined(__CUDA_ARCH__)
#define WW_BYTES(M, N, K, T, S, ca, na, cb, nb)                     \
  WW_FACTOR(matrix_a, "a", M, N, K, T, T, S, unsigned, "r", ca, na) \
  WW_FACTOR(matrix_b, "b", M, N, K, T, T, S, unsigned, "r", cb, nb) \
  WW_MMA(M, N, K, T, unsigned, "r", na, nb, int, int, "r", 8, int, int, "r", 8, ".s32." S "." S ".s32")
#define WW_BYTES_OF(M, N, K, ca, na, cb, nb)           \
  WW_SUMS(M, N, K, int, "s32", int, "r", 8, 8)         \
  WW_BYTES(M, N, K, signed char, "s8", ca, na, cb, nb) \
  WW_BYTES(M, N, K, unsigned char, "u8", ca, na, cb, nb)
WW_BYTES_OF(16, 16, 16, 8, 2, 8, 2)
WW_BYTES_OF(32, 8, 16, 16, 4, 4, 1)
WW_BYTES_OF(8, 32, 16, 4, 1, 16, 4)
#undef WW_BYTES_OF
#undef WW_BYTES
#endif

#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
#define WW_BFLOAT(M, N, K, ca, na, cb, nb)                                                          \
  WW_FACTOR(matrix_a, "a", M, N, K, __nv_bfloat16, __nv_bfloat16, "bf16", unsigned, "r", ca, na)    \
  WW_FACTOR(matrix_b, "b", M, N, K, __nv_bfloat16, __nv_bfloat16, "bf16", unsigned, "r", cb, nb)    \
  WW_MMA(M, N, K, __nv_bfloat16, unsigned, "r", na, nb, float, float, "f", 8, float, float, "f", 8, \
         ".f32.bf16.bf16.f32")
WW_BFLOAT(16, 16, 16, 8, 4, 8, 4)
WW_BFLOAT(32, 8, 16, 16, 8, 4, 2)
WW_BFLOAT(8, 32, 16, 4, 2, 16, 8)
#undef WW_BFLOAT
WW_FACTOR(matrix_a, "a", 16, 16, 8, precision::tf32, float, "tf32", unsigned, "r", 4, 4)
WW_FACTOR(matrix_b, "b", 16, 16, 8, precision::tf32, float, "tf32", unsigned, "r", 4, 4)
WW_SUMS(16, 16, 8, float, "f32", float, "f", 8, 8)
WW_MMA(16, 16, 8, precision::tf32, unsigned, "r", 4, 4, float, float, "f", 8, float, float, "f", 8,
       ".f32.tf32.tf32.f32")
WW_FACTOR(matrix_a, "a", 8, 8, 4, double, double, "f64", double, "d", 1, 1)
WW_FACTOR(matrix_b, "b", 8, 8, 4, double, double, "f64", double, "d", 1, 1)
WW_SUMS(8, 8, 4, double, "f64", double, "d", 2, 2)
WW_MMA(8, 8, 4, double, double, "d", 1, 1, double, double, "d", 2, double, double, "d", 2, ".f64.f64.f64.f64")
#endif

#undef WW_MMA
#undef WW_MMA_IN
#undef WW_SUMS
#undef WW_SUMS_OUT
#undef WW_SUMS_IN
#undef WW_FACTOR
#undef WW_FACTOR_IN
#undef WW_R8
#undef WW_R4
#undef WW_R2
#undef WW_R1
#undef WW_N8
#undef WW_N4
#undef WW_N2
#undef WW_N1

}  // namespace wmma
}  // namespace nvcuda
#endif
