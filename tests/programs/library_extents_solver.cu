// Calls of cuSOLVER, cublasLt and batched solvers of cuBLAS on memory of exactly what they touch, and of
// less.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cusolverDn.h>

#include "library_extents.h"

namespace {

using F = float;
using D = double;
constexpr auto N = CUBLAS_OP_N, T = CUBLAS_OP_T;
constexpr auto LO = CUBLAS_FILL_MODE_LOWER, UP = CUBLAS_FILL_MODE_UPPER;
cusolverDnHandle_t h;
cublasHandle_t b;
const F one = 1, zero = 0;

/// 3 by 3 with ones on the diagonal, lda 4: it ends at 10.
F* unit() {
  F* p = memory<F>(12);
  const F ones[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  cudaMemcpy(p, ones, sizeof ones, cudaMemcpyHostToDevice);
  return p;
}

void factors() {
  F* w = ample<F>();
  int* i = ample<int>();
  extent<F>("cusolverDnSgetrf", "writes", 0, 6, [&](F* a) { cusolverDnSgetrf(h, 3, 2, a, 4, w, i, i); });
  extent<int>("cusolverDnSgetrf", "writes", 0, 1, [&](int* p) { cusolverDnSgetrf(h, 3, 2, w, 4, w, p, i); });
  extent<F>("cusolverDnSgetrs", "reads", 0, 10,
            [&](F* a) { cusolverDnSgetrs(h, T, 3, 2, a, 4, nullptr, w, 3, i); });
  extent<F>("cusolverDnSgetrs", "writes", 0, 6,
            [&](F* x) { cusolverDnSgetrs(h, N, 3, 2, unit(), 4, nullptr, x, 4, i); });
  untouched<F>([&](F* a) { cusolverDnSgetrs(h, N, 3, 0, a, 4, nullptr, a, 4, i); });
  // A triangle with its diagonal begins and ends where the square does.
  extent<F>("cusolverDnSpotrf", "writes", 0, 10, [&](F* a) { cusolverDnSpotrf(h, LO, 3, a, 4, w, 1, i); });
  extent<F>("cusolverDnSpotrs", "reads", 0, 10, [&](F* a) { cusolverDnSpotrs(h, UP, 3, 2, a, 4, w, 3, i); });
  extent<F>("cusolverDnSpotri", "writes", 0, 10, [&](F* a) { cusolverDnSpotri(h, UP, 3, a, 4, w, 1, i); });
  extent<D>("cusolverDnDgeqrf", "writes", 0, 6,
            [&](D* a) { cusolverDnDgeqrf(h, 3, 2, a, 4, ample<D>(), ample<D>(), 1, i); });
  extent<D>("cusolverDnDgeqrf", "writes", 0, 1,
            [&](D* t) { cusolverDnDgeqrf(h, 3, 2, ample<D>(), 4, t, ample<D>(), 1, i); });
  // Q of 2 reflections of 3 elements, from the left of 3 by 5.
  extent<F>("cusolverDnSormqr", "reads", 0, 6,
            [&](F* a) { cusolverDnSormqr(h, CUBLAS_SIDE_LEFT, T, 3, 5, 2, a, 4, w, w, 3, w, 1, i); });
  extent<F>("cusolverDnSormqr", "writes", 0, 18,
            [&](F* c) { cusolverDnSormqr(h, CUBLAS_SIDE_LEFT, T, 3, 5, 2, w, 4, w, c, 4, w, 1, i); });
  extent<F>("cusolverDnSsyevd", "writes", 0, 10,
            [&](F* a) { cusolverDnSsyevd(h, CUSOLVER_EIG_MODE_VECTOR, LO, 3, a, 4, w, w, 1, i); });
  extent<F>("cusolverDnSsyevd", "writes", 0, 2,
            [&](F* v) { cusolverDnSsyevd(h, CUSOLVER_EIG_MODE_NOVECTOR, LO, 3, unit(), 4, v, w, 1, i); });
  // 3 by 2: U has 2 columns (S) or 3 (A); V* is 2 by 2.
  extent<F>("cusolverDnSgesvd", "writes", 0, 6, [&](F* u) {
    cusolverDnSgesvd(h, 'S', 'N', 3, 2, w, 3, w + 100, u, 4, nullptr, 2, w + 200, 1, nullptr, i);
  });
  extent<F>("cusolverDnSgesvd", "writes", 0, 10, [&](F* u) {
    cusolverDnSgesvd(h, 'A', 'N', 3, 2, w, 3, w + 100, u, 4, nullptr, 2, w + 200, 1, nullptr, i);
  });
  extent<F>("cusolverDnSgesvd", "writes", 0, 4, [&](F* v) {
    cusolverDnSgesvd(h, 'N', 'S', 3, 2, w, 3, w + 100, nullptr, 4, v, 3, w + 200, 1, nullptr, i);
  });
  cusolverDnParams_t params;
  cusolverDnCreateParams(&params);
  extent<D>("cusolverDnXpotrf", "writes", 0, 10, [&](D* a) {
    cusolverDnXpotrf(h, params, LO, 3, CUDA_R_64F, a, 4, CUDA_R_64F, nullptr, 0, nullptr, 0, i);
  });
  cusolverDnDestroyParams(params);
}

/// One matrix of three is `lacks` elements short.
F** batch(long elements, long lacks) {
  F* all[] = {memory<F>(elements), memory<F>(elements - lacks), memory<F>(elements)};
  F** pointers = memory<F*>(3);
  cudaMemcpy(pointers, all, sizeof all, cudaMemcpyHostToDevice);
  return pointers;
}
void expect(const char* what, long bytes) {
  std::printf("expect %s %ld bytes, of which 4 lie past the end of the allocation\n", what, bytes);
}
void batches() {
  int* i = ample<int>();
  cublasSgetrfBatched(b, 3, batch(11, 0), 4, nullptr, i, 3);
  expect("cublasSgetrfBatched writes", 44);
  cublasSgetrfBatched(b, 3, batch(11, 1), 4, nullptr, i, 3);
  expect("cublasSgetrfBatched writes", 12);
  cublasSgetrfBatched(b, 3, batch(11, 0), 4, nullptr, memory<int>(2), 3);
  int info;
  cublasSgetrsBatched(b, N, 3, 2, batch(11, 0), 4, nullptr, batch(7, 0), 4, &info, 3);
  expect("cublasSgetrsBatched writes", 28);
  cublasSgetrsBatched(b, N, 3, 2, batch(11, 0), 4, nullptr, batch(7, 1), 4, &info, 3);
  expect("cublasSgetriBatched writes", 44);
  cublasSgetriBatched(b, 3, batch(11, 0), 4, nullptr, batch(11, 1), 4, i, 3);
  expect("cublasSgeqrfBatched writes", 28);
  cublasSgeqrfBatched(b, 3, 2, batch(7, 1), 4, batch(2, 0), &info, 3);
  expect("cublasSgeqrfBatched writes", 8);
  cublasSgeqrfBatched(b, 3, 2, batch(7, 0), 4, batch(2, 1), &info, 3);
  expect("cusolverDnSpotrfBatched writes", 44);
  cusolverDnSpotrfBatched(h, LO, 3, batch(11, 1), 4, i, 3);
}

/// D = alpha A B + beta C of 3 by 2, 2 by 5.
void products() {
  F* w = ample<F>();
  cublasLtHandle_t lt;
  cublasLtCreate(&lt);
  cublasLtMatmulDesc_t product;
  cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayout_t la, lb, lc;
  cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, 3, 2, 4);
  cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, 2, 5, 2);
  cublasLtMatrixLayoutCreate(&lc, CUDA_R_32F, 3, 5, 4);
  const auto run = [&](const F* alpha, F* a, F* bb, const F* beta, F* c, F* d) {
    cublasLtMatmul(lt, product, alpha, a, la, bb, lb, beta, c, lc, d, lc, nullptr, nullptr, 0, nullptr);
  };
  extent<F>("cublasLtMatmul", "reads", 0, 6, [&](F* a) { run(&one, a, w, &zero, w, w); });
  extent<F>("cublasLtMatmul", "reads", 0, 18, [&](F* c) { run(&one, w, w, &one, c, w); });
  extent<F>("cublasLtMatmul", "writes", 0, 18, [&](F* d) { run(&one, w, w, &zero, d, d); });
  run(&one, w, w, &zero, memory<F>(1), w);  // C is not read
  // What the epilogue reads and writes: a bias of 3, or of 5 of B; 3 by 5 numbers, ld 6; bits of them, ld
  // 128.
  const auto set = [&](cublasLtMatmulDescAttributes_t what, auto value) {
    cublasLtMatmulDescSetAttribute(product, what, &value, sizeof value);
  };
  const auto epilogue = [&](cublasLtEpilogue_t what, void* bias, void* aux, int64_t lead = 6) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, what), set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux), set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, lead);
    run(&one, w, w, &zero, w, w);
  };
  using B = unsigned char;
  extent<F>("cublasLtMatmul", "reads", 0, 2, [&](F* x) { epilogue(CUBLASLT_EPILOGUE_BIAS, x, nullptr); });
  extent<F>("cublasLtMatmul", "writes", 0, 2, [&](F* x) { epilogue(CUBLASLT_EPILOGUE_BGRADA, x, nullptr); });
  extent<F>("cublasLtMatmul", "writes", 0, 4, [&](F* x) { epilogue(CUBLASLT_EPILOGUE_BGRADB, x, nullptr); });
  extent<F>("cublasLtMatmul", "writes", 0, 26, [&](F* x) { epilogue(CUBLASLT_EPILOGUE_GELU_AUX, w, x); });
  extent<F>("cublasLtMatmul", "reads", 0, 26, [&](F* x) { epilogue(CUBLASLT_EPILOGUE_DGELU, w, x); });
  extent<B>("cublasLtMatmul", "writes", 0, 64,
            [&](B* x) { epilogue(CUBLASLT_EPILOGUE_RELU_AUX, w, x, 128); });
  extent<B>("cublasLtMatmul", "reads", 0, 64, [&](B* x) { epilogue(CUBLASLT_EPILOGUE_DRELU, w, x, 128); });
  epilogue(CUBLASLT_EPILOGUE_DEFAULT, nullptr, nullptr);
  // A scale is one number, and so is the largest of D.
  std::printf("expect cublasLtMatmul reads 4 bytes, none of which lie in an allocation\n");
  set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, memory<F>(1) + 1);
  run(&one, w, w, &zero, w, w);
  set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, memory<F>(1));
  std::printf("expect cublasLtMatmul writes 4 bytes, none of which lie in an allocation\n");
  set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, memory<F>(1) + 1);
  run(&one, w, w, &zero, w, w);
  cublasLtDestroy(lt);
}

}  // namespace

int main() {
  cusolverDnCreate(&h);
  cublasCreate(&b);
  factors(), batches(), products();
  cublasDestroy(b);
  cusolverDnDestroy(h);
}
