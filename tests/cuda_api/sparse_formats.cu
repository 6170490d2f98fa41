// cuSPARSE by hand: formats of blocks and slices, batches, mixed types, and functions for matrices in pieces.
// A = [4 1 0 0; 1 4 0 0; 0 0 2 0; 0 0 1 3], x = (1 2 3 4).
// link: -lcusparse
// expect: blocks 6 9 6 15
// expect: slices 6 9 6 15
// expect: ell, half 6 9 6 15 12 18 12 30
// expect: batches 6 9 6 15 12 18 12 30
// expect: bytes 14 15
// expect: vectors 38 | 2 4 | 1 -5 3 -7
// expect: three diagonals 1 2 3 3 0 1 | 1 1 1 2
// expect: five diagonals 1 1 2 1 3 1
// expect: cholesky 2 1 2 1 2 | 9 1
// expect: sum 3: 0 2 3 0 1 1 2 3 8
// expect: product 4: 0 2 4 0 1 0 1 9 10 12 15 | 18 20 24 30
// expect: to blocks 2: 0 1 2 0 1 1 2 0 3 4 0 0 0 | 3 3 4 0
// expect: updated 1 2 | 2 0.875
// expect: asked 3 2 2 3
#include <cuda_fp16.h>
#include <cusparse.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "values.h"

static cusparseHandle_t h;
static const auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
static const auto I = CUSPARSE_INDEX_32I;
static const auto Z = CUSPARSE_INDEX_BASE_ZERO;
static float one = 1, zero = 0, two = 2;

static void spmv(const char* name, cusparseSpMatDescr_t a) {
  float *x = put<float>({1, 2, 3, 4}), *y = put<float>({0, 0, 0, 0});
  cusparseDnVecDescr_t vx, vy;
  cusparseCreateDnVec(&vx, 4, x, CUDA_R_32F), cusparseCreateDnVec(&vy, 4, y, CUDA_R_32F);
  cusparseSpMV(h, N, &one, a, vx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  printf("%s%s\n", name, text(y, 4).c_str());
}
static void formats() {
  cusparseSpMatDescr_t a;
  cusparseCreateBsr(&a, 2, 2, 2, 2, 2, put<int>({0, 1, 2}), put<int>({0, 1}),
                    put<float>({4, 1, 1, 4, 2, 0, 1, 3}), I, I, Z, CUDA_R_32F, CUSPARSE_ORDER_ROW);
  spmv("blocks", a);
  cusparseCreateSlicedEll(&a, 4, 4, 7, 8, 2, put<int>({0, 4, 8}), put<int>({0, 0, 1, 1, 2, 2, -1, 3}),
                          put<float>({4, 1, 1, 4, 2, 1, 0, 3}), I, I, Z, CUDA_R_32F);
  spmv("slices", a);
  cusparseCreateBlockedEll(&a, 4, 4, 2, 2, put<int>({0, 1}), put<__half>({4, 1, 1, 4, 2, 0, 1, 3}), I, Z,
                           CUDA_R_16F);
  cusparseDnMatDescr_t b, c;
  __half* result = put<__half>({0, 0, 0, 0, 0, 0, 0, 0});
  cusparseCreateDnMat(&b, 4, 2, 4, put<__half>({1, 2, 3, 4, 2, 4, 6, 8}), CUDA_R_16F, CUSPARSE_ORDER_COL);
  cusparseCreateDnMat(&c, 4, 2, 4, result, CUDA_R_16F, CUSPARSE_ORDER_COL);
  cusparseSpMM(h, N, N, &one, a, b, &zero, c, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
  printf("ell, half%s\n", text(result, 8).c_str());
  // Two matrices with the same offsets; the second's values are twice the first's. One x for both.
  cusparseCreateCsr(&a, 4, 4, 7, put<int>({0, 2, 4, 5, 7}),
                    put<int>({0, 1, 0, 1, 2, 2, 3, 0, 1, 0, 1, 2, 2, 3}),
                    put<float>({4, 1, 1, 4, 2, 1, 3, 8, 2, 2, 8, 4, 2, 6}), I, I, Z, CUDA_R_32F);
  cusparseCsrSetStridedBatch(a, 2, 0, 7);
  float* both = put<float>({0, 0, 0, 0, 0, 0, 0, 0});
  cusparseCreateDnMat(&b, 4, 1, 4, put<float>({1, 2, 3, 4}), CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseCreateDnMat(&c, 4, 1, 4, both, CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseDnMatSetStridedBatch(b, 2, 0), cusparseDnMatSetStridedBatch(c, 2, 4);
  cusparseSpMM(h, N, N, &one, a, b, &zero, c, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
  printf("batches%s\n", text(both, 8).c_str());
  // [1 2; 0 3] (4 5)
  int a1 = 1, a0 = 0;
  int32_t* sums = put<int32_t>({0, 0});
  cusparseDnVecDescr_t vx, vy;
  cusparseCreateCsr(&a, 2, 2, 3, put<int>({0, 2, 3}), put<int>({0, 1, 1}), put<int8_t>({1, 2, 3}), I, I, Z,
                    CUDA_R_8I);
  cusparseCreateDnVec(&vx, 2, put<int8_t>({4, 5}), CUDA_R_8I), cusparseCreateDnVec(&vy, 2, sums, CUDA_R_32I);
  cusparseSpMV(h, N, &a1, a, vx, &a0, vy, CUDA_R_32I, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  printf("bytes%s\n", text(sums, 2).c_str());
}
static void vectors() {
  float *values = put<float>({5, 7}), *y = put<float>({1, 2, 3, 4}), dot = 0, c = 0, s = 1;
  cusparseSpVecDescr_t x;
  cusparseDnVecDescr_t vy;
  cusparseCreateSpVec(&x, 4, 2, put<int>({1, 3}), values, I, Z, CUDA_R_32F);
  cusparseCreateDnVec(&vy, 4, y, CUDA_R_32F);
  cusparseSpVV(h, N, x, vy, &dot, CUDA_R_32F, nullptr);
  cusparseRot(h, &c, &s, x, vy);
  printf("vectors %g |%s |%s\n", dot, text(values, 2).c_str(), text(y, 4).c_str());
}
static void diagonals() {
  // [0 1 0; 1 0 1; 0 1 1] cannot be eliminated in order.
  float* x = put<float>({2, 4, 5, 0, 4, 1});
  cusparseSgtsv2(h, 3, 2, put<float>({0, 1, 1}), put<float>({0, 0, 1}), put<float>({1, 1, 0}), x, 3, nullptr);
  double* y = put<double>({3, 4, 6, 13});  // [2 1; 1 3] (1 1) and [4 1; 1 6] (1 2)
  cusparseDgtsv2StridedBatch(h, 2, put<double>({0, 1, 0, 1}), put<double>({2, 3, 4, 6}),
                             put<double>({1, 0, 1, 0}), y, 2, 2, nullptr);
  printf("three diagonals%s |%s\n", text(x, 6).c_str(), text(y, 4).c_str());
  // [4 1 1; 1 4 1; 1 1 4] (1 2 3) and (1 1 1), interleaved.
  float* z = put<float>({9, 6, 12, 6, 15, 6});
  cusparseSgpsvInterleavedBatch(h, 0, 3, put<float>({0, 0, 0, 0, 1, 1}), put<float>({0, 0, 1, 1, 1, 1}),
                                put<float>({4, 4, 4, 4, 4, 4}), put<float>({1, 1, 1, 1, 0, 0}),
                                put<float>({1, 1, 0, 0, 0, 0}), z, 2, nullptr);
  printf("five diagonals%s\n", text(z, 6).c_str());
}
static void pieces() {
  cusparseMatDescr_t d;
  cusparseCreateMatDescr(&d);
  csric02Info_t info;
  cusparseCreateCsric02Info(&info);
  // [4 2 0; 2 5 2; 0 2 5], its lower triangle; then [1 2; 2 1], which is not positive.
  double* l = put<double>({4, 2, 5, 2, 5});
  const auto policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL;
  cusparseDcsric02(h, 3, 5, d, l, put<int>({0, 1, 3, 5}), put<int>({0, 0, 1, 1, 2}), info, policy, nullptr);
  double* bad = put<double>({1, 2, 1});
  cusparseDcsric02(h, 2, 3, d, bad, put<int>({0, 1, 3}), put<int>({0, 0, 1}), info, policy, nullptr);
  int row = -7;
  const int status = cusparseXcsric02_zeroPivot(h, info, &row);
  printf("cholesky%s | %d %d\n", text(l, 5).c_str(), status, row);

  int *ra = put<int>({0, 1, 2}), *ca = put<int>({0, 1}), *rb = put<int>({0, 1, 2}), *cb = put<int>({1, 1});
  int *rc = put<int>({0, 0, 0}), *cc = put<int>({0, 0, 0, 0}), count = 0;
  float *va = put<float>({1, 2}), *vb = put<float>({3, 4}), *vc = put<float>({0, 0, 0, 0});
  cusparseXcsrgeam2Nnz(h, 2, 2, d, 2, ra, ca, d, 2, rb, cb, d, rc, &count, nullptr);
  cusparseScsrgeam2(h, 2, 2, &two, d, 2, va, ra, ca, &one, d, 2, vb, rb, cb, d, vc, rc, cc, nullptr);
  printf("sum %d:%s%s%s\n", count, text(rc, 3).c_str(), text(cc, 3).c_str(), text(vc, 3).c_str());

  // [1 2 0; 0 3 0; 0 0 4] in blocks of two.
  int *rows = put<int>({0, 2, 3, 4}), *columns = put<int>({0, 1, 1, 2});
  int *brows = put<int>({0, 0, 0}), *bcolumns = put<int>({9, 9});
  float *values = put<float>({1, 2, 3, 4}), *blocks = put<float>({9, 9, 9, 9, 9, 9, 9, 9});
  const auto by_rows = CUSPARSE_DIRECTION_ROW;
  cusparseXcsr2bsrNnz(h, by_rows, 3, 3, d, rows, columns, 2, d, brows, &count);
  cusparseScsr2bsr(h, by_rows, 3, 3, d, values, rows, columns, 2, d, blocks, brows, bcolumns);
  float *x = put<float>({1, 1, 1, 0}), *y = put<float>({0, 0, 0, 0});
  cusparseSbsrmv(h, by_rows, N, 2, 2, 2, &one, d, blocks, brows, bcolumns, 2, x, &zero, y);
  const std::string product = text(y, 4);
  std::string all = text(brows, 3) + text(bcolumns, 2) + text(blocks, 8);
  // In the order of the expected line: it comes after the product of sparse matrices.
  cusparseSpMatDescr_t a, b, c;
  float *p = put<float>({1, 2, 3}), *q = put<float>({0, 0, 0, 0});
  int *rq = put<int>({0, 0, 0}), *cq = put<int>({0, 0, 0, 0});
  cusparseCreateCsr(&a, 2, 2, 3, put<int>({0, 2, 3}), put<int>({0, 1, 1}), p, I, I, Z, CUDA_R_32F);
  cusparseCreateCsr(&b, 2, 2, 3, put<int>({0, 1, 3}), put<int>({0, 0, 1}), put<float>({1, 4, 5}), I, I, Z,
                    CUDA_R_32F);
  cusparseCreateCsr(&c, 2, 2, 0, rq, nullptr, nullptr, I, I, Z, CUDA_R_32F);
  cusparseSpGEMMDescr_t plan;
  cusparseSpGEMM_createDescr(&plan);
  size_t n2 = 0, n3 = 0, n4 = 0, n5 = 0;
  const auto way = CUSPARSE_SPGEMM_DEFAULT;
  cusparseSpGEMMreuse_nnz(h, N, N, a, b, c, way, plan, &n2, nullptr, &n3, nullptr, &n4, nullptr);
  cusparseSpGEMMreuse_nnz(h, N, N, a, b, c, way, plan, &n2, x, &n3, x, &n4, x);
  int64_t m, n, filled;
  cusparseSpMatGetSize(c, &m, &n, &filled);
  cusparseCsrSetPointers(c, rq, cq, q);
  cusparseSpGEMMreuse_copy(h, N, N, a, b, c, way, plan, &n5, x);
  cusparseSpGEMMreuse_compute(h, N, N, &one, a, b, &zero, c, CUDA_R_32F, way, plan);
  printf("product %d:%s%s%s", int(filled), text(rq, 3).c_str(), text(cq, 4).c_str(), text(q, 4).c_str());
  float twice[] = {2, 4, 6};
  cudaMemcpy(p, twice, sizeof twice, cudaMemcpyHostToDevice);
  cusparseSpGEMMreuse_compute(h, N, N, &one, a, b, &zero, c, CUDA_R_32F, way, plan);
  printf(" |%s\n", text(q, 4).c_str());
  printf("to blocks %d:%s |%s\n", count, all.c_str(), product.c_str());
}
static void solving() {
  // [2 0; 1 4] y = (2 9), in COO form; then with the diagonal (1 8).
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t vx, vy;
  float *x = put<float>({2, 9}), *y = put<float>({0, 0});
  cusparseCreateCoo(&a, 2, 2, 3, put<int>({0, 1, 1}), put<int>({0, 0, 1}), put<float>({2, 1, 4}), I, Z,
                    CUDA_R_32F);
  cusparseCreateDnVec(&vx, 2, x, CUDA_R_32F), cusparseCreateDnVec(&vy, 2, y, CUDA_R_32F);
  cusparseSpSVDescr_t plan;
  cusparseSpSV_createDescr(&plan);
  const auto way = CUSPARSE_SPSV_ALG_DEFAULT;
  cusparseSpSV_analysis(h, N, &one, a, vx, vy, CUDA_R_32F, way, plan, x);
  cusparseSpSV_solve(h, N, &one, a, vx, vy, CUDA_R_32F, way, plan);
  printf("updated%s", text(y, 2).c_str());
  cusparseSpSV_updateMatrix(h, plan, put<float>({1, 8}), CUSPARSE_SPSV_UPDATE_DIAGONAL);
  cusparseSpSV_solve(h, N, &one, a, vx, vy, CUDA_R_32F, way, plan);
  printf(" |%s\n", text(y, 2).c_str());
  cusparseFormat_t format;
  cusparseSpMatGetFormat(a, &format);
  int64_t rows, columns, count;
  void *r, *c, *v;
  cusparseIndexType_t index;
  cusparseIndexBase_t base;
  cudaDataType type;
  cusparseCooGet(a, &rows, &columns, &count, &r, &c, &v, &index, &base, &type);
  printf("asked %d %d %d %d\n", int(format), int(rows), int(columns), int(count));
}

int main() {
  cusparseCreate(&h);
  formats(), vectors(), diagonals(), pieces(), solving();
}
