// cuSPARSE: products with sparse results and conversions, by hand.
// A = [1 0 2; 0 3 0], B = [4 0; 0 5; 6 0], A B = [16 0; 0 15].
// link: -lcusparse
// expect: product 2 | 0 1 2 | 0 1 | 32 30
// expect: sddmm 21 31 40
// expect: sparse 3 | 0 2 3 | 0 2 1 | 1 2 3
// expect: columns 0 1 2 3 | 0 1 0 | 1 3 2
// expect: rows 0 0 1 | 0 2 3
// expect: sorted 0 2 1 | 1 0 2
// expect: coordinates 0 0 1 2 | 1 3 0 2 | 2 1 3 0
// expect: nonzeros 2 1 3
// expect: solved 1 2 1 4
// expect: wrong 3 10
#include <cusparse.h>

#include <cstdio>
#include <string>
#include <vector>

template <class T>
T* put(std::vector<T> v, size_t more = 0) {
  T* p;
  v.resize(v.size() + more);
  cudaMallocManaged(&p, v.size() * sizeof(T));
  std::copy(v.begin(), v.end(), p);
  return p;
}
template <class T>
std::string text(const T* p, int n) {
  std::string s;
  char one[32];
  for (int k = 0; k < n; ++k) snprintf(one, sizeof one, " %g", double(p[k])), s += one;
  return s;
}

int main() {
  cusparseHandle_t h;
  cusparseCreate(&h);
  const auto N = CUSPARSE_OPERATION_NON_TRANSPOSE, T = CUSPARSE_OPERATION_TRANSPOSE;
  const auto I = CUSPARSE_INDEX_32I;
  const auto Z = CUSPARSE_INDEX_BASE_ZERO;
  float one = 1, two = 2, zero = 0;
  int *ra = put<int>({0, 2, 3}), *ca = put<int>({0, 2, 1});
  float* va = put<float>({1, 2, 3});
  cusparseSpMatDescr_t a, b, c;
  cusparseCreateCsr(&a, 2, 3, 3, ra, ca, va, I, I, Z, CUDA_R_32F);
  cusparseCreateCsr(&b, 3, 2, 3, put<int>({0, 1, 2, 3}), put<int>({0, 1, 0}), put<float>({4, 5, 6}), I, I, Z,
                    CUDA_R_32F);
  int *rc = put<int>({}, 3), *cc = put<int>({}, 4);
  float* vc = put<float>({}, 4);
  cusparseCreateCsr(&c, 2, 2, 0, rc, nullptr, nullptr, I, I, Z, CUDA_R_32F);
  cusparseSpGEMMDescr_t plan;
  cusparseSpGEMM_createDescr(&plan);
  size_t bytes = 0;
  void* buffer;
  cudaMalloc(&buffer, 1024);
  const auto how = CUSPARSE_SPGEMM_DEFAULT;
  cusparseSpGEMM_workEstimation(h, N, N, &two, a, b, &zero, c, CUDA_R_32F, how, plan, &bytes, nullptr);
  cusparseSpGEMM_workEstimation(h, N, N, &two, a, b, &zero, c, CUDA_R_32F, how, plan, &bytes, buffer);
  cusparseSpGEMM_compute(h, N, N, &two, a, b, &zero, c, CUDA_R_32F, how, plan, &bytes, nullptr);
  cusparseSpGEMM_compute(h, N, N, &two, a, b, &zero, c, CUDA_R_32F, how, plan, &bytes, buffer);
  int64_t rows, columns, count;
  cusparseSpMatGetSize(c, &rows, &columns, &count);
  cusparseCsrSetPointers(c, rc, cc, vc);
  cusparseSpGEMM_copy(h, N, N, &two, a, b, &zero, c, CUDA_R_32F, how, plan);
  printf("product %d |%s |%s |%s\n", int(count), text(rc, 3).c_str(), text(cc, 2).c_str(),
         text(vc, 2).c_str());

  // X Y' at the places of A, with what is there: X = [1 2; 3 4] by rows, Y = [6 7; 1 9; 9 10] by columns.
  cusparseDnMatDescr_t x, y;
  cusparseCreateDnMat(&x, 2, 2, 2, put<float>({1, 2, 3, 4}), CUDA_R_32F, CUSPARSE_ORDER_ROW);
  cusparseCreateDnMat(&y, 3, 2, 3, put<float>({6, 1, 9, 7, 9, 10}), CUDA_R_32F, CUSPARSE_ORDER_COL);
  float* vs = put<float>({1, 2, 1});
  cusparseSpMatDescr_t s;
  cusparseCreateCsr(&s, 2, 3, 3, ra, ca, vs, I, I, Z, CUDA_R_32F);
  cusparseSDDMM(h, N, T, &one, x, y, &one, s, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, buffer);
  printf("sddmm%s\n", text(vs, 3).c_str());  // 6 + 14 + 1, 9 + 20 + 2, 3 + 36 + 1

  cusparseDnMatDescr_t dense;
  cusparseCreateDnMat(&dense, 2, 3, 3, put<float>({1, 0, 2, 0, 3, 0}), CUDA_R_32F, CUSPARSE_ORDER_ROW);
  cusparseSpMatDescr_t made;
  int *rm = put<int>({}, 3), *cm = put<int>({}, 3);
  float* vm = put<float>({}, 3);
  cusparseCreateCsr(&made, 2, 3, 0, rm, nullptr, nullptr, I, I, Z, CUDA_R_32F);
  cusparseDenseToSparse_analysis(h, dense, made, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer);
  cusparseSpMatGetSize(made, &rows, &columns, &count);
  cusparseCsrSetPointers(made, rm, cm, vm);
  cusparseDenseToSparse_convert(h, dense, made, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer);
  printf("sparse %d |%s |%s |%s\n", int(count), text(rm, 3).c_str(), text(cm, 3).c_str(),
         text(vm, 3).c_str());

  int *ct = put<int>({}, 4), *rt = put<int>({}, 3);
  float* vt = put<float>({}, 3);
  cusparseCsr2cscEx2(h, 2, 3, 3, va, ra, ca, vt, ct, rt, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, Z,
                     CUSPARSE_CSR2CSC_ALG1, buffer);
  printf("columns%s |%s |%s\n", text(ct, 4).c_str(), text(rt, 3).c_str(), text(vt, 3).c_str());
  int *coo = put<int>({}, 3), *back = put<int>({}, 3);
  cusparseXcsr2coo(h, ra, 3, 2, coo, Z), cusparseXcoo2csr(h, coo, 3, 2, back, Z);
  printf("rows%s |%s\n", text(coo, 3).c_str(), text(back, 3).c_str());

  cusparseMatDescr_t plain;
  cusparseCreateMatDescr(&plain);
  int *cs = put<int>({2, 0, 1}), *p = put<int>({}, 4);
  cusparseCreateIdentityPermutation(h, 3, p);
  cusparseXcsrsort(h, 2, 3, 3, plain, ra, cs, p, buffer);
  printf("sorted%s |%s\n", text(cs, 3).c_str(), text(p, 3).c_str());
  int *ri = put<int>({2, 0, 0, 1}), *ci = put<int>({2, 3, 1, 0});
  cusparseCreateIdentityPermutation(h, 4, p);
  cusparseXcoosortByRow(h, 3, 4, 4, ri, ci, p, buffer);
  printf("coordinates%s |%s |%s\n", text(ri, 4).c_str(), text(ci, 4).c_str(), text(p, 4).c_str());
  int *each = put<int>({}, 2), all = 0;
  cusparseSnnz(h, CUSPARSE_DIRECTION_ROW, 2, 3, plain, put<float>({1, 0, 0, 3, 2, 0}), 2, each, &all);
  printf("nonzeros%s %d\n", text(each, 2).c_str(), all);

  // L = [2 0; 1 1] and L X = [2 2; 3 5]: X = [1 1; 2 4].
  cusparseSpMatDescr_t l;
  cusparseCreateCsr(&l, 2, 2, 3, put<int>({0, 1, 3}), put<int>({0, 0, 1}), put<float>({2, 1, 1}), I, I, Z,
                    CUDA_R_32F);
  cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t stored = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseSpMatSetAttribute(l, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower);
  cusparseSpMatSetAttribute(l, CUSPARSE_SPMAT_DIAG_TYPE, &stored, sizeof stored);
  cusparseDnMatDescr_t right, left;
  float* solution = put<float>({}, 4);
  cusparseCreateDnMat(&right, 2, 2, 2, put<float>({2, 3, 2, 5}), CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseCreateDnMat(&left, 2, 2, 2, solution, CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseSpSMDescr_t solve;
  cusparseSpSM_createDescr(&solve);
  cusparseSpSM_analysis(h, N, N, &one, l, right, left, CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, solve, buffer);
  cusparseSpSM_solve(h, N, N, &one, l, right, left, CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, solve);
  printf("solved%s\n", text(solution, 4).c_str());
  printf("wrong %d",
         cusparseSpGEMM_compute(h, N, N, &one, b, b, &zero, c, CUDA_R_32F, how, plan, &bytes, buffer));
  printf(" %d\n",
         cusparseSpGEMM_compute(h, T, N, &one, a, b, &zero, c, CUDA_R_32F, how, plan, &bytes, buffer));
}
