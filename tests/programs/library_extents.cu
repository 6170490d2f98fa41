// Calls of cuBLAS on memory of exactly what they touch, and of less.
#include <cublas_v2.h>
#include <cuda.h>

#include <utility>

#include "library_extents.h"

namespace {

cublasHandle_t h;

constexpr auto N = CUBLAS_OP_N, TR = CUBLAS_OP_T, CT = CUBLAS_OP_C;
constexpr auto UP = CUBLAS_FILL_MODE_UPPER, LO = CUBLAS_FILL_MODE_LOWER;
constexpr auto LEFT = CUBLAS_SIDE_LEFT, RIGHT = CUBLAS_SIDE_RIGHT;
constexpr auto UNIT = CUBLAS_DIAG_UNIT, NOT = CUBLAS_DIAG_NON_UNIT;
using F = float;
using D = double;
using C = cuComplex;
using Z = cuDoubleComplex;
const F one = 1, zero = 0;
const D one_d = 1, zero_d = 0;
const C one_c{1, 0}, zero_c{0, 0};
const Z one_z{1, 0}, zero_z{0, 0};

void products() {
  F* w = ample<F>();
  // op(A) 3 by 2, lda 4: columns end at 4 + 3. Transposed: 2 by 3, lda 4, ends at 8 + 2.
  extent<F>("cublasSgemm_v2", "reads", 0, 6,
            [&](F* a) { cublasSgemm(h, N, N, 3, 5, 2, &one, a, 4, w, 2, &zero, w, 3); });
  extent<F>("cublasSgemm_v2", "reads", 0, 9,
            [&](F* a) { cublasSgemm(h, TR, N, 3, 5, 2, &one, a, 4, w, 2, &zero, w, 3); });
  extent<F>("cublasSgemm_v2", "reads", 0, 17,
            [&](F* b) { cublasSgemm(h, N, N, 3, 5, 2, &one, w, 3, b, 4, &zero, w, 3); });
  extent<F>("cublasSgemm_v2", "writes", 0, 18,
            [&](F* c) { cublasSgemm(h, N, N, 3, 5, 2, &one, w, 3, w, 2, &zero, c, 4); });
  extent<Z>("cublasZgemm_v2", "reads", 0, 9, [&](Z* a) {
    cublasZgemm(h, CT, N, 3, 5, 2, &one_z, a, 4, ample<Z>(), 2, &zero_z, ample<Z>(), 3);
  });
  extent<F>("cublasSgemmEx", "reads", 0, 6, [&](F* a) {
    cublasSgemmEx(h, N, N, 3, 5, 2, &one, a, CUDA_R_32F, 4, w, CUDA_R_32F, 2, &zero, w, CUDA_R_32F, 3);
  });
  // Nothing is multiplied: with alpha 0, with k 0, with no columns.
  untouched<F>([&](F* a) { cublasSgemm(h, N, N, 3, 5, 2, &zero, a, 4, a, 2, &zero, w, 3); });
  untouched<F>([&](F* a) { cublasSgemm(h, N, N, 3, 5, 0, &one, a, 4, a, 2, &zero, w, 3); });
  untouched<F>([&](F* a) { cublasSgemm(h, N, N, 3, 0, 2, &one, a, 4, a, 2, &zero, a, 3); });
  untouched<F>([&](F* a) { cublasSgemm(h, N, N, 3, 5, 2, &zero, a, 4, a, 2, &one, a, 3); });
  extent<F>("cublasSgemm_v2", "writes", 0, 18,
            [&](F* c) { cublasSgemm(h, N, N, 3, 5, 2, &zero, nullptr, 3, nullptr, 2, &zero, c, 4); });
}

void batches() {
  F* w = ample<F>();
  const auto strided = [&](F* a, F* b, F* c, long long sa, long long sc) {
    cublasSgemmStridedBatched(h, N, N, 2, 2, 2, &one, a, 2, sa, b, 2, 4, &zero, c, 2, sc, 3);
  };
  strided(memory<F>(12), w, memory<F>(12), 4, 4);
  // The third matrix begins where the memory ends; then the second has 2 of its elements, too; then it is C.
  const char *reads = "expect cublasSgemmStridedBatched reads 16 bytes, ",
             *writes = "expect cublasSgemmStridedBatched writes 16 bytes, ";
  std::printf("%snone of which lie in an allocation\n", reads);
  strided(memory<F>(8), w, memory<F>(12), 4, 4);
  std::printf("%sof which 8 lie past the end of the allocation\n%snone of which lie in an allocation\n",
              reads, reads);
  strided(memory<F>(6), w, memory<F>(12), 4, 4);
  std::printf("%snone of which lie in an allocation\n", writes);
  strided(w, w, memory<F>(8), 4, 4);
  // From one array into another.
  F *a = memory<F>(1000), *c = memory<F>(1000);
  if (c < a) std::swap(a, c);
  const long long apart = c - a;
  const char* other = "matrix 1 of a batch in another allocation than the first one's";
  std::printf("expect cublasSgemmStridedBatched reads %s\n", other);
  cublasSgemmStridedBatched(h, N, N, 2, 2, 2, &one, a, 2, apart, w, 2, 4, &zero, w, 2, 4, 2);
  std::printf("expect cublasSgemmStridedBatched writes %s\n", other);
  cublasSgemmStridedBatched(h, N, N, 2, 2, 2, &one, w, 2, 4, w, 2, 4, &zero, c, 2, -apart, 2);
  std::printf("expect cublasSgemvStridedBatched reads %s\n", other);
  cublasSgemvStridedBatched(h, N, 2, 2, &one, w, 2, 0, a, 1, apart, &zero, w, 1, 2, 2);
  std::printf("expect cublasGemmStridedBatchedEx reads %s\n", other);
  cublasGemmStridedBatchedEx(h, N, N, 2, 2, 2, &one, w, CUDA_R_32F, 2, 4, a, CUDA_R_32F, 2, apart, &zero, w,
                             CUDA_R_32F, 2, 4, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  // A stride of bytes in place of elements; none.
  std::printf("%snone of which lie in an allocation\n", writes);
  strided(w, w, memory<F>(12), 4, 16);
  strided(w, w, memory<F>(4), 0, 0);
  // Pointers to each: the second matrix is a row too short; the third pointer is not there.
  F* all[] = {memory<F>(4), memory<F>(3), memory<F>(4)};
  F** pointers = memory<F*>(3);
  cudaMemcpy(pointers, all, sizeof all, cudaMemcpyHostToDevice);
  std::printf("expect cublasSgemmBatched reads 16 bytes, of which 4 lie past the end of the allocation\n");
  F* good[] = {w, w, w};
  F** outputs = memory<F*>(3);
  cudaMemcpy(outputs, good, sizeof good, cudaMemcpyHostToDevice);
  cublasSgemmBatched(h, N, N, 2, 2, 2, &one, pointers, 2, outputs, 2, &zero, outputs, 2, 3);
  cublasSgemmBatched(h, N, N, 2, 2, 2, &zero, nullptr, 2, nullptr, 2, &zero, outputs, 2, 3);
}

void triangles() {
  F* w = ample<F>();
  // 3 by 3, lda 4. Lower: the last element is (2, 2), at 10; without the diagonal from (1, 0) at 1 to (2, 1)
  // at 6. Upper without the diagonal: from (0, 1) at 4 to (1, 2) at 9.
  extent<F>("cublasStrsm_v2", "reads", 0, 10,
            [&](F* a) { cublasStrsm(h, LEFT, LO, N, NOT, 3, 2, &one, a, 4, w, 3); });
  extent<F>("cublasStrsm_v2", "reads", 1, 6,
            [&](F* a) { cublasStrsm(h, LEFT, LO, N, UNIT, 3, 2, &one, a, 4, w, 3); });
  extent<F>("cublasStrsm_v2", "reads", 4, 9,
            [&](F* a) { cublasStrsm(h, LEFT, UP, TR, UNIT, 3, 2, &one, a, 4, w, 3); });
  extent<F>("cublasStrsm_v2", "reads", 1, 1,
            [&](F* a) { cublasStrsm(h, RIGHT, LO, N, UNIT, 3, 2, &one, a, 4, w, 3); });
  untouched<F>([&](F* a) { cublasStrsm(h, LEFT, LO, N, UNIT, 1, 2, &one, a, 4, w, 3); });
  untouched<F>([&](F* a) { cublasStrsm(h, LEFT, LO, N, NOT, 3, 2, &zero, a, 4, w, 3); });
  untouched<F>([&](F* a) { cublasStrsm(h, LEFT, LO, N, NOT, 3, 0, &one, a, 4, a, 3); });
  extent<F>("cublasStrsm_v2", "writes", 0, 6,
            [&](F* b) { cublasStrsm(h, LEFT, LO, N, NOT, 3, 2, &one, w, 4, b, 4); });
  extent<D>("cublasDtrmm_v2", "reads", 4, 9, [&](D* a) {
    cublasDtrmm(h, LEFT, UP, N, UNIT, 3, 2, &one_d, a, 4, ample<D>(), 3, ample<D>(), 3);
  });
  extent<D>("cublasDtrmm_v2", "reads", 0, 6, [&](D* b) {
    cublasDtrmm(h, LEFT, UP, N, UNIT, 3, 2, &one_d, ample<D>(), 4, b, 4, ample<D>(), 3);
  });
  extent<D>("cublasDtrmm_v2", "writes", 0, 6,
            [&](D* c) { cublasDtrmm(h, LEFT, UP, N, UNIT, 3, 2, &zero_d, nullptr, 4, nullptr, 4, c, 4); });
  extent<C>("cublasChemm_v2", "reads", 0, 5, [&](C* a) {
    cublasChemm(h, RIGHT, UP, 3, 2, &one_c, a, 4, ample<C>(), 3, &zero_c, ample<C>(), 3);
  });
  extent<F>("cublasSsymm_v2", "reads", 0, 10,
            [&](F* a) { cublasSsymm(h, LEFT, LO, 3, 2, &one, a, 4, w, 3, &zero, w, 3); });
  extent<F>("cublasSsymm_v2", "writes", 0, 6,
            [&](F* c) { cublasSsymm(h, LEFT, LO, 3, 2, &zero, nullptr, 4, nullptr, 3, &zero, c, 4); });
  // A is 3 by 2, or 2 by 3 where it is transposed; of C a triangle.
  extent<F>("cublasSsyrk_v2", "reads", 0, 6,
            [&](F* a) { cublasSsyrk(h, LO, N, 3, 2, &one, a, 4, &zero, w, 3); });
  extent<F>("cublasSsyrk_v2", "reads", 0, 9,
            [&](F* a) { cublasSsyrk(h, LO, TR, 3, 2, &one, a, 4, &zero, w, 3); });
  extent<F>("cublasSsyrk_v2", "writes", 0, 10,
            [&](F* c) { cublasSsyrk(h, LO, N, 3, 2, &one, w, 3, &zero, c, 4); });
  untouched<F>([&](F* c) { cublasSsyrk(h, LO, N, 3, 0, &one, c, 3, &one, c, 4); });
  extent<F>("cublasSsyr2k_v2", "reads", 0, 6,
            [&](F* b) { cublasSsyr2k(h, UP, N, 3, 2, &one, w, 3, b, 4, &zero, w, 3); });
  extent<C>("cublasCherk_v2", "reads", 0, 9,
            [&](C* a) { cublasCherk(h, UP, CT, 3, 2, &one, a, 4, &zero, ample<C>(), 3); });
  // Either of two summands may be left out.
  extent<F>("cublasSgeam", "reads", 0, 6,
            [&](F* a) { cublasSgeam(h, N, N, 3, 2, &one, a, 4, &zero, nullptr, 3, w, 3); });
  extent<F>("cublasSgeam", "reads", 0, 9,
            [&](F* b) { cublasSgeam(h, N, TR, 3, 2, &zero, nullptr, 3, &one, b, 4, w, 3); });
  extent<F>("cublasSdgmm", "reads", 0, 6, [&](F* a) { cublasSdgmm(h, LEFT, 3, 2, a, 4, w, 1, w, 3); });
  extent<F>("cublasSdgmm", "reads", 0, 4, [&](F* x) { cublasSdgmm(h, LEFT, 3, 2, w, 4, x, 2, w, 3); });
}

void vectors() {
  F* w = ample<F>();
  extent<F>("cublasSgemv_v2", "reads", 0, 6,
            [&](F* a) { cublasSgemv(h, N, 3, 2, &one, a, 4, w, 1, &zero, w, 1); });
  extent<F>("cublasSgemv_v2", "reads", 0, 4,
            [&](F* x) { cublasSgemv(h, TR, 3, 2, &one, w, 4, x, -2, &zero, w, 1); });
  extent<F>("cublasSgemv_v2", "writes", 0, 2,
            [&](F* y) { cublasSgemv(h, TR, 3, 2, &zero, nullptr, 4, nullptr, 1, &zero, y, 2); });
  untouched<F>([&](F* p) { cublasSgemv(h, N, 3, 0, &one, p, 4, p, 1, &zero, p, 1); });
  extent<F>("cublasSger_v2", "writes", 0, 6, [&](F* a) { cublasSger(h, 3, 2, &one, w, 1, w, 1, a, 4); });
  untouched<F>([&](F* p) { cublasSger(h, 3, 2, &zero, p, 1, p, 1, p, 4); });
  extent<F>("cublasSsymv_v2", "reads", 0, 10,
            [&](F* a) { cublasSsymv(h, LO, 3, &one, a, 4, w, 1, &zero, w, 1); });
  extent<F>("cublasSsyr_v2", "writes", 0, 10, [&](F* a) { cublasSsyr(h, UP, 3, &one, w, 1, a, 4); });
  extent<Z>("cublasZher2_v2", "writes", 0, 10,
            [&](Z* a) { cublasZher2(h, UP, 3, &one_z, ample<Z>(), 1, ample<Z>(), 1, a, 4); });
  extent<F>("cublasStrsv_v2", "reads", 4, 9, [&](F* a) { cublasStrsv(h, UP, N, UNIT, 3, a, 4, w, 1); });
  extent<F>("cublasStrmv_v2", "reads", 0, 10, [&](F* a) { cublasStrmv(h, UP, N, NOT, 3, a, 4, w, 1); });
  untouched<F>([&](F* p) { cublasSaxpy(h, 5, &zero, p, 1, p, 1); });
  extent<F>("cublasAxpyEx", "reads", 0, 8, [&](F* x) {
    cublasAxpyEx(h, 5, &one, CUDA_R_32F, x, CUDA_R_32F, -2, w, CUDA_R_32F, 1, CUDA_R_32F);
  });
  extent<F>("cublasScalEx", "writes", 0, 4,
            [&](F* x) { cublasScalEx(h, 5, &one, CUDA_R_32F, x, CUDA_R_32F, 1, CUDA_R_32F); });
}

void bands() {
  F* w = ample<F>();
  // 4 by 5 with 1 diagonal below and 2 above, lda 4: (0, 0) lies at 2; the last column's last row (3, 4) at 2
  // - 1 + 16.
  extent<F>("cublasSgbmv_v2", "reads", 2, 17,
            [&](F* a) { cublasSgbmv(h, N, 4, 5, 1, 2, &one, a, 4, w, 1, &zero, w, 1); });
  // 2 by 9: no row of column 4 and of those behind it is within the band; (1, 3) lies at 2 + 1 - 3 + 12.
  extent<F>("cublasSgbmv_v2", "reads", 2, 12,
            [&](F* a) { cublasSgbmv(h, TR, 2, 9, 1, 2, &one, a, 4, w, 1, &zero, w, 1); });
  // 4 by 4 with 2 diagonals beside the main one, lda 3. Upper: (0, 0) at 2, (3, 3) at 11; without the
  // diagonal (0, 1) at 4, (2, 3) at 10. Lower: (0, 0) at 0, (3, 3) at 9; without the diagonal (1, 0) at 1,
  // (3, 2) at 7.
  extent<F>("cublasSsbmv_v2", "reads", 2, 11,
            [&](F* a) { cublasSsbmv(h, UP, 4, 2, &one, a, 3, w, 1, &zero, w, 1); });
  extent<F>("cublasSsbmv_v2", "reads", 0, 9,
            [&](F* a) { cublasSsbmv(h, LO, 4, 2, &one, a, 3, w, 1, &zero, w, 1); });
  extent<F>("cublasStbmv_v2", "reads", 4, 10, [&](F* a) { cublasStbmv(h, UP, N, UNIT, 4, 2, a, 3, w, 1); });
  extent<D>("cublasDtbsv_v2", "reads", 1, 7,
            [&](D* a) { cublasDtbsv(h, LO, TR, UNIT, 4, 2, a, 3, ample<D>(), 1); });
  untouched<F>([&](F* a) { cublasSsbmv(h, LO, 4, 2, &zero, a, 3, a, 1, &zero, w, 1); });
  // Packed, 4 by 4: 10 elements; without the diagonal from the second to the last but one.
  extent<F>("cublasSspmv_v2", "reads", 0, 9,
            [&](F* a) { cublasSspmv(h, UP, 4, &one, a, w, 1, &zero, w, 1); });
  extent<F>("cublasStpmv_v2", "reads", 1, 8, [&](F* a) { cublasStpmv(h, UP, N, UNIT, 4, a, w, 1); });
  extent<C>("cublasCtpsv_v2", "reads", 1, 8, [&](C* a) { cublasCtpsv(h, LO, N, UNIT, 4, a, ample<C>(), 1); });
  extent<C>("cublasChpr_v2", "writes", 0, 9, [&](C* a) { cublasChpr(h, LO, 4, &one, ample<C>(), 1, a); });
  extent<F>("cublasStpttr", "reads", 0, 9, [&](F* a) { cublasStpttr(h, LO, 4, a, w, 4); });
  extent<F>("cublasStrttp", "writes", 0, 9, [&](F* a) { cublasStrttp(h, LO, 4, w, 4, a); });
}

/// Two pieces of memory behind each other: one array.
void pieces() {
  CUmemAllocationProp about = {};
  about.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  about.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemAccessDesc access = {};
  access.location = about.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  constexpr size_t kPiece = size_t{2} << 20;
  CUdeviceptr at = 0;
  cuMemAddressReserve(&at, 2 * kPiece, 0, 0, 0);
  for (size_t k = 0; k < 2; ++k) {
    CUmemGenericAllocationHandle piece;
    cuMemCreate(&piece, kPiece, &about, 0);
    cuMemMap(at + k * kPiece, kPiece, 0, piece, 0);
  }
  if (cuMemSetAccess(at, 2 * kPiece, &access, 1) != CUDA_SUCCESS) std::exit(3);
  F* a = reinterpret_cast<F*>(at);
  cublasSscal(h, 2 * kPiece / sizeof(F), &one, a, 1);
  cublasSgemm(h, N, N, 4, 2, 2, &one, a + kPiece / sizeof(F) - 4, 4, ample<F>(), 2, &zero, ample<F>(), 4);
  F* w = ample<F>();
  const long long stride = kPiece / sizeof(F);
  cublasSgemmStridedBatched(h, N, N, 2, 2, 2, &one, a, 2, stride, w, 2, 0, &zero, w, 2, 4, 2);
}

}  // namespace

int main() {
  cublasCreate(&h);
  products(), batches(), triangles(), vectors(), bands(), pieces();
  cublasDestroy(h);
}
