// Calls of cuSPARSE on memory of exactly what they touch, and of less.
#include <cusparse.h>

#include "library_extents.h"

namespace {

using F = float;
constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE, T = CUSPARSE_OPERATION_TRANSPOSE;
constexpr auto I32 = CUSPARSE_INDEX_32I;
constexpr auto BASE = CUSPARSE_INDEX_BASE_ZERO;
cusparseHandle_t h;
const F one = 1, zero = 0;

template <class V>
V* copied(std::initializer_list<V> values) {
  V* p = memory<V>(values.size());
  cudaMemcpy(p, values.begin(), values.size() * sizeof(V), cudaMemcpyHostToDevice);
  return p;
}
cusparseDnVecDescr_t vector(long size, F* values) {
  cusparseDnVecDescr_t v;
  cusparseCreateDnVec(&v, size, values, CUDA_R_32F);
  return v;
}

/// 3 by 5 with 4 values in columns 1, 3, 1, 2: rows begin at 0, 2, 2, 4.
void product(int* offsets, int* columns, F* values, F* x, F* y, cusparseOperation_t op = N,
             const F* alpha = &one) {
  cusparseSpMatDescr_t a;
  cusparseCreateCsr(&a, 3, 5, 4, offsets, columns, values, I32, I32, BASE, CUDA_R_32F);
  cusparseSpMV(h, op, alpha, a, vector(op == N ? 5 : 3, x), &zero, vector(op == N ? 3 : 5, y), CUDA_R_32F,
               CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  cusparseDestroySpMat(a);
}

void matrices() {
  F* w = ample<F>();
  int *offsets = copied({0, 2, 2, 4}), *columns = copied({1, 3, 1, 2});
  extent<F>("cusparseSpMV", "reads", 0, 3, [&](F* v) { product(offsets, columns, v, w, w); });
  // Of x columns 1 to 3 are met; transposed, rows 0 and 2.
  extent<F>("cusparseSpMV", "reads", 1, 3, [&](F* x) { product(offsets, columns, w, x, w); });
  extent<F>("cusparseSpMV", "reads", 0, 2, [&](F* x) { product(offsets, columns, w, x, w, T); });
  extent<F>("cusparseSpMV", "writes", 0, 2, [&](F* y) { product(offsets, columns, w, w, y); });
  extent<F>("cusparseSpMV", "writes", 0, 4, [&](F* y) { product(offsets, columns, w, w, y, T); });
  untouched<F>([&](F* x) { product(nullptr, nullptr, x, x, w, N, &zero); });
  std::printf("expect cusparseSpMV reads 16 bytes, of which 4 lie past the end of the allocation\n");
  product(offsets, copied({1, 3, 1}), w, w, w);
  std::printf("expect cusparseSpMV reads 16 bytes, of which 4 lie past the end of the allocation\n");
  product(copied({0, 2, 2}), columns, w, w, w);
  // Times 5 by 2, ld 6, by columns: rows 1 to 3, so from 1 to 9. The product is 3 by 2, ld 4.
  const auto matrix = [&](F* b, F* c) {
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t from, to;
    cusparseCreateCsr(&a, 3, 5, 4, offsets, columns, w, I32, I32, BASE, CUDA_R_32F);
    cusparseCreateDnMat(&from, 5, 2, 6, b, CUDA_R_32F, CUSPARSE_ORDER_COL);
    cusparseCreateDnMat(&to, 3, 2, 4, c, CUDA_R_32F, CUSPARSE_ORDER_COL);
    cusparseSpMM(h, N, N, &one, a, from, &zero, to, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
  };
  extent<F>("cusparseSpMM", "reads", 1, 9, [&](F* b) { matrix(b, w); });
  extent<F>("cusparseSpMM", "writes", 0, 6, [&](F* c) { matrix(w, c); });
}

void vectors() {
  F* w = ample<F>();
  int* places = copied({2, 4, 7});
  const auto sparse = [&](F* values) {
    cusparseSpVecDescr_t x;
    cusparseCreateSpVec(&x, 9, 3, places, values, I32, BASE, CUDA_R_32F);
    return x;
  };
  extent<F>("cusparseGather", "reads", 2, 7, [&](F* y) { cusparseGather(h, vector(9, y), sparse(w)); });
  extent<F>("cusparseGather", "writes", 0, 2, [&](F* x) { cusparseGather(h, vector(9, w), sparse(x)); });
  extent<F>("cusparseScatter", "writes", 2, 7, [&](F* y) { cusparseScatter(h, sparse(w), vector(9, y)); });
  extent<F>("cusparseAxpby", "writes", 2, 7,
            [&](F* y) { cusparseAxpby(h, &one, sparse(w), &one, vector(9, y)); });
}

/// 3 by 3 with 4 values, at (0, 0), (1, 0), (1, 1) and (2, 2).
void triangles() {
  F* w = ample<F>();
  int *offsets = copied({0, 1, 3, 4}), *columns = copied({0, 0, 1, 2});
  F* values = copied<F>({1, 1, 1, 1});
  const auto matrix = [&](int* o, int* c, F* v) {
    cusparseSpMatDescr_t a;
    cusparseCreateCsr(&a, 3, 3, 4, o, c, v, I32, I32, BASE, CUDA_R_32F);
    return a;
  };
  const auto a = matrix(offsets, columns, values);
  cusparseSpSVDescr_t plan;
  cusparseSpSV_createDescr(&plan);
  const auto analyse = [&](cusparseSpMatDescr_t m) {
    cusparseSpSV_analysis(h, N, &one, m, vector(3, w), vector(3, w), CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT,
                          plan, w);
  };
  const auto solve = [&](cusparseSpMatDescr_t m, F* x, F* y) {
    cusparseSpSV_solve(h, N, &one, m, vector(3, x), vector(3, y), CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT,
                       plan);
  };
  extent<int>("cusparseSpSV_analysis", "reads", 0, 3, [&](int* c) { analyse(matrix(offsets, c, nullptr)); });
  analyse(a);
  extent<F>("cusparseSpSV_solve", "reads", 0, 3, [&](F* v) { solve(matrix(offsets, columns, v), w, w); });
  extent<F>("cusparseSpSV_solve", "reads", 0, 2, [&](F* x) { solve(a, x, w); });
  extent<F>("cusparseSpSV_solve", "writes", 0, 2, [&](F* y) { solve(a, w, y); });
  // New values take the place of A's, which are not read any more; then new ones of the diagonal.
  extent<F>("cusparseSpSV_updateMatrix", "reads", 0, 3,
            [&](F* v) { cusparseSpSV_updateMatrix(h, plan, v, CUSPARSE_SPSV_UPDATE_GENERAL); });
  untouched<F>([&](F* v) { solve(matrix(offsets, columns, v), w, w); });
  extent<F>("cusparseSpSV_updateMatrix", "reads", 0, 2,
            [&](F* v) { cusparseSpSV_updateMatrix(h, plan, v, CUSPARSE_SPSV_UPDATE_DIAGONAL); });
  // Of two columns, ld 5.
  cusparseSpSMDescr_t many;
  cusparseSpSM_createDescr(&many);
  cusparseSpSM_analysis(h, N, N, &one, a, nullptr, nullptr, CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, many, w);
  const auto columns_of = [&](F* b, F* c) {
    cusparseDnMatDescr_t from, to;
    cusparseCreateDnMat(&from, 3, 2, 5, b, CUDA_R_32F, CUSPARSE_ORDER_COL);
    cusparseCreateDnMat(&to, 3, 2, 5, c, CUDA_R_32F, CUSPARSE_ORDER_COL);
    cusparseSpSM_solve(h, N, N, &one, a, from, to, CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, many);
  };
  extent<F>("cusparseSpSM_solve", "reads", 0, 7, [&](F* b) { columns_of(b, w); });
  extent<F>("cusparseSpSM_solve", "writes", 0, 7, [&](F* c) { columns_of(w, c); });
  // Incomplete factors.
  cusparseMatDescr_t about;
  cusparseCreateMatDescr(&about);
  csrilu02Info_t lu;
  csric02Info_t cholesky;
  cusparseCreateCsrilu02Info(&lu), cusparseCreateCsric02Info(&cholesky);
  const auto policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL;
  extent<F>("cusparseScsrilu02", "writes", 0, 3,
            [&](F* v) { cusparseScsrilu02(h, 3, 4, about, v, offsets, columns, lu, policy, w); });
  extent<int>("cusparseScsric02", "reads", 0, 3,
              [&](int* c) { cusparseScsric02(h, 3, 4, about, w, offsets, c, cholesky, policy, w); });
}

/// Three diagonals of 4 rows and two right sides, ld 6; two such systems 5 apart; three between each other.
void diagonals() {
  F* w = ample<F>();
  extent<F>("cusparseSgtsv2", "reads", 1, 3, [&](F* d) { cusparseSgtsv2(h, 4, 2, d, w, w, w, 6, w); });
  extent<F>("cusparseSgtsv2", "reads", 0, 3, [&](F* d) { cusparseSgtsv2(h, 4, 2, w, d, w, w, 6, w); });
  extent<F>("cusparseSgtsv2", "reads", 0, 2, [&](F* d) { cusparseSgtsv2(h, 4, 2, w, w, d, w, 6, w); });
  std::printf("expect cusparseSgtsv2 writes 16 bytes, of which 4 lie past the end of the allocation\n");
  cusparseSgtsv2(h, 4, 2, w, w, w, memory<F>(9), 6, w);
  cusparseSgtsv2(h, 4, 2, w, w, w, memory<F>(10), 6, w);
  std::printf(
      "expect cusparseSgtsv2StridedBatch reads 12 bytes, of which 4 lie past the end of the allocation\n");
  cusparseSgtsv2StridedBatch(h, 4, w, w, memory<F>(7), w, 2, 5, w);
  cusparseSgtsv2StridedBatch(h, 4, w, w, memory<F>(8), w, 2, 5, w);
  extent<F>("cusparseSgtsvInterleavedBatch", "reads", 3, 11,
            [&](F* d) { cusparseSgtsvInterleavedBatch(h, 0, 4, d, w, w, w, 3, w); });
}

/// Only where C has its 4 values, which are those of matrices(): rows 0 and 2, columns 1 to 3.
void sampled() {
  F* w = ample<F>();
  int *offsets = copied({0, 2, 2, 4}), *columns = copied({1, 3, 1, 2});
  const auto product = [&](F* a, F* b, F* c, const F* alpha = &one) {
    cusparseDnMatDescr_t left, right;
    cusparseSpMatDescr_t to;
    cusparseCreateDnMat(&left, 3, 2, 4, a, CUDA_R_32F, CUSPARSE_ORDER_COL);
    cusparseCreateDnMat(&right, 2, 5, 3, b, CUDA_R_32F, CUSPARSE_ORDER_COL);
    cusparseCreateCsr(&to, 3, 5, 4, offsets, columns, c, I32, I32, BASE, CUDA_R_32F);
    cusparseSDDMM(h, N, N, alpha, left, right, &zero, to, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, w);
  };
  extent<F>("cusparseSDDMM", "reads", 0, 6, [&](F* a) { product(a, w, w); });
  extent<F>("cusparseSDDMM", "reads", 3, 10, [&](F* b) { product(w, b, w); });
  extent<F>("cusparseSDDMM", "writes", 0, 3, [&](F* c) { product(w, w, c); });
  untouched<F>([&](F* a) { product(a, a, w, &zero); });
}

/// A of 2 by 3 has columns 2; 1, 2. Of B, 3 by 4, that asks for rows 1 and 2: offsets 1 to 3, values 2 to 4.
/// C has 0, 3; 0, 2, 3.
void sparse_products() {
  F* w = ample<F>();
  int *a_rows = copied({0, 1, 3}), *a_columns = copied({2, 1, 2});
  int *b_rows = copied({0, 2, 3, 5}), *b_columns = copied({0, 1, 2, 0, 3});
  const auto matrix = [&](int rows, int columns, int count, int* o, int* c, F* v) {
    cusparseSpMatDescr_t m;
    cusparseCreateCsr(&m, rows, columns, count, o, c, v, I32, I32, BASE, CUDA_R_32F);
    return m;
  };
  cusparseSpGEMMDescr_t plan;
  cusparseSpGEMM_createDescr(&plan);
  const auto how = CUSPARSE_SPGEMM_DEFAULT;
  size_t bytes = 8;
  const auto a = matrix(2, 3, 3, a_rows, a_columns, w), b = matrix(3, 4, 5, b_rows, b_columns, w);
  const auto estimate = [&](cusparseSpMatDescr_t x, cusparseSpMatDescr_t y) {
    const auto c = matrix(2, 4, 0, nullptr, nullptr, nullptr);
    cusparseSpGEMM_workEstimation(h, N, N, &one, x, y, &zero, c, CUDA_R_32F, how, plan, &bytes, w);
  };
  const auto compute = [&](cusparseSpMatDescr_t x, cusparseSpMatDescr_t y) {
    const auto c = matrix(2, 4, 0, nullptr, nullptr, nullptr);
    cusparseSpGEMM_compute(h, N, N, &one, x, y, &zero, c, CUDA_R_32F, how, plan, &bytes, w);
  };
  const auto copy = [&](int* o, int* columns, F* v) {
    cusparseSpGEMM_copy(h, N, N, &one, a, b, &zero, matrix(2, 4, 5, o, columns, v), CUDA_R_32F, how, plan);
  };
  extent<int>("cusparseSpGEMM_workEstimation", "reads", 0, 2,
              [&](int* c) { estimate(matrix(2, 3, 3, a_rows, c, nullptr), b); });
  extent<int>("cusparseSpGEMM_workEstimation", "reads", 2, 4,
              [&](int* c) { estimate(a, matrix(3, 4, 5, b_rows, c, nullptr)); });
  extent<F>("cusparseSpGEMM_compute", "reads", 0, 2,
            [&](F* v) { compute(matrix(2, 3, 3, a_rows, a_columns, v), b); });
  extent<F>("cusparseSpGEMM_compute", "reads", 2, 4,
            [&](F* v) { compute(a, matrix(3, 4, 5, b_rows, b_columns, v)); });
  int* i = ample<int>();
  extent<int>("cusparseSpGEMM_copy", "writes", 0, 2, [&](int* o) { copy(o, i, w); });
  extent<int>("cusparseSpGEMM_copy", "writes", 0, 4, [&](int* c) { copy(i, c, w); });
  extent<F>("cusparseSpGEMM_copy", "writes", 0, 4, [&](F* v) { copy(i, i, v); });
}

}  // namespace

int main() {
  cusparseCreate(&h);
  matrices(), vectors(), triangles(), diagonals(), sampled(), sparse_products();
  cusparseDestroy(h);
}
