// cublasLt: products by hand, layouts, epilogues; numbers of 8 bits against cuda_fp8.h.
// link: -lcublasLt -lcublas
#include <cublasLt.h>
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

template <class T>
T* room(size_t n) {
  T* p;
  cudaMallocManaged(&p, n * sizeof(T));
  memset(static_cast<void*>(p), 0, n * sizeof(T));
  return p;
}
static int value(int k) { return k * 37 % 11 - 5; }

struct Product {
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t desc;
  Product(cublasComputeType_t compute, cudaDataType scale) {
    cublasLtCreate(&handle);
    cublasLtMatmulDescCreate(&desc, compute, scale);
  }
  ~Product() { cublasLtMatmulDescDestroy(desc), cublasLtDestroy(handle); }
  template <class T>
  void set(cublasLtMatmulDescAttributes_t which, T v) {
    if (cublasLtMatmulDescSetAttribute(desc, which, &v, sizeof v)) printf("attribute %d\n", which);
  }
};
static cublasLtMatrixLayout_t layout(cudaDataType type, int rows, int columns, int lead, bool by_rows = false,
                                     int batch = 1, int64_t stride = 0) {
  cublasLtMatrixLayout_t l;
  cublasLtMatrixLayoutCreate(&l, type, rows, columns, lead);
  cublasLtOrder_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
  cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
  cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
  cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
  return l;
}

constexpr int m = 8, n = 6, k = 10;

/// D = 2 A B + 3 C + bias, relu; A as its transpose, D by rows where asked, two of them.
template <class T, class TD>
int different(const char* name, cudaDataType type, cudaDataType out, cublasComputeType_t compute,
              bool by_rows, cublasLtEpilogue_t epilogue) {
  T *a = room<T>(2 * k * m), *b = room<T>(2 * k * n);
  TD *c = room<TD>(2 * m * n), *d = room<TD>(2 * m * n), *bias = room<TD>(m);
  for (int i = 0; i < 2 * k * m; ++i) a[i] = T(float(value(i)));
  for (int i = 0; i < 2 * k * n; ++i) b[i] = T(float(value(i + 3)));
  for (int i = 0; i < 2 * m * n; ++i) c[i] = TD(float(value(i + 5)));
  for (int i = 0; i < m; ++i) bias[i] = TD(float(100 * value(i + 7)));
  Product p(compute, compute == CUBLAS_COMPUTE_32I ? CUDA_R_32I : CUDA_R_32F);
  p.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  p.set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
  if (epilogue & 4) p.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(bias));
  auto la = layout(type, k, m, k, false, 2, k * m), lb = layout(type, k, n, k, false, 2, k * n);
  auto lc = layout(out, m, n, by_rows ? n : m, by_rows, 2, m * n);
  float two = 2, three = 3;
  int itwo = 2, ithree = 3;
  const void *alpha = &two, *beta = &three;
  if (compute == CUBLAS_COMPUTE_32I) alpha = &itwo, beta = &ithree;
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulPreferenceCreate(&preference);
  size_t workspace = 1 << 20;
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                       sizeof workspace);
  cublasLtMatmulHeuristicResult_t result;
  int found = 0;
  int status =
      cublasLtMatmulAlgoGetHeuristic(p.handle, p.desc, la, lb, lc, lc, preference, 1, &result, &found);
  if (status || found != 1 || result.state || result.workspaceSize > workspace)
    printf("%s: heuristic %d %d\n", name, status, found);
  status =
      cublasLtMatmul(p.handle, p.desc, alpha, a, la, b, lb, beta, c, lc, d, lc, &result.algo, nullptr, 0, 0);
  if (status) printf("%s: %d\n", name, status);
  int wrong = 0;
  for (int batch = 0; batch < 2; ++batch)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l)
          sum += float(a[batch * k * m + l + i * k]) * float(b[batch * k * n + l + j * k]);
        const int at = batch * m * n + (by_rows ? i * n + j : i + j * m);
        double v = 2 * sum + 3 * float(c[at]);
        if (epilogue & 4) v += float(bias[i]);
        if (epilogue & 2 && v < 0) v = 0;
        wrong += float(d[at]) != float(TD(float(v)));
      }
  if (wrong) printf("%s: %d wrong\n", name, wrong);
  return wrong;
}

/// Where the orders of whole numbers put elements, by what cublasLt.h says of them: (1, 33), (3, 13), (9, 5).
static void places(cublasLtHandle_t handle) {
  const cublasLtOrder_t orders[] = {CUBLASLT_ORDER_COL32, CUBLASLT_ORDER_COL4_4R2_8C,
                                    CUBLASLT_ORDER_COL32_2R_4R4};
  const int wanted[] = {100 + 33, 300 + 13, 900 + 5}, at[] = {1024 + 32 + 1, 128 + 32 + 16 + 4 + 1, 96 + 5};
  float *from = room<float>(32 * 64), *to = room<float>(32 * 64), one = 1, zero = 0;
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 64; ++j) from[i + 32 * j] = float(100 * i + j);
  cublasLtMatrixTransformDesc_t t;
  cublasLtMatrixLayout_t la, lc;
  cublasLtMatrixTransformDescCreate(&t, CUDA_R_32F);
  cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, 32, 64, 32);
  cublasLtMatrixLayoutCreate(&lc, CUDA_R_32F, 32, 64, 1024);
  for (int k = 0; k < 3; ++k) {
    cublasLtMatrixLayoutSetAttribute(lc, CUBLASLT_MATRIX_LAYOUT_ORDER, &orders[k], sizeof orders[k]);
    const int status = cublasLtMatrixTransform(handle, t, &one, from, la, &zero, nullptr, nullptr, to, lc, 0);
    if (status || to[at[k]] != float(wanted[k]))
      printf("order %d: %d %g\n", int(orders[k]), status, to[at[k]]);
  }
}

int main() {
  using H = __half;
  using B = __nv_bfloat16;
  int wrong = 0;
  for (bool rows : {false, true})
    for (auto e : {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS,
                   CUBLASLT_EPILOGUE_RELU_BIAS}) {
      wrong += different<float, float>("f32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, rows, e);
      wrong += different<H, H>("f16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, rows, e);
      wrong += different<B, B>("bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, rows, e);
      wrong += different<H, float>("f16 to f32", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, rows, e);
    }
  wrong += different<signed char, int>("s8", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, false,
                                       CUBLASLT_EPILOGUE_DEFAULT);
  wrong += different<__nv_fp8_e4m3, H>("e4m3", CUDA_R_8F_E4M3, CUDA_R_16F, CUBLAS_COMPUTE_32F, false,
                                       CUBLASLT_EPILOGUE_DEFAULT);
  printf("products %d\n", wrong);

  // GELU of 1, -1 and 3 (0.841192, -0.158808 and 2.996363 by the tanh form), and what it was taken of.
  {
    float *a = room<float>(3), *one = room<float>(1), *d = room<float>(3), *aux = room<float>(3);
    a[0] = 1, a[1] = -1, a[2] = 3, one[0] = 1;
    Product p(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    p.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_AUX);
    p.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(aux));
    p.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t{3});
    auto la = layout(CUDA_R_32F, 3, 1, 3), lb = layout(CUDA_R_32F, 1, 1, 1);
    float alpha = 1, beta = 0;
    const int status = cublasLtMatmul(p.handle, p.desc, &alpha, a, la, one, lb, &beta, nullptr, la, d, la,
                                      nullptr, nullptr, 0, 0);
    printf("gelu %d %.5f %.5f %.5f of %g %g %g\n", status, d[0], d[1], d[2], aux[0], aux[1], aux[2]);
    // And its gradient there: 1.083 at 1 (by differences of the same formula).
    p.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DGELU);
    a[0] = a[1] = a[2] = 1;
    cublasLtMatmul(p.handle, p.desc, &alpha, a, la, one, lb, &beta, nullptr, la, d, la, nullptr, nullptr, 0,
                   0);
    const auto f = [](double x) {
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    };
    for (int i = 0; i < 3; ++i)
      if (std::abs(d[i] - (f(aux[i] + 1e-4) - f(aux[i] - 1e-4)) / 2e-4) > 1e-4)
        printf("gradient %d: %g\n", i, d[i]);
    // Wrong: matrices that do not fit, columns 32 of which do not fit.
    cublasLtMatmulHeuristicResult_t result;
    int found;
    printf("%d ",
           cublasLtMatmulAlgoGetHeuristic(p.handle, p.desc, la, la, la, la, nullptr, 1, &result, &found));
    cublasLtOrder_t order = CUBLASLT_ORDER_COL32;
    cublasLtMatrixLayoutSetAttribute(lb, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    printf("%d %d\n",
           cublasLtMatmulAlgoGetHeuristic(p.handle, p.desc, la, lb, la, la, nullptr, 1, &result, &found),
           found);
    places(p.handle);
    uint64_t rows = 0;
    size_t written = 0;
    cublasLtMatrixLayoutGetAttribute(la, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows, &written);
    printf("%d %d\n", int(rows), int(written));
  }
  // A backward pass: where the ReLU's bit is 0 nothing passes; the bias's gradient is the sum of a row.
  {
    float *a = room<float>(128), *one = room<float>(2), *d = room<float>(256), *bias = room<float>(128);
    auto* mask = room<unsigned char>(32);
    for (int i = 0; i < 128; ++i) a[i] = i - 64;
    one[0] = 1, one[1] = -1;
    Product p(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    p.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_AUX);
    p.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(mask));
    p.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t{128});
    auto la = layout(CUDA_R_32F, 128, 1, 128), lb = layout(CUDA_R_32F, 1, 2, 1),
         ld = layout(CUDA_R_32F, 128, 2, 128);
    float alpha = 1, beta = 0;
    cublasLtMatmul(p.handle, p.desc, &alpha, a, la, one, lb, &beta, nullptr, ld, d, ld, nullptr, nullptr, 0,
                   0);
    int bad = 0;
    for (int i = 0; i < 256; ++i) bad += (mask[i / 8] >> i % 8 & 1) != (i < 128 ? i > 64 : i - 128 < 64);
    p.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DRELU_BGRAD);
    p.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(bias));
    one[0] = 1, one[1] = 10;
    for (int i = 0; i < 128; ++i) a[i] = 1;
    cublasLtMatmul(p.handle, p.desc, &alpha, a, la, one, lb, &beta, nullptr, ld, d, ld, nullptr, nullptr, 0,
                   0);
    for (int i = 0; i < 128; ++i) bad += bias[i] != (i > 64 ? 1 : i < 64 ? 10 : 0);
    printf("relu's bits %d\n", bad);
  }
  // To 8 bits and back, by a change of layout, against the toolkit's own conversion.
  {
    const int count = 4096;
    float* x = room<float>(count);
    auto* y = room<unsigned char>(count);
    for (int i = 0; i < count; ++i) x[i] = std::ldexp(float(value(i) + i % 7 / 8.0f), i % 40 - 22);
    int bad = 0;
    for (auto type : {CUDA_R_8F_E4M3, CUDA_R_8F_E5M2}) {
      cublasLtHandle_t h;
      cublasLtCreate(&h);
      cublasLtMatrixTransformDesc_t t;
      cublasLtMatrixTransformDescCreate(&t, CUDA_R_32F);
      auto lx = layout(CUDA_R_32F, 64, 64, 64), ly = layout(type, 64, 64, 64, true),
           back = layout(CUDA_R_32F, 256, 1, 256), all = layout(type, 256, 1, 256);
      float alpha = 1, beta = 0;
      if (cublasLtMatrixTransform(h, t, &alpha, x, lx, &beta, nullptr, nullptr, y, ly, 0))
        printf("transform\n");
      const auto kind = type == CUDA_R_8F_E4M3 ? __NV_E4M3 : __NV_E5M2;
      for (int i = 0; i < count; ++i)
        bad += y[i / 64 + i % 64 * 64] != __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, kind);
      for (int i = 0; i < 256; ++i) y[i] = i;
      float* z = room<float>(256);
      cublasLtMatrixTransform(h, t, &alpha, y, all, &beta, nullptr, nullptr, z, back, 0);
      for (int i = 0; i < 256; ++i) {
        const __half_raw raw = __nv_cvt_fp8_to_halfraw(i, kind);
        const float want = __half2float(__half(raw));
        bad += !(z[i] == want || (std::isnan(z[i]) && std::isnan(want)));
      }
    }
    printf("8 bits %d\n", bad);
  }
  // cublasXt takes matrices of the host: 1 3; 2 4 by columns, times itself.
  {
    cublasXtHandle_t h;
    float a[] = {1, 2, 3, 4}, c[] = {9, 9, 9, 9}, one = 1, zero = 0;
    int device = 0, block = 0;
    cublasXtCreate(&h);
    int status =
        cublasXtDeviceSelect(h, 1, &device) | cublasXtSetBlockDim(h, 64) | cublasXtGetBlockDim(h, &block);
    status |= cublasXtSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 2, a, 2, &zero, c, 2);
    status |= cublasXtDestroy(h);
    printf("xt %d %d %g %g %g %g\n", status, block, c[0], c[1], c[2], c[3]);
  }
  // cuBLAS's level 1 of any type.
  {
    cublasHandle_t h;
    cublasCreate(&h);
    auto* x = room<__half>(4);
    auto* y = room<float>(4);
    float dot = 0, alpha = 2;
    for (int i = 0; i < 4; ++i) x[i] = __half(float(i + 1)), y[i] = 10;
    int status = cublasDotEx(h, 4, x, CUDA_R_16F, 1, x, CUDA_R_16F, -1, &dot, CUDA_R_32F, CUDA_R_32F);
    printf("dot %d %g\n", status, dot);  // 1 4 + 2 3 + 3 2 + 4 1
    status = cublasAxpyEx(h, 4, &alpha, CUDA_R_32F, x, CUDA_R_16F, 1, y, CUDA_R_32F, 1, CUDA_R_32F);
    printf("axpy %d %g %g\n", status, y[0], y[3]);
    status = cublasScalEx(h, 2, &alpha, CUDA_R_32F, x, CUDA_R_16F, 2, CUDA_R_32F);
    printf("scal %d %g %g %g\n", status, float(x[0]), float(x[1]), float(x[2]));
    status = cublasNrm2Ex_64(h, 4, y, CUDA_R_32F, 1, &dot, CUDA_R_32F, CUDA_R_32F);
    printf("norm %d %.3f\n", status, dot);  // 12 14 16 18: sqrt(920)
    int at = 0;
    status = cublasIamaxEx(h, 4, y, CUDA_R_32F, 1, &at);
    printf("largest %d %d\n", status, at);
  }
}
// expect: products 0
// expect: gelu 0 0.84119 -0.15881 2.99636 of 1 -1 3
// expect: 7 7 0
// expect: 3 8
// expect: relu's bits 0
// expect: 8 bits 0
// expect: xt 0 64 7 10 15 22
// expect: dot 0 20
// expect: axpy 0 12 18
// expect: scal 0 2 2 6
// expect: norm 0 30.332
// expect: largest 0 4
