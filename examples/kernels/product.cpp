// C = A·B with Warpwright's kernels on a stream of the program's own. Prints the largest difference from
// float64.
#include <cuda_runtime.h>
#include <warpwright/kernels.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace ww = warpwright;

/// Ends the program with what CUDA says.
static void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int64_t m = 300, n = 200, k = 100;
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 7 % 31) / 31 - 0.5f;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 5 % 29) / 29 - 0.5f;

  // The workspace is the caller's: as much as the product may need on any GPU.
  const size_t bytes = ww::matmul_workspace(m, n, k, ww::Accuracy::float32);
  float *on_a, *on_b, *on_c;
  void* workspace;
  cudaStream_t stream;
  must(cudaMalloc(&on_a, 4 * a.size()));
  must(cudaMalloc(&on_b, 4 * b.size()));
  must(cudaMalloc(&on_c, 4 * c.size()));
  must(cudaMalloc(&workspace, bytes));
  must(cudaStreamCreate(&stream));
  must(cudaMemcpyAsync(on_a, a.data(), 4 * a.size(), cudaMemcpyHostToDevice, stream));
  must(cudaMemcpyAsync(on_b, b.data(), 4 * b.size(), cudaMemcpyHostToDevice, stream));

  // A and C lie by rows, B by columns, as BLAS has it.
  const ww::Status status = ww::matmul(stream, {on_a, m, k, k}, {on_b, k, n, k, ww::Layout::by_columns},
                                       {on_c, m, n, n}, ww::Accuracy::float32, {workspace, bytes});
  if (status != ww::Status::ok) {
    std::fprintf(stderr, "matmul: %s\n", ww::text(status));
    return 1;
  }
  must(cudaMemcpyAsync(c.data(), on_c, 4 * c.size(), cudaMemcpyDeviceToHost, stream));
  must(cudaStreamSynchronize(stream));

  double largest = 0;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += double{a[i * k + l]} * b[j * k + l];
      largest = std::fmax(largest, std::fabs(c[i * n + j] - sum));
    }
  }
  std::printf("largest difference %.1e: %s\n", largest, largest < 1e-5 ? "as exact as float32" : "wrong");
  return largest < 1e-5 ? 0 : 1;
}
