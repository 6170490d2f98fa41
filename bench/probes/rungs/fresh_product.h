// Products of fresh_products.cu and bf16_plans.cu: operands, their reference, cuBLAS's call.
#pragma once
#include "fresh.h"

__global__ void to_bf16(const float* from, Bf* to, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    to[i] = __float2bfloat16_rn(from[i]);
}
/// Both operands as bfloat16.
static void bfloat16s() {
  for (float* operand : {fa, fb}) {
    fill_random<<<1024, 256>>>(fc, kMost + 4096, operand == fa ? 15 : 16);
    to_bf16<<<1024, 256>>>(fc, (Bf*)operand, kMost + 4096);
  }
}

/// The three operands of a product; `unit` of A and B, `unit_c` of C.
struct Product {
  Lies a, b, c;
  int64_t m() const { return c.rows; }
  int64_t n() const { return c.columns; }
  int64_t k() const { return a.columns; }
};
template <class T>
static void make_reference(const Product& p) {
  const double one = 1, zero = 0;
  for (int absolute = 0; absolute < 2; ++absolute) {
    gather<<<1024, 256>>>((const T*)fa + p.a.first, da, p.m(), p.k(), p.a.stride, p.a.by_columns, absolute);
    gather<<<1024, 256>>>((const T*)fb + p.b.first, db, p.k(), p.n(), p.b.stride, p.b.by_columns, absolute);
    CB(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, (int)p.n(), (int)p.m(), (int)p.k(), &one, db, (int)p.n(), da,
                   (int)p.k(), &zero, absolute ? mag : ref, (int)p.n()));
  }
}
/// What cuBLAS, for which all lies by columns, is asked for.
template <class T, class OUT>
static void gemm(const Product& p, cudaDataType in, cudaDataType out) {
  const float one = 1, zero = 0;
  const bool turn = !p.c.by_columns;  // Cᵀ = Bᵀ·Aᵀ
  const Lies &l = turn ? p.b : p.a, &r = turn ? p.a : p.b;
  const T *left = (const T*)(turn ? fb : fa) + l.first, *right = (const T*)(turn ? fa : fb) + r.first;
  OUT* c = (OUT*)fc + kAround + p.c.first;
  const auto op = [&](const Lies& x) { return x.by_columns != turn ? CUBLAS_OP_N : CUBLAS_OP_T; };
  const int m = (int)(turn ? p.n() : p.m()), n = (int)(turn ? p.m() : p.n()), k = (int)p.k();
  if (in == CUDA_R_32F)
    CB(cublasSgemm(h, op(l), op(r), m, n, k, &one, (const float*)left, (int)l.stride, (const float*)right,
                   (int)r.stride, &zero, (float*)c, (int)p.c.stride));
  else
    CB(cublasGemmEx(h, op(l), op(r), m, n, k, &one, left, in, (int)l.stride, right, in, (int)r.stride, &zero,
                    c, out, (int)p.c.stride, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

/// M:N:K:LAYOUTS (of A, B and C, r or c each), without padding.
static bool parse_shape(const char* text, Product& p) {
  long m, n, k;
  char by[4] = {};
  if (sscanf(text, "%ld:%ld:%ld:%3s", &m, &n, &k, by) != 4 || strlen(by) != 3) return false;
  if (const size_t most = std::max({m * k, k * n, m * n}); most > kMost) {
    fprintf(stderr, "%s: a matrix has %zu elements, this probe has room for %zu\n", text, most, kMost);
    exit(2);
  }
  const auto tight = [](long rows, long columns, char layout) {
    return Lies{rows, columns, layout == 'c', layout == 'c' ? rows : columns, 0};
  };
  p = {tight(m, k, by[0]), tight(k, n, by[1]), tight(m, n, by[2])};
  return true;
}
