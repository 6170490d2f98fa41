// warpwright_kernels: the laboratory's fastest kernels as a library (docs/kernels-library.md). C++17, without
// CUDA's headers.
//
// Every call checks its arguments, puts its work into the caller's stream and returns; memory is the
// caller's. The first launch of a kernel loads it, which may wait for the GPU; all others may be captured
// into graphs. The GPU is the one whose context is current in the calling thread (with the runtime API: after
// cudaSetDevice and any call). Which kernel runs depends on the GPU, the shape and the alignment, never on
// the values. The same call on the same GPU gives the same bits every time.
//
// Calls may come from any number of threads. Two calls that are under way at the same time need a workspace
// each.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

#define WW_KERNELS_API __attribute__((visibility("default")))

namespace warpwright {

/// CUDA's cudaStream_t and CUstream; null: the default stream.
using Stream = CUstream_st*;

enum class Status {
  ok,               ///< the work is in the stream
  null_pointer,     ///< of a matrix, a vector or a result that is not empty
  bad_shape,        ///< a negative size, one above 2^30, or sizes that do not fit each other
  bad_stride,       ///< smaller than a row (a column, where the matrix lies by columns), or above 2^30
  misaligned,       ///< an address that is no multiple of its element's size, or a workspace's of 256
  overlap,          ///< the result or the workspace lies over an operand, or over the other
  small_workspace,  ///< see the calls' …_workspace
  unsupported,      ///< this GPU, or this combination; the call's text says which
  no_driver,        ///< there is no libcuda.so.1
  no_context,       ///< no CUDA context is current in this thread
  failed,           ///< the driver refused; driver_error() says why
};
/// In plain words; lives for ever.
WW_KERNELS_API const char* text(Status status);
/// CUresult of this thread's last call that returned Status::failed; 0 without one.
WW_KERNELS_API int driver_error();

/// How a matrix lies in memory: by rows (C), or by columns (Fortran, BLAS).
enum class Layout { by_rows, by_columns };

/// `stride`: elements from a row to the next (by_rows) or from a column to the next (by_columns).
template <class T>
struct Matrix {
  T* data;
  int64_t rows, columns, stride;
  Layout layout = Layout::by_rows;
};

/// The upper 16 bits of a float, as __nv_bfloat16 has them.
struct Bfloat16 {
  uint16_t bits;
};

/// Memory of the GPU for a call's use, at a multiple of 256 (cudaMalloc's are). Its content does not matter
/// before, and is of no use after.
struct Workspace {
  void* data = nullptr;
  size_t bytes = 0;
};

/// What a float32 result may differ by from the exact one.
enum class Accuracy {
  /// Float32 multiply-adds in some order, on CUDA cores: infinities and NaN come out as IEEE 754 says.
  ieee,
  /// Errors at most those of float32 multiply-adds in order, for finite elements below 2^127; elements below
  /// 2^-110 lose bits; a row or column with an infinity or NaN becomes NaN, a sum beyond float32's range
  /// infinity or NaN. Tensor cores where the GPU has them (cc 9.0). Large products are computed by the faster
  /// of two schemes, or by the other one where most
  /// elements of a row of A or a column of B are small beside the largest in it: the GPU finds that out.
  float32,
  /// Operands of 22 bits: errors below float32's on most inputs, but up to 7 times as large where sums nearly
  /// cancel.
  /// Elements below 2^-17 of the largest in their row of A (column of B) lose bits. The fastest: products
  /// for which float32 is reckoned to be faster are computed as that.
  halves,
};

/// C = A·B: A m × k, B k × n, C m × n, each with a layout of its own.
WW_KERNELS_API Status matmul(Stream stream, Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
                             Accuracy accuracy, Workspace workspace);
/// Elements of bfloat16, exact products, float32 sums; the second form rounds the results to bfloat16. On
/// tensor cores (cc 9.0) sums are cut off instead of rounded to nearest: errors up to twice those of float32
/// sums.
WW_KERNELS_API Status matmul(Stream stream, Matrix<const Bfloat16> a, Matrix<const Bfloat16> b,
                             Matrix<float> c, Workspace workspace);
WW_KERNELS_API Status matmul(Stream stream, Matrix<const Bfloat16> a, Matrix<const Bfloat16> b,
                             Matrix<Bfloat16> c, Workspace workspace);
/// Bytes that are enough for a product of these sizes on every GPU, for every layout and alignment.
WW_KERNELS_API size_t matmul_workspace(int64_t m, int64_t n, int64_t k, Accuracy accuracy);
WW_KERNELS_API size_t matmul_bfloat16_workspace(int64_t m, int64_t n, int64_t k);

/// C = A·Aᵀ: A n × k, C n × n, both halves of it, equal to the last bit.
WW_KERNELS_API Status aat(Stream stream, Matrix<const float> a, Matrix<float> c, Accuracy accuracy,
                          Workspace workspace);
WW_KERNELS_API size_t aat_workspace(int64_t n, int64_t k, Accuracy accuracy);

/// Every element of `out` is the sum of the (2·radius + 1)² elements of `in` around it, and of nothing else:
/// nothing is subtracted. `out` has 2·radius rows and columns fewer; both lie the same way. Errors: at most
/// some 100 additions in float32 on each element's way. Radii up to 143 take little more than a copy; those
/// that need more shared memory than a block has (some 20,000) are unsupported.
WW_KERNELS_API Status box_sum(Stream stream, Matrix<const float> in, Matrix<float> out, int64_t radius,
                              Workspace workspace);
/// Of a matrix `in` of this size.
WW_KERNELS_API size_t box_sum_workspace(int64_t rows, int64_t columns, int64_t radius);

/// *out = the sum of in[n], in one launch; 0 for n = 0. Float32 sums of short runs, added up as a tree. (A
/// second launch clears a word where a context's sums of more than 8192 elements were given more than 1024
/// different workspaces, for those that came later.)
WW_KERNELS_API Status sum(Stream stream, const float* in, int64_t n, float* out, Workspace workspace);
WW_KERNELS_API size_t sum_workspace();
/// The same. (It was faster when sum() had to clear a word of the workspace.)
WW_KERNELS_API Status sum_again(Stream stream, const float* in, int64_t n, float* out, Workspace workspace);

}  // namespace warpwright
