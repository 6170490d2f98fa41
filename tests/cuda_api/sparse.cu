// cuSPARSE by hand. A = [4 1 0; 1 4 1; 0 1 4] unless said otherwise.
// link: -lcusparse
// expect: A x 6 12 14
// expect: At x 2 4 8 5
// expect: coo, base 1 12 24 28
// expect: A B 6 12 14 | 4 2 4
// expect: L y 1 1.75 2.5625
// expect: U y 1 1
// expect: no diagonal 1 inf
// expect: ilu 4 1 0.25 3.75 1 0.266667 3.73333
// expect: dense 4 1 0 1 4 1 0 1 4
// expect: sparse vectors 1 12 3 24 | 2 4
// expect: wrong 3 10
#include <cusparse.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "values.h"

int main() {
  cusparseHandle_t h;
  cusparseCreate(&h);
  const auto N = CUSPARSE_OPERATION_NON_TRANSPOSE, T = CUSPARSE_OPERATION_TRANSPOSE;
  float one = 1, zero = 0, two = 2;
  size_t bytes;
  int* rows = put<int>({0, 2, 5, 7});
  int* columns = put<int>({0, 1, 0, 1, 2, 1, 2});
  float* values = put<float>({4, 1, 1, 4, 1, 1, 4});
  float *x = put<float>({1, 2, 3}), *y = put<float>({0, 0, 0});
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t vx, vy;
  cusparseCreateCsr(&a, 3, 3, 7, rows, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&vx, 3, x, CUDA_R_32F), cusparseCreateDnVec(&vy, 3, y, CUDA_R_32F);
  cusparseSpMV_bufferSize(h, N, &one, a, vx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
  cusparseSpMV(h, N, &one, a, vx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  printf("A x%s\n", text(y, 3).c_str());

  // [1 2 0 1; 0 0 2 1; 0 0 1 1] transposed, times (2, 3, 0) - but with y = 0: 2, 4, 6 + 0, 2 + 3; plus 2 for the third.
  cusparseSpMatDescr_t b;
  cusparseCreateCsr(&b, 3, 4, 7, put<int>({0, 3, 5, 7}), put<int>({0, 1, 3, 2, 3, 2, 3}),
                    put<float>({1, 2, 1, 2, 1, 1, 1}), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  float* w = put<float>({0, 0, 1, 0});
  cusparseDnVecDescr_t vw, vz;
  cusparseCreateDnVec(&vw, 4, w, CUDA_R_32F), cusparseCreateDnVec(&vz, 3, put<float>({2, 3, 0}), CUDA_R_32F);
  cusparseSpMV(h, T, &one, b, vz, &two, vw, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  printf("At x%s\n", text(w, 4).c_str());

  // The same A by coordinates from 1, 64-bit values: alpha 2.
  double alpha = 2, beta = 0;
  double *dx = put<double>({1, 2, 3}), *dy = put<double>({7, 7, 7});
  cusparseSpMatDescr_t coo;
  cusparseDnVecDescr_t vdx, vdy;
  cusparseCreateCoo(&coo, 3, 3, 7, put<int>({1, 1, 2, 2, 2, 3, 3}), put<int>({1, 2, 1, 2, 3, 2, 3}),
                    put<double>({4, 1, 1, 4, 1, 1, 4}), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F);
  cusparseCreateDnVec(&vdx, 3, dx, CUDA_R_64F), cusparseCreateDnVec(&vdy, 3, dy, CUDA_R_64F);
  cusparseSpMV(h, N, &alpha, coo, vdx, &beta, vdy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  printf("coo, base 1%s\n", text(dy, 3).c_str());

  // A times the columns (1 2 3) and (1 0 1).
  float* out = put<float>(std::vector<float>(6));
  cusparseDnMatDescr_t mb, mc;
  cusparseCreateDnMat(&mb, 3, 2, 3, put<float>({1, 2, 3, 1, 0, 1}), CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseCreateDnMat(&mc, 3, 2, 3, out, CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseSpMM(h, N, N, &one, a, mb, &zero, mc, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
  printf("A B%s |%s\n", text(out, 3).c_str(), text(out + 3, 3).c_str());

  // The lower triangle of A with its diagonal: 4 y0 = 4; y0 + 4 y1 = 8; y1 + 4 y2 = 12.
  cusparseSpSVDescr_t plan;
  cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER, upper = CUSPARSE_FILL_MODE_UPPER;
  cusparseDiagType_t unit = CUSPARSE_DIAG_TYPE_UNIT, given = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower);
  cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_DIAG_TYPE, &given, sizeof given);
  cusparseSpSV_createDescr(&plan);
  float four = 4;
  cusparseSpSV_analysis(h, N, &four, a, vx, vy, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, plan, nullptr);
  cusparseSpSV_solve(h, N, &four, a, vx, vy, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, plan);
  printf("L y%s\n", text(y, 3).c_str());
  // The upper one with ones on its diagonal, transposed: y0 = 1; y0 + y1 = 2.
  cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &upper, sizeof upper);
  cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_DIAG_TYPE, &unit, sizeof unit);
  cusparseSpSV_solve(h, T, &one, a, vx, vy, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, plan);
  printf("U y%s\n", text(y, 2).c_str());

  // [2 0; 1 .] y = (2, 3): what is not stored is zero, on the diagonal too.
  cusparseSpMatDescr_t singular;
  cusparseDnVecDescr_t right;
  cusparseCreateCsr(&singular, 2, 2, 2, put<int>({0, 1, 2}), put<int>({0, 0}), put<float>({2, 1}),
                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseSpMatSetAttribute(singular, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower);
  cusparseCreateDnVec(&right, 2, put<float>({2, 3}), CUDA_R_32F);
  cusparseDnVecDescr_t solved;
  cusparseCreateDnVec(&solved, 2, y, CUDA_R_32F);
  cusparseSpSV_analysis(h, N, &one, singular, right, solved, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, plan, nullptr);
  cusparseSpSV_solve(h, N, &one, singular, right, solved, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, plan);
  printf("no diagonal%s\n", text(y, 2).c_str());

  // Nothing is filled in for a tridiagonal matrix: l = 1/4, u = 4 - 1/4, l = 1/3.75, u = 4 - 1/3.75.
  csrilu02Info_t info;
  cusparseMatDescr_t description;
  cusparseCreateCsrilu02Info(&info), cusparseCreateMatDescr(&description);
  float* lu = put<float>({4, 1, 1, 4, 1, 1, 4});
  cusparseScsrilu02_analysis(h, 3, 7, description, lu, rows, columns, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr);
  cusparseScsrilu02(h, 3, 7, description, lu, rows, columns, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr);
  printf("ilu%s\n", text(lu, 7).c_str());

  float* full = put<float>(std::vector<float>(9, 5));
  cusparseDnMatDescr_t dense;
  cusparseCreateDnMat(&dense, 3, 3, 3, full, CUDA_R_32F, CUSPARSE_ORDER_ROW);
  cusparseSparseToDense(h, a, dense, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr);
  printf("dense%s\n", text(full, 9).c_str());

  // y = 2 x + y for x = (., 5, ., 10) and y = (1, 2, 3, 4); then what lies at 1 and 3 of (1, 2, 3, 4).
  float *vector = put<float>({1, 2, 3, 4}), *kept = put<float>({5, 10});
  cusparseSpVecDescr_t sparse;
  cusparseDnVecDescr_t into, from;
  cusparseCreateSpVec(&sparse, 4, 2, put<int>({1, 3}), kept, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&into, 4, vector, CUDA_R_32F);
  cusparseAxpby(h, &two, sparse, &one, into);
  cusparseCreateDnVec(&from, 4, put<float>({1, 2, 3, 4}), CUDA_R_32F);
  cusparseGather(h, from, sparse);
  printf("sparse vectors%s |%s\n", text(vector, 4).c_str(), text(kept, 2).c_str());

  printf("wrong %d %d\n", cusparseSpMV(h, N, &one, a, vw, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
         cusparseSpMV(h, N, &one, a, vdx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
}
