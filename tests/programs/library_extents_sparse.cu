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

}  // namespace

int main() {
  cusparseCreate(&h);
  matrices(), vectors();
  cusparseDestroy(h);
}
