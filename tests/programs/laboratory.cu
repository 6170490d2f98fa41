// The laboratory's kernels in a plain program of the runtime API: `warpwright profile` has to count for them
// what `warpwright study laboratory.json` counts.
#include <cstdio>
#include <vector>

#include "../../src/kernels/aat/padded.cu"
#include "../../src/kernels/aat/plain.cu"
#include "../../src/kernels/matmul/grid.cu"
#include "../../src/kernels/matmul/tiled.cu"

static float* array(size_t count) {
  std::vector<float> values(count);
  for (size_t k = 0; k < count; ++k) values[k] = static_cast<float>(k % 17) / 16;
  float* p = nullptr;
  cudaMalloc(&p, count * sizeof(float));
  cudaMemcpy(p, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  return p;
}

int main() {
  const int n = 96;
  float *a = array(n * n), *b = array(n * n), *c = array(n * n);
  matmul_grid_16<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
  matmul_tiled_16<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
  matmul_tiled_32<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n);
  aat_plain_32<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, c, n);
  aat_padded_16<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, c, n);
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
